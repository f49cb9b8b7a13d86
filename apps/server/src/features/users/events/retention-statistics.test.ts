import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { setSettings } from "../../../../test/email.ts";
import { feedback, launchCampaign, messagesOf, toast } from "../../../../test/factories.ts";
import { type TestProject, testHouse } from "../../../../test/harness.ts";
import { reportedBy, sentMail } from "../../../../test/mail.ts";
import { clientOf } from "../../../../test/people.ts";
import { exportText, importText } from "../../../../test/portable.ts";
import { fakePostmark } from "../../../../test/provider-mail.ts";
import { BELIEVED_MS } from "../../../../test/usage.ts";
import { apiId } from "../../../domain/ids.ts";
import { DAY_MS, HOUR_MS } from "../../../platform/time/clock.ts";
import { retireOldEvents } from "./retire.ts";

const house = testHouse();

afterEach(async () => assert.deepEqual(await house.differences(), {}));

const retire = () => retireOldEvents(house.tidings.app);
const keepFor = (project: TestProject, days: number) =>
  setSettings(house, project, { "retention.eventsDays": String(days) });
const users = (count: number): string[] => Array.from({ length: count }, (_, n) => `user-${n}`);

async function pay({ api }: TestProject, userIds: readonly string[], ts = house.now()): Promise<void> {
  await api.trackBatch({ body: { events: userIds.map((userId) => ({ userId, event: "paid", ts })) } });
}

/** Shows each user what the feed has for them; answers who saw what, by title, and who saw nothing (""). */
async function show(project: TestProject, userIds: readonly string[]): Promise<Map<string, string[]>> {
  const groups = new Map<string, string[]>();
  for (const userId of userIds) {
    const messages = await messagesOf(project, userId);
    for (const { deliveryId } of messages) await feedback(project, deliveryId, userId, "shown");
    const title = messages[0]?.content.title ?? "";
    groups.set(title, [...(groups.get(title) ?? []), userId]);
  }
  return groups;
}

const totalOf = async ({ api }: TestProject): Promise<number> => (await api.listEvents()).total;

/** Everything that is counted of a campaign and its goal. */
async function figuresOf({ api }: TestProject, id: string, goalId: string) {
  const { snapshot: _, ...campaign } = await api
    .getCampaignConversions({ path: { id }, query: { event: "paid", series: "day" } })
    .then(({ statistics, totals, variants }) => ({ ...statistics, totals, counted: variants }));
  const { holdout } = await api.getGoalConversions({ path: { id: goalId } });
  return { campaign, holdout };
}

/** Users who converted within the window: by variant, then served and withheld. */
const convertedOf = ({ campaign, holdout }: Awaited<ReturnType<typeof figuresOf>>) => ({
  variants: campaign.variants.map(({ matured }) => matured.convertedUsers),
  served: holdout.served.matured.convertedUsers,
  withheld: holdout.withheld.matured.convertedUsers,
});

describe("deleting events for their age", () => {
  it("changes no figure of a campaign and its goal, however many of the payments are deleted", async () => {
    const project = await house.project();
    const { goal } = await project.api.createGoal({
      body: { name: "Sales", targetEvent: "paid", attributionDays: 2, holdoutPercent: 50 },
    });
    const { id } = await launchCampaign(project, {
      goalId: goal.id,
      variants: [{ message: toast("A") }, { message: toast("B") }],
    });
    await keepFor(project, 7);
    const all = users(30);
    // Everybody pays before and after the window; a third of them within it as well.
    await pay(project, all);
    house.advance(DAY_MS);
    const groups = await show(project, all);
    house.advance(DAY_MS);
    const third = ["A", "B", ""].map((title) => groups.get(title)?.filter((_, n) => n % 3 === 0) ?? []);
    await pay(project, third.flat());
    house.advance(3 * DAY_MS);
    await pay(project, all);
    const [a, b, withheld] = third.map(({ length }) => length);
    const expected = { variants: [a, b], served: (a ?? 0) + (b ?? 0), withheld };
    assert.deepEqual(convertedOf(await figuresOf(project, id, goal.id)), expected);
    assert.ok(expected.served > 0 && withheld);
    const left: number[] = [];
    for (const wait of [4, 2, 3]) {
      house.advance(wait * DAY_MS);
      const before = await figuresOf(project, id, goal.id);
      await retire();
      left.push(await totalOf(project));
      assert.deepEqual(await figuresOf(project, id, goal.id), before);
      assert.deepEqual(convertedOf(before), expected);
    }
    assert.deepEqual(left, [30 + third.flat().length, 30, 0]);
    const before = await figuresOf(project, id, goal.id);
    for (const userId of all) await project.api.eraseUser({ path: { id: userId } });
    assert.deepEqual(await figuresOf(project, id, goal.id), before);
  });

  it("pauses no campaign that converts as its guardrail wants", async () => {
    const project = await house.project();
    const { goal } = await project.api.createGoal({
      body: {
        name: "Sales",
        targetEvent: "paid",
        attributionDays: 2,
        guardrails: { minConversionRate: 0.2 },
      },
    });
    const { id } = await launchCampaign(project, { goalId: goal.id });
    await keepFor(project, 7);
    const all = users(30);
    await pay(project, all);
    house.advance(HOUR_MS);
    await show(project, all);
    house.advance(HOUR_MS);
    await pay(
      project,
      all.filter((_, n) => n % 2 === 0),
    );
    house.advance(5 * DAY_MS);
    await pay(project, all);
    for (const wait of [3, 5, 6]) {
      house.advance(wait * DAY_MS);
      await retire();
      await house.drain();
    }
    assert.equal(await totalOf(project), 0);
    assert.equal((await project.api.getCampaign({ path: { id } })).campaign.status, "running");
  });

  it("leaves every window what it was, also one that nobody had asked for yet, for each of several starts", async () => {
    const project = await house.project();
    const { goal } = await project.api.createGoal({ body: { name: "Sales", attributionDays: 1 } });
    await keepFor(project, 7);
    const campaigns: string[] = [];
    const begin = house.now();
    // The user meets a message each 10 days, and pays at the end of its window of a day, and twice later.
    for (let turn = 0; turn < 3; turn++) {
      house.at(begin + turn * 10 * DAY_MS);
      const { id } = await launchCampaign(project, { name: `Campaign ${turn}`, goalId: goal.id });
      campaigns.push(id);
      await show(project, ["ada"]);
      for (const later of [DAY_MS, 3 * DAY_MS, 6 * DAY_MS]) {
        house.at(begin + turn * 10 * DAY_MS + later);
        await pay(project, ["ada"]);
        await retire();
      }
    }
    house.at(begin + 90 * DAY_MS);
    const convertedAt = async ({ api }: TestProject, id: string): Promise<number> => {
      const query = { event: "paid" };
      const [variant] = (await api.getCampaignConversions({ path: { id }, query })).statistics.variants;
      return (variant?.matured.convertedUsers ?? 0) + (variant?.pending.convertedUsers ?? 0);
    };
    const read = async () => {
      const found: Record<number, number[]> = {};
      for (const attributionDays of [90, 10, 1]) {
        await project.api.updateGoal({ path: { id: goal.id }, body: { attributionDays } });
        found[attributionDays] = [];
        for (const id of campaigns) found[attributionDays].push(await convertedAt(project, id));
      }
      return found;
    };
    assert.deepEqual(await read(), { 90: [1, 1, 1], 10: [1, 1, 1], 1: [1, 1, 1] });
    await retire();
    assert.equal(await totalOf(project), 0);
    assert.deepEqual(await read(), { 90: [1, 1, 1], 10: [1, 1, 1], 1: [1, 1, 1] });
    const imported = await importText(house, await exportText(house, project.projectId));
    for (const { id } of (await imported.project.api.listCampaigns()).campaigns)
      assert.equal(await convertedAt(imported.project, id), 1);
    assert.equal((await imported.project.api.listCampaigns()).total, 3);
  });

  it("counts an event that comes late, and is older than what was deleted, whether it is deleted or not", async () => {
    const project = await house.project();
    const { goal } = await project.api.createGoal({
      body: { name: "Sales", targetEvent: "paid", attributionDays: 2 },
    });
    const { id } = await launchCampaign(project, { goalId: goal.id });
    await keepFor(project, 7);
    const shownAt = house.now();
    await pay(project, ["ada"]);
    house.advance(1);
    await show(project, ["ada", "bob"]);
    house.advance(5 * DAY_MS);
    await pay(project, ["ada", "bob"]);
    house.advance(8 * DAY_MS);
    await retire();
    const converted = async () =>
      (await figuresOf(project, id, goal.id)).campaign.variants[0]?.matured.convertedUsers;
    assert.equal(await converted(), 0);
    // Only a project that keeps events for longer takes it.
    await keepFor(project, 30);
    house.advance(BELIEVED_MS);
    await pay(project, ["ada"], shownAt + DAY_MS);
    await keepFor(project, 7);
    await pay(project, ["ada", "bob"]);
    assert.equal(await converted(), 1);
    await retire();
    assert.equal(await totalOf(project), 2);
    assert.equal(await converted(), 1);
  });
});

describe("a mail of which it is known weeks later that it arrived", () => {
  /** A mail that left at noon; its user pays an hour later, and on other days, and all of it is deleted before anything is said of it. */
  async function longGone(status: "accepted" | "unknown") {
    const project = await house.project();
    const { goal } = await project.api.createGoal({
      body: { name: "Sales", targetEvent: "paid", attributionDays: 2 },
    });
    await keepFor(project, 7);
    await pay(project, ["anna"]);
    house.advance(HOUR_MS);
    const mail = await sentMail(house, project, { status, goalId: goal.id });
    const leftAt = house.now();
    await house.database.pool.query(
      "update deliveries set epoch = 1, queued_at = queued_at - 3000 where campaign_id = $1",
      [mail.campaignId],
    );
    // Between the decision and the leaving, within the window, and after it.
    for (const at of [leftAt - 2_000, leftAt + HOUR_MS, leftAt + 5 * DAY_MS]) {
      house.at(at);
      await pay(project, ["anna"]);
    }
    house.at(leftAt + 20 * DAY_MS);
    const path = { id: apiId("cmp", mail.campaignId) };
    const converted = async () => {
      const { statistics } = await project.api.getCampaignConversions({ path, query: { event: "paid" } });
      return statistics.variants[0]?.matured;
    };
    return { project, mail, leftAt, converted };
  }
  const CONVERTED = { exposedUsers: 1, convertedUsers: 1 };

  it("converts by what was deleted or erased, where a person says that it arrived", async () => {
    for (const [isRetired, isErased] of [
      [true, false],
      [true, true],
      [false, true],
    ]) {
      const { project, mail, converted } = await longGone("unknown");
      if (isRetired) await retire();
      assert.equal(await totalOf(project), isRetired ? 0 : 4);
      if (isErased) await project.api.eraseUser({ path: { id: "anna" } });
      const { client } = await clientOf(house, project.projectId, "editor");
      const { sends } = await client.listUnknownSends();
      const deliveryIds = sends.map(({ deliveryId }) => deliveryId);
      assert.equal(deliveryIds.includes(mail.deliveryId), !isErased);
      const { decided } = await client.decideUnknownSends({ body: { verdict: "sent", deliveryIds } });
      assert.deepEqual(decided, deliveryIds);
      assert.deepEqual(await converted(), CONVERTED);
    }
  });

  it("counts from when it left, where its provider reports that too late", async () => {
    const { project, mail, leftAt, converted } = await longGone("accepted");
    const postmark = fakePostmark();
    await reportedBy(house, project, "postmark", postmark.secret);
    await retire();
    const report = postmark.post([postmark.event("delivered", mail, leftAt + DAY_MS)], house.now());
    const url = `${house.url}/hooks/email/postmark/${project.projectId}`;
    const answer = await fetch(url, { method: "POST", ...report });
    assert.equal(answer.status, 200);
    assert.deepEqual(await converted(), CONVERTED);
  });
});
