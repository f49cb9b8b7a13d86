import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { event, expression, trait } from "../../../test/audience/trees.ts";
import { contentsOf } from "../../../test/contents.ts";
import { explain, gateOf, heldOutOf, shortly } from "../../../test/eligibility.ts";
import { setSettings } from "../../../test/email.ts";
import { feedback, launchCampaign, messagesOf, toast } from "../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../test/harness.ts";
import { BELIEVED_MS, secretOf } from "../../../test/perimeter.ts";
import { loneProject } from "../../../test/usage.ts";
import { HOUR_MS } from "../../platform/clock.ts";

const house = testHouse();
const onPro = expression(trait("plan", "eq", "pro"));
const forPro = { audience: { kind: "expression" as const, expression: onPro } };

const ORDER = [
  ...["status", "window", "serving", "user", "page", "delivery", "withheld"],
  ...["audience", "variant", "message", "holdout"],
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
      name: "an unknown user, and an audience that asks for a trait",
      expected: "blocked by audience",
      async prepare(project) {
        return { ...(await launchCampaign(project, forPro)), userId: "stranger" };
      },
    },
    {
      name: "an unknown user, and a campaign for everyone",
      expected: "would_receive",
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
      if (found.outcome === "would_receive") assert.equal(after.outcome, "delivered");
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
      ...{ id: message?.deliveryId, variantId: variants[0]?.id, state: "queued", queuedAt: house.now() },
      isOpen: true,
    });
    const { passes, matched, trace } = gateOf(found, "audience");
    assert.deepEqual([passes, matched, trace?.matched], [null, false, false]);
    assert.equal(gateOf(found, "holdout").passes, null);
  });

  it("agrees with the feed about who is held out, before and after the delivery was withheld", async () => {
    const project = await house.project();
    const { goal } = await project.api.createGoal({ body: { name: "Sales", holdoutPercent: 40 } });
    const draft = await launchCampaign(project, { goalId: goal.id, launch: false });
    const { id } = await launchCampaign(project, { goalId: goal.id });
    const users = Array.from({ length: 20 }, (_, n) => `user-${n}`);
    const out = users.filter((user) => heldOutOf(project, goal.id, 40, user));
    assert.ok(out.length > 2 && out.length < 18);
    for (const user of users) {
      const expected = out.includes(user) ? "held_out by holdout" : "would_receive";
      const found = await explain(project, id, user);
      assert.equal(shortly(found), expected, user);
      const { goalId, holdoutPercent } = gateOf(found, "holdout");
      assert.deepEqual([goalId, holdoutPercent], [goal.id, 40]);
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
    for (let n = 0; n < 20; n++) {
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
    assert.equal((await project.agent.explainCampaign({ path: { id }, body })).outcome, "would_receive");
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
