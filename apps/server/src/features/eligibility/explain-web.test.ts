import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sql } from "kysely";
import { event, expression, trait } from "../../../test/audience/trees.ts";
import { contentsOf } from "../../../test/contents.ts";
import { explain, gateOf, heldOutOf, shortly } from "../../../test/eligibility.ts";
import { setSettings } from "../../../test/email.ts";
import { feedback, launchCampaign, messagesOf, toast } from "../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../test/harness.ts";
import { BELIEVED_MS, secretOf } from "../../../test/perimeter.ts";
import { loneProject } from "../../../test/usage.ts";
import { HOUR_MS } from "../../platform/time/clock.ts";

const house = testHouse();
const onPro = expression(trait("plan", "eq", "pro"));
const forPro = { audience: { kind: "expression" as const, expression: onPro } };

const ORDER = [
  "status",
  "window",
  "serving",
  "user",
  "visitors",
  "page",
  "delivery",
  "withheld",
  "audience",
  "variant",
  "message",
  "holdout",
];

const known = ({ sdk }: TestProject, userId: string, traits: Record<string, unknown> = { plan: "pro" }) =>
  sdk.identify({ body: { userId, traits } });

describe("explainCampaign of a web campaign", () => {
  it("answers every gate in the order of the feed, and what was found", async () => {
    const project = await house.project();
    const { id, variants } = await launchCampaign(project, { ...forPro, pages: ["/reports*"] });
    await known(project, "ada");
    const found = await explain(project, id, "ada", "/reports/q3?tab=1");
    assert.deepEqual(
      found.gates.map(({ gate }) => gate),
      ORDER,
    );
    assert.deepEqual(
      found.gates.filter(({ passes }) => passes !== true),
      [],
    );
    assert.deepEqual(
      [found.outcome, found.blockedBy, found.evaluatedAt],
      ["would_receive", null, house.now()],
    );
    assert.deepEqual([found.campaignId, found.channel, found.userId], [id, "web_inapp", "ada"]);
    assert.equal(gateOf(found, "variant").variantId, variants[0]?.id);
    assert.equal(gateOf(found, "page").path, "/reports/q3");
    for (const { note } of found.gates) assert.match(note, /^[A-Z].*\.$/);
  });

  it("gives the trace of audiences/explain, and takes the id of Tidings for the user", async () => {
    const project = await house.project();
    const { id } = await launchCampaign(project, forPro);
    await known(project, "ada", { plan: "free" });
    const { user } = await project.api.getUser({ path: { id: "ada" } });
    const explained = await project.api.explainAudience({ body: { userId: "ada", expression: onPro } });
    for (const userId of ["ada", user.id]) {
      const found = await explain(project, id, userId);
      assert.deepEqual([shortly(found), found.userId], ["blocked by audience", "ada"]);
      const { matched, trace } = gateOf(found, "audience");
      assert.deepEqual([matched, trace], [false, explained.trace]);
    }
  });

  type Case = {
    name: string;
    expected: string;
    prepare: (project: TestProject) => Promise<{ id: string; userId?: string; path?: string }>;
  };
  const cases: readonly Case[] = [
    {
      name: "a draft",
      expected: "blocked by status",
      prepare: (project) => launchCampaign(project, { launch: false }),
    },
    {
      name: "a campaign that is paused",
      expected: "blocked by status",
      async prepare(project) {
        const { id } = await launchCampaign(project);
        await project.api.setCampaignStatus({ path: { id }, body: { action: "pause" } });
        return { id };
      },
    },
    {
      name: "a campaign that has ended",
      expected: "blocked by status",
      async prepare(project) {
        const { id } = await launchCampaign(project);
        await project.api.setCampaignStatus({ path: { id }, body: { action: "end" } });
        return { id };
      },
    },
    {
      name: "a window that has not begun",
      expected: "blocked by window",
      prepare: (project) => launchCampaign(project, { deliverFrom: house.now() + HOUR_MS }),
    },
    {
      name: "a window that is over",
      expected: "blocked by window",
      async prepare(project) {
        const campaign = await launchCampaign(project, { deliverUntil: house.now() + 1 });
        house.advance(1);
        return campaign;
      },
    },
    {
      name: "another page",
      expected: "blocked by page",
      async prepare(project) {
        return { ...(await launchCampaign(project, { pages: ["/pricing"] })), path: "/home" };
      },
    },
    {
      name: "a page that is meant",
      expected: "would_receive",
      async prepare(project) {
        return { ...(await launchCampaign(project, { pages: ["/pricing"] })), path: "/pricing/" };
      },
    },
    {
      name: "an audience that does not match",
      expected: "blocked by audience",
      async prepare(project) {
        await known(project, "bo", { plan: "free" });
        return { ...(await launchCampaign(project, forPro)), userId: "bo" };
      },
    },
    {
      name: "an id that nobody has, and an audience that asks for a trait",
      expected: "unknown_user by audience",
      async prepare(project) {
        return { ...(await launchCampaign(project, forPro)), userId: "stranger" };
      },
    },
    {
      name: "an id that nobody has, and a campaign for everyone",
      expected: "unknown_user",
      async prepare(project) {
        return { ...(await launchCampaign(project)), userId: "stranger" };
      },
    },
    {
      name: "events within a window",
      expected: "would_receive",
      async prepare(project) {
        await project.sdk.track({ body: { userId: "ada", event: "paid" } });
        const root = event("paid", { window: { amount: 1, unit: "days" } });
        const audience = { kind: "expression" as const, expression: expression(root) };
        return launchCampaign(project, { audience });
      },
    },
    {
      name: "a message of which no text is left",
      expected: "blocked by message",
      prepare: (project) => launchCampaign(project, { message: toast("{{ user.nickname }}") }),
    },
    {
      name: "a delivery that is open",
      expected: "delivered",
      async prepare(project) {
        const campaign = await launchCampaign(project);
        await messagesOf(project, "ada");
        return campaign;
      },
    },
    {
      name: "a delivery that was dismissed",
      expected: "delivered by delivery",
      async prepare(project) {
        const campaign = await launchCampaign(project);
        const [message] = await messagesOf(project, "ada");
        await feedback(project, message?.deliveryId ?? "", "ada", "shown");
        await feedback(project, message?.deliveryId ?? "", "ada", "dismissed");
        return campaign;
      },
    },
    {
      name: "a delivery whose user has left the audience",
      expected: "delivered",
      async prepare(project) {
        const campaign = await launchCampaign(project, forPro);
        await messagesOf(project, "ada");
        await known(project, "ada", { plan: "free" });
        return campaign;
      },
    },
  ];
  for (const { name, expected, prepare } of cases)
    it(`${name}: ${expected}, as the feed then does`, async () => {
      const project = await house.project();
      await known(project, "ada");
      const { id, userId = "ada", path } = await prepare(project);
      const found = await explain(project, id, userId, path);
      assert.equal(shortly(found), expected);
      const had = gateOf(found, "delivery").delivery;
      const served = (await messagesOf(project, userId, path)).some(({ campaignId }) => campaignId === id);
      assert.equal(served, found.blockedBy === null);
      const after = await explain(project, id, userId, path);
      if (served && had === null) assert.equal(after.outcome, "delivered");
      else assert.deepEqual([after.outcome, gateOf(after, "delivery").delivery], [found.outcome, had]);
    });

  it("says of a delivery which one it is, and asks neither audience nor holdout of it", async () => {
    const project = await house.project();
    const { id, variants } = await launchCampaign(project, forPro);
    await known(project, "ada");
    const [message] = await messagesOf(project, "ada");
    await known(project, "ada", { plan: "free" });
    const found = await explain(project, id, "ada");
    assert.deepEqual(gateOf(found, "delivery").delivery, {
      id: message?.deliveryId,
      variantId: variants[0]?.id,
      state: "queued",
      queuedAt: house.now(),
      isOpen: true,
    });
    const { passes, matched, trace } = gateOf(found, "audience");
    assert.deepEqual([passes, matched, trace?.matched], [null, false, false]);
    assert.equal(gateOf(found, "holdout").passes, null);
  });

  it("agrees with the feed about who is held out, before and after the delivery was withheld", async () => {
    const project = await house.project();
    // Ids are made anew in each run and decide about it: with halves, hardly ever are all users held out, or none.
    const { goal } = await project.api.createGoal({ body: { name: "Sales", holdoutPercent: 50 } });
    const draft = await launchCampaign(project, { goalId: goal.id, launch: false });
    const { id } = await launchCampaign(project, { goalId: goal.id });
    const users = Array.from({ length: 20 }, (_, n) => `user-${n}`);
    const out = users.filter((user) => heldOutOf(project, goal.id, 50, user));
    assert.ok(out.length > 0 && out.length < users.length);
    for (const user of users) {
      await known(project, user);
      const expected = out.includes(user) ? "held_out by holdout" : "would_receive";
      const found = await explain(project, id, user);
      assert.equal(shortly(found), expected, user);
      const { goalId, holdoutPercent } = gateOf(found, "holdout");
      assert.deepEqual([goalId, holdoutPercent], [goal.id, 50]);
      const asDraft = await explain(project, draft.id, user);
      assert.deepEqual(
        [shortly(asDraft), gateOf(asDraft, "holdout").passes],
        ["blocked by status", !out.includes(user)],
      );
      assert.equal((await messagesOf(project, user)).length, out.includes(user) ? 0 : 1);
      const after = await explain(project, id, user);
      assert.equal(shortly(after), out.includes(user) ? "held_out by withheld" : "delivered");
      assert.equal(gateOf(after, "withheld").withheldAt, out.includes(user) ? house.now() : null);
    }
  });

  it("draws the variant that the feed then serves", async () => {
    const project = await house.project();
    const { id } = await launchCampaign(project, {
      variants: [
        { name: "One", weight: 1, message: toast("1") },
        { name: "Two", weight: 3, message: toast("2") },
        { name: "None", weight: 0, message: toast("3") },
      ],
    });
    const names = new Set<string | null>();
    // Draws depend on ids that are new in each run: of twenty users all draw the second variant once in three hundred runs.
    for (let n = 0; n < 20 || (names.size < 2 && n < 200); n++) {
      const { variantId, variantName } = gateOf(await explain(project, id, `user-${n}`), "variant");
      const [message] = await messagesOf(project, `user-${n}`);
      assert.equal(message?.variantId, variantId);
      names.add(variantName);
    }
    assert.deepEqual(names, new Set(["One", "Two"]));
  });

  it("says where nothing may be served, and where pages have to prove their user", async () => {
    const project = await loneProject(house);
    const { id } = await launchCampaign(project);
    await known(project, "ada");
    assert.deepEqual(gateOf(await explain(project, id, "ada"), "user").proofRequired, false);
    await secretOf(house, project);
    await setSettings(house, project, { "org.spendCapUsd": "0", "identity.required": "true" });
    house.advance(BELIEVED_MS);
    const found = await explain(project, id, "ada");
    assert.equal(shortly(found), "blocked by serving");
    assert.equal(gateOf(found, "serving").serving, "cap_reached");
    assert.equal(gateOf(found, "user").proofRequired, true);
    assert.match(gateOf(found, "user").note, /userHash/);
  });
});

/** What the gate of a name says of a user. */
async function sentenceOf(project: TestProject, id: string, name: (typeof ORDER)[number], path?: string) {
  const { gates } = await explain(project, id, "ada", path);
  return gates.find(({ gate }) => gate === name)?.note;
}

describe("a note of explainCampaign", () => {
  it("says which conditions are not met, and what the user has instead", async () => {
    const project = await house.project();
    await known(project, "ada", { plan: "pro", seats: 3 });
    const root = {
      kind: "all" as const,
      children: [
        trait("plan", "eq", "pro"),
        trait("city", "eq", "Berlin"),
        trait("seats", "gte", 5),
        event("paid", { count: { op: "gte", value: 2 } }),
        { kind: "any" as const, children: [trait("plan", "eq", "free"), trait("plan", "eq", "team")] },
        { kind: "not" as const, child: trait("plan", "eq", "pro") },
      ],
    };
    const { id } = await launchCampaign(project, {
      audience: { kind: "expression", expression: expression(root) },
    });
    await project.sdk.track({ body: { userId: "ada", event: "paid" } });
    assert.equal(
      await sentenceOf(project, id, "audience"),
      'The user does not meet the conditions. Not met: trait city is "Berlin" (the user has none), ' +
        "trait seats is at least 5 (the user has 3), performed paid at least 2 times (the user did once), " +
        'trait plan is "free" or trait plan is "team", not (trait plan is "pro").',
    );
  });

  it("names the segment with its version, and says where an audience cannot be read", async () => {
    const project = await house.project();
    await known(project, "ada", { plan: "free" });
    await project.api.createSegment({ body: { key: "pros", name: "The pros", expression: onPro } });
    const { id } = await launchCampaign(project, { audience: { kind: "segment", segment: "pros" } });
    assert.equal(
      await sentenceOf(project, id, "audience"),
      'The user is not in the segment “The pros” (version 1). Not met: trait plan is "pro" (the user has "free").',
    );
    await known(project, "ada", { plan: "pro" });
    assert.equal(
      await sentenceOf(project, id, "audience"),
      "The user is in the segment “The pros” (version 1).",
    );
    await sql`update campaigns set audience = '{"kind": "from the future"}' where id = ${id.slice(4)}`.execute(
      house.database.kysely,
    );
    assert.equal(
      await sentenceOf(project, id, "audience"),
      "The audience cannot be read, so it is for no user: choose another one.",
    );
  });

  it("names the pages, and of many the first ones", async () => {
    const project = await house.project();
    await known(project, "ada");
    const { id } = await launchCampaign(project, { pages: ["/pricing", "/reports*"] });
    assert.deepEqual(
      [
        await sentenceOf(project, id, "page"),
        await sentenceOf(project, id, "page", "/reports/q3"),
        await sentenceOf(project, id, "page", "/home"),
      ],
      [
        "The campaign is for /pricing, /reports*. No page was named to compare.",
        "The campaign is for /pricing, /reports*, and /reports/q3 is one of them.",
        "The campaign is for /pricing, /reports*, and /home is none of them.",
      ],
    );
    const pages = Array.from({ length: 20 }, (_, n) => `/${n}${"x".repeat(200)}`);
    const many = await launchCampaign(project, { pages });
    const note = await sentenceOf(project, many.id, "page", `/${"y".repeat(2_000)}`);
    assert.match(note ?? "", /x… and 15 more, and \/y+… is none of them\.$/);
  });

  it("names the variant, the goal with its share, and the instants", async () => {
    const project = await house.project();
    const { goal } = await project.api.createGoal({ body: { name: "Sales", holdoutPercent: 40 } });
    const users = Array.from({ length: 40 }, (_, n) => `user-${n}`);
    const isOut = (user: string) => heldOutOf(project, goal.id, 40, user);
    const [inside = "", outside = ""] = [users.find((user) => !isOut(user)), users.find(isOut)];
    for (const user of [inside, outside]) await known(project, user);
    const at = Date.UTC(2026, 0, 15, 9, 5);
    house.at(at);
    const { id } = await launchCampaign(project, {
      goalId: goal.id,
      deliverUntil: at + HOUR_MS,
      variants: [{ name: "Promise", message: toast("1") }],
    });
    const sentences = async (userId: string) =>
      Object.fromEntries((await explain(project, id, userId)).gates.map(({ gate, note }) => [gate, note]));
    const [before, heldOut] = [await sentences(inside), await sentences(outside)];
    assert.equal(before.window, "Messages are delivered until Jan 15, 2026, 10:05 UTC.");
    assert.equal(before.variant, "The user would get the variant “Promise”.");
    assert.equal(before.holdout, "The goal “Sales” holds out 40 % of users, and not this one.");
    assert.equal(heldOut.holdout, "The goal “Sales” holds out 40 % of users, and this is one of them.");
    for (const user of [inside, outside]) await messagesOf(project, user);
    const [after, withheld] = [await sentences(inside), await sentences(outside)];
    assert.equal(after.variant, "The user got the variant “Promise”.");
    assert.equal(
      after.delivery,
      "The campaign was queued for the user on Jan 15, 2026, 09:05 UTC, with the variant “Promise”, and has not reached them yet: it goes on.",
    );
    assert.equal(
      withheld.withheld,
      "The goal “Sales” held the user out on Jan 15, 2026, 09:05 UTC, when the message was due. It stays so for this campaign.",
    );
    house.advance(HOUR_MS);
    assert.equal(
      (await sentences(inside)).window,
      "Delivery ended on Jan 15, 2026, 10:05 UTC: choose a later end.",
    );
  });

  it("has none of the house's own words, and stays short", async () => {
    const project = await house.project();
    await known(project, "ada", { plan: "free" });
    const { id } = await launchCampaign(project, { ...forPro, pages: ["/reports*"], launch: false });
    for (const userId of ["ada", "stranger"])
      for (const { note } of (await explain(project, id, userId)).gates) {
        assert.match(note, /^[A-Z].*\.$/);
        assert.doesNotMatch(note, /sweep|draw|weight|gate|deliverUntil|publishable/i);
      }
  });
});

describe("explainCampaign for an id that nobody has", () => {
  it("gives no answer that looks like one about a user, and says what a user of this id would get", async () => {
    const [project, other] = [await house.project(), await house.project()];
    await known(project, "ada", { plan: "pro", email: "ada@example.com" });
    const { user } = await project.api.getUser({ path: { id: "ada" } });
    const { id } = await launchCampaign(project, forPro);
    const everyone = await launchCampaign(project);
    const theirs = await launchCampaign(other);
    for (const userId of [
      "ada@example.com",
      "Ada",
      "ada ",
      "名前 🎉",
      "x".repeat(256),
      `eu_${"0".repeat(8)}`,
    ]) {
      const found = await explain(project, id, userId);
      assert.deepEqual([shortly(found), found.userId], ["unknown_user by audience", userId]);
      const { known: isKnown, note } = gateOf(found, "user");
      assert.deepEqual([isKnown, note.startsWith("Nobody has this id.")], [false, true]);
      assert.equal(shortly(await explain(project, everyone.id, userId)), "unknown_user");
    }
    assert.equal(shortly(await explain(other, theirs.id, user.id)), "unknown_user", "of another project");
    assert.equal(shortly(await explain(project, everyone.id, user.id)), "would_receive");
  });
});

describe("explainCampaign", () => {
  it("refuses what is no question, and names the field", async () => {
    const project = await house.project();
    const { id } = await launchCampaign(project);
    for (const [body, message] of [
      [{}, /^userId /],
      [{ userId: "" }, /^userId /],
      [{ userId: 5 }, /^userId /],
      [{ userId: null }, /^userId /],
      [{ userId: "a\0b" }, /^userId /],
      [{ userId: "x".repeat(257) }, /^userId /],
      [{ userId: "ada", path: "home" }, /^path must start with \//],
      [{ userId: "ada", path: 5 }, /^path /],
      [{ userId: "ada", path: "/a\0" }, /^path /],
      [{ userId: "ada", page: "/home" }, /^page: unknown field/],
      [{ userid: "ada" }, /user/],
    ] as const) {
      const { status, error } = await refusal(
        project.api.explainCampaign({ path: { id }, body: body as { userId: string } }),
      );
      assert.equal(status, 400, JSON.stringify(body));
      assert.match(error, message);
    }
  });

  it("knows no campaign of another project, and is for the secret key and the agent's", async () => {
    const [project, other] = [await house.project(), await house.project()];
    const { id } = await launchCampaign(project);
    assert.equal((await refusal(explain(other, id, "ada"))).status, 404);
    assert.equal((await refusal(explain(project, "cmp_none", "ada"))).status, 404);
    const body = { userId: "ada" };
    assert.equal((await project.agent.explainCampaign({ path: { id }, body })).outcome, "unknown_user");
    assert.equal((await refusal(project.sdk.explainCampaign({ path: { id }, body }))).status, 403);
  });

  it("writes nothing", async () => {
    const project = await house.project();
    const { id } = await launchCampaign(project, forPro);
    await known(project, "ada");
    const before = await contentsOf(house);
    await explain(project, id, "ada");
    await explain(project, id, "stranger");
    assert.deepEqual(await contentsOf(house), before);
  });
});
