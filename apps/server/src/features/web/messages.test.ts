import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Input } from "@tidings/client";
import { feedback, launchCampaign, messagesOf, toast } from "../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../test/harness.ts";

const house = testHouse();

type Query = NonNullable<Input<"getMessages">["query"]>;

const modal = (title: string) => ({ presentation: "modal" as const, title });

const titles = async (project: TestProject, userId: string, path?: string) =>
  (await messagesOf(project, userId, path)).map(({ content }) => content.title);

const act = ({ api }: TestProject, id: string, action: "launch" | "pause" | "end") =>
  api.setCampaignStatus({ path: { id }, body: { action } });

describe("getMessages", () => {
  it("answers the message with what it belongs to, and makes the delivery", async () => {
    const project = await house.project();
    const message = {
      presentation: "modal" as const,
      title: "Hello",
      body: "There is news.",
      cta: { label: "Look", destination: { kind: "website" as const, url: "https://tidings.example" } },
    };
    const campaign = await launchCampaign(project, { message });
    const answer = await project.sdk.getMessages({ query: { userId: "anna" } });
    const { deliveries } = await project.api.listCampaignDeliveries({ path: { id: campaign.id } });
    assert.deepEqual(
      deliveries.map(({ externalUserId, state, queuedAt }) => [externalUserId, state, queuedAt]),
      [["anna", "queued", house.now()]],
    );
    assert.deepEqual(answer, {
      messages: [
        {
          deliveryId: deliveries[0]?.id,
          campaignId: campaign.id,
          variantId: campaign.variants[0]?.id,
          pages: null,
          content: message,
        },
      ],
      userId: "anna",
      evaluatedAt: house.now(),
    });
    assert.match(deliveries[0]?.id ?? "", /^del_/);
    assert.equal((await project.api.getCampaign({ path: { id: campaign.id } })).campaign.stats.shown, 0);
  });

  it("echoes what it was asked with", async () => {
    const { sdk } = await house.project();
    const query = { userId: "ânna 🎉", entryId: "e".repeat(256), requestId: "🎉".repeat(256), path: "/" };
    const { path: _, ...echoed } = query;
    assert.deepEqual(await sdk.getMessages({ query }), { messages: [], ...echoed, evaluatedAt: house.now() });
    assert.deepEqual(await sdk.getMessages({ query: { userId: "anna" } }), {
      messages: [],
      userId: "anna",
      evaluatedAt: house.now(),
    });
  });

  it("must not be stored on the way", async () => {
    const { publishableKey } = await house.project();
    const answer = await fetch(`${house.url}/api/v1/messages?userId=anna`, {
      headers: { authorization: `Bearer ${publishableKey}` },
    });
    assert.equal(answer.headers.get("cache-control"), "no-store");
    assert.equal(answer.headers.get("access-control-allow-origin"), "*");
  });

  const refused: readonly [string, Record<string, unknown>, string?][] = [
    [
      "no user",
      { userId: undefined },
      "userId is required, or anonymousId of a visitor who is not signed in",
    ],
    ["an empty user", { userId: "" }],
    ["a user of 257 emoji", { userId: "🎉".repeat(257) }],
    ["a user with a NUL", { userId: "a\0b" }],
    ["an empty entryId", { entryId: "" }],
    ["an entryId of 257 characters", { entryId: "x".repeat(257) }],
    ["an empty requestId", { requestId: "" }],
    ["a requestId of 257 characters", { requestId: "x".repeat(257) }],
    ["a path that does not start with /", { path: "pricing" }],
    ["an empty path", { path: "" }],
    ["a path of 2049 characters", { path: `/${"x".repeat(2_048)}` }],
  ];
  for (const [name, fields, message] of refused) {
    it(`refuses ${name}`, async () => {
      const { sdk } = await house.project();
      const query = { userId: "anna", ...fields } as Query;
      const { status, error } = await refusal(sdk.getMessages({ query }));
      assert.deepEqual([status, error], [400, message ?? error]);
    });
  }

  it("takes a path of 2048 characters and a user of 256 emoji", async () => {
    const project = await house.project();
    await launchCampaign(project, { pages: ["/x*"] });
    assert.equal((await messagesOf(project, "🎉".repeat(256), `/${"x".repeat(2_047)}`)).length, 1);
  });

  it("is for the publishable key", async () => {
    const { api, agent } = await house.project();
    for (const client of [api, agent])
      assert.equal((await refusal(client.getMessages({ query: { userId: "anna" } }))).status, 403);
  });
});

describe("getMessages, whom and where", () => {
  it("serves only what is launched: not drafts, paused or ended campaigns", async () => {
    const project = await house.project();
    await launchCampaign(project, { launch: false });
    const { id } = await launchCampaign(project, { message: toast("on") });
    assert.deepEqual(await titles(project, "anna"), ["on"]);
    await act(project, id, "pause");
    assert.deepEqual(await titles(project, "anna"), []);
    assert.deepEqual(await titles(project, "ben"), []);
    await act(project, id, "launch");
    assert.deepEqual(await titles(project, "anna"), ["on"]);
    await act(project, id, "end");
    assert.deepEqual(await titles(project, "anna"), []);
  });

  it("never serves after a pause was answered, however many ask meanwhile", async () => {
    const project = await house.project();
    const { id } = await launchCampaign(project);
    for (let round = 0; round < 5; round++) {
      const meanwhile = Array.from({ length: 20 }, (_, i) => messagesOf(project, `user ${round} ${i}`));
      await act(project, id, "pause");
      const after = await Promise.all(
        Array.from({ length: 20 }, (_, i) => messagesOf(project, `user ${round} ${i}`)),
      );
      assert.deepEqual(after.flat(), []);
      await Promise.all(meanwhile);
      await act(project, id, "launch");
    }
  });

  it("opens and closes the window to the millisecond", async () => {
    const project = await house.project();
    const from = house.now() + 1_000;
    const until = from + 1_000;
    await launchCampaign(project, { deliverFrom: from, deliverUntil: until });
    const servedAt = async (instant: number, userId: string) => {
      house.at(instant);
      return (await messagesOf(project, userId)).length;
    };
    assert.equal(await servedAt(from - 1, "anna"), 0);
    assert.equal(await servedAt(from, "anna"), 1);
    assert.equal(await servedAt(until - 1, "ben"), 1);
    assert.equal(await servedAt(until, "anna"), 0);
    assert.equal(await servedAt(until, "carl"), 0);
    assert.equal(await servedAt(until - 1, "anna"), 1);
    house.at(until);
  });

  it("matches the path with the pages, and hands the pages out where no path is given", async () => {
    const project = await house.project();
    await launchCampaign(project, { message: toast("docs"), pages: ["/docs/*", "/help"] });
    house.advance(1);
    await launchCampaign(project, { message: toast("all") });
    assert.deepEqual(await titles(project, "anna", "/docs/a"), ["all", "docs"]);
    assert.deepEqual(await titles(project, "anna", "/help/?a=1#b"), ["all", "docs"]);
    assert.deepEqual(await titles(project, "anna", "/pricing"), ["all"]);
    const messages = await messagesOf(project, "ben");
    assert.deepEqual(
      messages.map(({ content, pages }) => [content.title, pages]),
      [
        ["all", null],
        ["docs", ["/docs/*", "/help"]],
      ],
    );
  });

  it("makes no delivery where the page is another", async () => {
    const project = await house.project();
    const { id } = await launchCampaign(project, { pages: ["/a"] });
    await messagesOf(project, "anna", "/b");
    assert.equal((await project.api.listCampaignDeliveries({ path: { id } })).total, 0);
  });

  it("puts modals before toasts, then the newest first", async () => {
    const project = await house.project();
    for (const message of [modal("m1"), toast("t1"), modal("m2"), toast("t2"), modal("m3")]) {
      house.advance(1);
      await launchCampaign(project, { message });
    }
    assert.deepEqual(await titles(project, "anna"), ["m3", "m2", "m1", "t2", "t1"]);
  });

  it("serves as many campaigns as there are", async () => {
    const project = await house.project();
    const names = Array.from({ length: 120 }, (_, i) => `campaign ${i}`);
    for (const name of names) await launchCampaign(project, { message: toast(name) });
    assert.deepEqual((await titles(project, "anna")).toSorted(), names.toSorted());
    assert.deepEqual((await titles(project, "anna")).toSorted(), names.toSorted());
  });

  it("serves a project's own campaigns to a project's own users", async () => {
    const [one, two] = [await house.project(), await house.project()];
    await launchCampaign(one, { message: toast("one") });
    await launchCampaign(two, { message: toast("two") });
    assert.deepEqual([await titles(one, "anna"), await titles(two, "anna")], [["one"], ["two"]]);
  });

  it("leaves deliveries that exist alone when the audience changes", async () => {
    const project = await house.project();
    const { id } = await launchCampaign(project);
    const [before] = await messagesOf(project, "anna");
    const body = { targeting: { traits: { plan: "pro" } } };
    await project.api.updateCampaign({ path: { id }, body });
    assert.deepEqual(await messagesOf(project, "anna"), [before]);
    assert.deepEqual(await messagesOf(project, "ben"), []);
  });
});

describe("getMessages, again", () => {
  it("answers the same delivery, shown or not, until it is resolved", async () => {
    const project = await house.project();
    for (const type of ["clicked", "dismissed", "converted"] as const) {
      const { id } = await launchCampaign(project);
      const first = await messagesOf(project, "anna");
      assert.equal(first.length, 1);
      assert.deepEqual(await messagesOf(project, "anna"), first);
      const deliveryId = first[0]?.deliveryId ?? "";
      await feedback(project, deliveryId, "anna", "shown");
      assert.deepEqual(await messagesOf(project, "anna"), first);
      await feedback(project, deliveryId, "anna", type);
      assert.deepEqual(await messagesOf(project, "anna"), []);
      house.advance(86_400_000);
      assert.deepEqual(await messagesOf(project, "anna"), []);
      assert.equal((await project.api.listCampaignDeliveries({ path: { id } })).total, 1);
    }
  });

  it("makes one delivery for fifty that ask at once", async () => {
    const project = await house.project();
    const made = [
      await launchCampaign(project),
      await launchCampaign(project),
      await launchCampaign(project),
    ];
    const answers = await Promise.all(Array.from({ length: 50 }, () => messagesOf(project, "anna")));
    assert.equal(answers[0]?.length, 3);
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
    for (const { id } of made)
      assert.equal((await project.api.listCampaignDeliveries({ path: { id } })).total, 1);
  });

  it("gives a user the same variant however the weights change", async () => {
    const project = await house.project();
    const campaign = await launchCampaign(project, {
      variants: [{ message: toast() }, { message: toast() }],
    });
    const users = Array.from({ length: 30 }, (_, i) => `user ${i}`);
    const variants = async () =>
      (await Promise.all(users.map((user) => messagesOf(project, user)))).map(
        ([message]) => message?.variantId,
      );
    const before = await variants();
    assert.equal(new Set(before).size, 2);
    const [a = "", b = ""] = campaign.variants.map(({ id }) => id);
    const body = {
      variants: [
        { id: a, weight: 0 },
        { id: b, weight: 100 },
        { message: toast("new"), weight: 100 },
      ],
    };
    await project.api.updateCampaign({ path: { id: campaign.id }, body });
    assert.deepEqual(await variants(), before);
    const fresh = await Promise.all(users.map((user) => messagesOf(project, `new ${user}`)));
    assert.ok(fresh.every(([message]) => message !== undefined && message.variantId !== a));
  });
});

describe("getMessages, variants", () => {
  it("spreads a thousand users by weight, and none to weight 0", async () => {
    const project = await house.project();
    const weights = [1, 3, 0, 6];
    const campaign = await launchCampaign(project, {
      variants: weights.map((weight) => ({ message: toast(), weight })),
    });
    const counts = new Map<string | undefined, number>();
    const users = Array.from({ length: 1_000 }, (_, i) => `user ${i}`);
    for (let i = 0; i < users.length; i += 100) {
      const answers = await Promise.all(users.slice(i, i + 100).map((user) => messagesOf(project, user)));
      for (const [message] of answers)
        counts.set(message?.variantId, (counts.get(message?.variantId) ?? 0) + 1);
    }
    for (const [i, weight] of weights.entries()) {
      const share = weight / 10;
      const found = counts.get(campaign.variants[i]?.id ?? "") ?? 0;
      // Six standard deviations: one run in 500 million fails by chance.
      const slack = 6 * Math.sqrt(1_000 * share * (1 - share));
      assert.ok(
        Math.abs(found - 1_000 * share) <= slack,
        `variant ${i}: ${found} of 1000 for weight ${weight}`,
      );
    }
    assert.equal(
      [...counts.values()].reduce((sum, count) => sum + count, 0),
      1_000,
    );
  });

  it("leaves no differences behind", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});
