import assert from "node:assert/strict";
import { makeGoal } from "../agent.ts";
import { randomFrom } from "../crash/random.ts";
import { launchCampaign, toast } from "../factories.ts";
import type { TestHouse } from "../harness.ts";
import { Model } from "./model.ts";
import { compareAll, compareDue, glance } from "./reads.ts";
import { drawTrail, perform, type Stage, type Step } from "./steps.ts";

const BEGIN = Date.UTC(2026, 0, 20, 9);
/** What is due takes a request, and what is stored a statement. */
const DUE_EVERY = 3;
/** How often a failing trail is played again to make it shorter. */
const MAX_REPLAYS = 150;

/** Two goals, one of which wants people to approve, and three campaigns that are due. */
async function setUp(house: TestHouse, outcomes: Set<string>): Promise<Stage> {
  const project = await house.project();
  const stage: Stage = { house, project, model: new Model(house.now), outcomes };
  for (const needsPeople of [true, false]) {
    const { id } = await makeGoal(project, { approvalMode: needsPeople ? "require_human" : "auto" });
    stage.model.goals.push({ id, isActive: true, needsPeople });
  }
  for (const [index, launch] of [true, true, false].entries()) {
    const goal = stage.model.goals[index % 2];
    if (goal === undefined) throw new Error("There are two goals.");
    const name = `Campaign ${index}`;
    const variants = ["A", "B"].map((title) => ({ message: toast(title), weight: 50 }));
    const { id, variants: made } = await launchCampaign(project, { name, goalId: goal.id, variants, launch });
    stage.model.campaigns.push({
      id,
      goal,
      name,
      status: launch ? "running" : "draft",
      deliverFrom: null,
      deliverUntil: null,
      variants: made.map(({ id: variantId, name: title, weight }) => ({
        id: variantId,
        name: title,
        weight,
        title,
      })),
      evaluationAt: null,
      lease: null,
      tokens: [],
      instants: [],
      hasJustProposed: false,
      proposals: [],
      applied: [],
    });
    await perform(stage, { kind: "schedule", campaign: index, inMs: 0 });
  }
  await perform(stage, { kind: "settings", change: { maxConcurrentCampaigns: 3, approvalHours: 2 } });
  return stage;
}

type Failure = { error: unknown; steps: readonly Step[] };

/** Plays a trail on a project of its own. Answers how it failed, or null. */
async function play(
  house: TestHouse,
  steps: readonly Step[],
  outcomes: Set<string>,
): Promise<Failure | null> {
  house.at(BEGIN);
  let done = 0;
  try {
    const stage = await setUp(house, outcomes);
    for (const step of steps) {
      done++;
      await perform(stage, step);
      await glance(stage);
      if (done % DUE_EVERY === 0) await compareDue(stage);
    }
    await compareAll(stage);
    return null;
  } catch (error) {
    assert.ok(error instanceof assert.AssertionError, error as Error);
    return { error, steps: steps.slice(0, done) };
  }
}

/** Leaves out steps of a failing trail, many at once and then one by one, for as long as it fails without them. */
async function shrink(house: TestHouse, failure: Failure): Promise<Failure> {
  let smallest = failure;
  let replays = 0;
  for (let size = Math.ceil(failure.steps.length / 2); size >= 1; size = Math.floor(size / 2))
    for (let from = 0; from < smallest.steps.length && replays < MAX_REPLAYS; replays++) {
      const failed = await play(house, smallest.steps.toSpliced(from, size), new Set());
      if (failed === null) from += size;
      else smallest = failed;
    }
  return smallest;
}

/** Plays the trail of a seed; `outcomes` collects how its steps ended. @throws with the shortest trail found that fails */
export async function playSeed(
  house: TestHouse,
  { seed, length, outcomes }: { seed: number; length: number; outcomes: Set<string> },
): Promise<void> {
  const failure = await play(house, drawTrail(randomFrom(seed), length), outcomes);
  if (failure === null) return;
  const { error, steps: trail } = await shrink(house, failure);
  const what = error instanceof Error ? error.message : String(error);
  const lines = trail.map((step) => `  ${JSON.stringify(step)}`).join("\n");
  throw new Error(`Seed ${seed}: server and model differ after ${trail.length} steps.\n${what}\n${lines}`, {
    cause: error,
  });
}
