import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { feedback, launchCampaign, messagesOf, toast } from "../../../test/factories.ts";
import { type TestProject, testHouse } from "../../../test/harness.ts";
import { clientOf } from "../../../test/people.ts";
import { DAY_MS } from "../../platform/time/clock.ts";

const house = testHouse();

afterEach(async () => assert.deepEqual(await house.differences(), {}));

const TEXTS = ["Control", "Promise", "Third"];

/** A running campaign of two texts or more under a goal that counts for a day, which has shown the texts to users; those of Promise paid. */
async function measured(variants = 2, users = 80) {
  const project = await house.project();
  const { goal } = await project.api.createGoal({
    body: { name: "Sales", targetEvent: "paid", attributionDays: 1 },
  });
  const campaign = await launchCampaign(project, {
    goalId: goal.id,
    variants: TEXTS.slice(0, variants).map((name) => ({ name, message: toast(name) })),
  });
  const since = house.now();
  const shown = await show(project, "first", users);
  await pay(project, shown.get("Promise") ?? []);
  house.advance(2 * DAY_MS);
  const ids = campaign.variants.map((variant) => variant.id);
  const usersOf = (title: string): number => shown.get(title)?.length ?? 0;
  return { project, campaign, ids, since, usersOf };
}

async function show(project: TestProject, prefix: string, users: number): Promise<Map<string, string[]>> {
  const shown = new Map<string, string[]>();
  for (let n = 0; n < users; n++) {
    const user = `${prefix}-${n}`;
    for (const { deliveryId, content } of await messagesOf(project, user)) {
      await feedback(project, deliveryId, user, "shown");
      const title = content.title ?? "";
      shown.set(title, [...(shown.get(title) ?? []), user]);
    }
  }
  return shown;
}

async function pay({ api }: TestProject, users: readonly string[]): Promise<void> {
  if (users.length === 0) return;
  await api.trackBatch({
    body: { events: users.map((userId) => ({ userId, event: "paid", ts: house.now() })) },
  });
}

type Patch = Parameters<TestProject["api"]["updateCampaign"]>[0]["body"];

const edit = ({ api }: TestProject, id: string, body: Patch) => api.updateCampaign({ path: { id }, body });

const resultsOf = ({ api }: TestProject, id: string) =>
  api.getCampaignConversions({ path: { id }, query: { event: "paid", earlier: "texts" } });

describe("the texts of a campaign that were edited", () => {
  it("are told of with what had come of them, also of what comes after the change", async () => {
    const { project, campaign, ids, since, usersOf } = await measured();
    const [control = "", promise = ""] = ids;
    assert.deepEqual((await resultsOf(project, campaign.id)).earlier, []);
    const before = (await resultsOf(project, campaign.id)).statistics.variants[1];
    assert.equal(before?.comparison?.verdict, "better");
    // Two users see the former text, one of whom pays after it was edited.
    const late = [...(await show(project, "late", 6))].flatMap(([title, users]) =>
      title === "Promise" ? users : [],
    );
    const editedAt = house.now();
    await edit(project, campaign.id, { variants: [{ id: promise, message: toast("New promise") }] });
    await pay(project, late.slice(0, 1));
    const pending = (await resultsOf(project, campaign.id)).earlier ?? [];
    assert.deepEqual(
      pending.map((each) => [each.pending, each.matured]),
      [
        [
          { exposedUsers: late.length, convertedUsers: Math.min(1, late.length) },
          { exposedUsers: usersOf("Promise"), convertedUsers: usersOf("Promise") },
        ],
      ],
    );
    house.advance(2 * DAY_MS);
    const { earlier = [], statistics } = await resultsOf(project, campaign.id);
    const [text, ...others] = earlier;
    assert.deepEqual(others, [], "the control was not edited");
    assert.ok(text);
    assert.deepEqual(
      [text.variantId, text.because, text.from, text.until, text.content],
      [promise, "text", since, editedAt, campaign.variants[1]?.content],
    );
    const exposedUsers = usersOf("Promise") + late.length;
    assert.deepEqual(text.matured, {
      exposedUsers,
      convertedUsers: usersOf("Promise") + Math.min(1, late.length),
    });
    assert.equal(text.comparison?.verdict, "better");
    assert.equal(text.splitMismatch, false);
    const now = statistics.variants.find(({ variantId }) => variantId === promise);
    assert.deepEqual([now?.matured.exposedUsers, now?.comparison?.since], [0, editedAt]);
    assert.equal(control === promise, false);
  });

  it("end the comparison of every variant where it was the control's", async () => {
    const { project, campaign, ids, usersOf } = await measured(3);
    const [control = "", promise = "", third = ""] = ids;
    await edit(project, campaign.id, { variants: [{ id: control, message: toast("New control") }] });
    const { earlier = [] } = await resultsOf(project, campaign.id);
    assert.deepEqual(
      new Map(
        earlier.map(({ variantId, because, matured, comparison }) => [
          variantId,
          [because, matured.exposedUsers, comparison?.verdict ?? null],
        ]),
      ),
      new Map([
        [control, ["text", usersOf("Control"), null]],
        [promise, ["control_text", usersOf("Promise"), "better"]],
        [third, ["control_text", usersOf("Third"), "undecided"]],
      ]),
    );
    // Other weights begin no comparison anew, so they end none.
    await edit(project, campaign.id, { variants: [{ id: third, weight: 3 }] });
    assert.equal((await resultsOf(project, campaign.id)).earlier?.length, 3);
  });

  it("claim nothing where the split was broken", async () => {
    const project = await house.project();
    const campaign = await launchCampaign(project, {
      variants: TEXTS.slice(0, 2).map((name) => ({ name, message: toast(name) })),
    });
    for (let n = 0; n < 300; n++)
      for (const { deliveryId, content } of await messagesOf(project, `user-${n}`))
        if (content.title === "Control") await feedback(project, deliveryId, `user-${n}`, "shown");
    const [control] = campaign.variants;
    await edit(project, campaign.id, { variants: [{ id: control?.id ?? "", message: toast("Other") }] });
    const { earlier = [] } = await resultsOf(project, campaign.id);
    assert.deepEqual(
      earlier.map(({ variantId, splitMismatch }) => [variantId, splitMismatch]),
      [[control?.id, true]],
    );
  });
});

describe("a review of a change", () => {
  it("says for which variants counting begins anew, and what is lost", async () => {
    const { project, campaign, ids, since, usersOf } = await measured(3);
    const [control = "", promise = "", third = ""] = ids;
    const { client } = await clientOf(house, project.projectId, "editor");
    const lostBy = async (patch: Patch) =>
      (await client.reviewCampaign({ path: { id: campaign.id }, body: { patch } })).restarts;
    const users = usersOf("Promise");
    const ofPromise = { exposedUsers: users, convertedUsers: users, verdict: "better", since };
    assert.deepEqual(await lostBy({ variants: [{ id: promise, message: toast("New") }] }), [
      { variantId: promise, because: "text", ...ofPromise },
    ]);
    const byControl = await lostBy({ variants: [{ id: control, message: toast("New") }] });
    assert.deepEqual(
      byControl.map(({ variantId, because, verdict, exposedUsers }) => [
        variantId,
        because,
        verdict,
        exposedUsers,
      ]),
      [
        [control, "text", null, usersOf("Control")],
        [promise, "control_text", "better", users],
        [third, "control_text", "undecided", usersOf("Third")],
      ],
    );
    // With another control all users still count, and what was found of the others is not said any more.
    assert.deepEqual(await lostBy({ variants: [{ id: third, isControl: true }] }), [
      { variantId: promise, because: "other_control", ...ofPromise, exposedUsers: 0, convertedUsers: 0 },
    ]);
    const { goal } = await project.api.createGoal({ body: { name: "Other", targetEvent: "looked" } });
    for (const harmless of [
      { variants: [{ id: promise, weight: 5 }] },
      { variants: [{ id: promise, weight: 0 }] },
      { variants: [{ id: promise, name: "Vow", message: toast("Promise") }] },
      { variants: [{ name: "Fourth", message: toast("Fourth") }] },
      { goalId: goal.id },
      { pages: ["/new"], name: "Other" },
    ])
      assert.deepEqual(await lostBy(harmless), [], JSON.stringify(harmless));
    assert.deepEqual((await resultsOf(project, campaign.id)).earlier, [], "a review changes nothing");
  });

  it("says nothing where nothing was counted yet", async () => {
    const project = await house.project();
    const { client } = await clientOf(house, project.projectId, "editor");
    for (const launch of [false, true]) {
      const { id, variants } = await launchCampaign(project, { launch });
      const patch = { variants: [{ id: variants[0]?.id ?? "", message: toast("New") }] };
      const { restarts } = await client.reviewCampaign({ path: { id }, body: { patch } });
      assert.deepEqual(restarts, []);
    }
  });

  it("counts as lost what the statistics do not count any more once it is applied", async () => {
    const { project, campaign, ids } = await measured(3);
    const [control = "", promise = ""] = ids;
    const { client } = await clientOf(house, project.projectId, "editor");
    const patches: Patch[] = [
      { variants: [{ id: promise, message: toast("New") }] },
      { variants: [{ id: promise, isControl: true }] },
      { variants: [{ id: control, message: toast("Newer") }] },
    ];
    for (const patch of patches) {
      const { restarts } = await client.reviewCampaign({ path: { id: campaign.id }, body: { patch } });
      const before = (await resultsOf(project, campaign.id)).statistics.variants;
      await edit(project, campaign.id, patch);
      const after = (await resultsOf(project, campaign.id)).statistics.variants;
      const lost = before.filter(({ matured, comparison }, place) => {
        const now = after[place];
        const isAnew = (now?.comparison?.since ?? 0) > (comparison?.since ?? Number.POSITIVE_INFINITY);
        const hadUsers = comparison !== null && comparison.rates !== null;
        return (hadUsers && isAnew) || (now?.matured.exposedUsers ?? 0) < matured.exposedUsers;
      });
      assert.deepEqual(
        restarts.filter(({ exposedUsers }) => exposedUsers > 0).map(({ variantId }) => variantId),
        lost.map(({ variantId }) => variantId),
        JSON.stringify(patch),
      );
      house.advance(1_000);
    }
  });
});
