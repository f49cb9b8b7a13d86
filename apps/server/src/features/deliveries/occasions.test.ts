import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import type { Answer } from "@tidings/client";
import { setSettings } from "../../../test/email.ts";
import { feedback, launchCampaign, messagesOf, toast } from "../../../test/factories.ts";
import { type TestProject, testHouse } from "../../../test/harness.ts";
import { click, open, sentMail } from "../../../test/mail.ts";
import { deliveryTo, type PlaceOfCampaign, queueOnTheWeb, statesOf } from "../../../test/occasions.ts";
import { exportText, importText } from "../../../test/portable.ts";
import { apiId } from "../../domain/ids.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../../platform/time/clock.ts";
import { resendUnknown } from "../email/sending/unknown/store.ts";
import { retireOldEvents } from "../users/events/retire.ts";

const house = testHouse();
const there = testHouse();

afterEach(async () => assert.deepEqual(await house.differences(), {}));

type Line = { id: string } & Record<string, unknown>;

/** The rows of a file of a project. */
async function linesOf({ secretKey }: TestProject, file: string): Promise<Line[]> {
  const answer = await fetch(`${house.url}/api/v1/extracts/${file}`, {
    headers: { authorization: `Bearer ${secretKey}` },
  });
  assert.equal(answer.status, 200);
  const text = await answer.text();
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);
}

/** A web campaign with a goal that counts payments. */
async function selling(holdoutPercent?: number, body: Parameters<typeof launchCampaign>[1] = {}) {
  const project = await house.project();
  const { goal } = await project.api.createGoal({
    body: {
      name: "Sales",
      targetEvent: "paid",
      attributionDays: 3,
      ...(holdoutPercent === undefined ? {} : { holdoutPercent }),
    },
  });
  const { id: campaignId } = await launchCampaign(project, { goalId: goal.id, ...body });
  return { project, campaignId, goalId: goal.id };
}

const pay = ({ sdk }: TestProject, userId: string) => sdk.track({ body: { userId, event: "paid" } });

const show = (place: PlaceOfCampaign, userId: string, occasion: number) =>
  feedback(place.project, deliveryTo(place, userId, occasion), userId, "shown");

const totalsOf = async ({ project, campaignId }: PlaceOfCampaign) => {
  const { totals } = await project.api.getCampaignConversions({
    path: { id: campaignId },
    query: { event: "paid" },
  });
  return totals;
};

const counts = (deliveries: number, users: number, converted: number, convertedUsers: number) => ({
  exposedDeliveries: deliveries,
  exposedUsers: users,
  convertedDeliveries: converted,
  convertedUsers,
});

/** Everything that is counted of users: by a campaign's goal, and between its variants. */
async function figuresOf({ project: { api }, campaignId, goalId }: PlaceOfCampaign & { goalId: string }) {
  const path = { id: campaignId };
  const { statistics } = await api.getCampaignConversions({ path, query: { event: "paid", series: "day" } });
  const { snapshot: _, ...measured } = statistics;
  const { holdout } = await api.getGoalConversions({ path: { id: goalId } });
  const { results } = await api.listCampaignResults({ query: { campaignIds: campaignId } });
  return { measured, holdout, converted: results[0]?.totals.converted };
}

describe("lists of deliveries on later occasions", () => {
  const USERS = ["ada", "ben"];

  /** Two campaigns that both users got on three occasions, all of one instant. */
  async function crowded() {
    const project = await house.project();
    const places: PlaceOfCampaign[] = [];
    for (const name of ["One", "Two"])
      places.push({ project, campaignId: (await launchCampaign(project, { name })).id });
    for (const place of places)
      for (const userId of USERS) await queueOnTheWeb(house, place, userId, [2, 0, 1]);
    const all = places.flatMap((place) =>
      USERS.flatMap((userId) => [0, 1, 2].map((occasion) => deliveryTo(place, userId, occasion))),
    );
    return { project, places, all };
  }

  it("have each once, whatever the size of a page", async () => {
    const { project, places, all } = await crowded();
    for (const perPage of [1, 2, 5]) {
      const found: string[] = [];
      for (const { campaignId: id } of places)
        for (let page = 1, pages = 1; page <= pages; page++) {
          const answer = await project.api.listCampaignDeliveries({ path: { id }, query: { perPage, page } });
          pages = answer.pageCount;
          assert.equal(answer.total, 6);
          found.push(...answer.deliveries.map((each) => each.id));
        }
      assert.deepEqual(found.toSorted(), all.toSorted(), `${perPage} of a campaign`);
      const followed: string[] = [];
      for (const { campaignId: id } of places)
        for (let cursor: string | null | undefined; cursor !== null; ) {
          const query = { perPage, ...(cursor !== undefined && { cursor }) };
          const answer = await project.api.listCampaignDeliveries({ path: { id }, query });
          followed.push(...answer.deliveries.map((each) => each.id));
          cursor = answer.nextCursor;
        }
      assert.deepEqual(followed, found, `${perPage} of a campaign, by cursors`);
      const ofUsers: string[] = [];
      for (const id of USERS)
        for (let page = 1, pages = 1; page <= pages; page++) {
          const answer = await project.api.listUserDeliveries({ path: { id }, query: { perPage, page } });
          pages = answer.pageCount;
          assert.equal(answer.total, 6);
          ofUsers.push(...answer.deliveries.map((each) => each.id));
        }
      assert.deepEqual(ofUsers.toSorted(), all.toSorted(), `${perPage} of a user`);
    }
  });

  it("are cut anywhere by a cursor of the activity", async () => {
    const { project, all } = await crowded();
    const whole = (await project.api.listActivity({ query: { limit: 50 } })).items.map(({ id }) => id);
    assert.deepEqual(whole.slice(0, 12).toSorted(), all.toSorted());
    for (const limit of [1, 2, 3, 5, 7]) {
      const found: string[] = [];
      let cursor: string | null = null;
      do {
        const page: Answer<"listActivity"> = await project.api.listActivity({
          query: { limit, ...(cursor === null ? {} : { cursor }) },
        });
        found.push(...page.items.map(({ id }) => id));
        cursor = page.nextCursor;
      } while (cursor !== null);
      assert.deepEqual(found, whole, `${limit}`);
    }
  });

  it("go on behind a cursor of before there were occasions", async () => {
    const project = await house.project();
    const place = { project, campaignId: (await launchCampaign(project)).id };
    await queueOnTheWeb(house, place, "ada", [0]);
    house.advance(1);
    await queueOnTheWeb(house, place, "ben", [0]);
    const { nextCursor } = await project.api.listActivity({ query: { limit: 1 } });
    const parts = JSON.parse(Buffer.from(nextCursor ?? "", "base64url").toString()) as unknown[];
    const earlier = Buffer.from(JSON.stringify(parts.slice(0, 4))).toString("base64url");
    const pages = await Promise.all(
      [nextCursor ?? "", earlier].map((cursor) => project.api.listActivity({ query: { limit: 5, cursor } })),
    );
    assert.deepEqual(pages[1]?.items, pages[0]?.items);
  });

  it("are files that go on behind each of their rows", async () => {
    const { project, all } = await crowded();
    const rows = await linesOf(project, "deliveries.ndjson");
    assert.deepEqual(rows.map(({ id }) => id).toSorted(), all.toSorted());
    for (const [at, { id }] of rows.entries())
      assert.deepEqual(await linesOf(project, `deliveries.ndjson?after=${id}`), rows.slice(at + 1));
  });

  it("are files of mail that go on behind each of their rows, each with its own answer", async () => {
    const project = await house.project();
    const first = await sentMail(house, project);
    const { campaignId } = first;
    const others = [];
    for (const occasion of [1, 2])
      others.push(
        await sentMail(house, project, {
          campaignId,
          occasion,
          status: occasion === 2 ? "unknown" : "accepted",
        }),
      );
    const mails = [first, ...others];
    const rows = await linesOf(project, "sends.ndjson");
    assert.deepEqual(
      rows.map(({ id, status, attempts }) => [id, status, attempts]),
      mails.map(({ deliveryId }, at) => [deliveryId, at === 2 ? "unknown" : "accepted", 1]),
    );
    for (const [at, { id }] of rows.entries())
      assert.deepEqual(await linesOf(project, `sends.ndjson?after=${id}`), rows.slice(at + 1));
    assert.deepEqual(
      (await linesOf(project, "sends.ndjson?status=unknown")).map(({ id }) => id),
      [others[1]?.deliveryId],
    );
  });
});

describe("figures of a campaign with later occasions", () => {
  it("count deliveries as deliveries, and users once", async () => {
    const place = await selling();
    for (const userId of ["ada", "ben"]) {
      await queueOnTheWeb(house, place, userId, [0, 1]);
      for (const occasion of [0, 1]) await show(place, userId, occasion);
    }
    house.advance(SECOND_MS);
    await pay(place.project, "ada");
    assert.deepEqual(await totalsOf(place), counts(4, 2, 2, 1));
    const { stats } = (await place.project.api.getCampaign({ path: { id: place.campaignId } })).campaign;
    assert.deepEqual([stats.shown, stats.converted], [4, 2]);
    assert.deepEqual(await statesOf(place), {
      [deliveryTo(place, "ada", 0)]: "converted",
      [deliveryTo(place, "ada", 1)]: "converted",
      [deliveryTo(place, "ben", 0)]: "shown",
      [deliveryTo(place, "ben", 1)]: "shown",
    });
    const { measured, converted } = await figuresOf(place);
    assert.equal(converted, 1);
    const [variant] = measured.variants;
    assert.deepEqual(
      [variant?.pending.exposedUsers, variant?.pending.convertedUsers, variant?.matured.exposedUsers],
      [2, 1, 0],
    );
    const { totals: days } = await place.project.api.getResultDays({ query: { range: "7d" } });
    assert.deepEqual(days, { reached: 4, converted: 1 });
    const { rows } = await house.database.pool.query(
      "select count(*)::int as active from active_users where project_id = $1",
      [place.project.projectId],
    );
    assert.deepEqual(rows, [{ active: 2 }]);
  });

  it("know a user who met a later occasion alone, or that one before the first", async () => {
    const place = await selling();
    await queueOnTheWeb(house, place, "later alone", [0, 1]);
    await show(place, "later alone", 1);
    await queueOnTheWeb(house, place, "later first", [0, 1, 2]);
    await show(place, "later first", 2);
    house.advance(SECOND_MS);
    for (const userId of ["later alone", "later first"]) await pay(place.project, userId);
    house.advance(SECOND_MS);
    for (const occasion of [0, 1]) await show(place, "later first", occasion);
    assert.deepEqual(await totalsOf(place), counts(4, 2, 2, 2));
    // Events to come are looked up one by one.
    const ts = house.now() + HOUR_MS;
    await place.project.api.trackBatch({ body: { events: [{ userId: "later first", event: "paid", ts }] } });
    assert.deepEqual(await totalsOf(place), counts(4, 2, 2, 2));
    for (const id of ["later alone", "later first"]) {
      await place.project.api.eraseUser({ path: { id } });
      assert.deepEqual(await totalsOf(place), counts(4, 2, 2, 2), `without ${id}`);
    }
  });

  it("say nothing else of arms, sample ratio and holdout when everybody gets the campaign again", async () => {
    const place = await selling(30, { variants: [{ message: toast("A") }, { message: toast("B") }] });
    const users = Array.from({ length: 30 }, (_, n) => `user-${n}`);
    const served: string[] = [];
    for (const userId of users)
      for (const { deliveryId } of await messagesOf(place.project, userId)) {
        served.push(userId);
        await feedback(place.project, deliveryId, userId, "shown");
      }
    house.advance(HOUR_MS);
    for (const userId of users.filter((_, n) => n % 3 === 0)) await pay(place.project, userId);
    const before = await figuresOf(place);
    assert.ok(served.length > 0 && served.length < users.length);
    for (const userId of served) {
      await queueOnTheWeb(house, place, userId, [1, 2]);
      for (const occasion of [1, 2]) await show(place, userId, occasion);
    }
    assert.deepEqual(await figuresOf(place), before);
    assert.equal((await totalsOf(place)).exposedDeliveries, 3 * served.length);
    assert.equal((await totalsOf(place)).exposedUsers, served.length);
  });

  it("leave a user who had the campaign before it had its goal on neither side", async () => {
    const project = await house.project();
    const place = { project, campaignId: (await launchCampaign(project)).id };
    const path = { id: place.campaignId };
    for (const userId of ["ada", "ben", "eve"]) {
      await queueOnTheWeb(house, place, userId, [0]);
      await show(place, userId, 0);
    }
    house.advance(HOUR_MS);
    const { goal } = await project.api.createGoal({
      body: { name: "Sales", targetEvent: "paid", holdoutPercent: 50 },
    });
    await project.api.setCampaignStatus({ path, body: { action: "pause" } });
    await project.api.updateCampaign({ path, body: { goalId: goal.id } });
    await project.api.setCampaignStatus({ path, body: { action: "launch" } });
    for (const userId of ["ada", "ben", "eve"]) await queueOnTheWeb(house, place, userId, [1]);
    assert.equal(Object.keys(await statesOf(place)).length, 6);
    // Users who are new are on one side or the other.
    const joined = Array.from({ length: 8 }, (_, n) => `new-${n}`);
    for (const userId of joined) await messagesOf(project, userId);
    const { holdout } = await project.api.getGoalConversions({ path: { id: goal.id } });
    const sides = [holdout.served, holdout.withheld];
    const users = sides.reduce(
      (sum, { pending, matured }) => sum + pending.exposedUsers + matured.exposedUsers,
      0,
    );
    assert.equal(users, joined.length);
  });

  it("do not change when events are deleted for their age, nor when users are erased", async () => {
    const place = await selling();
    const { project } = place;
    await setSettings(house, project, { "retention.eventsDays": "7" });
    for (const userId of ["ada", "ben", "eve"]) {
      await pay(project, userId);
      house.advance(SECOND_MS);
      await queueOnTheWeb(house, place, userId, [0]);
      await show(place, userId, 0);
    }
    house.advance(DAY_MS);
    await pay(project, "ada");
    house.advance(SECOND_MS);
    for (const userId of ["ada", "ben", "eve"]) {
      await queueOnTheWeb(house, place, userId, [1]);
      await show(place, userId, 1);
    }
    house.advance(DAY_MS);
    for (const userId of ["ada", "ben"]) await pay(project, userId);
    const events = async () => (await project.api.listEvents()).total;
    assert.equal(await events(), 6);
    for (const left of [6, 6, 0]) {
      house.advance(3 * DAY_MS);
      const before = [await figuresOf(place), await totalsOf(place)];
      await retireOldEvents(house.tidings.app);
      assert.deepEqual([await figuresOf(place), await totalsOf(place)], before);
      if (left === 0) assert.ok((await events()) < 6);
    }
    const before = [await figuresOf(place), await totalsOf(place)];
    assert.deepEqual(before[1], counts(6, 3, 4, 2));
    for (const id of ["ada", "ben", "eve"]) await project.api.eraseUser({ path: { id } });
    assert.deepEqual([await figuresOf(place), await totalsOf(place)], before);
  });
});

describe("a project with mail on later occasions", () => {
  it("comes along whole: ids, links that were followed, and the ledger", async () => {
    const project = await house.project();
    const { goal } = await project.api.createGoal({ body: { name: "Sales", targetEvent: "paid" } });
    const first = await sentMail(house, project, { goalId: goal.id });
    const { campaignId } = first;
    const second = await sentMail(house, project, { campaignId, occasion: 1 });
    const third = await sentMail(house, project, { campaignId, occasion: 2, status: "unknown" });
    house.advance(60 * SECOND_MS);
    for (const mail of [first, second]) await open(mail);
    await click(second);
    house.advance(SECOND_MS);
    await pay(project, "anna");
    const decision = { by: "Ada", at: house.now() };
    await house.database.kysely
      .transaction()
      .execute((tx) => resendUnknown(tx, project.projectId, third, decision));
    const ledgerOf = async (database: typeof house.database, projectId: string) => {
      const tables: Record<string, unknown> = {};
      for (const [table, columns] of [
        ["email_sends", "status, attempts"],
        ["email_attempts", "ordinal"],
        ["email_outcomes", "ordinal, kind"],
        ["email_resends", "ordinal"],
        ["email_hits", "ordinal, kind, bot"],
        ["email_hit_heads", "hits"],
      ])
        tables[table ?? ""] = (
          await database.pool.query(
            `select occasion, ${columns} from ${table} where project_id = $1 order by occasion, ${columns}`,
            [projectId],
          )
        ).rows;
      return tables;
    };
    there.at(house.now());
    const text = await exportText(house, project.projectId, true);
    const { project: imported }: { project: TestProject } = await importText(there, text);
    assert.deepEqual(await there.differences(), {});
    assert.deepEqual(
      await ledgerOf(there.database, imported.projectId),
      await ledgerOf(house.database, project.projectId),
    );
    const [campaign] = (await imported.api.listCampaigns()).campaigns;
    const place = { project: imported, campaignId: campaign?.id ?? "" };
    const was = { project, campaignId: apiId("cmp", campaignId) };
    const states = async (at: PlaceOfCampaign): Promise<(string | undefined)[]> => {
      const found = await statesOf(at);
      return [0, 1, 2].map((occasion) => found[deliveryTo(at, "anna", occasion)]);
    };
    assert.deepEqual(await states(was), ["converted", "converted", "sending"]);
    assert.deepEqual(await states(place), await states(was));
    assert.deepEqual(await totalsOf(place), await totalsOf(was));
  });
});
