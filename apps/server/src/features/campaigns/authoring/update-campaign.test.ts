import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Input, TidingsError } from "@tidings/client";
import { launchCampaign, messagesOf, toast } from "../../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../../test/harness.ts";

const house = testHouse();

type Change = Input<"updateCampaign">["body"];

const change = async ({ api }: TestProject, id: string, body: Change) =>
  (await api.updateCampaign({ path: { id }, body })).campaign;
const read = async ({ api }: TestProject, id: string) => (await api.getCampaign({ path: { id } })).campaign;

/** A project with a campaign of variants A (control), B and C. */
async function withVariants() {
  const project = await house.project();
  const campaign = await launchCampaign(project, {
    variants: ["1", "2", "3"].map((title) => ({ message: toast(title) })),
  });
  const [a = "", b = "", c = ""] = campaign.variants.map(({ id }) => id);
  return { project, campaign, id: campaign.id, a, b, c };
}

const facts = (campaign: Awaited<ReturnType<typeof read>>) =>
  campaign.variants.map(({ name, weight, isControl, content }) => [
    name,
    weight,
    isControl,
    "title" in content && content.title,
  ]);

describe("updateCampaign", () => {
  it("changes what is named and leaves the rest", async () => {
    const project = await house.project();
    const { goal } = await project.api.createGoal({ body: { name: "Goal" } });
    const campaign = await launchCampaign(project, { launch: false });
    const changes: readonly Change[] = [
      { name: "🎉".repeat(80) },
      { audience: { kind: "all", reason: "because" } },
      { pages: ["/a/*"] },
      { goalId: goal.id },
      { deliverFrom: house.now() + 5 },
      { deliverUntil: house.now() + 10 },
      { deliverFrom: house.now() + 20, deliverUntil: house.now() + 30 },
    ];
    let expected = campaign;
    for (const body of changes) {
      house.advance(1);
      const changed = await change(project, campaign.id, body);
      assert.notEqual(changed.revision, expected.revision);
      expected = { ...expected, ...body, revision: changed.revision } as typeof campaign;
      assert.deepEqual(changed, expected);
    }
    assert.deepEqual(await read(project, campaign.id), expected);
  });

  it("clears for null, and pages for an empty list", async () => {
    const project = await house.project();
    const { goal } = await project.api.createGoal({ body: { name: "Goal" } });
    const set = {
      goalId: goal.id,
      pages: ["/a"],
      deliverFrom: house.now() + 1,
      deliverUntil: house.now() + 2,
    };
    const campaign = await launchCampaign(project, { launch: false, ...set });
    let expected = campaign;
    for (const field of Object.keys(set)) {
      const changed = await change(project, campaign.id, { [field]: null });
      expected = { ...expected, [field]: null, revision: changed.revision };
      assert.deepEqual(changed, expected);
    }
    await change(project, campaign.id, { pages: ["/a"] });
    assert.deepEqual(await change(project, campaign.id, { pages: [] }), expected);
    await change(project, campaign.id, { targeting: { traits: { plan: "pro" } } });
    assert.deepEqual(await change(project, campaign.id, { targeting: null }), expected);
    await change(project, campaign.id, { targeting: { traits: { plan: "pro" } } });
    assert.deepEqual(await change(project, campaign.id, { audience: null }), expected);
  });

  it("refuses a change whose author has not seen the campaign as it is", async () => {
    const project = await house.project();
    const { id, revision } = await launchCampaign(project, { launch: false });
    const [first, second] = await Promise.all(
      ["One", "Two"].map((name) =>
        change(project, id, { name, expectedRevision: revision }).catch((error: TidingsError) => error),
      ),
    );
    const [lost] = [first, second].filter((each) => each instanceof TidingsError);
    const { revision: now, name } = await read(project, id);
    assert.deepEqual(lost?.body, {
      error:
        "expectedRevision is stale: the campaign has changed since. Read it again, and change it once more.",
      reason: "stale_revision",
      revision: now,
    });
    assert.ok(["One", "Two"].includes(name));
    await project.api.setCampaignStatus({ path: { id }, body: { action: "launch" } });
    const late = await refusal(
      project.api.updateCampaign({ path: { id }, body: { name: "Three", expectedRevision: now } }),
    );
    assert.equal(late.status, 409, "who writes a draft has not seen that it runs");
    const running = await read(project, id);
    const same = await change(project, id, { name, expectedRevision: running.revision });
    assert.equal(same.revision, running.revision);
  });

  const refused: readonly [string, Record<string, unknown>][] = [
    ["nothing", {}],
    ["an empty name", { name: "" }],
    ["a name of 81 characters", { name: "x".repeat(81) }],
    ["a name that is null", { name: null }],
    ["a message that is null", { message: null }],
    ["21 pages", { pages: Array.from({ length: 21 }, () => "/") }],
    ["a page that does not start with /", { pages: ["a"] }],
    ["a goal there is not", { goalId: "goal_00000000-0000-7000-8000-000000000000" }],
    ["audience and targeting", { audience: { kind: "all" }, targeting: {} }],
    ["an end in the past", { deliverUntil: 1_700_000_000_000 }],
    ["a start after the end that is there", { deliverFrom: 4_000_000_000_000 }],
    ["a start at the end that is there", { deliverFrom: 3_000_000_000_000 }],
    ["an end before the start that is there", { deliverUntil: 2_000_000_000_000 }],
    ["an instant without an offset", { deliverFrom: "2026-06-01T10:00:00" }],
    ["no variants", { variants: [] }],
    ["a variant with neither id nor message", { variants: [{ name: "B" }] }],
    ["message and variants", { message: toast(), variants: [{ message: toast() }] }],
    ["a variant there is not", { variants: [{ id: "var_00000000-0000-7000-8000-000000000000", weight: 1 }] }],
    ["a variant id that is none", { variants: [{ id: "x", weight: 1 }] }],
  ];
  for (const [name, fields] of refused) {
    it(`refuses ${name}, and then changes nothing`, async () => {
      const project = await house.project();
      const window = { deliverFrom: 2_000_000_000_000, deliverUntil: 3_000_000_000_000 };
      const before = await launchCampaign(project, window);
      const body = (name === "nothing" ? {} : { name: "Other", ...fields }) as Change;
      assert.equal((await refusal(change(project, before.id, body))).status, 400);
      assert.deepEqual(await read(project, before.id), before);
    });
  }

  it("refuses whatever a campaign that has ended is asked", async () => {
    const project = await house.project();
    const { id } = await launchCampaign(project);
    await project.api.setCampaignStatus({ path: { id }, body: { action: "end" } });
    const before = await read(project, id);
    for (const body of [{ name: "x" }, { message: toast("x") }, { deliverUntil: house.now() + 1 }]) {
      const { status, error } = await refusal(change(project, id, body));
      assert.deepEqual([status, error], [409, "This campaign has ended."]);
    }
    assert.deepEqual(await read(project, id), before);
  });

  it("resumes an expired campaign for a later end", async () => {
    const project = await house.project();
    const { id } = await launchCampaign(project, { deliverUntil: house.now() + 10 });
    house.advance(10);
    assert.equal((await read(project, id)).effectiveStatus, "expired");
    assert.deepEqual(await messagesOf(project, "anna"), []);
    assert.equal((await refusal(change(project, id, { deliverUntil: house.now() }))).status, 400);
    const resumed = await change(project, id, { deliverUntil: house.now() + 1 });
    assert.equal(resumed.effectiveStatus, "running");
    assert.equal((await messagesOf(project, "anna")).length, 1);
    house.advance(1);
    assert.equal((await change(project, id, { name: "still expired" })).effectiveStatus, "expired");
    assert.equal((await change(project, id, { deliverUntil: null })).effectiveStatus, "running");
  });

  it("leaves a paused campaign paused for a later end: that needs a launch too", async () => {
    const project = await house.project();
    const { id } = await launchCampaign(project, { deliverUntil: house.now() + 10 });
    await project.api.setCampaignStatus({ path: { id }, body: { action: "pause" } });
    house.advance(10);
    const extended = await change(project, id, { deliverUntil: house.now() + 10 });
    assert.equal(extended.effectiveStatus, "paused");
    assert.deepEqual(await messagesOf(project, "anna"), []);
    await project.api.setCampaignStatus({ path: { id }, body: { action: "launch" } });
    assert.equal((await messagesOf(project, "anna")).length, 1);
  });

  it("lets the next request for messages see it", async () => {
    const project = await house.project();
    const { id } = await launchCampaign(project, { message: toast("before"), pages: ["/a"] });
    const titles = async (path: string) =>
      (await messagesOf(project, "anna", path)).map(({ content }) => content.title);
    assert.deepEqual([await titles("/a"), await titles("/b")], [["before"], []]);
    await change(project, id, { message: toast("after"), pages: ["/b"] });
    assert.deepEqual([await titles("/a"), await titles("/b")], [[], ["after"]]);
  });

  it("is for the secret key", async () => {
    const project = await house.project();
    const { id } = await launchCampaign(project);
    for (const client of [project.agent, project.sdk])
      assert.equal((await refusal(client.updateCampaign({ path: { id }, body: { name: "x" } }))).status, 403);
  });
});

describe("updateCampaign, variants", () => {
  it("replaces the message of the only variant", async () => {
    const project = await house.project();
    const before = await launchCampaign(project);
    const message = { presentation: "modal" as const, body: "new" };
    const after = await change(project, before.id, { message });
    assert.deepEqual(after.variants, [{ ...before.variants[0], content: message, title: "new" }]);
  });

  it("refuses a message where there are several, retired ones included", async () => {
    const { project, campaign, id, b, c } = await withVariants();
    assert.equal((await refusal(change(project, id, { message: toast() }))).status, 400);
    assert.deepEqual(await read(project, id), campaign);
    await change(project, id, { variants: [b, c].map((each) => ({ id: each, weight: 0 })) });
    assert.equal((await refusal(change(project, id, { message: toast() }))).status, 400);
  });

  it("changes a variant by its id and leaves the others", async () => {
    const { project, campaign, id, b } = await withVariants();
    const changed = await change(project, id, { variants: [{ id: b, name: "🎉".repeat(40), weight: 100 }] });
    assert.deepEqual(facts(changed), [
      ["A", 1, true, "1"],
      ["🎉".repeat(40), 100, false, "2"],
      ["C", 1, false, "3"],
    ]);
    const { variants } = await change(project, id, { variants: [{ id: b, message: toast("new") }] });
    assert.deepEqual(variants[1]?.content, toast("new"));
    assert.deepEqual([variants[0], variants[2]], [campaign.variants[0], campaign.variants[2]]);
  });

  it("makes a variant for an entry without an id, with the next free letter", async () => {
    const { project, campaign, id, b } = await withVariants();
    const more = await change(project, id, { variants: [{ message: toast("4") }, { id: b, weight: 0 }] });
    assert.deepEqual(facts(more), [
      ["A", 1, true, "1"],
      ["B", 0, false, "2"],
      ["C", 1, false, "3"],
      ["D", 1, false, "4"],
    ]);
    assert.deepEqual(
      more.variants.slice(0, 3).map((variant) => variant.id),
      campaign.variants.map((variant) => variant.id),
    );
    assert.equal(new Set(more.variants.map((variant) => variant.id)).size, 4);
  });

  it("moves the control by flagging another, old or new", async () => {
    const { project, id, b } = await withVariants();
    const controls = (campaign: Awaited<ReturnType<typeof read>>) =>
      campaign.variants.filter((variant) => variant.isControl).map((variant) => variant.name);
    assert.deepEqual(controls(await change(project, id, { variants: [{ id: b, isControl: true }] })), ["B"]);
    const added = { message: toast("4"), isControl: true };
    assert.deepEqual(controls(await change(project, id, { variants: [added] })), ["D"]);
    assert.deepEqual(controls(await read(project, id)), ["D"]);
  });

  it("never removes one", async () => {
    const { project, campaign, id, a } = await withVariants();
    await change(project, id, { variants: [{ id: a, weight: 0 }] });
    assert.deepEqual(
      (await read(project, id)).variants.map((variant) => variant.id),
      campaign.variants.map((variant) => variant.id),
    );
  });

  it("swaps names in one change", async () => {
    const { project, id, a, b } = await withVariants();
    const swap = [
      { id: a, name: "B" },
      { id: b, name: "A" },
    ];
    assert.deepEqual(
      (await change(project, id, { variants: swap })).variants.map(({ name }) => name),
      ["B", "A", "C"],
    );
  });

  it("takes ten variants and refuses an eleventh", async () => {
    const { project, id } = await withVariants();
    const seven = Array.from({ length: 7 }, () => ({ message: toast() }));
    const full = await change(project, id, { variants: seven });
    assert.deepEqual(
      full.variants.map(({ name }) => name),
      [..."ABCDEFGHIJ"],
    );
    assert.equal((await refusal(change(project, id, { variants: [{ message: toast() }] }))).status, 400);
    assert.deepEqual(await read(project, id), full);
  });

  it("refuses what leaves the variants at odds, and then changes nothing", async () => {
    const { project, campaign, id, a, b, c } = await withVariants();
    const cases: readonly NonNullable<Change["variants"]>[] = [
      [{ id: a }],
      [{ id: a, isControl: false }],
      [a, b].map((each) => ({ id: each, isControl: true })),
      [a, b, c].map((each) => ({ id: each, weight: 0 })),
      [{ id: b, name: "A" }],
      [{ message: toast(), name: "A" }],
      [{ id: b, name: "" }],
      [{ id: b, name: "x".repeat(41) }],
      [{ id: b, weight: -1 }],
      [{ id: b, weight: 101 }],
      [
        { id: b, weight: 1 },
        { id: b, weight: 2 },
      ],
      [{ id: b, message: { presentation: "toast" } }],
    ];
    for (const variants of cases) {
      const { status } = await refusal(change(project, id, { name: "Other", variants }));
      assert.equal(status, 400, JSON.stringify(variants));
    }
    assert.deepEqual(await read(project, id), campaign);
  });

  it("refuses a variant of another campaign", async () => {
    const { project, id } = await withVariants();
    const other = await launchCampaign(project);
    const variants = other.variants.map((variant) => ({ id: variant.id, weight: 5 }));
    assert.equal((await refusal(change(project, id, { variants }))).status, 400);
    assert.deepEqual(await read(project, other.id), other);
  });

  it("keeps every change of many at once", async () => {
    const { project, id } = await withVariants();
    const added = Array.from({ length: 7 }, (_, i) => ({ message: toast(), name: `new ${i}` }));
    await Promise.all(added.map((variant) => change(project, id, { variants: [variant] })));
    const names = (await read(project, id)).variants.map(({ name }) => name);
    assert.deepEqual(names.toSorted(), ["A", "B", "C", ...added.map(({ name }) => name)]);
  });

  it("leaves no differences behind", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});
