import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { launchEmail, people, sendingProject } from "../../../../test/email.ts";
import { feedback, launchCampaign, messagesOf } from "../../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../../test/harness.ts";
import { reportedBy } from "../../../../test/mail.ts";
import { startSmtp } from "../../../../test/peers/smtp.ts";
import { clientOf } from "../../../../test/people.ts";
import { fakePostmark } from "../../../../test/provider-mail.ts";
import { postReport } from "../../../../test/reported-mail.ts";
import { DAY_MS } from "../../../platform/time/clock.ts";

const house = testHouse();
const smtp = await startSmtp({
  onRecipient: (to) => (to.startsWith("gone") ? { code: 550, text: "5.1.1 No such user" } : null),
});
after(() => smtp.close());

const resultsOf = async ({ api }: TestProject, ...ids: string[]) =>
  (await api.listCampaignResults({ query: { campaignIds: ids.join(",") } })).results;

const goalOf = async ({ api }: TestProject, targetEvent: string | null, attributionDays = 3) =>
  (await api.createGoal({ body: { name: `Goal of ${targetEvent}`, targetEvent, attributionDays } })).goal.id;

const statsOf = async ({ api }: TestProject, id: string) =>
  (await api.getCampaign({ path: { id } })).campaign.stats;

/** Makes a user meet a web campaign. */
async function meet(project: TestProject, userId: string): Promise<void> {
  const [message] = await messagesOf(project, userId);
  assert.ok(message);
  await feedback(project, message.deliveryId, userId, "shown");
}

const track = ({ sdk }: TestProject, userId: string, event: string) => sdk.track({ body: { userId, event } });

describe("listCampaignResults", () => {
  it("counts mail that came back as sent and not as delivered, whether it was refused or returned", async () => {
    const project = await sendingProject(house, smtp.port);
    await people(project, ["ada", "ben", "cat", "gone"]);
    const { id } = await launchEmail(project, { goalId: await goalOf(project, "bought") });
    await house.drain();
    const { deliveries } = await project.api.listCampaignDeliveries({ path: { id } });
    const ben = deliveries.find(({ externalUserId }) => externalUserId === "ben");
    assert.ok(ben);
    const provider = fakePostmark();
    await reportedBy(house, project, "postmark", provider.secret);
    house.advance(60_000);
    const returned = provider.event("permanent", { deliveryId: ben.id }, house.now() - 1_000);
    const path = `postmark/${project.projectId}`;
    const taken = await postReport(house, path, provider.post([returned], house.now()));
    assert.equal(taken.status, 200);

    const { sent, delivered, bounced } = await statsOf(project, id);
    assert.deepEqual([sent, delivered, bounced], [3, 3, 2], "as it was recorded");
    const [results] = await resultsOf(project, id);
    const { totals } = results ?? {};
    assert.deepEqual([totals?.sent, totals?.delivered, totals?.bounced], [4, 2, 2]);
    const { client } = await clientOf(house, project.projectId, "viewer");
    const health = await client.getEmailHealth();
    assert.deepEqual([health.totals.sent, health.totals.delivered, health.totals.bounced], [4, 2, 2]);
  });

  it("counts conversions within the window of the goal, and those at any time nowhere", async () => {
    const project = await house.project();
    const goalId = await goalOf(project, "bought");
    const { id } = await launchCampaign(project, { goalId });
    for (const user of ["in time", "late", "never"]) await meet(project, user);
    await track(project, "never", "looked");
    house.advance(3 * DAY_MS);
    await track(project, "in time", "bought");
    house.advance(1);
    for (const user of ["late", "in time"]) await track(project, user, "bought");
    assert.equal((await statsOf(project, id)).converted, 2);
    const [results] = await resultsOf(project, id);
    assert.deepEqual(
      [results?.event, results?.attributionDays, results?.totals.shown, results?.totals.converted],
      ["bought", 3, 3, 1],
    );
    const { statistics } = await project.api.getCampaignConversions({
      path: { id },
      query: { event: "bought" },
    });
    const [only] = statistics.variants;
    assert.equal((only?.matured.convertedUsers ?? 0) + (only?.pending.convertedUsers ?? 0), 1);
    const { totals, days } = await project.api.getResultDays({ query: { range: "7d" } });
    assert.deepEqual(totals, { reached: 3, converted: 1 });
    assert.deepEqual(
      days.flatMap(({ reached, converted }) => (reached + converted > 0 ? [[reached, converted]] : [])),
      [
        [3, 0],
        [0, 1],
      ],
    );

    await project.api.updateGoal({ path: { id: goalId }, body: { attributionDays: 4 } });
    assert.equal((await resultsOf(project, id))[0]?.totals.converted, 2, "by the goal as it is now");
    assert.equal((await project.api.getResultDays({ query: {} })).totals.converted, 2);
  });

  it("counts each campaign by its own goal, in the order of the ids, and no conversion without one", async () => {
    const project = await house.project();
    const page = (path: string) => ({ pages: [path] });
    const bought = await launchCampaign(project, {
      goalId: await goalOf(project, "bought"),
      ...page("/bought"),
    });
    const looked = await launchCampaign(project, {
      goalId: await goalOf(project, "looked", 1),
      ...page("/looked"),
    });
    const nothing = await launchCampaign(project, {
      goalId: await goalOf(project, null),
      ...page("/nothing"),
    });
    const without = await launchCampaign(project, page("/without"));
    for (const path of ["/bought", "/looked", "/nothing", "/without"]) {
      const [message] = await messagesOf(project, "ada", path);
      await feedback(project, message?.deliveryId ?? "", "ada", "shown");
    }
    house.advance(2 * DAY_MS);
    for (const event of ["bought", "looked"]) await track(project, "ada", event);
    const ids = [without, looked, bought, nothing].map(({ id }) => id);
    assert.deepEqual(
      (await resultsOf(project, ...ids)).map(({ campaignId, event, totals }) => [
        campaignId,
        event,
        totals.shown,
        totals.converted,
      ]),
      [
        [without.id, null, 1, null],
        [looked.id, "looked", 1, 0],
        [bought.id, "bought", 1, 1],
        [nothing.id, null, 1, null],
      ],
    );
  });

  it("says a variant's part of it", async () => {
    const project = await house.project();
    const variants = ["A", "B"].map((name) => ({
      name,
      weight: 50,
      message: { presentation: "toast" as const, title: name },
    }));
    const { id } = await launchCampaign(project, { variants, goalId: await goalOf(project, "bought") });
    for (let n = 0; n < 12; n++) {
      await meet(project, `user ${n}`);
      if (n % 2 === 0) await track(project, `user ${n}`, "bought");
    }
    const { deliveries } = await project.api.listCampaignDeliveries({ path: { id } });
    const [results] = await resultsOf(project, id);
    assert.deepEqual([results?.totals.shown, results?.totals.converted], [12, 6]);
    assert.deepEqual(
      results?.variants.map(({ variantId, shown, converted }) => [variantId, shown, converted]),
      results?.variants.map(({ variantId }) => {
        const theirs = deliveries.filter((each) => each.variantId === variantId);
        return [variantId, theirs.length, theirs.filter(({ convertedAt }) => convertedAt !== null).length];
      }),
    );
  });

  it("leaves out what the project does not have, and takes an id once", async () => {
    const [project, other] = [await house.project(), await house.project()];
    const [mine, theirs] = [await launchCampaign(project), await launchCampaign(other)];
    const found = await resultsOf(project, mine.id, theirs.id, "cmp_nothing", mine.id, "☃");
    assert.deepEqual(
      found.map(({ campaignId }) => campaignId),
      [mine.id],
    );
    assert.deepEqual(await resultsOf(project, theirs.id), []);
  });

  it("refuses a list of ids that is none, or too long", async () => {
    const project = await house.project();
    const ids = (count: number) => Array.from({ length: count }, (_, n) => `cmp_${n}`).join(",");
    for (const [campaignIds, status] of [
      ["", 400],
      [",", 400],
      ["cmp_1,,cmp_2", 400],
      ["x".repeat(129), 400],
      ["cmp_1\u0000", 400],
      [ids(101), 400],
      [ids(100), 200],
    ] as const) {
      const found = project.api.listCampaignResults({ query: { campaignIds } });
      if (status === 200) assert.deepEqual((await found).results, []);
      else {
        const refused = await refusal(found);
        assert.equal(refused.status, 400, campaignIds.slice(0, 20));
        assert.match(refused.error, /^(query\.)?campaignIds/);
      }
    }
  });

  it("leaves no differences behind", async () => assert.deepEqual(await house.differences(), {}));
});
