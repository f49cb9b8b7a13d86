import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { claim, dueCampaign, type Mutation, mutate, showExactly } from "../../../../../test/agent.ts";
import { setSettings } from "../../../../../test/email.ts";
import { toast } from "../../../../../test/factories.ts";
import { refusal, testHouse } from "../../../../../test/harness.ts";
import { collide } from "../../../../../test/waiting.ts";
import { uuidFor } from "../../../../domain/ids.ts";
import { DAY_MS } from "../../../../platform/time/clock.ts";
import { alphaOf } from "../rules.ts";

const house = testHouse();
const GOAL = { targetEvent: "paid", attributionDays: 1, guardrails: { errorBudget: 0.05 } };
type Made = Awaited<ReturnType<typeof dueCampaign>>;

const weights = ({ campaign }: Made, [a, b]: readonly [number, number]) =>
  campaign.variants.map(({ id }, index) => ({ id, weight: index === 0 ? a : b }));
const change = (made: Made, to: readonly [number, number]): Mutation => ({
  type: "update",
  variants: weights(made, to),
});

/**
 * A ramp in a product that grows: in the first week few users get B, and none of them pays; then each text has half of the users, and
 * more of those of A pay. Of all users who saw B more have paid than of all who saw A.
 */
async function rampedUp(policy: string | null = null) {
  const project = await house.project();
  if (policy !== null) await setSettings(house, project, { "agent.policy": policy });
  const made = await dueCampaign(house, project, { goal: GOAL });
  const path = { id: made.id };
  await project.api.updateCampaign({ path, body: { variants: weights(made, [90, 10]) } });
  const next = await showExactly(project, { A: { shown: 270, paid: 0 }, B: { shown: 30, paid: 0 } });
  await project.api.updateCampaign({ path, body: { variants: weights(made, [50, 50]) } });
  await showExactly(project, { A: { shown: 70, paid: 50 }, B: { shown: 70, paid: 18 } }, next);
  house.advance(2 * DAY_MS);
  return { project, made };
}

/** A statement that lets the goal count another event, and locks the campaign. */
const counting = ({ id, goalId }: Made, event: string) => ({
  text: `with counting as (update goals set target_event = $2 where id = $3)
    select from campaigns where id = $1 for update`,
  values: [uuidFor("cmp", id), event, uuidFor("goal", goalId)],
});

describe("the side of a verdict", () => {
  it("is that of its e-value, where the rates of all users together point to the other one", async () => {
    const { project, made } = await rampedUp();
    const { statistics } = await project.api.getCampaignConversions({
      path: { id: made.id },
      query: { event: "paid" },
    });
    const [a, b] = statistics.variants;
    assert.ok((b?.rate.estimate ?? 0) > (a?.rate.estimate ?? 1), "pooled, B does better");
    assert.equal(b?.comparison?.verdict, "worse");
    const { rates, relative, absolute } = b?.comparison ?? {};
    // In the only week with sales 50 of 70 paid who saw A, and 18 of 70 who saw B.
    assert.ok(rates && rates.variant < rates.control, "set side by side, B does worse");
    assert.ok(Math.abs(rates.variant / rates.control - 18 / 50) < 1e-8);
    assert.ok((relative?.estimate ?? 0) < 0 && (absolute?.estimate ?? 0) < 0 && (absolute?.upper ?? 0) < 0);
    const { leaseToken } = await claim(project, made.id);
    const lease = { ...made, leaseToken };
    const { status, body } = await refusal(mutate(project, lease, change(made, [0, 100])));
    const { reason, variantId, eValueNeeded } = body as Record<string, unknown>;
    assert.deepEqual(
      [status, reason, variantId, eValueNeeded],
      [403, "insufficient_evidence", made.campaign.variants[1]?.id, 40],
    );
    // What the goal counts changes after the change was judged, and before it is applied: it is judged again.
    const [refused] = await collide(house, counting(made, "bought"), [
      () => refusal(mutate(project, lease, change(made, [100, 0]))),
    ]);
    assert.ok(refused?.status === "fulfilled");
    assert.deepEqual(
      [refused.value.status, (refused.value.body as { reason: string }).reason],
      [403, "insufficient_evidence"],
    );
    const back = counting(made, "paid");
    await house.database.pool.query(back.text, back.values);
    assert.equal((await mutate(project, lease, change(made, [100, 0]))).status, "running");
    const { status: after } = await refusal(mutate(project, lease, change(made, [0, 100])));
    assert.equal(after, 403, "still the same counts");
    const tests = () =>
      house.database.kysely
        .selectFrom("verdictTests")
        .select(["t", "alpha", "verdictAt"])
        .where("projectId", "=", project.projectId)
        .orderBy("t")
        .execute();
    const decided = { t: 1, alpha: alphaOf(0.05, 1, 0), verdictAt: house.now() };
    assert.deepEqual(await tests(), [decided]);
    // Another text is another test, and the verdict about the former one counts for it.
    const [, second] = weights(made, [50, 50]);
    assert.ok(second);
    await project.api.updateCampaign({
      path: { id: made.id },
      body: { variants: [{ ...second, message: toast("Buy") }] },
    });
    house.advance(DAY_MS);
    await claim(project, made.id);
    assert.deepEqual(await tests(), [decided, { t: 2, alpha: alphaOf(0.05, 2, 1), verdictAt: null }]);
  });

  it("lets the agent of Tidings retire what it finds worse", async () => {
    const { project, made } = await rampedUp("statistical@1");
    await house.tidings.drain("agent");
    const { runs } = await project.api.listAgentRuns({ query: { campaignId: made.id } });
    assert.deepEqual(
      runs.map(({ kind }) => kind),
      ["evaluate"],
    );
    const { campaign } = await project.api.getCampaign({ path: { id: made.id } });
    assert.deepEqual(
      campaign.variants.map(({ weight }) => weight),
      [50, 0],
    );
    assert.deepEqual(await house.differences(project.projectId), {});
  });
});
