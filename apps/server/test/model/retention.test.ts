import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { retireEvents } from "../../src/features/users/events/retire-store.ts";
import { DAY_MS, HOUR_MS } from "../../src/platform/time/clock.ts";
import { type Random, randomFrom } from "../crash/random.ts";
import { type TestHouse, testHouse } from "../harness.ts";
import { exportText, importText } from "../portable.ts";
import { rounds, seedOf } from "../rounds.ts";
import { compareClaims, compareConversions, compareResults } from "./claims.ts";
import { Model } from "./model.ts";
import type { Stage } from "./stage.ts";
import { perform, type Step } from "./steps.ts";

const STEPS = 180;
const COMPARE_EVERY = 90;
/** How many seeds of the whole model count for one here, so that both files end within the time of a file. */
const PER_SEED = 4;
const { MODEL_SEEDS } = process.env;
const SEEDS = MODEL_SEEDS === undefined ? rounds(1, 5) : Math.ceil(Number(MODEL_SEEDS) / PER_SEED);
const FROM = Number(process.env.MODEL_FROM ?? rounds(seedOf(), 1));

const NAMES = ["paid", "looked", "left"];
const USERS = ["ann", "ben", "cleo", "dora", "eve", "fritz"];
const PAGES = ["/shop", "/help"];
/** Late events are as old as the API takes them. */
const AGES = [0, 1, HOUR_MS, 2 * DAY_MS, 8 * DAY_MS, 20 * DAY_MS, 200 * DAY_MS, 3_650 * DAY_MS];
const WAITS = [0, 1, HOUR_MS, DAY_MS, 2 * DAY_MS, 9 * DAY_MS];
const WINDOWS = [1, 2, 7, 30, 90];

const one = <T>(random: Random, list: readonly T[]): T => {
  const picked = random.pick(list);
  if (picked === undefined) throw new Error("There is nothing to pick from.");
  return picked;
};

const GOALS: readonly Step[] = [
  { kind: "goal", event: "paid", attributionDays: 2, holdoutPercent: 40 },
  { kind: "goal", event: "looked", attributionDays: 7, holdoutPercent: 0 },
];

const campaignOf = (goal: number | null, section: string | null): Step => ({
  kind: "campaign",
  audience: { kind: "all" },
  goal,
  section,
  isModal: false,
  weights: [1, 1],
  lastsMs: null,
  launch: true,
});

/** What users do and people change; nothing is deleted by it. */
function drawStep(random: Random): Step {
  const userId = one(random, USERS);
  const tracked = { userId, event: one(random, NAMES), eventId: null, props: null };
  const draws: readonly [number, () => Step][] = [
    [20, () => ({ kind: "track", ...tracked })],
    [12, () => ({ kind: "batch", events: [tracked], agoMs: one(random, AGES) })],
    [16, () => ({ kind: "messages", userId, path: one(random, PAGES) })],
    [
      24,
      () => ({
        kind: "feedback",
        userId,
        campaign: random.int(100),
        type: "shown",
        feedbackId: `feedback-${random.int(1_000_000)}`,
      }),
    ],
    [3, () => campaignOf(one(random, [0, 0, 1, null]), one(random, [null, ...PAGES]))],
    [1, () => ({ kind: "holdout", goal: 0, percent: one(random, [0, 40]) })],
    [2, () => ({ kind: "erase", userId })],
    [22, () => ({ kind: "wait", ms: one(random, WAITS) })],
  ];
  let rest = random.int(draws.reduce((sum, [weight]) => sum + weight, 0));
  for (const [weight, draw] of draws) {
    if (rest < weight) return draw();
    rest -= weight;
  }
  throw new Error("The weights do not add up.");
}

/** What is counted beside the events, and of users who ever did something. */
const countsOf = async ({ project: { api } }: Stage) => ({
  metrics: await api.getMetrics({ query: { range: "90d" } }),
  capabilities: (await api.getAudienceCapabilities()).capabilities,
  usage: await api.getUsage(),
  paid: await api.checkAudience({
    body: {
      expression: { version: 1, root: { kind: "event", event: "paid", count: { op: "gte", value: 2 } } },
    },
  }),
});

/** Deletes what is older than some days; of a pass that is interrupted some small pieces. Answers how many events that were. */
async function retire(stage: Stage, random: Random, days: number): Promise<number> {
  const { house, project } = stage;
  const before = house.now() - days * DAY_MS;
  const limit = random.chance(0.5) ? 1_000 : random.between(1, 4);
  const counts = await countsOf(stage);
  let gone = 0;
  for (let pieces = random.between(1, 3); pieces > 0; pieces--)
    gone += await retireEvents(house.database.kysely, project.projectId, { before, limit });
  assert.deepEqual(await countsOf(stage), counts);
  return gone;
}

/** Changes what a goal counts, and for how long. */
async function changeGoal({ project, model }: Stage, random: Random): Promise<void> {
  const goal = one(random, model.goals);
  const [event, attributionDays] = [one(random, NAMES), one(random, WINDOWS)];
  await project.api.updateGoal({ path: { id: goal.id }, body: { targetEvent: event, attributionDays } });
  Object.assign(goal, { event, attributionDays });
}

async function compare(stage: Stage): Promise<void> {
  await compareConversions(stage, NAMES);
  await compareClaims(stage, NAMES);
  await compareResults(stage);
}

/** The same model of the same project where it was imported, under its new ids. */
async function imported({ house, project, model }: Stage): Promise<Stage> {
  const { project: other } = await importText(house, await exportText(house, project.projectId));
  const { campaigns } = await other.api.listCampaigns();
  const { goals } = await other.api.listGoals();
  // Names of goals are those of the events that they counted first.
  for (const [place, goal] of model.goals.entries())
    goal.id = goals.find(({ name }) => name === ["paid", "looked"][place])?.id ?? "";
  for (const campaign of model.campaigns) {
    campaign.id = campaigns.find(({ name }) => name === campaign.name)?.id ?? "";
    const { variants } = (await other.api.getCampaign({ path: { id: campaign.id } })).campaign;
    for (const variant of campaign.variants)
      variant.id = variants.find(({ name }) => name === variant.name)?.id ?? "";
  }
  return { house, project: other, model };
}

/** The events that are kept. */
const keptIn = async ({ project: { api } }: Stage): Promise<number> => (await api.listEvents()).total;

async function play(house: TestHouse, seed: number): Promise<void> {
  const random = randomFrom(seed);
  const project = await house.project();
  const stage: Stage = { house, project, model: new Model(project.projectId) };
  const days = one(random, [7, 7, 12]);
  for (const step of [...GOALS, campaignOf(0, "/shop"), campaignOf(1, "/help")]) await perform(stage, step);
  let [gone, expected] = [0, await keptIn(stage)];
  for (let step = 1; step <= STEPS; step++) {
    if (random.chance(0.1)) gone += await retire(stage, random, days);
    else if (random.chance(0.04)) await changeGoal(stage, random);
    else {
      const before = await keptIn(stage);
      await perform(stage, drawStep(random));
      expected += (await keptIn(stage)) - before;
    }
    if (step % COMPARE_EVERY === 0) await compare(stage);
  }
  house.advance(days * DAY_MS + 1);
  const all = { before: house.now() - days * DAY_MS, limit: 1_000 };
  gone += await retireEvents(house.database.kysely, project.projectId, all);
  assert.equal(await keptIn(stage), 0);
  assert.equal(gone, expected, "each event that users had made, and that no erasure took, was deleted once");
  await compare(stage);
  for (const userId of USERS.slice(0, 3)) await perform(stage, { kind: "erase", userId });
  await compare(stage);
  await compare(await imported(stage));
}

describe("whatever was deleted for its age, a plain count of all events that ever were says the same", () => {
  const house = testHouse();
  for (let seed = FROM; seed < FROM + SEEDS; seed++)
    it(`seed ${seed}`, async () => {
      await play(house, seed);
      assert.deepEqual(await house.differences(), {});
    });
});
