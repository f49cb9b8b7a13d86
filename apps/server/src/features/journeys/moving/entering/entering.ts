import type { UserRef } from "../../../../domain/ids.ts";
import { isVisitorId } from "../../../../domain/visitors.pure.ts";
import { type Db, inTransaction } from "../../../../platform/db/db.ts";
import type { App } from "../../../../platform/runtime.ts";
import { DAY_MS, HOUR_MS } from "../../../../platform/time/clock.ts";
import { compile } from "../../../audience/language/engines/compile.pure.ts";
import { eventTest } from "../../../audience/language/engines/needs.pure.ts";
import { readFactsOfMany } from "../../../audience/language/public.ts";
import type { Definition } from "../../authoring/schema.ts";
import type { EventRule } from "../../authoring/steps.pure.ts";
import { readDefinition } from "../../authoring/stored.pure.ts";
import { firstPlace, goOnBy } from "../../authoring/walk.pure.ts";
import {
  type Entry,
  insertEntries,
  type LastEntry,
  lockLastEntries,
  type Movement,
  moveEntries,
  type NewEntry,
} from "../entry-store.ts";
import { leavingBy, movementOf, newEntry } from "../movements.ts";
import { isStill, type MovingJourney } from "../store.ts";
import { type Draw, drawOf } from "./arms.ts";
import { deleteTriggers, type Trigger } from "./trigger-store.ts";

/** An event that came later than this after it happened, such as one of a file, lets no user in. */
const TOO_LATE_MS = HOUR_MS;

/** Why a user does not enter: they are in already, they may not enter again (yet), they are not in the audience, or they are no user. */
export type Barred = "inside" | "again" | "audience" | "no_user";

/** What bars a user from entering after their last entry; null where nothing does. */
export function barredBy(
  { again }: Definition,
  last: Pick<Entry, "leftAt" | "enteredAt"> | undefined,
  now: number,
): "inside" | "again" | null {
  if (last === undefined) return null;
  if (last.leftAt === null) return "inside";
  return again !== null && now >= last.enteredAt + again.afterDays * DAY_MS ? null : "again";
}

/** Which of some users may enter a journey by what they are, by their keys: users of the project in its audience. */
export async function readAdmitted(
  db: Db,
  projectId: string,
  { audience }: Definition,
  users: readonly UserRef[],
  now: number,
): Promise<ReadonlySet<string>> {
  const compiled =
    audience === null || audience.kind === "all"
      ? { needs: [], events: [], matches: () => true }
      : compile(audience.expression);
  const facts = await readFactsOfMany(db, projectId, users, compiled, now);
  const admitted = [...facts].filter(
    ([, each]) => !isVisitorId(each.externalId) && compiled.matches(each, now),
  );
  return new Set(admitted.map(([userKey]) => userKey));
}

/** Whether an event is one of a rule. It has happened, also where the clock of this process is behind that of the one that took it. */
const meets = ({ event, where }: EventRule, { name, ts, props }: Trigger, now: number): boolean =>
  eventTest({
    kind: "event",
    event,
    count: { op: "gte", value: 1 },
    ...(where === undefined ? {} : { where }),
  })([name, ts, props], Math.max(now, ts));

/** What events come to: who enters, who leaves or goes on, and which events wait for the next turn. */
type Come = { entries: NewEntry[]; moving: Movement[]; looked: Trigger[] };

/** Decides what events of users mean for a journey, in their order. A user who enters or goes on is looked at again in the next turn. */
function decide(
  journey: MovingJourney,
  definition: Definition,
  triggers: readonly Trigger[],
  last: Map<string, LastEntry>,
  admitted: ReadonlySet<string>,
  draw: Draw | null,
  now: number,
): Come {
  const { version, goalEvent } = journey;
  const { entry, exit } = definition;
  const come: Come = { entries: [], moving: [], looked: [] };
  const moved = new Set<string>();
  const first = firstPlace(definition, now);
  for (const trigger of triggers) {
    const { userKey, name, ts } = trigger;
    if (moved.has(userKey)) continue;
    come.looked.push(trigger);
    let known = last.get(userKey);
    const isGoal = exit.onGoal && name === goalEvent;
    const ends = isGoal || exit.events.some((rule) => meets(rule, trigger, now));
    if (known !== undefined && known.leftAt === null && ends) {
      come.moving.push(leavingBy(known, isGoal ? "goal" : "event", { version, now }));
      known = { ...known, leftAt: now };
      last.set(userKey, known);
    }
    if (known !== undefined && known.leftAt === null) {
      const walked = goOnBy(definition, known, (rule) => meets(rule, trigger, now), now);
      if (walked === null) continue;
      come.moving.push(movementOf(known, walked, { version, now }));
      moved.add(userKey);
      continue;
    }
    if (journey.status !== "running" || entry.on !== "event" || first === null) continue;
    if (!meets(entry, trigger, now) || ts < now - TOO_LATE_MS || !admitted.has(userKey)) continue;
    if (barredBy(definition, known, now) !== null) continue;
    const event = JSON.stringify({ name, props: trigger.props ?? {}, at: ts });
    come.entries.push(newEntry(journey, trigger, known, first, draw, event));
    moved.add(userKey);
  }
  return come;
}

/** Each user once, in the order in which users are locked. */
export const inLockOrder = (users: readonly UserRef[]): UserRef[] =>
  [...new Map(users.map(({ lane, userKey }) => [userKey, { lane, userKey }])).values()].sort(
    (a, b) => a.lane - b.lane || (a.userKey < b.userKey ? -1 : 1),
  );

/** Looks at events that matter to a journey: who enters by them, and who leaves. */
export async function lookAt(
  app: App,
  journey: MovingJourney | undefined,
  triggers: readonly Trigger[],
): Promise<void> {
  const { hotPool, kysely } = app.database;
  const definition = journey === undefined ? null : readDefinition(journey.definition);
  if (journey === undefined || definition === null || journey.status === "ended") {
    await inTransaction(hotPool, (client) => deleteTriggers(client, triggers));
    return;
  }
  const { projectId } = journey;
  const now = app.clock();
  const users = inLockOrder(triggers);
  const admitted = await readAdmitted(kysely, projectId, definition, users, now);
  await inTransaction(hotPool, async (client) => {
    // Where the journey has just been changed, the next look is at what it is then.
    if (!(await isStill(client, journey))) return;
    const mayEnter = journey.status === "running" && definition.entry.on === "event";
    const draw = mayEnter ? await drawOf(client, journey, definition, now) : null;
    const found = await lockLastEntries(
      client,
      users.map((user) => ({ ...user, projectId, journeyId: journey.id })),
    );
    const last = new Map(found.map((entry) => [entry.userKey, entry]));
    const { entries, moving, looked } = decide(journey, definition, triggers, last, admitted, draw, now);
    if (moving.length > 0) await moveEntries(client, moving);
    if (entries.length > 0) await insertEntries(client, entries);
    await deleteTriggers(client, looked);
  });
}
