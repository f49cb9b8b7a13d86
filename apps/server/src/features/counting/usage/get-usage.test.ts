import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { launchEmail, people, sendingProject, setSettings } from "../../../../test/email.ts";
import { feedback, launchCampaign, messagesOf } from "../../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../../test/harness.ts";
import { observerOf, RECEIPT, TAP } from "../../../../test/observing.ts";
import { type SmtpPeer, startSmtp } from "../../../../test/peers/smtp.ts";
import { inspect, launchPush, pushHouse, reachable } from "../../../../test/push.ts";
import { active, BELIEVED_MS, loneProject, organization, usageOf } from "../../../../test/usage.ts";

const house = testHouse();
const pushes = await pushHouse();
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(() => smtp.close());

const TIERS = { "org.priceTiers": "0.02 to 10000, 0.012" };
const day = (text: string): number => Date.parse(`${text}T00:00:00Z`);
const countOf = async (project: TestProject): Promise<number> => (await usageOf(project)).activeUsers;

describe("getUsage", () => {
  it("answers an organization that nobody set anything for", async () => {
    house.at(Date.UTC(2026, 0, 15, 12));
    const project = await loneProject(house);
    assert.deepEqual(await usageOf(project), {
      serving: "ok",
      emailServing: "ok",
      billable: false,
      period: {
        start: "2026-01-01T00:00:00.000Z",
        end: "2026-02-01T00:00:00.000Z",
        boundary: "calendar_month",
      },
      activeUsers: 0,
      frequencyCapped: 0,
      estimatedSpendUsd: 0,
      spendCapUsd: null,
      projects: [{ id: project.projectId, name: "Project 0", activeUsers: 0, frequencyCapped: 0 }],
    });
  });

  it("is for the secret key only", async () => {
    const project = await loneProject(house);
    for (const client of [project.sdk, project.agent])
      assert.equal((await refusal(client.getUsage())).status, 403);
  });

  it("counts a user once per project, however often and in whatever way they were active", async () => {
    const [shop, blog] = await organization(house, 2);
    assert.ok(shop && blog);
    await active(shop, ["ada", "ben", "ada"]);
    await shop.sdk.identify({ body: { userId: "ada" } });
    await shop.sdk.identify({ body: { userId: "cleo" } });
    await active(blog, ["ada"]);
    await launchCampaign(shop);
    const [message] = await messagesOf(shop, "dora");
    assert.equal(await countOf(shop), 4, "who only asked for messages is not active");
    await feedback(shop, message?.deliveryId ?? "", "dora", "shown");
    const usage = await usageOf(shop);
    assert.deepEqual(
      usage.projects.map(({ id, name, activeUsers }) => [id, name, activeUsers]),
      [
        [shop.projectId, "Project 0", 4],
        [blog.projectId, "Project 1", 1],
      ],
    );
    assert.equal(usage.activeUsers, 5);
    assert.deepEqual(await usageOf(blog), usage);
    const [ada] = (await shop.api.listUsers({ query: { q: "ada" } })).users;
    await shop.api.eraseUser({ path: { id: ada?.id ?? "" } });
    assert.equal(await countOf(shop), 5, "erasing takes nobody out");
  });

  it("sees nothing of another organization, and starts anew with each month", async () => {
    const [mine, other] = [await loneProject(house), await loneProject(house)];
    await active(other, ["ada"]);
    assert.equal(await countOf(mine), 0);
    await active(mine, ["ada", "ben"]);
    house.at(day("2026-02-01") - 1);
    assert.equal(await countOf(mine), 2);
    house.advance(1);
    assert.equal(await countOf(mine), 0);
    await active(mine, ["ada"]);
    assert.equal(await countOf(mine), 1);
    assert.equal((await usageOf(mine)).period.start, "2026-02-01T00:00:00.000Z");
  });

  it("counts a user in every period in which a message was shown to them, also one that they knew", async () => {
    const project = await loneProject(house);
    await launchCampaign(project);
    house.at(day("2026-04-01") - 1);
    const [message] = await messagesOf(project, "ada");
    const report = (feedbackId: string, type: "shown" | "clicked") =>
      project.sdk.sendDeliveryFeedback({
        path: { id: message?.deliveryId ?? "" },
        body: { userId: "ada", type, feedbackId },
      });
    await report("first", "shown");
    house.advance(1);
    await report("first", "shown");
    assert.equal(await countOf(project), 0, "a repeat shows nothing anew");
    await report("click", "clicked");
    assert.equal(await countOf(project), 0, "a click is no impression");
    await report("second", "shown");
    await report("third", "shown");
    assert.equal(await countOf(project), 1);
    const { deliveries } = await project.api.listUserDeliveries({ path: { id: "ada" } });
    assert.deepEqual(
      deliveries.map(({ state }) => state),
      ["clicked"],
    );
    assert.deepEqual(await house.differences(), {});
  });

  it("counts whom campaign email was accepted for, and what the cap skipped", async () => {
    const project = await loneProject(house);
    const sender = await sendingProject(house, smtp.port, { "email.capMax": "1" });
    const { organizationId } = await house.database.kysely
      .selectFrom("projects")
      .select("organizationId")
      .where("id", "=", project.projectId)
      .executeTakeFirstOrThrow();
    await house.database.kysely
      .updateTable("projects")
      .set({ organizationId })
      .where("id", "=", sender.projectId)
      .execute();
    await people(sender, ["ada", "ben"]);
    house.at(day("2026-03-01"));
    await launchEmail(sender);
    await house.drain();
    await launchEmail(sender, { name: "Again" });
    await house.drain();
    const { projects, activeUsers, frequencyCapped } = await usageOf(project);
    assert.deepEqual([activeUsers, frequencyCapped], [2, 2]);
    const theirs = projects.find(({ id }) => id === sender.projectId);
    assert.deepEqual([projects.length, theirs?.activeUsers, theirs?.frequencyCapped], [2, 2, 2]);
  });

  it("prices what was used by the tiers that are set", async () => {
    const project = await loneProject(house);
    await active(project, ["a", "b", "c", "d", "e"]);
    await setSettings(house, project, TIERS);
    assert.equal((await usageOf(project)).estimatedSpendUsd, 0.1);
    await setSettings(house, project, { "org.priceTiers": "1 to 2, 0.5 to 4, 0.25", "org.spendCapUsd": "9" });
    const { estimatedSpendUsd, spendCapUsd } = await usageOf(project);
    assert.deepEqual([estimatedSpendUsd, spendCapUsd], [3.25, 9]);
    for (const [users, usd] of [
      [12_480, 229.76],
      [50_000, 680],
    ] as const) {
      const large = await loneProject(house);
      await setSettings(house, large, TIERS);
      await house.database.pool.query(
        `with made as (
           insert into users (lane, user_key, project_id, external_id, first_seen_at, last_seen_at)
           select get_byte(digest, 0) >> 2, encode(substring(digest from 1 for 16), 'hex')::uuid, $1::uuid, n, $2, $2
           from (
             select n, sha256(convert_to($1::text, 'UTF8') || '\\x00'::bytea || convert_to(n::text, 'UTF8')) as digest
             from generate_series(1, $3::int) n
           ) digests
           returning lane, user_key
         ), known as (
           insert into user_counts select $1::uuid, 'users', count(*) from made
         ), counted as (
           insert into active_users select lane, user_key, 202603, $1::uuid from made returning lane
         )
         insert into active_user_counts select lane, $1::uuid, 202603, count(*) from counted group by 1`,
        [large.projectId, house.now(), users],
      );
      const usage = await usageOf(large);
      assert.deepEqual([usage.activeUsers, usage.estimatedSpendUsd], [users, usd]);
    }
  });
});

describe("a subscription", () => {
  const SUBSCRIBED = {
    "org.billingStatus": "ok",
    "org.periodStart": "2026-04-10",
    "org.periodEnd": "2026-05-10",
  };
  const untilCounted = async (): Promise<void> => {
    await house.drain();
    house.advance(15_000);
    await house.drain();
  };

  it("has its own period, over the end of a month, and the next one follows by itself", async () => {
    house.at(day("2026-04-10"));
    const project = await loneProject(house);
    await setSettings(house, project, SUBSCRIBED);
    await active(project, ["ada"]);
    house.at(day("2026-05-09"));
    await active(project, ["ada", "ben"]);
    const usage = await usageOf(project);
    assert.equal(usage.activeUsers, 2);
    assert.equal(usage.billable, true);
    assert.deepEqual(usage.period, {
      start: "2026-04-10T00:00:00.000Z",
      end: "2026-05-10T00:00:00.000Z",
      boundary: "subscription",
    });
    house.at(day("2026-05-10"));
    assert.equal(await countOf(project), 0);
    await active(project, ["ben"]);
    await setSettings(house, project, { "org.periodStart": "2026-05-10", "org.periodEnd": "2026-06-10" });
    await untilCounted();
    assert.equal(await countOf(project), 1);
    assert.deepEqual(await house.differences(), {});
  });

  it("that is set after its period began counts who was active in it, and nobody else", async () => {
    const project = await loneProject(house);
    await launchCampaign(project);
    house.at(day("2026-04-05"));
    await active(project, ["before", "both", "shown", "again", "met"]);
    const [earlier] = await messagesOf(project, "shown");
    const [known] = await messagesOf(project, "again");
    await feedback(project, known?.deliveryId ?? "", "again", "shown");
    house.at(day("2026-04-12"));
    await active(project, ["both", "within", "erased"]);
    await messagesOf(project, "only-asked");
    await feedback(project, earlier?.deliveryId ?? "", "shown", "shown");
    await feedback(project, known?.deliveryId ?? "", "again", "shown");
    house.at(day("2026-04-20"));
    const [gone] = (await project.api.listUsers({ query: { q: "erased" } })).users;
    await project.api.eraseUser({ path: { id: gone?.id ?? "" } });
    assert.equal(await countOf(project), 7);
    await setSettings(house, project, SUBSCRIBED);
    assert.equal(await countOf(project), 0);
    // A process that has not read the new settings yet counts in the month.
    const late = await house.elsewhere(project);
    await active(late, ["late"]);
    await untilCounted();
    await active(project, ["after", "within"]);
    assert.equal(await countOf(project), 6, "both, within, shown, shown again, late and after");
    assert.deepEqual(await house.differences(), {});

    await setSettings(house, project, { "org.billingStatus": "none" });
    await untilCounted();
    assert.equal(await countOf(project), 9, "the month knows again who came in it");
    assert.deepEqual(await house.differences(), {});
  });

  it("that cannot be caught up with keeps no other one waiting", async () => {
    house.at(day("2026-04-12"));
    const projects = [await loneProject(house), await loneProject(house)];
    for (const project of projects) {
      await active(project, ["ada"]);
      await setSettings(house, project, SUBSCRIBED);
    }
    const { pool } = house.database;
    await pool.query(`
      create sequence refusals;
      create function refuse() returns trigger language plpgsql as $$
        begin
          if nextval('refusals') = 1 then raise exception 'no room'; end if;
          return new;
        end $$;
      create trigger refuse before insert on usage_catch_ups for each row execute function refuse()`);
    await house.drain();
    house.advance(15_000);
    await house.drain().catch(() => undefined);
    const caughtUp = async (): Promise<number> =>
      (await Promise.all(projects.map(countOf))).reduce((a, b) => a + b);
    const { rows } = await pool.query(
      "select from usage_catch_ups where organization_id in (select organization_id from projects where id = any($1))",
      [projects.map(({ projectId }) => projectId)],
    );
    assert.equal(rows.length, 1, "one was refused, and the other one was not");
    await pool.query("drop trigger refuse on usage_catch_ups");
    await untilCounted();
    assert.equal(await caughtUp(), 2);
    assert.deepEqual(await house.differences(), {});
  });

  it("changes nothing for other organizations", async () => {
    const [mine, other] = [await loneProject(house), await loneProject(house)];
    await active(other, ["ada"]);
    await setSettings(house, mine, SUBSCRIBED);
    house.advance(BELIEVED_MS);
    await active(mine, ["ada"]);
    await untilCounted();
    assert.deepEqual([await countOf(mine), await countOf(other)], [1, 1]);
    assert.equal((await usageOf(other)).period.boundary, "calendar_month");
  });

  it("leaves no differences behind", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});

describe("push", () => {
  it("makes nobody active: not by being sent, not by arriving, not by a tap", async () => {
    const project = await pushes.sendingProject();
    const [ada, ben] = [await reachable(project, "ada"), await reachable(project, "ben")];
    // The provider never replies about Ben's push: the device's report proves that it left.
    pushes.apns.behave(({ token }) => (token === ben.token ? "reset" : null));
    const { id } = await launchPush(project);
    await pushes.house.drain();
    assert.equal((await inspect(project, id)).users.accepted, 1);
    for (const device of [ada, ben]) {
      const push = pushes.apns.requests.find(({ token }) => token === device.token)?.payload.tidings;
      assert.ok(push);
      await observerOf(project, device, push).tell(RECEIPT, TAP);
    }
    const { campaign } = await project.api.getCampaign({ path: { id } });
    assert.deepEqual([campaign.stats.sent, campaign.stats.clicked], [2, 2]);
    assert.equal(await countOf(project), 0);
    await observerOf(project, ada, undefined, { after: 2 }).tell({ kind: "event", event: "came_by" });
    assert.equal(await countOf(project), 1, "what the user does counts, whoever reports it");
    assert.deepEqual(await pushes.house.differences(), {});
  });
});

describe("a managed service", () => {
  const managed = testHouse({ mode: "managed" });
  it("has prices by itself", async () => {
    const project = await loneProject(managed);
    await active(project, ["ada", "ben"]);
    assert.equal((await usageOf(project)).estimatedSpendUsd, 0.04);
    await setSettings(managed, project, { "org.priceTiers": "0" });
    assert.equal((await usageOf(project)).estimatedSpendUsd, 0);
  });
});
