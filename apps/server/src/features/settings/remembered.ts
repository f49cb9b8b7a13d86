import { remember } from "../../platform/remember.ts";
import { type App, resource } from "../../platform/runtime.ts";
import { SettingError, type SettingSet, type Settings } from "../../platform/settings/setting.ts";
import { SECOND_MS } from "../../platform/time/clock.ts";
import { type OpenKey, readSome } from "./read.ts";

/** How old a remembered setting may be. */
const BELIEVED_MS = 5 * SECOND_MS;
const MAX_REMEMBERED = 10_000;

type WhenUnreadable<Value> = {
  /** What goes in place of a value that cannot be read. */
  value: Value;
  /** What the log says then: `… could not be read`. */
  fault: string;
};

/**
 * A reader of one setting of projects for what pages and devices send, which is too much to read it each time: it answers what the setting was
 * at most five seconds ago.
 */
export function rememberedSetting<Own extends SettingSet, Key extends OpenKey<Own>>(
  own: Own,
  key: Key,
  { value: otherwise, fault }: WhenUnreadable<Settings<Own>[Key]>,
): (app: App, projectId: string) => Promise<Settings<Own>[Key]> {
  const remembered = resource((app: App) =>
    remember<{ value: Settings<Own>[Key] }>({
      clock: app.clock,
      max: MAX_REMEMBERED,
      believedMs: BELIEVED_MS,
      async load(projectId) {
        try {
          const { [key]: value } = await readSome(app.database.lookups.kysely, projectId, own, [key]);
          return { value };
        } catch (cause) {
          if (!(cause instanceof SettingError)) throw cause;
          app.log.error({ err: cause, projectId }, fault);
          return { value: otherwise };
        }
      },
    }),
  );
  return async (app, projectId) => (await app.get(remembered).get(projectId)).value;
}
