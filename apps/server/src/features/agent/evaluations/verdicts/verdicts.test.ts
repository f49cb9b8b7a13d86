import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  claim,
  decideAs,
  leasedCampaign,
  type Mutation,
  mutate,
  propose,
  showOneArm,
  showTo,
} from "../../../../../test/agent.ts";
import { setSettings } from "../../../../../test/email.ts";
import { refusal, testHouse } from "../../../../../test/harness.ts";
import { DAY_MS } from "../../../../platform/time/clock.ts";
import { alphaOf } from "../rules.ts";
import { weightClaims } from "./verdict.pure.ts";

const house = testHouse();

const reasonOf = async (answer: Promise<unknown>) => {
  const { status, body } = await refusal(answer);
  return [status, (body as { reason?: string }).reason];
};

type Made = Awaited<ReturnType<typeof leasedCampaign>>;

const weights = ({ campaign }: Made, [a, b]: readonly [number, number]): Mutation => ({
  type: "update",
  variants: campaign.variants.map(({ id }, index) => ({ id, weight: index === 0 ? a : b })),
});

const GOAL = { targetEvent: "paid", attributionDays: 1, guardrails: { errorBudget: 0.05 } };

describe("a verdict of an agent", () => {
  it("asks for ever more evidence, and for less after each verdict (e-LOND)", () => {
    assert.equal(Math.round(1 / alphaOf(0.05, 1, 0)), 40);
    assert.equal(Math.round(1 / alphaOf(0.05, 10, 3)), 550);
  });

  it("is what takes all users from a variant", () => {
    const variants = (after: readonly number[]) =>
      after.map((weight, index) => ({
        variantId: String(index),
        isControl: index === 0,
        before: 10,
        after: weight,
      }));
    assert.deepEqual(weightClaims(variants([90, 5, 5])), []);
    assert.deepEqual(weightClaims(variants([10, 0, 10])), [{ variantId: "1", is: "worse" }]);
    assert.deepEqual(weightClaims(variants([0, 0, 10])), [{ variantId: "2", is: "better" }]);
    assert.deepEqual(weightClaims(variants([0, 10, 10])), [
      { variantId: "1", is: "better" },
      { variantId: "2", is: "better" },
    ]);
  });

  it("waits for evidence, and counts once it is there", async () => {
    const project = await house.project();
    const it = await leasedCampaign(house, project, { goal: GOAL });
    const shipB = weights(it, [0, 100]);
    assert.deepEqual(await reasonOf(mutate(project, it, shipB)), [403, "insufficient_evidence"]);
    assert.equal((await mutate(project, it, weights(it, [20, 80]))).status, "running");
    await mutate(project, it, weights(it, [50, 50]));
    await showTo(project, it, 120);
    assert.deepEqual(await reasonOf(mutate(project, it, shipB)), [403, "insufficient_evidence"]);
    house.advance(2 * DAY_MS);
    const { leaseToken } = await claim(project, it.id);
    const lease = { ...it, leaseToken };
    assert.deepEqual(await reasonOf(mutate(project, lease, weights(it, [100, 0]))), [
      403,
      "insufficient_evidence",
    ]);
    assert.equal((await mutate(project, lease, shipB)).status, "running");
    const tests = await house.database.kysely
      .selectFrom("verdictTests")
      .select(["t", "alpha", "verdictAt"])
      .where("projectId", "=", project.projectId)
      .execute();
    assert.deepEqual(tests, [{ t: 1, alpha: alphaOf(0.05, 1, 0), verdictAt: house.now() }]);
  });

  it("is not asked for where a person approved, nor where the goal sets no budget", async () => {
    const project = await house.project();
    await setSettings(house, project, { "safety.maxConcurrentCampaigns": "5" });
    const it = await leasedCampaign(house, project, { goal: { ...GOAL, approvalMode: "require_human" } });
    const { proposal } = await propose(project, it, weights(it, [0, 100]));
    await decideAs(house, project, proposal.id, "approved");
    const { leaseToken } = await claim(project, it.id);
    await mutate(project, { ...it, leaseToken }, weights(it, [0, 100]), { approvalId: proposal.id });
    const free = await leasedCampaign(house, project);
    await mutate(project, free, weights(free, [0, 100]));
  });

  it("is judged within the error budget of the goal that the campaign has now", async () => {
    const project = await house.project();
    await setSettings(house, project, { "safety.maxConcurrentCampaigns": "5" });
    const moved = await leasedCampaign(house, project, { goal: GOAL });
    const there = await leasedCampaign(house, project, { goal: GOAL });
    await project.api.updateCampaign({ path: { id: moved.id }, body: { goalId: there.goalId } });
    house.advance(DAY_MS);
    await claim(project, moved.id);
    const tests = await house.database.kysely
      .selectFrom("verdictTests")
      .select(["goalId", "t", "campaignId", "alpha"])
      .where("projectId", "=", project.projectId)
      .orderBy("t")
      .execute();
    const under = (goalId: string) =>
      tests
        .filter((test) => `goal_${test.goalId}` === goalId)
        .map(({ t, campaignId, alpha }) => [t, `cmp_${campaignId}`, alpha]);
    assert.deepEqual(under(moved.goalId), [[1, moved.id, alphaOf(0.05, 1, 0)]]);
    assert.deepEqual(under(there.goalId), [
      [1, there.id, alphaOf(0.05, 1, 0)],
      [2, moved.id, alphaOf(0.05, 2, 0)],
    ]);
  });

  it("is refused while users are not split as the weights say", async () => {
    const project = await house.project();
    const it = await leasedCampaign(house, project, { goal: { targetEvent: "paid", attributionDays: 1 } });
    await showOneArm(project);
    assert.deepEqual(await reasonOf(mutate(project, it, weights(it, [0, 100]))), [
      409,
      "sample_ratio_mismatch",
    ]);
    assert.deepEqual(await reasonOf(propose(project, it, weights(it, [0, 100]))), [
      409,
      "sample_ratio_mismatch",
    ]);
    await mutate(project, it, weights(it, [20, 80]));
  });
});
