import { remember } from "../../../platform/remember.ts";
import { type App, resource } from "../../../platform/runtime.ts";
import { SettingError } from "../../../platform/settings/setting.ts";
import { DAY_MS, SECOND_MS } from "../../../platform/time/clock.ts";
import { readSome } from "../../settings/public.ts";
import { EVENTS_DAYS, eventSettings } from "./settings.pure.ts";

/** How old a remembered setting may be. An event that is recorded by a former one is deleted with the others of its age. */
const BELIEVED_MS = 5 * SECOND_MS;
const MAX_REMEMBERED = 10_000;

const keptFor = resource((app: App) =>
  remember<{ days: number | null }>({
    clock: app.clock,
    max: MAX_REMEMBERED,
    believedMs: BELIEVED_MS,
    async load(projectId) {
      try {
        const { kysely } = app.database.lookups;
        const { "retention.eventsDays": days } = await readSome(kysely, projectId, eventSettings, [
          "retention.eventsDays",
        ]);
        return { days };
      } catch (cause) {
        if (!(cause instanceof SettingError)) throw cause;
        // No event is deleted by a setting that cannot be read, so none is refused by it.
        app.log.error({ err: cause, projectId }, "how long events are kept could not be read");
        return { days: null };
      }
    },
  }),
);

/**
 * How many days a project keeps events (`retention.eventsDays`), asked for one of an age in milliseconds; null where it is kept in any case.
 * An older one must not be recorded: it would be deleted, and an event that is sent again afterwards would count again.
 */
export async function eventsKeptFor(app: App, projectId: string, ageMs: number): Promise<number | null> {
  if (ageMs <= EVENTS_DAYS.least * DAY_MS) return null;
  const { days } = await app.get(keptFor).get(projectId);
  return days;
}
