import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { explain, gateOf } from "../../../../../test/eligibility.ts";
import type { TestProject } from "../../../../../test/harness.ts";
import { observerOf, RECEIPT } from "../../../../../test/observing.ts";
import { inspect, launchPush, MESSAGE, pushHouse, reachable } from "../../../../../test/push.ts";
import { rounds } from "../../../../../test/rounds.ts";
import { apiId, userRef, uuidOf } from "../../../../domain/ids.ts";
import { SECOND_MS } from "../../../../platform/time/clock.ts";
import { drawVariant, isHeldOut } from "../../../deliveries/public.ts";

const { house, apns, sendingProject } = await pushHouse();

/** `MODEL_RUNS=50 npm test -- push/sending/plan/weights` plays more runs. */
const RUNS = Number(process.env.MODEL_RUNS ?? rounds(6, 20));

/** Long enough for every sweep to come round once more. */
const soon = async (): Promise<void> => {
  house.advance(61 * SECOND_MS);
  await house.drain();
};

const named = (title: string) => ({ ...MESSAGE, title });
const usersOf = (count: number): string[] => Array.from({ length: count }, (_, n) => `user-${n}`);

type Drawn = { userKey: string; variantId: string; epoch: number };

/** The deliveries of a campaign, each with what its user draws under the weights of the epoch that it names. */
async function deliveriesOf(campaignId: string): Promise<(Drawn & { drawn: string | null })[]> {
  const { pool } = house.database;
  const { rows: allocated } = await pool.query<{ epoch: number; id: string; weight: number }>(
    `select a.epoch, a.variant_id as id, a.weight from allocations a join variants v on v.id = a.variant_id
    where a.campaign_id = $1 order by v.position`,
    [campaignId],
  );
  const { rows } = await pool.query<Drawn>(
    `select user_key as "userKey", variant_id as "variantId", epoch from deliveries where campaign_id = $1`,
    [campaignId],
  );
  return rows.map((row) => {
    const variants = allocated.filter(({ epoch }) => epoch === row.epoch);
    return { ...row, drawn: drawVariant(variants, campaignId, row.userKey)?.id ?? null };
  });
}

/** Asserts that every delivery has the variant that its user draws under the weights of its epoch. */
async function assertDrawn(campaignId: string): Promise<(Drawn & { drawn: string | null })[]> {
  const deliveries = await deliveriesOf(campaignId);
  for (const { variantId, drawn, epoch } of deliveries) assert.equal(variantId, drawn, `epoch ${epoch}`);
  return deliveries;
}

/** A campaign of A and B, 50 to 50, for which users wait who have no device. */
async function waiting(count: number, body: Parameters<typeof launchPush>[1] = {}) {
  const project = await sendingProject();
  const users = usersOf(count);
  for (const userId of users) await project.sdk.identify({ body: { userId } });
  const variants = [
    { name: "A", weight: 50, message: named("A") },
    { name: "B", weight: 50, message: named("B") },
  ];
  const { id } = await launchPush(project, { variants, ...body });
  await house.drain();
  const { campaign } = await project.api.getCampaign({ path: { id } });
  const [a = "", b = ""] = campaign.variants.map((variant) => variant.id);
  const weigh = (ofA: number, ofB: number) =>
    project.api.updateCampaign({
      path: { id },
      body: {
        variants: [
          { id: a, weight: ofA },
          { id: b, weight: ofB },
        ],
      },
    });
  return { project, users, id, campaignId: uuidOf("cmp", id) ?? "", a, b, weigh };
}

/** Every user gets a device, and what is pushed to it is reported to have arrived; answers the titles. */
async function arrive(project: TestProject, users: readonly string[]): Promise<string[]> {
  const devices = [];
  for (const user of users) devices.push(await reachable(project, user));
  await soon();
  const titles: string[] = [];
  for (const device of devices)
    for (const { payload } of apns.taken.filter(({ token }) => token === device.token)) {
      titles.push(payload.tidings.content.title);
      await observerOf(project, device, payload.tidings).tell(RECEIPT);
    }
  return titles;
}

const statisticsOf = async ({ api }: TestProject, id: string) =>
  (await api.getCampaignConversions({ path: { id }, query: { event: "paid" } })).statistics;

describe("weights that change while users wait for a device", () => {
  it("give nobody a variant that was retired meanwhile", async () => {
    const { project, users, id, campaignId, a, b, weigh } = await waiting(24);
    await weigh(0, 100);
    const { recipients } = await inspect(project, id);
    assert.deepEqual(new Set(recipients.map(({ variantId }) => variantId)), new Set([b]));
    assert.equal(recipients.length, users.length);
    for (const user of users.slice(0, 4))
      assert.equal(gateOf(await explain(project, id, user), "variant").variantId, b);
    assert.deepEqual(new Set(await arrive(project, users)), new Set(["B"]));
    const deliveries = await assertDrawn(campaignId);
    assert.deepEqual([deliveries.length, deliveries.filter(({ epoch }) => epoch === 2).length], [24, 24]);
    assert.ok(deliveries.every(({ variantId }) => apiId("var", variantId) !== a));
    assert.deepEqual(await house.differences(), {});
  });

  it("leave the sample ratio as they say", async () => {
    const { project, users, id, campaignId, weigh } = await waiting(60);
    await weigh(90, 10);
    const titles = await arrive(project, users);
    assert.equal(titles.length, users.length);
    const deliveries = await assertDrawn(campaignId);
    assert.ok(deliveries.every(({ epoch }) => epoch === 2));
    const { sampleRatio, unknownAllocation } = await statisticsOf(project, id);
    assert.deepEqual([sampleRatio.mismatch, unknownAllocation], [false, 0]);
    assert.deepEqual(
      sampleRatio.arms.map(({ expectedUsers }) => expectedUsers),
      [54, 6],
    );
    assert.ok(sampleRatio.eValue < 20, `${sampleRatio.eValue}`);
    assert.deepEqual(await house.differences(), {});
  });

  it("serve who waited for a trait that only the retired variant names, and count them so", async () => {
    const project = await sendingProject();
    const device = await reachable(project, "ada");
    const variants = [
      { name: "A", weight: 1, message: named("Dear {{ user.rank }}") },
      { name: "B", weight: 0, message: named("Hello") },
    ];
    const { id } = await launchPush(project, { variants });
    await house.drain();
    const { recipients } = await inspect(project, id);
    assert.deepEqual(
      recipients.map(({ state }) => "reason" in state && state.reason),
      ["trait_missing"],
    );
    assert.equal((await project.api.takeCampaignCensus({ path: { id } })).willReceive, 0);
    const { campaign } = await project.api.getCampaign({ path: { id } });
    const body = { variants: campaign.variants.map((each, n) => ({ id: each.id, weight: n })) };
    await project.api.updateCampaign({ path: { id }, body });
    assert.equal((await project.api.takeCampaignCensus({ path: { id } })).willReceive, 1);
    assert.equal((await explain(project, id, "ada")).outcome, "would_receive");
    await soon();
    const titles = apns.taken.flatMap(({ token, payload }) =>
      token === device.token ? [payload.tidings.content.title] : [],
    );
    assert.deepEqual(titles, ["Hello"]);
    await assertDrawn(uuidOf("cmp", id) ?? "");
  });

  it("let who waits wait, where the variant of now names a trait that they lack", async () => {
    const project = await sendingProject();
    await project.sdk.identify({ body: { userId: "ada" } });
    const variants = [
      { name: "A", weight: 1, message: named("Hello") },
      { name: "B", weight: 0, message: named("Dear {{ user.rank }}") },
    ];
    const { id } = await launchPush(project, { variants });
    await house.drain();
    const { campaign } = await project.api.getCampaign({ path: { id } });
    const body = { variants: campaign.variants.map((each, n) => ({ id: each.id, weight: n })) };
    await project.api.updateCampaign({ path: { id }, body });
    const { token } = await reachable(project, "ada");
    await soon();
    assert.equal(apns.taken.filter((push) => push.token === token).length, 0);
    const [only] = (await inspect(project, id)).recipients;
    assert.ok(only?.state.kind === "waiting" && only.state.reason === "trait_missing");
    assert.equal(only.variantId, campaign.variants[1]?.id);
  });
});

/** What people and users do to a campaign. */
type Step =
  | { kind: "weights"; weights: readonly number[] }
  | { kind: "another variant"; weight: number }
  | { kind: "words"; place: number }
  | { kind: "holdout"; percent: number }
  | { kind: "users"; count: number }
  | { kind: "devices"; picks: readonly number[] }
  | { kind: "traits"; picks: readonly number[] }
  | { kind: "pause" | "plan" };

const some = fc.array(fc.nat(40), { minLength: 1, maxLength: 8 });
const weight = fc.constantFrom(0, 0, 1, 10, 50, 90, 100);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("weights" as const), weights: fc.array(weight) }) },
  fc.record({ kind: fc.constant("another variant" as const), weight }),
  fc.record({ kind: fc.constant("words" as const), place: fc.nat(5) }),
  fc.record({ kind: fc.constant("holdout" as const), percent: fc.constantFrom(0, 20, 50) }),
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("users" as const), count: fc.integer({ min: 1, max: 6 }) }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("devices" as const), picks: some }) },
  fc.record({ kind: fc.constant("traits" as const), picks: some }),
  fc.record({ kind: fc.constant("pause" as const) }),
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("plan" as const) }) },
);

/** A campaign under a goal that is played with. The second variant of each pair names a trait that users lack at first. */
async function begin() {
  const project = await sendingProject();
  const { goal } = await project.api.createGoal({ body: { name: "Sales", targetEvent: "paid" } });
  const users: string[] = [];
  const join = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n++) {
      users.push(`user-${users.length}`);
      await project.sdk.identify({ body: { userId: users.at(-1) ?? "" } });
    }
  };
  await join(8);
  const textOf = (place: number, words: number) =>
    named(place % 2 === 0 ? `Words ${words}` : `Words ${words} for {{ user.rank }}`);
  const { id } = await launchPush(project, {
    goalId: goal.id,
    variants: [0, 1].map((place) => ({ weight: 50, message: textOf(place, 0) })),
  });
  const chosen = (picks: readonly number[]) => [...new Set(picks.map((n) => users[n % users.length] ?? ""))];
  const read = async () => (await project.api.getCampaign({ path: { id } })).campaign;
  let words = 0;

  const patch = async (variants: readonly { id?: string; weight?: number; message?: unknown }[]) => {
    await project.api.updateCampaign({ path: { id }, body: { variants: [...variants] } as never });
  };

  async function play(what: Step): Promise<void> {
    const { variants, status } = await read();
    switch (what.kind) {
      case "weights": {
        const moved = variants.map((each, n) => ({ id: each.id, weight: what.weights[n] ?? each.weight }));
        // At least one variant has to have a weight.
        if (moved.some((each) => each.weight > 0)) await patch(moved);
        return;
      }
      case "another variant":
        if (variants.length < 5)
          await patch([{ weight: what.weight, message: textOf(variants.length, ++words) }]);
        return;
      case "words": {
        const place = what.place % variants.length;
        return patch([{ id: variants[place]?.id ?? "", message: textOf(place, ++words) }]);
      }
      case "holdout":
        await project.api.updateGoal({ path: { id: goal.id }, body: { holdoutPercent: what.percent } });
        return;
      case "users":
        return join(what.count);
      case "devices":
        for (const user of chosen(what.picks)) await reachable(project, user);
        return;
      case "traits":
        for (const userId of chosen(what.picks))
          await project.sdk.identify({ body: { userId, traits: { rank: "captain" } } });
        return;
      case "pause": {
        const action = status === "running" ? "pause" : "launch";
        await project.api.setCampaignStatus({ path: { id }, body: { action } });
        return;
      }
      case "plan":
        return soon();
    }
  }
  return {
    project,
    id,
    campaignId: uuidOf("cmp", id) ?? "",
    goalId: uuidOf("goal", goal.id),
    users,
    play,
    read,
  };
}

describe("users who wait, whatever happens to the weights meanwhile", () => {
  it("get the variant that the weights of their delivery's epoch give, and explanations say it before", {
    timeout: 600_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 24 }), async (steps) => {
        const { project, id, campaignId, goalId, users, play, read } = await begin();
        const { pool } = house.database;
        const epochOf = async (): Promise<number> =>
          (await pool.query<{ epoch: number }>("select epoch from campaigns where id = $1", [campaignId]))
            .rows[0]?.epoch ?? 0;
        let had = new Set<string>();
        for (const each of [...steps, { kind: "plan" } as const]) {
          const explained = new Map<string, string | null>();
          for (const user of users.slice(0, 3))
            explained.set(
              userRef(project.projectId, user).userKey,
              gateOf(await explain(project, id, user), "variant").variantId,
            );
          const { willReceive } = await project.api.takeCampaignCensus({ path: { id } });
          await play(each);
          const deliveries = await assertDrawn(campaignId);
          const fresh = deliveries.filter(({ userKey }) => !had.has(userKey));
          had = new Set(deliveries.map(({ userKey }) => userKey));
          const { variants, status } = await read();
          const epoch = await epochOf();
          for (const { userKey, variantId, ...made } of fresh) {
            const variant = variants.find((one) => one.id === apiId("var", variantId));
            assert.ok((variant?.weight ?? 0) > 0, "a retired variant got another user");
            assert.equal(made.epoch, epoch);
            if (explained.has(userKey)) assert.equal(explained.get(userKey), variant?.id);
          }
          if (each.kind === "plan" && status === "running") assert.equal(fresh.length, willReceive);
        }
        const { rows } = await pool.query<{ userKey: string; percent: number }>(
          `select w.user_key as "userKey", min(a.holdout_percent)::int as percent from withheld_deliveries w
          join allocations a on a.campaign_id = w.campaign_id and a.epoch = w.epoch
          where w.campaign_id = $1 group by 1`,
          [campaignId],
        );
        for (const { userKey, percent: holdoutPercent } of rows) {
          assert.ok(isHeldOut({ goalId, holdoutPercent }, userKey));
          assert.ok(!had.has(userKey));
        }
        await project.api.setCampaignStatus({ path: { id }, body: { action: "end" } });
        await house.drain();
        assert.deepEqual(await house.differences(), {});
      }),
      { numRuns: RUNS, endOnFailure: process.env.MODEL_RUNS === undefined, verbose: 1 },
    );
  });
});
