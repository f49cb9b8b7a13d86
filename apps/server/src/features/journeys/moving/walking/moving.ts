import { uuidFor } from "../../../../domain/ids.ts";
import { inTransaction } from "../../../../platform/db/db.ts";
import type { App } from "../../../../platform/runtime.ts";
import { MINUTE_MS, SECOND_MS } from "../../../../platform/time/clock.ts";
import { NOT_LEFT } from "../../../deliveries/lifecycle/rules.ts";
import type { StepPlan } from "../../../deliveries/public.ts";
import type { Definition } from "../../authoring/schema.ts";
import type { Step } from "../../authoring/steps.pure.ts";
import { readDefinition } from "../../authoring/stored.pure.ts";
import { type Outcome, type Walked, walk } from "../../authoring/walk.pure.ts";
import { type Entry, type FoundPlace, lockPlaces, moveEntries, readDue } from "../entry-store.ts";
import { movementOf, placeOf } from "../movements.ts";
import { AT_ONCE } from "../rules.ts";
import { isStill, type MovingJourney } from "../store.ts";
import { type Known, readKnown } from "./known.ts";
import { findMade, type Made, readSent, readStepPushes, type Sent, type StepPush } from "./message-store.ts";
import { planStep } from "./plan-step.ts";

/**
 * How soon a message that has not left is looked at again: later the longer it waits. Where it leaves, `goOnAfter` makes its user due at once; a
 * look finds what a process could not report because it died, and messages that ended otherwise.
 */
const LOOK_MS = { least: 30 * SECOND_MS, most: 10 * MINUTE_MS };
const lookAfter = (waitedMs: number): number => Math.min(LOOK_MS.most, Math.max(LOOK_MS.least, waitedMs));
/** How soon a user is looked at again whose message could not be made: the campaign of the step is paused, for instance. */
const RETRY_MS = 30 * SECOND_MS;

type SendStep = Extract<Step, { kind: "send" }>;

/** The step where an entry is, where that sends. */
function sendStepOf({ steps }: Definition, { stepId }: Pick<Entry, "stepId">): SendStep | null {
  const step = steps.find(({ id }) => id === stepId);
  return step?.kind === "send" ? step : null;
}

/** Why a message did not leave, by the state of its delivery. */
type Became = { outcome: Outcome; reason: string | null };

/** What became of a message; `outcome` is null while it may still leave. */
function outcomeOf(sent: Sent | undefined, push: StepPush | undefined): Became {
  if (sent?.isThere) return { outcome: "sent", reason: null };
  if (sent?.isWithheld) return { outcome: "withheld", reason: null };
  if (sent === undefined || sent.state === null) return { outcome: null, reason: null };
  if ((NOT_LEFT as readonly string[]).includes(sent.state)) {
    // No answer will ever say whether it arrived: its user does not wait for one.
    if (push?.isUncertain) return { outcome: "skipped", reason: "uncertain" };
    return { outcome: null, reason: null };
  }
  return sent.sentAt === null
    ? { outcome: "skipped", reason: sent.state }
    : { outcome: "sent", reason: null };
}

/** Users who are due, with what is known of each. */
type Due = {
  journey: MovingJourney;
  definition: Definition;
  knownOf: (entry: Entry) => Known;
  now: number;
};

/** A user and how far they come. */
type Going = { entry: Entry; walked: Walked };

/** How far users come who wait, or whose message was made. */
async function goOn(
  app: App,
  { journey, definition, knownOf, now }: Due,
  entries: readonly Entry[],
): Promise<Going[]> {
  const acted = entries.flatMap((entry) => {
    const step = entry.isActed ? sendStepOf(definition, entry) : null;
    return step === null ? [] : [{ ...entry, campaignId: uuidFor("cmp", step.campaignId) }];
  });
  const { kysely } = app.database;
  const sent = new Map(
    (await readSent(kysely, journey.projectId, acted)).map((each) => [each.userKey, each]),
  );
  // What is due of mail is known by now.
  const others = acted.filter(({ userKey }) => (sent.get(userKey)?.dueAt ?? null) === null);
  const pushes = new Map(
    (await readStepPushes(kysely, journey.projectId, others)).map((each) => [each.userKey, each]),
  );
  return entries.map((entry) => {
    const found = sent.get(entry.userKey);
    const push = pushes.get(entry.userKey);
    const { outcome, reason } = outcomeOf(found, push);
    const dueAt = found?.dueAt ?? push?.dueAt ?? now;
    const lookAt = Math.round(Math.max(now, dueAt) + lookAfter(now - entry.arrivedAt));
    const facts = { ...knownOf(entry), arm: entry.arm, outcome, reason, lookAt };
    return { entry, walked: walk(definition, entry, facts, now) };
  });
}

/** A user who has come to a step that sends: where they are, and what they passed on the way there. */
type Arrived = { entry: Entry; at: Entry; passed: Walked["passed"] };

/** The user where they have arrived, whose message is to be made; null where they are elsewhere. */
function arrivedBy({ entry, walked: { at, passed } }: Going): Arrived | null {
  if (at === "finished" || !at.send) return null;
  const { stepId, arrivedAt } = at;
  return { entry, at: { ...entry, stepId, arrivedAt, isActed: false }, passed };
}

/** Users whose message is to be made, those who cannot get it, and how it is queued for the others. */
type Acting = {
  going: Going[];
  staying: (Arrived & { found: FoundPlace & { campaignId: string } })[];
  plans: StepPlan[];
};

/** Plans the messages of the steps where users have arrived. Users who cannot be reached go on at once. */
async function act(app: App, due: Due, arrived: readonly Arrived[]): Promise<Acting> {
  const { journey, definition, knownOf, now } = due;
  const acting: Acting = { going: [], staying: [], plans: [] };
  const byCampaign = Map.groupBy(arrived, ({ at }) => sendStepOf(definition, at)?.campaignId ?? "");
  for (const [id, some] of byCampaign) {
    const campaignId = uuidFor("cmp", id);
    const which = { projectId: journey.projectId, campaignId };
    const plan = await planStep(
      app,
      which,
      some.map(({ entry }) => entry),
    );
    if (plan !== null) acting.plans.push(plan);
    for (const each of some) {
      const { entry, at, passed } = each;
      const reason = plan?.skipped.get(entry.userKey) ?? null;
      if (reason === null) acting.staying.push({ ...each, found: { ...placeOf(entry), campaignId } });
      else {
        const facts = { ...knownOf(entry), arm: entry.arm, outcome: "skipped" as const, reason, lookAt: now };
        const walked = walk(definition, { ...at, isActed: true }, facts, now);
        acting.going.push({ entry, walked: { ...walked, passed: [...passed, ...walked.passed] } });
      }
    }
  }
  return acting;
}

/** How a user goes on whose message was made, or could not be: without it they stay, and it is tried again. */
function stayedBy(made: ReadonlyMap<string, Made>, now: number): (staying: Arrived) => Going {
  return ({ entry, at, passed }) => {
    const message = made.get(entry.userKey);
    // A user who is held out of the message goes on at once, and so does one whose message needs not leave.
    const after =
      message === undefined ? RETRY_MS : message.isWithheld || message.isThere ? 0 : LOOK_MS.least;
    const { stepId, arrivedAt } = at;
    const place = { stepId, arrivedAt, isActed: message !== undefined, dueAt: now + after, send: false };
    return { entry, walked: { passed, at: place } };
  };
}

/**
 * Moves users of a journey who are due, as far as they come: in one transaction, with the messages that this makes. Answers how many were
 * due.
 */
export async function moveDue(app: App, journey: MovingJourney): Promise<number> {
  const { id: journeyId, projectId, version } = journey;
  const { kysely, hotPool } = app.database;
  const now = app.clock();
  const entries = await readDue(kysely, projectId, journeyId, now, AT_ONCE);
  if (entries.length === 0) return 0;
  const definition = readDefinition(journey.definition);
  if (definition === null) throw new Error("The definition of a journey cannot be read.");
  const due = {
    journey,
    definition,
    now,
    knownOf: await readKnown(kysely, projectId, definition, entries, now),
  };
  const gone = await goOn(app, due, entries);
  const arrived: Arrived[] = [];
  const elsewhere: Going[] = [];
  for (const each of gone) {
    const there = arrivedBy(each);
    if (there === null) elsewhere.push(each);
    else arrived.push(there);
  }
  const { going, staying, plans } = await act(app, due, arrived);
  const walking = [...elsewhere, ...going];
  await inTransaction(hotPool, async (client) => {
    if (!(await isStill(client, journey))) return;
    const places = [...walking.map(({ entry }) => placeOf(entry)), ...staying.map(({ found }) => found)];
    const there = await lockPlaces(client, places);
    const still = new Set(there.map(({ userKey }) => userKey));
    for (const plan of plans) await plan.queue(client, still);
    const made = await findMade(
      client,
      staying.map(({ found }) => found),
    );
    const stayed = staying.map(stayedBy(new Map(made.map((each) => [each.userKey, each])), now));
    const moves = [...walking, ...stayed].map(({ entry, walked }) =>
      movementOf(entry, walked, { version, now }),
    );
    await moveEntries(client, moves);
  });
  for (const plan of plans) plan.wake();
  return entries.length;
}
