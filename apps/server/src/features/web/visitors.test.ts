import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { explain, gateOf, shortly } from "../../../test/eligibility.ts";
import { feedback, launchCampaign, messagesOf, toast } from "../../../test/factories.ts";
import { type TestProject, testHouse } from "../../../test/harness.ts";
import { openBrowser, visitedProject } from "../../../test/visitors.ts";
import { userRef, uuidOf } from "../../domain/ids.ts";
import { visitorIdOf } from "../../domain/visitors.pure.ts";
import { drawVariant, isHeldOut } from "../deliveries/public.ts";

const house = testHouse();

const keyOf = ({ projectId }: TestProject, id: string) => userRef(projectId, id).userKey;

describe("the messages of a page", () => {
  it("are those of campaigns for users, for visitors, or for both, as the campaign says at the time", async () => {
    const project = await visitedProject(house);
    const browser = openBrowser(project, "browser-1");
    const ids: Record<string, string> = {};
    for (const visitors of ["none", "also", "only"] as const) {
      house.advance(1);
      ids[visitors] = (await launchCampaign(project, { visitors })).id;
    }
    const seenBy = (messages: readonly { campaignId: string }[]) =>
      Object.keys(ids).filter((visitors) => messages.some(({ campaignId }) => campaignId === ids[visitors]));
    assert.deepEqual(seenBy(await browser.messages()), ["also", "only"]);
    assert.deepEqual(seenBy(await messagesOf(project, "ada")), ["none", "also"]);
    const explained = async (visitors: string, userId: string) =>
      shortly(await explain(project, ids[visitors] ?? "", userId));
    const visitor = visitorIdOf("browser-1");
    const { userId } = await explain(project, ids.only ?? "", visitor);
    assert.equal(userId, visitor);
    assert.deepEqual(
      [await explained("none", visitor), await explained("only", "ada"), await explained("only", "stranger")],
      ["blocked by visitors", "blocked by visitors", "unknown_user by visitors"],
    );
    assert.deepEqual(
      [await explained("also", visitor), await explained("also", "ada")],
      ["delivered", "delivered"],
    );
    assert.match(
      gateOf(await explain(project, ids.none ?? "", visitor), "visitors").note,
      /for users alone, and this is a visitor who is not signed in/,
    );
    // What is open already is shown no more to those whom the campaign is not for any more.
    const path = { id: ids.also ?? "" };
    await project.api.updateCampaign({ path, body: { visitors: "none" } });
    assert.deepEqual(seenBy(await browser.messages()), ["only"]);
    assert.equal(await explained("also", visitor), "delivered by visitors");
    await project.api.updateCampaign({ path, body: { visitors: "only" } });
    assert.deepEqual(seenBy(await browser.messages()), ["also", "only"]);
    assert.deepEqual(seenBy(await messagesOf(project, "ada")), ["none"]);
  });

  it("of a visitor who signs in are their user's: no more what is for visitors alone, and no second time what was closed", async () => {
    const project = await visitedProject(house);
    const browser = openBrowser(project, "browser-2");
    const only = await launchCampaign(project, { visitors: "only" });
    house.advance(1);
    const also = await launchCampaign(project, { visitors: "also" });
    const [first] = await browser.messages();
    assert.equal(first?.campaignId, also.id);
    await browser.feedback(first?.deliveryId ?? "", "shown");
    await browser.feedback(first?.deliveryId ?? "", "dismissed");
    assert.deepEqual(
      (await browser.messages()).map(({ campaignId }) => campaignId),
      [only.id],
    );
    await browser.signIn("ada");
    assert.deepEqual(await messagesOf(project, "ada"), []);
    assert.deepEqual(await browser.messages(), []);
  });

  it("meet conditions on what a visitor did and is, as a user's", async () => {
    const project = await visitedProject(house);
    const [looker, other] = [openBrowser(project, "looker"), openBrowser(project, "other")];
    await launchCampaign(project, {
      visitors: "only",
      audience: {
        kind: "expression",
        expression: { version: 1, root: { kind: "event", event: "looked" } },
      },
    });
    await looker.track("looked");
    await other.track("passed by");
    assert.deepEqual([(await looker.messages()).length, (await other.messages()).length], [1, 0]);
  });
});

describe("the draws of a user who was a visitor", () => {
  const variants = ["A", "B", "C"].map((name) => ({ name, message: toast(`Text ${name}`) }));

  /** Ids of a browser and a user whom a rule tells apart: it answers otherwise for the keys of the two. */
  const pairFor = (project: TestProject, rule: (userKey: string) => unknown) => {
    for (let n = 0; ; n++) {
      const [anonymousId, userId] = [`browser ${n}`, `user ${n}`];
      if (rule(keyOf(project, visitorIdOf(anonymousId))) !== rule(keyOf(project, userId)))
        return { anonymousId, userId };
    }
  };

  it("are the visitor's in later campaigns too: in the feed, in explanations and in the census", async () => {
    const project = await visitedProject(house);
    await launchCampaign(project, { visitors: "also" });
    const text = { presentation: "toast" as const, title: "{{ user.nickname }}" };
    const later = await launchCampaign(project, {
      launch: false,
      variants: variants.map(({ name, message }) => ({ name, message: name === "A" ? text : message })),
    });
    const draw = (userKey: string) => drawVariant(later.variants, uuidOf("cmp", later.id) ?? "", userKey)?.id;
    const pair = pairFor(project, draw);
    const browser = openBrowser(project, pair.anonymousId);
    await browser.messages();
    await browser.signIn(pair.userId);
    const expected = draw(keyOf(project, visitorIdOf(pair.anonymousId)));
    const path = { id: later.id };
    const explanation = await explain(project, later.id, pair.userId);
    assert.equal(gateOf(explanation, "variant").variantId, expected);
    const { willReceive, unreachable } = await project.api.takeCampaignCensus({ path });
    // The variant A has no text for this user, who has no such trait.
    const isBlank = expected === later.variants[0]?.id;
    assert.deepEqual(
      [willReceive, unreachable.find(({ reason }) => reason === "no_text")?.users],
      isBlank ? [0, 1] : [1, 0],
    );
    await project.api.setCampaignStatus({ path, body: { action: "launch" } });
    const served = (await messagesOf(project, pair.userId)).find(({ campaignId }) => campaignId === later.id);
    assert.equal(served?.variantId, isBlank ? undefined : expected);
  });

  it("keep them in a holdout, or out of it, in SQL and in the feed", async () => {
    const project = await visitedProject(house);
    await launchCampaign(project, { visitors: "also" });
    const { goal } = await project.api.createGoal({
      body: { name: "Sales", targetEvent: "paid", holdoutPercent: 50 },
    });
    const later = await launchCampaign(project, { goalId: goal.id, variants });
    const isOut = (userKey: string) =>
      isHeldOut({ goalId: uuidOf("goal", goal.id), holdoutPercent: 50 }, userKey);
    const pair = pairFor(project, isOut);
    const browser = openBrowser(project, pair.anonymousId);
    const [met] = await browser.messages();
    await browser.feedback(met?.deliveryId ?? "", "shown");
    await browser.feedback(met?.deliveryId ?? "", "dismissed");
    await browser.signIn(pair.userId);
    const expected = isOut(keyOf(project, visitorIdOf(pair.anonymousId)));
    const { heldOut, willReceive } = await project.api.takeCampaignCensus({ path: { id: later.id } });
    assert.deepEqual([heldOut, willReceive], expected ? [1, 0] : [0, 1]);
    assert.equal(gateOf(await explain(project, later.id, pair.userId), "holdout").passes, !expected);
    assert.equal((await messagesOf(project, pair.userId)).length, expected ? 0 : 1);
  });

  it("stay a user's own where they were met as a user before", async () => {
    const project = await visitedProject(house);
    const first = await launchCampaign(project, { visitors: "also" });
    const later = await launchCampaign(project, { launch: false, variants });
    const draw = (userKey: string) => drawVariant(later.variants, uuidOf("cmp", later.id) ?? "", userKey)?.id;
    const pair = pairFor(project, draw);
    const [own] = await messagesOf(project, pair.userId);
    assert.equal(own?.campaignId, first.id);
    await feedback(project, own?.deliveryId ?? "", pair.userId, "shown");
    const browser = openBrowser(project, pair.anonymousId);
    await browser.messages();
    await browser.signIn(pair.userId);
    const { variantId } = gateOf(await explain(project, later.id, pair.userId), "variant");
    assert.equal(variantId, draw(keyOf(project, pair.userId)));
  });
});
