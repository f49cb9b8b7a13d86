import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  claim,
  LAUNCH,
  leasedCampaign,
  type Mutation,
  makeGoal,
  mutate,
  propose,
  showOneArm,
} from "../../../../../test/agent.ts";
import { launchEmail, setSettings } from "../../../../../test/email.ts";
import { launchCampaign, toast } from "../../../../../test/factories.ts";
import { refusal, sharedHouse } from "../../../../../test/harness.ts";

const house = sharedHouse();

/** What a refusal says beside its text and its hash. */
async function violated(answer: Promise<unknown>) {
  const { status, body } = await refusal(answer);
  const { error: _, payloadHash: __, ...rest } = body as Record<string, unknown>;
  return [status, rest];
}

const because = (fields: object) => [
  403,
  { reason: "guardrail_violated", approvalRequired: false, ...fields },
];

describe("guardrails of the goal", () => {
  it("refuse an agent's texts and weights, before it may apply or propose them", async () => {
    const project = await house.project();
    const guardrails = { forbiddenPhrases: ["free"], minControlShare: 0.2 };
    const it = await leasedCampaign(house, project, { goal: { guardrails } });
    const [a, b] = it.campaign.variants;
    assert.ok(a && b);
    const text: Mutation = { type: "update", variants: [{ id: b.id, message: toast("All f\u200bree") }] };
    const phrase = because({
      guardrail: "forbiddenPhrases",
      limit: 0,
      observed: 1,
      phrase: "free",
      field: "variants[1].message.title",
    });
    const weights: Mutation = {
      type: "update",
      variants: [
        { id: a.id, weight: 10 },
        { id: b.id, weight: 90 },
      ],
    };
    const share = because({ guardrail: "minControlShare", limit: 0.2, observed: 0.1 });
    for (const act of [mutate, propose]) {
      assert.deepEqual(await violated(act(project, it, text)), phrase);
      assert.deepEqual(await violated(act(project, it, weights)), share);
    }
    const { campaign } = await project.api.getCampaign({ path: { id: it.id } });
    assert.deepEqual(campaign.variants, it.campaign.variants);
  });

  it("refuse an agent's launch", async () => {
    const project = await house.project();
    const guardrails = { maxActiveCampaigns: 1 };
    const it = await leasedCampaign(house, project, { goal: { guardrails }, launch: false });
    const running = await launchCampaign(project, { goalId: it.goalId });
    const full = because({ guardrail: "maxActiveCampaigns", limit: 1, observed: 2 });
    for (const act of [mutate, propose]) assert.deepEqual(await violated(act(project, it, LAUNCH)), full);
    await project.api.setCampaignStatus({ path: { id: running.id }, body: { action: "end" } });
    assert.equal((await mutate(project, it, LAUNCH)).status, "running");
  });
});

describe("an agent's change that is wrong in several ways", () => {
  const reasonOf = async (answer: Promise<unknown>) => {
    const { status, body } = await refusal(answer);
    return [status, (body as { reason?: string }).reason ?? null];
  };

  it("is refused for its guardrail, then its evidence, then the split, then its fields", async () => {
    const project = await house.project();
    const guardrails = { forbiddenPhrases: ["free"], errorBudget: 0.05 };
    const goal = { targetEvent: "paid", attributionDays: 1, guardrails };
    const it = await leasedCampaign(house, project, { goal });
    await showOneArm(project);
    const [a, b] = it.campaign.variants;
    assert.ok(a && b);
    const change = (title: string, weights: readonly [number, number], more: object[] = []): Mutation => ({
      type: "update",
      variants: [
        { id: a.id, weight: weights[0] },
        { id: b.id, weight: weights[1], message: toast(title) },
        ...more.map((each) => ({ id: "var_unknown", ...each })),
      ],
    });
    const all = change("Free", [0, 100], [{ weight: 1 }]);
    const allowed = change("New", [0, 100], [{ weight: 1 }]);
    for (const act of [mutate, propose])
      assert.deepEqual(await reasonOf(act(project, it, all)), [403, "guardrail_violated"]);
    assert.deepEqual(await reasonOf(mutate(project, it, allowed)), [403, "insufficient_evidence"]);
    assert.deepEqual(await reasonOf(propose(project, it, allowed)), [409, "sample_ratio_mismatch"]);
    await project.api.updateGoal({
      path: { id: it.goalId },
      body: { guardrails: { forbiddenPhrases: ["free"] } },
    });
    assert.deepEqual(await reasonOf(mutate(project, it, allowed)), [409, "sample_ratio_mismatch"]);
    const shared = change("New", [20, 80], [{ weight: 1 }]);
    for (const act of [mutate, propose])
      assert.deepEqual(await reasonOf(act(project, it, shared)), [400, null]);
    assert.equal((await mutate(project, it, change("New", [20, 80]))).status, "running");
  });

  it("is refused for the guardrail of a launch, then its status, then its channel", async () => {
    const project = await house.project();
    const settings = {
      "email.from": "Acme News <news@acme.example>",
      "email.postalAddress": "Acme, 1 Main Street, Springfield",
      "email.domainVerified": "true",
      "email.smtpUrl": "smtp://127.0.0.1:2525",
    };
    await setSettings(house, project, settings);
    const { id: goalId } = await makeGoal(project);
    const { id } = await launchEmail(project, { goalId });
    const evaluationAt = house.now();
    await project.api.scheduleEvaluation({ path: { id }, body: { nextEvaluationAt: evaluationAt } });
    const { leaseToken } = await claim(project, id);
    const it = { id, evaluationAt, leaseToken };
    const limit = (guardrails: Record<string, unknown>) =>
      project.api.updateGoal({ path: { id: goalId }, body: { guardrails } });
    await setSettings(house, project, { "email.from": "" });
    await limit({ quietUntil: house.now() + 1_000 });
    for (const act of [mutate, propose])
      assert.deepEqual(await reasonOf(act(project, it, LAUNCH)), [403, "guardrail_violated"]);
    await limit({});
    for (const act of [mutate, propose])
      assert.deepEqual(await reasonOf(act(project, it, LAUNCH)), [409, null]);
    await project.api.setCampaignStatus({ path: { id }, body: { action: "pause" } });
    for (const act of [mutate, propose])
      assert.deepEqual(await reasonOf(act(project, it, LAUNCH)), [409, "channel_not_ready"]);
    await setSettings(house, project, settings);
    assert.equal((await mutate(project, it, LAUNCH)).status, "running");
  });
});
