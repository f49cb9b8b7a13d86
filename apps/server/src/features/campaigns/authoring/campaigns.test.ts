import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Input } from "@tidings/client";
import { launchCampaign, toast } from "../../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../../test/harness.ts";

const house = testHouse();

type NewCampaign = Input<"createCampaign">["body"];

const NO_STATS = {
  sent: 0,
  frequencyCapped: 0,
  delivered: 0,
  shown: 0,
  opened: 0,
  clicked: 0,
  dismissed: 0,
  bounced: 0,
  complained: 0,
  unsubscribed: 0,
  converted: 0,
};

const create = async ({ api }: TestProject, body: Partial<NewCampaign>) =>
  (await api.createCampaign({ body: { name: "Campaign", ...body } })).campaign;

describe("createCampaign", () => {
  it("answers a draft for everyone, everywhere, with one variant named A", async () => {
    const { api } = await house.project();
    const { campaign } = await api.createCampaign({ body: { name: "Campaign", message: toast("Hi") } });
    const { id, variants, sourceChanges, revision, ...rest } = campaign;
    assert.match(id, /^cmp_[0-9a-f-]{36}$/);
    assert.match(revision, /^[0-9a-f]{64}$/);
    assert.deepEqual(sourceChanges, { revision: sourceChanges.revision, changes: [] });
    assert.deepEqual(rest, {
      name: "Campaign",
      status: "draft",
      effectiveStatus: "draft",
      channel: "web_inapp",
      purpose: "marketing",
      key: null,
      sensitive: false,
      goalId: null,
      topicId: null,
      agentRunId: null,
      journeyStep: null,
      createdBy: "api",
      createdAt: house.now(),
      pausedBy: null,
      endedBy: null,
      once: false,
      visitors: "none",
      sendTime: null,
      priority: 3,
      patienceHours: 72,
      urgent: false,
      passEndedAt: null,
      pausedBecause: null,
      deliverFrom: null,
      deliverUntil: null,
      audience: { kind: "all" },
      targeting: null,
      pages: null,
      stats: NO_STATS,
      push: null,
    });
    const [variant, ...others] = variants;
    assert.deepEqual(others, []);
    assert.match(variant?.id ?? "", /^var_[0-9a-f-]{36}$/);
    const { id: variantId } = variant ?? { id: "" };
    const only = { name: "A", weight: 1, isControl: true, content: toast("Hi"), title: "Hi" };
    assert.deepEqual(variant, { id: variantId, ...only, stats: NO_STATS });
  });

  it("answers what getCampaign then answers", async () => {
    const project = await house.project();
    const { goal } = await project.api.createGoal({ body: { name: "Goal" } });
    const campaign = await create(project, {
      message: { presentation: "modal", title: "Hi", cta: { label: "Go", url: "/go" } },
      goalId: goal.id,
      pages: ["/a", "/b/*"],
      audience: { kind: "all", reason: "a release for everyone" },
      deliverFrom: house.now() + 1,
      deliverUntil: house.now() + 2,
    });
    assert.deepEqual(campaign.goalId, goal.id);
    assert.deepEqual(campaign.pages, ["/a", "/b/*"]);
    assert.deepEqual(campaign.audience, { kind: "all", reason: "a release for everyone" });
    house.advance(60_000);
    const read = await project.agent.getCampaign({ path: { id: campaign.id } });
    assert.deepEqual(read, { campaign, evaluatedAt: house.now() });
  });

  it("launches where asked", async () => {
    const project = await house.project();
    const running = await create(project, { message: toast(), launch: true });
    assert.deepEqual(
      [running.status, running.effectiveStatus, running.startedAt, "endedAt" in running],
      ["running", "running", house.now(), false],
    );
    const later = { deliverFrom: house.now() + 1 };
    const scheduled = await create(project, { message: toast(), launch: true, ...later });
    assert.deepEqual([scheduled.status, scheduled.effectiveStatus], ["running", "scheduled"]);
    const draft = await create(project, { message: toast(), launch: false, ...later });
    assert.deepEqual([draft.effectiveStatus, "startedAt" in draft], ["draft", false]);
  });

  it("names variants A, B, C, weighs them 1, and takes the first as control", async () => {
    const project = await house.project();
    const facts = async (variants: NonNullable<NewCampaign["variants"]>) =>
      (await create(project, { variants })).variants.map(({ name, weight, isControl, content }) => [
        name,
        weight,
        isControl,
        "title" in content && content.title,
      ]);
    assert.deepEqual(
      await facts([{ message: toast("1") }, { message: toast("2") }, { message: toast("3") }]),
      [
        ["A", 1, true, "1"],
        ["B", 1, false, "2"],
        ["C", 1, false, "3"],
      ],
    );
    assert.deepEqual(
      await facts([
        { message: toast("1"), weight: 0, name: "🎉".repeat(40) },
        { message: toast("2"), weight: 100, isControl: true },
      ]),
      [
        ["🎉".repeat(40), 0, false, "1"],
        ["B", 100, true, "2"],
      ],
    );
    assert.equal((await facts(Array.from({ length: 10 }, () => ({ message: toast() })))).length, 10);
  });

  it("takes instants as epoch milliseconds and as ISO-8601 with an offset", async () => {
    const project = await house.project();
    const until = Date.UTC(2026, 5, 1, 10);
    const forms = [until, "2026-06-01T10:00:00Z", "2026-06-01T12:00+02:00", "2026-06-01T10:00:00.000Z"];
    for (const deliverUntil of forms) {
      assert.equal((await create(project, { message: toast(), deliverUntil })).deliverUntil, until);
    }
    assert.equal((await create(project, { message: toast(), deliverFrom: 10 ** 12 })).deliverFrom, 10 ** 12);
  });

  it("takes each field at its limit", async () => {
    const project = await house.project();
    const page = `/${"x".repeat(255)}`;
    const fits: readonly Partial<NewCampaign>[] = [
      { name: "x".repeat(80) },
      { name: "🎉".repeat(80) },
      { pages: Array.from({ length: 20 }, () => page) },
      { pages: [`/${"🎉".repeat(255)}`] },
      { audience: { kind: "all", reason: "🎉".repeat(500) } },
      { deliverUntil: house.now() + 1 },
      { deliverFrom: house.now(), deliverUntil: house.now() + 1 },
    ];
    for (const body of fits) {
      const campaign = await create(project, { message: toast(), ...body });
      assert.deepEqual({ ...campaign, ...body }, campaign);
    }
  });

  it("takes null and empty lists for what may be unset", async () => {
    const project = await house.project();
    const unset = { goalId: null, audience: null, deliverFrom: null, deliverUntil: null };
    for (const pages of [null, []]) {
      const campaign = await create(project, { message: toast(), pages, ...unset });
      assert.deepEqual([campaign.pages, campaign.audience], [null, { kind: "all" }]);
    }
    assert.equal((await create(project, { message: toast(), targeting: null })).targeting, null);
  });

  const one = { message: toast() };
  const both = [one, { message: toast(), name: "B" }];
  const refused: readonly [string, Record<string, unknown>][] = [
    ["no name", { name: undefined }],
    ["an empty name", { name: "" }],
    ["a name of 81 characters", { name: "x".repeat(81) }],
    ["a name of 81 emoji", { name: "🎉".repeat(81) }],
    ["a name that is null", { name: null }],
    ["neither message nor variants", { message: undefined }],
    ["message and variants", { variants: [one] }],
    ["a message without text", { message: { presentation: "toast" } }],
    ["a channel there is not", { channel: "sms" }],
    ["no variant", { message: undefined, variants: [] }],
    ["eleven variants", { message: undefined, variants: Array.from({ length: 11 }, () => one) }],
    ["a variant without a message", { message: undefined, variants: [{ name: "A" }] }],
    [
      "a variant's name of 41 characters",
      { message: undefined, variants: [{ ...one, name: "x".repeat(41) }] },
    ],
    ["a weight below 0", { message: undefined, variants: [one, { ...one, weight: -1 }] }],
    ["a weight above 100", { message: undefined, variants: [{ ...one, weight: 101 }] }],
    ["a weight between", { message: undefined, variants: [{ ...one, weight: 0.5 }] }],
    ["no weight at all", { message: undefined, variants: both.map((each) => ({ ...each, weight: 0 })) }],
    ["two controls", { message: undefined, variants: both.map((each) => ({ ...each, isControl: true })) }],
    ["a name twice", { message: undefined, variants: both.map((each) => ({ ...each, name: "A" })) }],
    ["an audience of a kind there is not", { audience: { kind: "some" } }],
    ["an audience with an unknown key", { audience: { kind: "all", why: "x" } }],
    ["a reason of 501 characters", { audience: { kind: "all", reason: "x".repeat(501) } }],
    ["audience and targeting", { audience: { kind: "all" }, targeting: { traits: { plan: "pro" } } }],
    ["targeting with a trait that is a list", { targeting: { traits: { plan: ["pro"] } } }],
    ["targeting with a trait that is null", { targeting: { traits: { plan: null } } }],
    ["21 pages", { pages: Array.from({ length: 21 }, () => "/") }],
    ["a page of 257 characters", { pages: [`/${"x".repeat(256)}`] }],
    ["a page that does not start with /", { pages: ["/a", "b"] }],
    ["an empty page", { pages: [""] }],
    ["a page that is no text", { pages: [1] }],
    ["a goal there is not", { goalId: "goal_00000000-0000-7000-8000-000000000000" }],
    ["a goal id that is none", { goalId: "x" }],
    ["an empty goal id", { goalId: "" }],
    ["an end before the start", { deliverFrom: 4_000_000_000_001, deliverUntil: 4_000_000_000_000 }],
    ["an end at the start", { deliverFrom: 4_000_000_000_000, deliverUntil: 4_000_000_000_000 }],
    ["an instant without an offset", { deliverFrom: "2026-06-01T10:00:00" }],
    ["a date", { deliverFrom: "2026-06-01" }],
    ["seconds", { deliverFrom: 1_780_000_000 }],
    ["a millisecond before 10^12", { deliverFrom: 10 ** 12 - 1 }],
    ["half a millisecond", { deliverFrom: 10 ** 12 + 0.5 }],
    ["a month there is not", { deliverFrom: "2026-13-01T10:00:00Z" }],
    ["a day there is not", { deliverFrom: "2026-02-30T10:00:00Z" }],
    ["an instant that is no instant", { deliverFrom: true }],
    ["launch that is no flag", { launch: "yes" }],
  ];
  for (const [name, fields] of refused) {
    it(`refuses ${name}`, async () => {
      const { api } = await house.project();
      const body = { name: "Campaign", message: toast(), ...fields } as NewCampaign;
      assert.equal((await refusal(api.createCampaign({ body }))).status, 400);
      assert.equal((await api.listCampaigns()).total, 0);
    });
  }

  it("refuses an end that is not in the future, to the millisecond", async () => {
    const project = await house.project();
    const until = (deliverUntil: number) => create(project, { message: toast(), launch: true, deliverUntil });
    for (const instant of [house.now() - 1, house.now()])
      assert.equal((await refusal(until(instant))).status, 400);
    assert.equal((await until(house.now() + 1)).effectiveStatus, "running");
  });

  it("refuses the goal of another project", async () => {
    const [mine, other] = [await house.project(), await house.project()];
    const { goal } = await other.api.createGoal({ body: { name: "Theirs" } });
    const { status } = await refusal(create(mine, { message: toast(), goalId: goal.id }));
    assert.equal(status, 400);
    const campaign = await create(mine, { message: toast() });
    const link = { path: { id: campaign.id }, body: { goalId: goal.id } };
    assert.equal((await refusal(mine.api.updateCampaign(link))).status, 400);
  });

  it("takes more than the 8 KiB of an ordinary body, up to 256 KiB", async () => {
    const { api } = await house.project();
    const message = { ...toast("x".repeat(120)), body: "🎉".repeat(600) };
    const variants = Array.from({ length: 10 }, () => ({ message }));
    assert.equal(
      (await api.createCampaign({ body: { name: "Big", variants } })).campaign.variants.length,
      10,
    );
    const padded = { name: "Big", message: toast(), padding: "x".repeat(256 * 1_024) };
    assert.equal((await refusal(api.createCampaign({ body: padded }))).status, 413);
  });

  it("makes another campaign each time", async () => {
    const project = await house.project();
    const [a, b] = [await launchCampaign(project), await launchCampaign(project)];
    assert.notEqual(a.id, b.id);
    assert.equal((await project.api.listCampaigns()).total, 2);
  });
});

describe("a campaign of another project", () => {
  it("is not there to read, change, launch, list or count", async () => {
    const [mine, other] = [await house.project(), await house.project()];
    const campaign = await launchCampaign(other);
    const path = { id: campaign.id };
    const { api } = mine;
    const calls = [
      () => api.getCampaign({ path }),
      () => api.updateCampaign({ path, body: { name: "Mine now" } }),
      () => api.setCampaignStatus({ path, body: { action: "end" } }),
      () => api.listCampaignDeliveries({ path }),
      () => api.getCampaignConversions({ path, query: { event: "signed_up" } }),
    ];
    for (const call of calls) {
      const { status, error } = await refusal(call());
      assert.deepEqual([status, error], [404, "Campaign not found"]);
    }
    assert.equal((await api.listCampaigns()).total, 0);
    assert.deepEqual((await other.api.getCampaign({ path })).campaign, campaign);
    for (const id of [campaign.id.replace("cmp_", "goal_"), "cmp_x", "x".repeat(128)]) {
      path.id = id;
      for (const call of calls) assert.equal((await refusal(call())).status, 404, id);
    }
  });
});

describe("campaigns", () => {
  it("leave no differences behind", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});
