import { randomFrom } from "../crash/random.ts";
import type { TestHouse } from "../harness.ts";
import { loneProject } from "../usage.ts";
import { openReceiver } from "../webhooks.ts";
import { compareAnnounced } from "./announced.ts";
import { FEEDBACK_TYPES, Model } from "./model.ts";
import { compareReads, glance } from "./reads.ts";
import { drawStep, perform, type Step } from "./steps.ts";

const BEGIN = Date.UTC(2026, 0, 20, 9);
const COMPARE_EVERY = 140;
/** What costs one statement is compared more often: who was active in a month is soon active in another way as well. */
const GLANCE_EVERY = 5;
/** How often a failing trail is played again to make it shorter, and how long that may take. */
const MAX_REPLAYS = 200;
const MAX_SHRINKING_MS = 60_000;

export const drawTrail = (seed: number, length: number): Step[] => {
  const random = randomFrom(seed);
  return Array.from({ length }, () => drawStep(random));
};

type Failure = { error: unknown; steps: readonly Step[] };

/** Plays a trail on a project of its own, comparing all reads now and then and at the end. Answers how it failed, or null. */
async function play(house: TestHouse, steps: readonly Step[], compareEvery: number): Promise<Failure | null> {
  house.at(BEGIN);
  const project = await loneProject(house);
  const stage = { house, project, model: new Model(project.projectId) };
  const { url, received } = await openReceiver();
  await project.api.createWebhook({
    body: { url, types: FEEDBACK_TYPES.map((type) => `delivery.${type}` as const) },
  });
  let done = 0;
  try {
    for (const step of steps) {
      done++;
      await perform(stage, step);
      if (done % GLANCE_EVERY === 0) await glance(stage);
      if (done % compareEvery === 0) await compareReads(stage);
    }
    await compareReads(stage);
    await compareAnnounced(stage, received);
    return null;
  } catch (error) {
    return { error, steps: steps.slice(0, done) };
  }
}

/** Leaves out parts of a failing trail, smaller and smaller ones, for as long as it fails without them. */
async function shrink(house: TestHouse, failure: Failure): Promise<Failure> {
  let smallest = failure;
  let replays = 0;
  const end = Date.now() + MAX_SHRINKING_MS;
  for (
    let size = Math.ceil(smallest.steps.length / 2);
    size >= 1;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let from = 0; from < smallest.steps.length; ) {
      if (replays++ >= MAX_REPLAYS || Date.now() > end) return smallest;
      const without = smallest.steps.toSpliced(from, size);
      const failed = await play(house, without, without.length + 1);
      if (failed === null) from += size;
      else smallest = failed;
    }
  }
  return smallest;
}

/** Plays the trail of a seed. @throws with the seed, and the shortest trail found that fails */
export async function playSeed(house: TestHouse, seed: number, length: number): Promise<void> {
  const failure = await play(house, drawTrail(seed, length), COMPARE_EVERY);
  if (failure === null) return;
  const { error, steps } = await shrink(house, failure);
  const trail = steps.map((step) => `  ${JSON.stringify(step)}`).join("\n");
  const what = error instanceof Error ? error.message : String(error);
  throw new Error(
    `Seed ${seed}: after ${steps.length} steps the server and the model differ.\n${what}\n${trail}`,
    {
      cause: error,
    },
  );
}
