import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { THE_TEST, testHouse } from "../../../test/harness.ts";
import { newUuid } from "../uuid.ts";
import { processes, rolesThere } from "./processes.ts";
import { type Process, removeProcess, writeHeartbeat } from "./processes-store.ts";

const house = testHouse({ databaseUrl: "postgres://elsewhere" });
const STALE_MS = 15_000;

const newOwner = (): string => newUuid(Date.now());
const beat = async (
  process: Partial<Process> & { leaseOwner: string },
  evictAfterMs: number | null = STALE_MS,
  expectedAt: readonly [number, number] | null = null,
) => {
  const { evicted, otherServers } = await writeHeartbeat(
    house.database.pool,
    { serves: false, works: true, looksAfter: false, ...process },
    { evictAfterMs, serverForMs: 5_000, expectedAt },
  );
  return { evicted, otherServers };
};
const ageHeartbeat = (leaseOwner: string, seconds: number) =>
  house.database.pool.query(
    "update processes set seen_at = clock_timestamp() - $2 * interval '1 s' where lease_owner = $1",
    [leaseOwner, seconds],
  );
type Row = { owner: string; serves: boolean; works: boolean; looksAfter: boolean };
const listed = async ({ database } = house): Promise<Row[]> => {
  const { rows } = await database.pool.query<Row>(
    'select lease_owner as owner, serves, works, looks_after as "looksAfter" from processes',
  );
  return rows;
};
const owners = async (): Promise<string[]> => (await listed()).map(({ owner }) => owner).sort();

describe("the list of processes", () => {
  // Its heartbeat lies ahead, so the others take it for one that is gone.
  before(() => removeProcess(house.database.pool, THE_TEST));

  it("loses those that are stale to another one's heartbeat, and to their own never", async () => {
    const { pool } = house.database;
    const [own, stale, recent] = [newOwner(), newOwner(), newOwner()];
    for (const leaseOwner of [own, stale, recent]) await beat({ leaseOwner });
    for (const leaseOwner of [own, stale]) await ageHeartbeat(leaseOwner, 16);
    await ageHeartbeat(recent, 10);
    assert.equal((await beat({ leaseOwner: own }, null)).evicted, 0, "one that has just come evicts nobody");
    assert.equal((await beat({ leaseOwner: own })).evicted, 1);
    assert.deepEqual(await owners(), [own, recent].sort());
    await beat({ leaseOwner: stale });
    assert.equal((await beat({ leaseOwner: own })).evicted, 0, "one that is back is listed again");
    for (const leaseOwner of [own, stale, recent]) await removeProcess(pool, leaseOwner);
    assert.deepEqual(await listed(), []);
  });

  it("counts the other servers that wrote a heartbeat within five seconds", async () => {
    const { pool } = house.database;
    const [own, server, stale, worker] = [newOwner(), newOwner(), newOwner(), newOwner()];
    for (const leaseOwner of [server, stale]) await beat({ leaseOwner, serves: true, works: false });
    await beat({ leaseOwner: worker });
    await ageHeartbeat(server, 4);
    await ageHeartbeat(stale, 6);
    assert.deepEqual(await beat({ leaseOwner: own, serves: true }), { evicted: 0, otherServers: 1 });
    await beat({ leaseOwner: server, serves: false });
    assert.deepEqual(await beat({ leaseOwner: own, serves: true }), { evicted: 0, otherServers: 0 });
    for (const leaseOwner of [own, server, stale, worker]) await removeProcess(pool, leaseOwner);
  });

  it("loses those whose heartbeat lies ahead, which were there before the database's clock was set back", async () => {
    const { pool } = house.database;
    const [own, ahead, young] = [newOwner(), newOwner(), newOwner()];
    for (const leaseOwner of [ahead, young]) await beat({ leaseOwner });
    await ageHeartbeat(ahead, -16);
    await ageHeartbeat(young, -14);
    assert.equal((await beat({ leaseOwner: own })).evicted, 1);
    assert.deepEqual(await owners(), [own, young].sort());
    for (const leaseOwner of [own, young]) await removeProcess(pool, leaseOwner);
  });

  it("loses none to a heartbeat that finds the database's clock off its course", async () => {
    const { pool } = house.database;
    const [own, stale] = [newOwner(), newOwner()];
    await beat({ leaseOwner: stale });
    await ageHeartbeat(stale, 86_400);
    const now = Date.now();
    for (const off of [-86_400_000, 86_400_000])
      assert.equal(
        (await beat({ leaseOwner: own }, STALE_MS, [now + off - 5_000, now + off + 5_000])).evicted,
        0,
      );
    assert.equal((await beat({ leaseOwner: own }, STALE_MS, [now - 60_000, now + 60_000])).evicted, 1);
    await removeProcess(pool, own);
  });

  it("is not waited for: a stale process whose row somebody has locked is evicted later", async () => {
    const { pool } = house.database;
    const [own, stale] = [newOwner(), newOwner()];
    await beat({ leaseOwner: stale });
    await ageHeartbeat(stale, 16);
    const client = await pool.connect();
    try {
      await client.query("begin");
      await client.query("select from processes where lease_owner = $1 for update", [stale]);
      assert.equal((await beat({ leaseOwner: own })).evicted, 0);
      await client.query("commit");
    } finally {
      client.release();
    }
    assert.equal((await beat({ leaseOwner: own })).evicted, 1);
    await removeProcess(pool, own);
  });
});

describe("a process", () => {
  it("has one row for all that it does, for as long as it does any of it", async () => {
    const own = house.tidings.app.get(processes);
    const reported: number[] = [];
    const rowOf = async () =>
      (await listed()).map(({ serves, works, looksAfter }) => [serves, works, looksAfter]);
    await own.startWorking();
    assert.deepEqual(await listed(), [
      { owner: own.leaseOwner(), serves: false, works: true, looksAfter: false },
    ]);
    await own.startServing((others) => reported.push(others));
    assert.deepEqual([await rowOf(), reported[0]], [[[true, true, false]], 0]);
    await own.startLookingAfter();
    await own.stopServing();
    assert.deepEqual(await rowOf(), [[false, true, true]]);
    await own.stopLookingAfter();
    assert.deepEqual(await rowOf(), [[false, true, false]]);
    await own.leave();
    assert.deepEqual(await listed(), []);
  });

  it("that does nothing but look after campaigns is on the list, and off it when it ends", async () => {
    const only = (await house.second()).app.get(processes);
    await only.startLookingAfter();
    assert.deepEqual(await listed(), [
      { owner: only.leaseOwner(), serves: false, works: false, looksAfter: true },
    ]);
    assert.deepEqual(await rolesThere(house.database.kysely), { worker: false, agent: true });
    await only.stopLookingAfter();
    assert.deepEqual(await listed(), []);
    assert.deepEqual(await rolesThere(house.database.kysely), { worker: false, agent: false });
  });

  it("that has just come leaves the leases and rows of others alone, however long they were stale", async () => {
    const own = house.tidings.app.get(processes);
    const stale = newOwner();
    await beat({ leaseOwner: stale });
    await ageHeartbeat(stale, 60);
    await own.startWorking();
    assert.equal(own.reapable(), null);
    assert.deepEqual([own.ownsLease(own.leaseOwner()), own.ownsLease(stale)], [true, false]);
    assert.deepEqual(await owners(), [own.leaseOwner(), stale].sort());
    await own.leave();
    await removeProcess(house.database.pool, stale);
  });
});

describe("the process of an embedded database", () => {
  const alone = testHouse();

  it("takes all others for gone at its start, whatever their clock was, and may reap their leases", async () => {
    const { tidings, database } = alone;
    const other = newOwner();
    await writeHeartbeat(
      database.pool,
      { leaseOwner: other, serves: false, works: true, looksAfter: false },
      { evictAfterMs: null, serverForMs: 0, expectedAt: null },
    );
    // The one that stands for the test has a heartbeat that lies a day ahead.
    assert.equal((await listed(alone)).length, 2);
    const own = tidings.app.get(processes);
    await own.startWorking();
    assert.deepEqual(await listed(alone), [
      { owner: own.leaseOwner(), serves: false, works: true, looksAfter: false },
    ]);
    assert.equal(own.reapable(), own.leaseOwner());
    await own.leave();
  });
});
