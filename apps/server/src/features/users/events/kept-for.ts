import type { App } from "../../../platform/runtime.ts";
import { DAY_MS } from "../../../platform/time/clock.ts";
import { rememberedSetting } from "../../settings/public.ts";
import { EVENTS_DAYS, eventSettings } from "./settings.pure.ts";

/**
 * How many days a project keeps events. An event that is recorded by a former setting is deleted with the others of its age; by one that cannot
 * be read none is deleted, so none is refused.
 */
const keptDays = rememberedSetting(eventSettings, "retention.eventsDays", {
  value: null,
  fault: "how long events are kept could not be read",
});

/**
 * How many days a project keeps events (`retention.eventsDays`), asked for one of an age in milliseconds; null where it is kept in any case.
 * An older one must not be recorded: it would be deleted, and an event that is sent again afterwards would count again.
 */
export async function eventsKeptFor(app: App, projectId: string, ageMs: number): Promise<number | null> {
  if (ageMs <= EVENTS_DAYS.least * DAY_MS) return null;
  return keptDays(app, projectId);
}
