import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LAUNCH, leasedCampaign, type Mutation, mutate, propose } from "../../../../test/agent.ts";
import { launchCampaign, toast } from "../../../../test/factories.ts";
import { refusal, testHouse } from "../../../../test/harness.ts";

const house = testHouse();

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
      ...{ guardrail: "forbiddenPhrases", limit: 0, observed: 1, phrase: "free" },
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
