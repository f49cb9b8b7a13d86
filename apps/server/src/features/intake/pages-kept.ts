import { remember } from "../../platform/remember.ts";
import { type App, resource } from "../../platform/runtime.ts";
import { SettingError } from "../../platform/settings/setting.ts";
import { SECOND_MS } from "../../platform/time/clock.ts";
import { readSome } from "../settings/public.ts";
import { intakeSettings } from "./settings.pure.ts";

/** How old a remembered setting may be. */
const BELIEVED_MS = 5 * SECOND_MS;
const MOST_REMEMBERED = 10_000;

const keptPages = resource((app: App) =>
  remember<{ keepsPages: boolean }>({
    clock: app.clock,
    max: MOST_REMEMBERED,
    believedMs: BELIEVED_MS,
    async load(projectId) {
      try {
        const { "intake.pages": pages } = await readSome(
          app.database.lookups.kysely,
          projectId,
          intakeSettings,
          ["intake.pages"],
        );
        return { keepsPages: pages === "record" };
      } catch (cause) {
        if (!(cause instanceof SettingError)) throw cause;
        // What cannot be read loses nothing that was sent.
        app.log.error({ err: cause, projectId }, "whether pages are kept could not be read");
        return { keepsPages: true };
      }
    },
  }),
);

/** Whether a project keeps the pages and screens that libraries report (`intake.pages`). */
export const keepsPages = async (app: App, projectId: string): Promise<boolean> =>
  (await app.get(keptPages).get(projectId)).keepsPages;
