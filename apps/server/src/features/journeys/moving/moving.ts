import { uuidFor } from "../../../domain/ids.ts";
import { inTransaction } from "../../../platform/db/db.ts";
import type { App } from "../../../platform/runtime.ts";
import { MINUTE_MS, SECOND_MS } from "../../../platform/time/clock.ts";
import { NOT_LEFT } from "../../deliveries/lifecycle/rules.ts";
import type { StepPlan } from "../../deliveries/public.ts";
import type { Definition, Step } from "../authoring/schema.ts";
import { readDefinition } from "../authoring/stored.pure.ts";
import { type Outcome, walk } from "../authoring/walk.pure.ts";
import {
  type Entry,
  type FoundPlace,
  lockPlaces,
  type Movement,
  moveEntries,
  readDue,
} from "./entry-store.ts";
import { type Known, readKnown } from "./known.ts";
import { findMade, readSent, readStepPushes, type Sent, type StepPush } from "./message-store.ts";
import { movementOf } from "./movements.ts";
import { planStep } from "./plan-step.ts";
import { AT_ONCE } from "./rules.ts";
import { isStill, type MovingJourney } from "./store.ts";

/** How soon a message that has not left is looked at again: later the longer it waits, so that a long queue costs little. */
const LOOK_MS = { least: 5 * SECOND_MS, most: 10 * MINUTE_MS };
const lookAfter = (waitedMs: number): number => Math.min(LOOK_MS.most, Math.max(LOOK_MS.least, waitedMs / 4));
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

/** Moves users who wait, or whose message was made, as far as they come. */
async function goOn(app: App, { journey, definition, knownOf, now }: Due, entries: readonly Entry[]) {
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
    const walked = walk(definition, entry, { ...knownOf(entry), outcome, reason, lookAt }, now);
    return movementOf(entry, walked, { version: journey.version, now });
  });
}

/** Users whose message is to be made, those who cannot get it, and how it is queued for the others. */
type Acting = {
  going: Movement[];
  staying: (FoundPlace & { campaignId: string; entry: Entry })[];
  plans: StepPlan[];
};

/** Plans the messages of the steps where users have arrived. Users who cannot be reached go on at once. */
async function act(app: App, due: Due, entries: readonly Entry[]): Promise<Acting> {
  const { journey, definition, knownOf, now } = due;
  const acting: Acting = { going: [], staying: [], plans: [] };
  const byCampaign = Map.groupBy(entries, (entry) => sendStepOf(definition, entry)?.campaignId ?? "");
  for (const [id, some] of byCampaign) {
    const campaignId = uuidFor("cmp", id);
    const plan = await planStep(app, { projectId: journey.projectId, campaignId }, some);
    if (plan !== null) acting.plans.push(plan);
    for (const entry of some) {
      const reason = plan?.skipped.get(entry.userKey) ?? null;
      const found = { ...entry, fromStep: entry.stepId, fromAt: entry.arrivedAt, fromActed: entry.isActed };
      if (reason === null) acting.staying.push({ ...found, campaignId, entry });
      else {
        const facts = { ...knownOf(entry), outcome: "skipped" as const, reason, lookAt: now };
        const walked = walk(definition, { ...entry, isActed: true }, facts, now);
        acting.going.push(movementOf(entry, walked, { version: journey.version, now }));
      }
    }
  }
  return acting;
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
  const isActing = (entry: Entry): boolean => !entry.isActed && sendStepOf(definition, entry) !== null;
  const walking = await goOn(
    app,
    due,
    entries.filter((entry) => !isActing(entry)),
  );
  const { going, staying, plans } = await act(app, due, entries.filter(isActing));
  await inTransaction(hotPool, async (client) => {
    if (!(await isStill(client, journey))) return;
    const there = await lockPlaces(client, [...walking, ...going, ...staying]);
    const still = new Set(there.map(({ userKey }) => userKey));
    for (const plan of plans) await plan.queue(client, still);
    const made = new Set((await findMade(client, staying)).map(({ userKey }) => userKey));
    const stayed = staying.map(({ entry }) => {
      const isActed = made.has(entry.userKey);
      // Without its message a user stays, and it is tried again: the campaign of the step is paused, for instance.
      const at = { ...entry, isActed, dueAt: isActed ? now : now + RETRY_MS, send: false };
      return movementOf(entry, { passed: [], at }, { version, now });
    });
    await moveEntries(client, [...walking, ...going, ...stayed]);
  });
  for (const plan of plans) plan.wake();
  return entries.length;
}
