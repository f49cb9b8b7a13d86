import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { replay } from "@tidings/agent";
import { decideAs, dueCampaign } from "../../../../test/agent.ts";
import { setSettings } from "../../../../test/email.ts";
import { type TestProject, testHouse } from "../../../../test/harness.ts";
import { calls, decides, type ModelServer, startModelServer } from "../../../../test/peers/model-server.ts";
import { keepSecrets } from "../../../../test/secrets/secrets-of-the-run.ts";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../../platform/time/clock.ts";
import { lookAfter } from "./public.ts";

const house = testHouse();
const MODEL_KEY = "sk-runner-0f7a1c";
let model: ModelServer;
before(async () => {
  keepSecrets(MODEL_KEY);
  model = await startModelServer();
});
after(() => model.close());

const look = () => house.tidings.drain("agent");

async function watched(settings: Record<string, string> = {}): Promise<TestProject> {
  const project = await house.project();
  await setSettings(house, project, {
    "agent.policy": "model@1",
    "agent.modelUrl": model.url,
    "agent.model": "small-1",
    "agent.modelKey": MODEL_KEY,
    "safety.maxRunsPerDay": "1000",
    ...settings,
  });
  model.requests.length = 0;
  return project;
}

const runsOf = async ({ api }: TestProject, kind = "evaluate") =>
  (await api.listAgentRuns({ query: { kind } })).runs;

const weightsOf = async ({ api }: TestProject, id: string) =>
  (await api.getCampaign({ path: { id } })).campaign.variants.map(({ weight }) => weight);

const GOAL = { targetEvent: "paid", attributionDays: 1 } as const;

/** A due campaign, and a model that asks for conversions and then gives the second variant a weight. */
async function reweighted(project: TestProject, weight: number, approvalMode: "auto" | "require_human") {
  const made = await dueCampaign(house, project, { goal: { ...GOAL, approvalMode } });
  const [, second] = made.campaign.variants;
  const decision = { action: "update", variants: [{ id: second?.id, weight }], reason: "It reads better." };
  model.behave((_, nth) =>
    nth === 0 ? calls([{ name: "conversions", input: { event: "paid" } }]) : decides(decision),
  );
  return made;
}

describe("the agent of Tidings with a model", () => {
  it("does what the model decides, keeps the dialogue, and bills it once", async () => {
    const project = await watched();
    const { id } = await reweighted(project, 70, "auto");
    await look();
    assert.deepEqual(await weightsOf(project, id), [50, 70]);
    const [run, ...more] = await runsOf(project);
    assert.ok(run);
    assert.deepEqual([more, run.rationale], [[], "It reads better."]);
    const { transcript } = await project.api.getAgentRunTranscript({ path: { id: run.id } });
    assert.equal(transcript.entries.length, 2);
    assert.ok(!JSON.stringify([run, transcript]).includes(MODEL_KEY));
    assert.deepEqual(await replay(run, transcript.entries), { policy: "model@1", fault: null });
    const { ai } = await project.agent.getAgentSettings();
    assert.ok(ai.creditsUsed > 0);
    assert.equal(model.requests.length, 2);
    assert.equal(model.requests[0]?.headers.authorization, `Bearer ${MODEL_KEY}`);
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("asks no model in the server's own network that an owner named, wherever its name led then", async () => {
    const project = await watched();
    await reweighted(project, 70, "auto");
    const named = "update settings set by_operator = $2 where project_id = $1 and key = 'agent.modelUrl'";
    await house.database.pool.query(named, [project.projectId, false]);
    await look();
    assert.equal(model.requests.length, 0);
    const [run] = await runsOf(project);
    assert.equal(run?.rationale, "The model could not be reached.");
    await house.database.pool.query(named, [project.projectId, true]);
    house.advance(DAY_MS);
    await look();
    assert.ok(model.requests.length > 0);
  });

  it("proposes it where people approve, and asks the model no second time", async () => {
    const project = await watched();
    const { id } = await reweighted(project, 70, "require_human");
    await look();
    const { proposals } = await project.api.listProposals({ query: { campaignId: id } });
    await decideAs(house, project, proposals[0]?.id ?? "", "approved");
    await look();
    assert.deepEqual(await weightsOf(project, id), [50, 70]);
    assert.deepEqual([(await runsOf(project)).length, model.requests.length], [1, 2]);
  });

  it("launches a draft where the model says so, within the guardrails", async () => {
    for (const maxActiveCampaigns of [1, 0]) {
      const project = await watched();
      const goal = { ...GOAL, guardrails: { maxActiveCampaigns } };
      const { id } = await dueCampaign(house, project, { goal, launch: false });
      model.behave(() => decides({ action: "launch", reason: "It is ready." }));
      await look();
      const { campaign } = await project.api.getCampaign({ path: { id } });
      assert.equal(campaign.status, maxActiveCampaigns === 1 ? "running" : "draft");
      const [refused] = await runsOf(project, "refused");
      const guardrail = (refused?.output as { guardrail?: string } | undefined)?.guardrail;
      assert.equal(guardrail, maxActiveCampaigns === 1 ? undefined : "maxActiveCampaigns");
    }
  });

  it("begins nothing once the month's credits are used up, or where a setting is missing", async () => {
    const spent = await watched({ "ai.monthlyLimit": "0" });
    await dueCampaign(house, spent, { goal: GOAL });
    await look();
    assert.deepEqual(await runsOf(spent), []);
    const without = await watched({ "agent.model": "" });
    await dueCampaign(house, without, { goal: GOAL });
    await assert.rejects(
      lookAfter(house.tidings.app, without.projectId),
      /^Error: agent\.modelUrl and agent\.model are needed for the policy model@1$/,
    );
    assert.deepEqual([await runsOf(without), model.requests.length], [[], 0]);
  });

  it("gives an evaluation back when it is stopped while the model thinks", async () => {
    const project = await watched();
    const { id } = await dueCampaign(house, project, { goal: GOAL });
    model.behave(() => "silence");
    const stopping = new AbortController();
    const looking = lookAfter(house.tidings.app, project.projectId, { signal: stopping.signal });
    await model.requested(1);
    stopping.abort();
    assert.equal(await looking, 1);
    assert.deepEqual(await runsOf(project), []);
    const rows = await house.database.kysely
      .selectFrom("evaluations")
      .select(["evaluationAt", "leaseExpiresAt"])
      .where("projectId", "=", project.projectId)
      .execute();
    assert.deepEqual(rows, [{ evaluationAt: house.now() + 65 * SECOND_MS, leaseExpiresAt: null }]);
    model.behave(() => decides({ action: "nothing", reason: "All is well." }));
    house.advance(2 * MINUTE_MS);
    await look();
    assert.equal((await runsOf(project)).length, 1);
    house.advance(DAY_MS);
    assert.deepEqual(
      (await project.agent.listDueEvaluations()).campaigns.map((each) => each.campaignId),
      [id],
    );
  });
});
