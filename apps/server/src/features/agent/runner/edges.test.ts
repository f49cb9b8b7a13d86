import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  allocate,
  canonicalHash,
  lookAfter as evaluateDue,
  type Policy,
  patientFetch,
  replay,
  statistical1,
} from "@tidings/agent";
import { createClient } from "@tidings/client";
import { dueCampaign } from "../../../../test/agent.ts";
import { setSettings } from "../../../../test/email.ts";
import { type TestProject, testHouse } from "../../../../test/harness.ts";
import { calls, decides, type ModelServer, startModelServer } from "../../../../test/peers/model-server.ts";
import { exportText, importText } from "../../../../test/portable.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../platform/time/clock.ts";
import { LAUNCHING } from "./policies.ts";
import { lookAfter } from "./public.ts";
import { findDueProjectsAcrossProjects } from "./store.ts";

const house = testHouse();
let model: ModelServer;
before(async () => {
  model = await startModelServer();
});
after(() => model.close());

const GOAL = { targetEvent: "paid", attributionDays: 1 } as const;
const NOTHING = { action: "nothing", reason: "Fine." };

const look = ({ projectId }: TestProject) => lookAfter(house.tidings.app, projectId);

async function counting(): Promise<TestProject> {
  const project = await house.project();
  await setSettings(house, project, { "agent.policy": "statistical@1" });
  return project;
}

async function asking(): Promise<TestProject> {
  const project = await house.project();
  await setSettings(house, project, {
    "agent.policy": "model@1",
    "agent.modelUrl": model.url,
    "agent.model": "m",
  });
  model.requests.length = 0;
  return project;
}

const runsOf = async ({ api }: TestProject) =>
  (await api.listAgentRuns({ query: { kind: "evaluate" } })).runs;

const evaluationsOf = ({ projectId }: TestProject) =>
  house.database.kysely
    .selectFrom("evaluations")
    .selectAll()
    .where("projectId", "=", projectId)
    .orderBy("campaignId")
    .execute();

const isFound = async ({ projectId }: TestProject): Promise<boolean> => {
  const found = await findDueProjectsAcrossProjects(house.database.kysely, {
    now: house.now(),
    busy: [],
    launching: LAUNCHING,
    hasSourceWork: false,
  });
  return found.some((each) => each.projectId === projectId);
};

describe("the agent's next look", () => {
  it("is within the window of a campaign whose window was moved while it was paused, and others have their turn", async () => {
    const project = await counting();
    const made = await dueCampaign(house, project, { goal: GOAL });
    const path = { id: made.id };
    await project.api.setCampaignStatus({ path, body: { action: "pause" } });
    const deliverFrom = house.now() + 7 * DAY_MS;
    await project.api.updateCampaign({ path, body: { deliverFrom } });
    house.advance(MINUTE_MS);
    await dueCampaign(house, project, { goal: GOAL, name: "Other" });
    assert.equal(await look(project), 2);
    assert.equal((await project.agent.listDueEvaluations()).runsUsedToday, 2);
    const [first, ...others] = await evaluationsOf(project);
    assert.deepEqual([first?.evaluationAt, first?.leaseDigest, others.length], [deliverFrom, null, 1]);
  });

  it("leaves time to act before the campaign ends", async () => {
    const project = await counting();
    const { id } = await dueCampaign(house, project, { goal: GOAL });
    const deliverUntil = house.now() + 20 * HOUR_MS;
    await project.api.updateCampaign({ path: { id }, body: { deliverUntil } });
    await look(project);
    assert.equal((await evaluationsOf(project))[0]?.evaluationAt, deliverUntil - 15 * MINUTE_MS);
    house.at(deliverUntil - 15 * MINUTE_MS);
    assert.equal(await look(project), 1);
    assert.equal(await look(project), 0);
    house.at(deliverUntil);
    assert.equal(await isFound(project), false);
  });

  it("does not come for a draft whose window is over", async () => {
    const project = await asking();
    const { id } = await dueCampaign(house, project, { goal: GOAL, launch: false });
    const deliverUntil = house.now() + HOUR_MS;
    await project.api.updateCampaign({ path: { id }, body: { deliverUntil } });
    house.at(deliverUntil);
    model.behave(() => decides(NOTHING));
    assert.equal(await look(project), 1);
    const [evaluation] = await evaluationsOf(project);
    assert.deepEqual([evaluation?.evaluationAt, evaluation?.leaseDigest], [null, null]);
  });

  it("is of no campaign that is over or that a policy leaves alone", async () => {
    const project = await counting();
    const { id } = await dueCampaign(house, project, { goal: GOAL });
    assert.equal(await isFound(project), true);
    await project.api.setCampaignStatus({ path: { id }, body: { action: "end" } });
    assert.equal(await isFound(project), false);
    await dueCampaign(house, project, { goal: GOAL, launch: false, name: "Draft" });
    assert.equal(await isFound(project), false);
    await setSettings(house, project, { "agent.policy": "model@1" });
    assert.equal(await isFound(project), true);
    await setSettings(house, project, { "safety.loopPaused": "true" });
    assert.equal(await isFound(project), false);
  });

  it("does not wait behind as many drafts as a list has", async () => {
    const project = await counting();
    const { id: goalId } = (await project.api.createGoal({ body: { name: "Sales", ...GOAL } })).goal;
    const message = { presentation: "toast", title: "Hello" } as const;
    const nextEvaluationAt = house.now();
    for (let n = 0; n <= 100; n++) {
      const body = { name: `Campaign ${n}`, goalId, message, launch: n === 100 };
      const { campaign } = await project.api.createCampaign({ body });
      await project.api.scheduleEvaluation({ path: { id: campaign.id }, body: { nextEvaluationAt } });
      house.advance(1);
    }
    assert.equal((await project.agent.listDueEvaluations()).campaigns.length, 100);
    assert.equal(await look(project), 1);
  });
});

describe("what the agent logs", () => {
  it("is a reason that is cut between two characters", async () => {
    const project = await asking();
    await dueCampaign(house, project, { goal: GOAL });
    model.behave(() => decides({ action: "nothing", reason: `a${"😀".repeat(2_500)}` }));
    await look(project);
    const [run] = await runsOf(project);
    assert.equal(run?.rationale, `a${"😀".repeat(1_999)}`);
  });

  it("is carried out and billed also where its transcript could not be kept", async () => {
    const project = await house.project();
    const made = await dueCampaign(house, project, { goal: GOAL });
    const [, second] = made.campaign.variants;
    const exchange = { request: { a: 1 }, response: { b: 1 } };
    const call = { inputTokens: 1_000_000, cachedInputTokens: 0, outputTokens: 10, reasoningTokens: 0 };
    const policy: Policy = {
      ...statistical1,
      name: "model@1",
      decide: async () => ({
        decision: {
          action: "update",
          reason: "It reads better.",
          mutation: { type: "update", variants: [{ id: second?.id ?? "", weight: 70 }] },
        },
        usage: { model: "m", calls: [{ ...call, cacheWriteTokens: 0 }], isEstimated: false },
        transcript: [{ ...exchange, hash: canonicalHash(exchange) }],
      }),
    };
    const { signal } = new AbortController();
    const send = patientFetch(signal);
    const lossy: typeof fetch = async (input, init) => {
      if (String(input).endsWith("/transcript")) throw new TypeError("The connection was lost.");
      return send(input, init);
    };
    const api = createClient(project.url, project.agentKey, lossy);
    const broken: string[] = [];
    const failed = (campaignId: string) => broken.push(campaignId);
    const agent = { api, policy, everyHours: 24, clock: house.now, signal };
    await evaluateDue(agent, { failed });
    assert.deepEqual(broken, [made.id]);
    house.advance(HOUR_MS);
    await evaluateDue(agent, { failed });
    assert.deepEqual(broken, [made.id]);
    const { campaign } = await project.api.getCampaign({ path: { id: made.id } });
    assert.equal(campaign.variants[1]?.weight, 70);
    assert.equal((await runsOf(project)).length, 1);
    assert.ok((await project.agent.getAgentSettings()).ai.creditsUsed > 0);
  });

  it("is logged by a key that is alive, however long the model thinks", async () => {
    const project = await asking();
    for (let n = 0; n < 5; n++) await dueCampaign(house, project, { goal: GOAL, name: `Campaign ${n}` });
    model.behave(() => {
      house.advance(25 * MINUTE_MS);
      return decides(NOTHING);
    });
    assert.equal(await look(project), 5);
    assert.equal((await runsOf(project)).length, 5);
  });
});

describe("a replay", () => {
  it("compares the hashes of an imported dialogue, which speaks of ids that are no more", async () => {
    const project = await asking();
    await dueCampaign(house, project, { goal: GOAL });
    model.behave(() => decides(NOTHING));
    await look(project);
    const imported = await importText(house, await exportText(house, project.projectId));
    const [run] = await runsOf(imported.project);
    assert.ok(run);
    const { transcript } = await imported.project.api.getAgentRunTranscript({ path: { id: run.id } });
    const { entries } = transcript;
    assert.deepEqual(await replay(run, entries, true), { policy: "model@1", fault: null, onlyHashes: true });
    const changed = entries.map((entry) => ({ ...entry, response: {} }));
    assert.match((await replay(run, changed, true))?.fault ?? "", /^the hash of entry 0/);
  });

  it("comes to the same where the model gives a call the id that another one would get", async () => {
    const project = await asking();
    await dueCampaign(house, project, { goal: GOAL });
    model.behave((_, nth) =>
      nth === 0
        ? calls([
            { name: "runs", input: {}, id: "call_1_1" },
            { name: "conversions", input: { event: "paid" }, id: null },
          ])
        : decides(NOTHING),
    );
    await look(project);
    const [run] = await runsOf(project);
    assert.ok(run);
    const { transcript } = await project.api.getAgentRunTranscript({ path: { id: run.id } });
    assert.deepEqual(await replay(run, transcript.entries), { policy: "model@1", fault: null });
  });

  it("says what it cannot read, and leaves runs alone that are none of a runner", async () => {
    const decision = { action: "nothing", mutation: null, reason: "Fine." };
    const replayed = (snapshot: object) => {
      const input = { snapshot, snapshotHash: canonicalHash(snapshot), policy: "statistical@1" };
      return replay({ input, output: { decision } }, []);
    };
    assert.equal(await replayed({ status: "running" }), null);
    const named = { status: "running", campaignId: "cmp_1", evaluationAt: 1, goal: { id: "goal_1" } };
    assert.deepEqual(await replayed(named), {
      policy: "statistical@1",
      fault: "its snapshot is none that this policy can read",
    });
  });
});

describe("dividing traffic", () => {
  it("never leaves the control less than its goal keeps for it, and adds up", () => {
    for (const [chances, floor, control] of [
      [[0.001, 0.999], 0.333, 34],
      [[0.001, 0.999], 0.255, 26],
      [[0.01, 0.99], 0.97, 97],
      [[0.01, 0.33, 0.33, 0.33], 0.9, 90],
      [Array<number>(20).fill(0.05), 0.2, 20],
    ] as const) {
      const weights = allocate(chances, floor);
      assert.equal(weights[0], control, `${floor}: ${weights}`);
      assert.equal(
        weights.reduce((sum, weight) => sum + weight, 0),
        100,
      );
    }
  });
});
