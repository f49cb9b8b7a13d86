import type { Connection } from "../../../platform/db/db.ts";
import { rowsAtOnce } from "../../../platform/db/many-rows.ts";
import type { App } from "../../../platform/runtime.ts";
import { compareEvents } from "../../users/events/public.ts";
import { ensureKnown, hasManyNames, knownNames, outcomes, type Recorded, targetEvents } from "./record.ts";
import { type NewEvent, recordEvents, type TrackedEvent } from "./store.ts";

const keyOf = ({ userKey, eventId }: NewEvent): string => userKey + eventId;

/** The first event of each key. */
function firstByKey(events: readonly NewEvent[]): Map<string, NewEvent> {
  const first = new Map<string, NewEvent>();
  for (const event of events) if (!first.has(keyOf(event))) first.set(keyOf(event), event);
  return first;
}

/** What an event is beside the first one of its key. */
const besideFirst = (event: NewEvent, first: NewEvent | undefined): "known" | "conflict" =>
  first?.name === event.name && first.props === event.props ? "known" : "conflict";

/** Whether a goal counts one of these events, as far as this process knows. */
async function mayConvert(app: App, events: readonly NewEvent[]): Promise<boolean> {
  await ensureKnown(app, new Set(events.map(({ projectId }) => projectId)));
  const targets = app.get(targetEvents);
  return events.some(({ projectId, name }) => targets.get(projectId)?.names.has(name) ?? true);
}

/**
 * Records events in a transaction as history: no user is active for them, whatever their instant. They may be there twice; those of a user follow
 * each other, in the order of keys. After the commit, the caller calls `wakeAfterDelta`. `now` is epoch milliseconds.
 */
export async function bringEvents(
  app: App,
  client: Connection,
  events: readonly NewEvent[],
  now: number,
): Promise<Recorded[]> {
  // What converts deliveries changes their counters behind the users: in several statements it would lock users behind counters too.
  if (await mayConvert(app, events)) return bringSome(app, client, events, now);
  const brought: Recorded[] = [];
  for (const some of rowsAtOnce(events)) brought.push(...(await bringSome(app, client, some, now)));
  return brought;
}

/**
 * What came of all events, by what came of the first of each key. Those are left out whose recorded event was erased meanwhile.
 * @param recorded the first events, each with what came of it
 */
async function withRepeats(
  client: Connection,
  events: readonly NewEvent[],
  recorded: ReadonlyMap<NewEvent, Recorded | null>,
): Promise<Recorded[]> {
  const first = firstByKey(events);
  const firstOf = (event: NewEvent): NewEvent => first.get(keyOf(event)) ?? event;
  // Where even the first one is not what was recorded, those behind it still may be.
  const disputed = events.filter(
    (event) => firstOf(event) !== event && recorded.get(firstOf(event)) === "conflict",
  );
  const found = disputed.length === 0 ? [] : await compareEvents(client, disputed);
  const stored = new Map(disputed.map((event, index) => [event, found[index]?.same ?? null]));
  return events.flatMap((event): Recorded | [] => {
    const original = firstOf(event);
    const outcome = recorded.get(original) ?? null;
    if (original === event || outcome === "refused") return outcome ?? [];
    const same = stored.get(event);
    if (same === undefined) return besideFirst(event, original);
    return same === null ? [] : same ? "known" : "conflict";
  });
}

/** Records events by one statement. */
async function bringSome(
  app: App,
  client: Connection,
  events: readonly NewEvent[],
  now: number,
): Promise<Recorded[]> {
  // A statement cannot write an event twice: all but the first of a key are compared with that one below.
  const once = [...firstByKey(events).values()];
  const projectIds = new Set(once.map(({ projectId }) => projectId));
  const targets = app.get(targetEvents);
  const names = app.get(knownNames);
  const { userEventNames: maxNames } = app.config.limits;
  for (;;) {
    await ensureKnown(app, projectIds);
    const reach = { goals: false, active: false, history: true, names: false, repeats: true };
    const rows = once.map((event): TrackedEvent => {
      const known = targets.get(event.projectId);
      reach.goals ||= known === undefined || known.names.has(event.name);
      // Call the function first: it has to remember every name.
      reach.names = hasManyNames(names.get(event.projectId), event.name, maxNames) || reach.names;
      return { ...event, isHistory: true, activePeriod: null, now, configVersion: known?.configVersion ?? 0 };
    });
    const unwritten = await recordEvents(reach, maxNames)(client, rows);
    const stale = unwritten.filter((each) => each.stale_project !== null);
    for (const { stale_project: projectId } of stale) targets.delete(projectId ?? "");
    if (stale.length > 0) continue;
    const results = await outcomes(client, once, unwritten);
    const recorded = new Map(once.map((event, index) => [event, results[index] ?? null]));
    const complete = await withRepeats(client, events, recorded);
    // One is missing whose recorded event was erased with its user meanwhile: it is recorded for a new user.
    if (complete.length === events.length) return complete;
  }
}

/** Finds in order which events are recorded already, or would be by an earlier one of them: null where none is. Nothing is written. */
export async function findBroughtEvents(
  client: Connection,
  events: readonly NewEvent[],
): Promise<("known" | "conflict" | null)[]> {
  const compared: { same: boolean | null }[] = [];
  for (const some of rowsAtOnce(events)) compared.push(...(await compareEvents(client, some)));
  const first = firstByKey(events);
  return events.map((event, index) => {
    const same = compared[index]?.same ?? null;
    if (same !== null) return same ? "known" : "conflict";
    const original = first.get(keyOf(event));
    return original === event ? null : besideFirst(event, original);
  });
}
