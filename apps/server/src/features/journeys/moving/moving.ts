import { uuidFor } from "../../../domain/ids.ts";
import { inTransaction } from "../../../platform/db/db.ts";
import type { App } from "../../../platform/runtime.ts";
import { MINUTE_MS, SECOND_MS } from "../../../platform/time/clock.ts";
import { type CountedFacts, compile } from "../../audience/language/engines/compile.pure.ts";
import { Needs } from "../../audience/language/engines/needs.pure.ts";
import { readFactsOfMany } from "../../audience/language/public.ts";
import { NOT_LEFT } from "../../deliveries/lifecycle/rules.ts";
import { planStep, type StepPlan } from "../../email/sending/public.ts";
import type { Definition, Step } from "../authoring/schema.ts";
import { readDefinition } from "../authoring/stored.pure.ts";
import { type Facts, type Outcome, type Walked, walk } from "../authoring/walk.pure.ts";
import {
  type Entry,
  type FoundPlace,
  findMade,
  isStill,
  lockPlaces,
  type Movement,
  type MovingJourney,
  moveEntries,
  readDue,
  readSent,
  type Sent,
} from "./store.ts";

/** How many users are moved at once. */
export const AT_ONCE = 500;
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
function outcomeOf(sent: Sent | undefined): Became {
  if (sent?.isWithheld) return { outcome: "withheld", reason: null };
  if (sent === undefined || sent.state === null) return { outcome: null, reason: null };
  if ((NOT_LEFT as readonly string[]).includes(sent.state)) return { outcome: null, reason: null };
  return sent.sentAt === null
    ? { outcome: "skipped", reason: sent.state }
    : { outcome: "sent", reason: null };
}

/** Whether a user meets the audience of each `if`, by what is known of the user. */
async function readMeets(
  app: App,
  projectId: string,
  { steps }: Definition,
  entries: readonly Entry[],
  now: number,
): Promise<(entry: Entry) => Facts["meets"]> {
  const needs = new Needs();
  const events = new Set<string>();
  const tests = new Map<string, (facts: CountedFacts) => boolean>();
  for (const step of steps) {
    if (step.kind !== "if" || step.audience.kind === "all") continue;
    const compiled = compile(step.audience.expression, needs);
    for (const event of compiled.events) events.add(event);
    tests.set(step.id, (facts) => compiled.matches(facts, now));
  }
  if (tests.size === 0) return () => () => true;
  const wanted = { needs: needs.list, events: [...events] };
  const facts = await readFactsOfMany(app.database.kysely, projectId, entries, wanted, now);
  return ({ userKey }) =>
    (step) => {
      const test = tests.get(step.id);
      const own = facts.get(userKey);
      return test === undefined || (own !== undefined && test(own));
    };
}

/** The movement of an entry to where a walk came. `reason`: why the message of the step that it left was skipped. */
function movementOf(
  entry: Entry,
  { passed, at }: Walked,
  { version, now, reason }: { version: number; now: number; reason: string | null },
): Movement {
  const { lane, userKey, journeyId, occasion, projectId } = entry;
  const to = at === "finished" ? { ...entry, dueAt: now } : at;
  const written = passed.map(({ stepId, did, at: when }) => ({
    step_id: stepId,
    did,
    reason: did === "skipped" ? reason : null,
    at: when,
  }));
  return {
    lane,
    userKey,
    journeyId,
    occasion,
    projectId,
    version,
    now,
    fromStep: entry.stepId,
    fromAt: entry.arrivedAt,
    fromActed: entry.isActed,
    stepId: to.stepId,
    arrivedAt: to.arrivedAt,
    isActed: to.isActed,
    dueAt: to.dueAt,
    leftBy: at === "finished" ? "finished" : null,
    passed: JSON.stringify(written),
  };
}

/** Users who are due, with what is known of each. */
type Due = {
  journey: MovingJourney;
  definition: Definition;
  meetsOf: (entry: Entry) => Facts["meets"];
  now: number;
};

/** Moves users who wait, or whose message was made, as far as they come. */
async function goOn(app: App, { journey, definition, meetsOf, now }: Due, entries: readonly Entry[]) {
  const acted = entries.flatMap((entry) => {
    const step = entry.isActed ? sendStepOf(definition, entry) : null;
    return step === null ? [] : [{ ...entry, campaignId: uuidFor("cmp", step.campaignId) }];
  });
  const sent = new Map(
    (await readSent(app.database.kysely, journey.projectId, acted)).map((each) => [each.userKey, each]),
  );
  return entries.map((entry) => {
    const found = sent.get(entry.userKey);
    const { outcome, reason } = outcomeOf(found);
    const lookAt = Math.round(Math.max(now, found?.dueAt ?? now) + lookAfter(now - entry.arrivedAt));
    const walked = walk(definition, entry, { meets: meetsOf(entry), outcome, lookAt }, now);
    return movementOf(entry, walked, { version: journey.version, now, reason });
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
  const { journey, definition, meetsOf, now } = due;
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
        const facts = { meets: meetsOf(entry), outcome: "skipped" as const, lookAt: now };
        const walked = walk(definition, { ...entry, isActed: true }, facts, now);
        acting.going.push(movementOf(entry, walked, { version: journey.version, now, reason }));
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
    meetsOf: await readMeets(app, projectId, definition, entries, now),
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
      return movementOf(entry, { passed: [], at }, { version, now, reason: null });
    });
    await moveEntries(client, [...walking, ...going, ...stayed]);
  });
  for (const plan of plans) plan.wake();
  return entries.length;
}
