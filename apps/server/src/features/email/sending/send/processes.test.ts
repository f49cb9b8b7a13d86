import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { launchEmail, people, progressOf, sendingProject } from "../../../../../test/email.ts";
import { testHouse } from "../../../../../test/harness.ts";
import { type SmtpPeer, startSmtp } from "../../../../../test/peers/smtp.ts";
import { drainLoops } from "../../../../platform/loops/loops.ts";
import { removeProcess, writeHeartbeat } from "../../../../platform/loops/processes-store.ts";
import { newUuid } from "../../../../platform/uuid.ts";
import { readSenderSettings } from "../open-sender.ts";
import { planLoop } from "../plan/plan.ts";
import { beginSend, leaseSends } from "./lease.ts";
import { findLostAttemptsAcrossProjects } from "./outcome-store.ts";

// With a databaseUrl, this process does not count as the only one on its database: it leaves leases of other processes alone.
const house = testHouse({ databaseUrl: "postgres://elsewhere" });
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(() => smtp.close());

describe("two processes on one database", () => {
  it("share a campaign, and reach everyone once", async () => {
    const project = await sendingProject(house, smtp.port);
    const ids = Array.from({ length: 300 }, (_, i) => `user-${i}`);
    await people(project, ids);
    const { id } = await launchEmail(project);
    const second = await house.second();
    await Promise.all([house.drain(), second.drain(), house.drain(), second.drain()]);
    assert.equal(smtp.taken.length, 300);
    assert.equal(new Set(smtp.taken.map(({ to }) => to)).size, 300);
    assert.equal((await progressOf(project, id)).accepted, 300);
    assert.deepEqual(await house.differences(), {});
  });

  it("keep one cap between them", async () => {
    const project = await sendingProject(house, smtp.port, { "email.capMax": "1" });
    await people(project, ["ada"]);
    const campaigns = await Promise.all(
      Array.from({ length: 6 }, (_, i) => launchEmail(project, { name: `C${i}` })),
    );
    const second = await house.second();
    const first = smtp.taken.length;
    for (let i = 0; i < 3; i++) {
      await Promise.all([house.drain(), second.drain()]);
      house.advance(6_000);
    }
    assert.equal(smtp.taken.length, first + 1);
    const states = await Promise.all(campaigns.map(({ id }) => progressOf(project, id)));
    assert.equal(
      states.reduce((sum, state) => sum + state.frequencyCapped, 0),
      5,
    );
    assert.deepEqual(await house.differences(), {});
  });

  it("have leases for as long as they are among the workers, and begin nothing under those that were given up", async () => {
    const { app } = house.tidings;
    const { hotPool, kysely, pool } = house.database;
    // No loop runs here: messages that this test leases are not sent.
    const project = await sendingProject(house, smtp.port);
    await people(project, ["ada", "bob"]);
    const { id } = await launchEmail(project);
    await drainLoops(app, [planLoop]);
    const { rows } = await pool.query<{ id: string }>("select id from campaigns where project_id = $1", [
      project.projectId,
    ]);
    assert.ok(id && rows[0]);
    const [judge, worker] = [newUuid(Date.now()), newUuid(Date.now())];
    const listed = { leaseOwner: worker, serves: false, works: true, looksAfter: false };
    await writeHeartbeat(pool, listed, { evictAfterMs: null, serverForMs: 0, expectedAt: null });
    const settings = await readSenderSettings({ app, db: kysely, projectId: project.projectId }, "marketing");
    const terms = {
      purpose: "marketing" as const,
      projectId: project.projectId,
      leaseOwner: worker,
      settings,
    };
    const { leased } = await leaseSends(app, terms, rows[0].id);
    const [first, second] = leased;
    assert.ok(first && second);
    assert.equal((await beginSend(app, first, 1)).ordinal, 1);
    const leaseOwner = newUuid(Date.now());
    const lost = async (reapable: string | null) => {
      const reaping = {
        now: house.now(),
        reapable,
        leaseOwner,
        inFlight: [],
        isLeasing: false,
        busy: [],
        limit: 10,
      };
      return (await findLostAttemptsAcrossProjects(hotPool, reaping)).map(({ ordinal }) => ordinal);
    };
    assert.deepEqual(await lost(judge), []);
    await removeProcess(pool, worker);
    assert.deepEqual(await lost(null), [], "who has not been there for long judges nobody");
    assert.deepEqual(await lost(worker), [], "nobody judges itself");
    assert.deepEqual((await lost(judge)).sort(), [1, null], "what was begun, and what was not");
    await pool.query("update email_sends set status = 'waiting', lease_owner = null where user_key = $1", [
      second.userKey,
    ]);
    assert.equal((await beginSend(app, second, 1)).ordinal, null);
  });
});
