import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { FIRST_OCCASION, userRef } from "../../src/domain/ids.ts";
import { linkSigner } from "../../src/features/email/sending/public.ts";
import { migrate, readMigrations } from "../../src/platform/db/migrate.ts";
import { messagesOf } from "../factories.ts";
import { ask, unboundClick } from "../mail.ts";
import { CROWD, differencesOf, id, oldDatabases, projectId, STAGES, SWEEPS, seen } from "./old-database.ts";

const { oldDatabase, served } = oldDatabases();

describe("an upgrade", () => {
  for (const from of Object.keys(STAGES))
    it(`from ${from} leaves a house in order, which opens with the old keys`, async () => {
      const { tidings, project } = await served(await oldDatabase(from));
      try {
        assert.deepEqual(await differencesOf(tidings), []);
        await project.api.listCampaigns();
        await project.sdk.track({ body: { userId: "new", event: "looked" } });
        await tidings.drain();
        assert.deepEqual(await differencesOf(tidings), []);
      } finally {
        await tidings.close();
      }
    });

  it("from the first migration on keeps all that came since, and counts what was not counted then", async () => {
    const { tidings, project } = await served(await oldDatabase("0024_recount_rollups.sql"));
    try {
      const { api } = project;
      assert.equal((await api.listUsers()).total, CROWD + 3);
      const { user } = await api.getUser({ path: { id: "ada" } });
      assert.deepEqual([user.traits, user.firstSeenAt], [{ plan: "pro", seats: 3, code: "a" }, seen("ada")]);
      assert.equal((await api.listEvents()).total, 6);
      const { campaigns } = await api.listCampaigns();
      const stats = Object.fromEntries(campaigns.map(({ name, stats: each }) => [name, each]));
      assert.deepEqual([stats.Hello?.shown, stats.Hello?.converted, stats.News?.sent], [1, 1, 1]);
      const { rows: sweeps } = await tidings.app.database.pool.query(
        "select campaign_id, sweeps, reevaluated_at, reevaluate_at, closed_at from campaign_sweeps order by sweeps",
      );
      assert.deepEqual(sweeps, SWEEPS);
      const token = tidings.app
        .get(linkSigner)
        .token({ ...userRef(projectId, "bob"), campaignId: id.mail, occasion: FIRST_OCCASION }, "link");
      const sent = { link: (part: string) => `${project.url}/e/${token}/${part}` };
      const followed = await ask(unboundClick(tidings.app, sent, "https://shop.example/news"));
      assert.deepEqual(
        [followed.status, followed.headers.get("location")],
        [302, "https://shop.example/news"],
        "a link in mail that was sent before goes on leading there",
      );
      const path = { id: `cmp_${id.campaign}` };
      assert.equal((await api.listCampaignDeliveries({ path, query: { state: "converted" } })).total, 1);
      const { totals } = await api.getCampaignConversions({ path, query: { event: "paid" } });
      assert.deepEqual([totals.exposedUsers, totals.convertedUsers], [1, 1]);
      assert.deepEqual(
        (await api.listGoals()).goals.map(({ name }) => name),
        ["Sales"],
      );
      assert.equal((await api.listAgentRuns()).total, 1);
      const { days } = await api.getMetrics({ query: { range: "30d" } });
      const sum = (key: "events" | "impressions" | "conversions") =>
        days.reduce((all, day) => all + day[key], 0);
      assert.deepEqual([sum("events"), sum("impressions"), sum("conversions")], [6, 1, 1]);
      const { capabilities } = await api.getAudienceCapabilities();
      const known = JSON.stringify(capabilities);
      for (const word of ["looked", "paid", "plan", "pro", "seats", "path"])
        assert.ok(known.includes(`"${word}"`), word);
      const wide = capabilities.events.find(({ name }) => name === "wide");
      assert.deepEqual([wide?.properties.length, known.includes("gone")], [50, false]);
      assert.ok(!known.includes("code 7"), "a trait with too many values is not listed by value");
      assert.deepEqual(await messagesOf(project, "ada"), [], "who converted is not served again");
      assert.equal((await messagesOf(project, "bob")).length, 1);
      assert.deepEqual(await differencesOf(tidings), []);
    } finally {
      await tidings.close();
    }
  });

  it("that is killed in the middle leaves the former state, and is done by the next one", async () => {
    const pool = await oldDatabase("0008_audience_facts.sql");
    const applied = async (): Promise<string[]> =>
      (await pool.query<{ name: string }>("select name from migrations order by name")).rows.map(
        ({ name }) => name,
      );
    const before = await applied();
    // The first statement of the next migration waits for this lock, inside its transaction.
    const holder = await pool.connect();
    await holder.query("begin; lock table migrations in share mode");
    const migrating = migrate(pool);
    const ended = assert.rejects(migrating);
    let pid: number | undefined;
    for (const end = Date.now() + 60_000; pid === undefined && Date.now() < end; await sleep(10)) {
      const { rows } = await pool.query<{ pid: number }>(
        "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like 'insert into migrations%'",
      );
      pid = rows[0]?.pid;
    }
    assert.ok(pid, "it waits in the middle of a migration");
    await holder.query("select pg_terminate_backend($1)", [pid]);
    await holder.query("commit");
    holder.release();
    await ended;
    assert.deepEqual(await applied(), before);
    const both = await Promise.all([migrate(pool), migrate(pool)]);
    const left = (await readMigrations()).map(({ name }) => name).filter((name) => !before.includes(name));
    assert.deepEqual(both.flat().sort(), left);
    const { tidings } = await served(pool);
    try {
      assert.deepEqual(await differencesOf(tidings), []);
    } finally {
      await tidings.close();
    }
  });
});
