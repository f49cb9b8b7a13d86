import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import pg from "pg";
import { testHouse } from "../../../test/harness.ts";
import type { App } from "../runtime.ts";
import { HOUR_MS } from "../time/clock.ts";
import { newUuid } from "../uuid.ts";
import { aloneLoop } from "./alone-loop.ts";
import { drainLoops, type Loop, startLoops, wake } from "./loops.ts";
import { processes } from "./processes.ts";

// With a `databaseUrl`, as if the operator's own PostgreSQL were used: other processes are then evicted only when they are stale.
const house = testHouse({ databaseUrl: "postgres://elsewhere" });

const { signal } = new AbortController();
const look = (app: App, each: Loop): Promise<boolean> => each.turn(app, signal);
const query = <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []) =>
  house.database.pool.query<Row>(text, [...values]).then(({ rows }) => rows);

/** A loop that counts its turns and fails the given number of times. Each turn runs `body` as well. */
function counting(
  name: string,
  { failures = 0, everyMs = HOUR_MS, body = async (): Promise<void> => undefined } = {},
) {
  const counted = { begun: 0, done: 0 };
  let left = failures;
  const declared = aloneLoop({
    name,
    everyMs,
    async turn() {
      counted.begun++;
      await body();
      if (left-- > 0) throw new Error("not yet");
      counted.done++;
    },
  });
  return { declared, counted };
}

type Row = { lease_owner: string | null; failures: number; due_in: number };
const rowOf = async (name: string): Promise<Row | undefined> =>
  (
    await query<Row>(
      "select lease_owner, failures, extract(epoch from due_at - clock_timestamp())::float8 as due_in from loop_turns where name = $1",
      [name],
    )
  )[0];
/** Makes a loop's next turn due so many seconds ago. */
const dueAgo = (name: string, seconds: number) =>
  query("update loop_turns set due_at = clock_timestamp() - $2 * interval '1 s' where name = $1", [
    name,
    seconds,
  ]);
const leaseTo = (name: string, leaseOwner: string) =>
  query("update loop_turns set lease_owner = $2 where name = $1", [name, leaseOwner]);

async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const end = Date.now() + 60_000; !(await isSo()); ) {
    assert.ok(Date.now() < end, what);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

let one: App;
let two: App;

describe("a loop that processes take in turns", () => {
  before(async () => {
    one = house.tidings.app;
    two = (await house.second()).app;
    for (const app of [one, two]) await app.get(processes).startWorking();
  });
  after(async () => {
    for (const app of [one, two]) await app.get(processes).leave();
  });

  it("has one turn in a period, however many processes look and however often", async () => {
    const { declared, counted } = counting("period");
    for (let round = 0; round < 3; round++) await Promise.all([look(one, declared), look(two, declared)]);
    assert.deepEqual(counted, { begun: 1, done: 1 });
    const row = await rowOf("period");
    assert.deepEqual([row?.lease_owner, row?.failures], [null, 0]);
    assert.ok(row && row.due_in > 3_590 && row.due_in <= 3_600, `due in ${row?.due_in} s`);
  });

  it("that is overdue begins with the next look, once, and keeps its period from there", async () => {
    const { declared, counted } = counting("overdue");
    await query(
      "insert into loop_turns (name, due_at) values ('overdue', clock_timestamp() - interval '9 days')",
    );
    await Promise.all([look(one, declared), look(two, declared)]);
    assert.equal(counted.done, 1);
    assert.ok(((await rowOf("overdue"))?.due_in ?? 0) > 3_590);
  });

  it("goes on where it is due further ahead than a period, because the database's clock was ahead", async () => {
    const { declared, counted } = counting("ahead", { everyMs: 30_000 });
    await query(
      "insert into loop_turns (name, due_at) values ('ahead', clock_timestamp() + interval '1 day')",
    );
    await Promise.all([look(one, declared), look(two, declared)]);
    assert.equal(counted.done, 1);
    const dueIn = (await rowOf("ahead"))?.due_in ?? 0;
    assert.ok(dueIn > 20 && dueIn <= 30, `due in ${dueIn} s`);
  });

  it("rests for a period at most where the database's clock was set back during its turn", async () => {
    const { declared } = counting("set_back", {
      everyMs: 30_000,
      body: async () => void (await dueAgo("set_back", -86_400)),
    });
    await look(one, declared);
    const dueIn = (await rowOf("set_back"))?.due_in ?? 0;
    assert.ok(dueIn > 20 && dueIn <= 30, `due in ${dueIn} s`);
    assert.ok(typeof declared.restMs === "function" && declared.restMs(one) <= 30_000);
  });

  it("rests until it is due, also in the process that did not have the turn", async () => {
    const { declared } = counting("rests");
    await look(one, declared);
    await look(two, declared);
    assert.ok(typeof declared.restMs === "function");
    for (const app of [one, two]) {
      const restMs = declared.restMs(app);
      assert.ok(restMs > HOUR_MS - 10_000 && restMs <= HOUR_MS, `${restMs} ms`);
    }
  });

  it("that fails is tried again, later each time, until it succeeds", async () => {
    const { declared } = counting("fails", { failures: 2 });
    for (const [failures, atLeast] of [
      [1, 0],
      [2, 1],
    ] as const) {
      await assert.rejects(async () => declared.turn(one, signal, true), /not yet/);
      const row = await rowOf("fails");
      assert.deepEqual([row?.lease_owner, row?.failures], [null, failures]);
      const dueIn = row?.due_in ?? 0;
      assert.ok(dueIn <= atLeast + 1, `due in ${dueIn} s`);
      assert.ok(typeof declared.restMs === "function" && declared.restMs(one) <= (atLeast + 1) * 1_000);
    }
    await declared.turn(one, signal, true);
    const row = await rowOf("fails");
    assert.deepEqual([row?.lease_owner, row?.failures], [null, 0]);
    assert.ok((row?.due_in ?? 0) > 3_500, "it keeps its period again");
  });

  it("that fails comes round again by itself, and holds up no other", async () => {
    const { declared, counted } = counting("fails_once", { failures: 1 });
    const other = counting("other");
    const running = startLoops(one, [declared, other.declared]);
    try {
      await until(() => other.counted.done === 1, "the other one had its turn");
      await until(() => counted.done === 1, "it was tried again");
      assert.deepEqual([counted.begun, other.counted.begun], [2, 1]);
    } finally {
      await running.stop();
    }
  });

  it("that has failed for days is tried once a period", async () => {
    const { declared } = counting("hopeless", { failures: 1, everyMs: 60_000 });
    await query(
      "insert into loop_turns (name, due_at, failures) values ('hopeless', clock_timestamp(), 1000000)",
    );
    await assert.rejects(look(one, declared), /not yet/);
    const dueIn = (await rowOf("hopeless"))?.due_in ?? 0;
    assert.ok(dueIn > 50 && dueIn <= 60, `due in ${dueIn} s`);
  });

  it("leaves its turn to the process that has it, and takes over where that one is gone", async () => {
    const { declared, counted } = counting("taken_over");
    const other = newUuid(Date.now());
    await query(
      "insert into processes (lease_owner, serves, works, seen_at) values ($1, false, true, clock_timestamp())",
      [other],
    );
    await look(one, declared);
    await leaseTo("taken_over", other);
    await dueAgo("taken_over", 60);
    await look(two, declared);
    await drainLoops(one, [declared]);
    assert.equal(counted.done, 1, "not even where somebody asks for a turn");
    await query("delete from processes where lease_owner = $1", [other]);
    await query(
      "update loop_turns set due_at = clock_timestamp() + interval '1 h' where name = 'taken_over'",
    );
    assert.ok(typeof declared.restMs === "function" && declared.restMs(two) <= 5_000, "it looks again soon");
    await look(one, declared);
    assert.equal(counted.done, 2, "what was left is done before the period is over");
  });

  it("is taken up again by the process that could not write the end of its turn", async () => {
    const { declared, counted } = counting("unwritten");
    await query(
      "insert into loop_turns (name, due_at, lease_owner) values ('unwritten', clock_timestamp(), $1)",
      [one.get(processes).leaseOwner()],
    );
    await look(one, declared);
    assert.deepEqual([counted.done, (await rowOf("unwritten"))?.lease_owner], [1, null]);
  });

  it("stays due while the database cannot be asked, and where a turn failed together with it", async () => {
    const away = () => query("alter table loop_turns rename to away");
    const back = () => query("alter table away rename to loop_turns");
    const { declared, counted } = counting("away", { failures: 1, body: async () => void (await away()) });
    await assert.rejects(look(one, declared), /not yet/);
    assert.ok(typeof declared.restMs === "function" && declared.restMs(one) <= 0);
    await assert.rejects(look(one, declared), /does not exist/);
    await back();
    assert.ok((await rowOf("away"))?.lease_owner === one.get(processes).leaseOwner());
    await assert.rejects(look(one, declared), /does not exist/, "the end of the turn cannot be written");
    await back();
    assert.deepEqual(counted, { begun: 2, done: 1 });
    const woken = counting("away_woken");
    await look(one, woken.declared);
    await away();
    await assert.rejects(async () => woken.declared.turn(one, signal, true), /does not exist/);
    await back();
    await look(one, woken.declared);
    assert.equal(woken.counted.done, 2, "it does not wait for its time");
  });

  it("does not end the turn of another process that was begun meanwhile", async () => {
    const other = newUuid(Date.now());
    const { declared, counted } = counting("replaced", {
      body: async () => void (await leaseTo("replaced", other)),
    });
    await look(one, declared);
    assert.deepEqual([counted.done, (await rowOf("replaced"))?.lease_owner], [1, other]);
  });

  it("is woken before its time, and had once more where it is woken in the middle of a turn", async () => {
    let release = Promise.withResolvers<void>();
    const { declared, counted } = counting("woken", { body: () => release.promise });
    const running = startLoops(one, [declared]);
    try {
      await until(() => counted.begun === 1, "the first turn has begun");
      for (let i = 0; i < 5; i++) wake(one, declared);
      const first = release;
      release = Promise.withResolvers<void>();
      first.resolve();
      await until(() => counted.begun === 2, "the second turn has begun");
      release.resolve();
      await until(() => counted.done === 2, "the second turn has ended");
      wake(one, declared);
      await until(() => counted.done === 3, "one that rests is woken");
    } finally {
      await running.stop();
    }
    wake(one, declared);
    assert.equal(counted.begun, 3, "and none that has stopped");
  });

  it("finishes its turn when it is told to stop, and has no other", async () => {
    const release = Promise.withResolvers<void>();
    const { declared, counted } = counting("stopped", { everyMs: 1, body: () => release.promise });
    const running = startLoops(one, [declared]);
    await until(() => counted.begun === 1, "its turn has begun");
    const stopped = running.stop();
    release.resolve();
    await stopped;
    assert.deepEqual([counted, (await rowOf("stopped"))?.lease_owner], [{ begun: 1, done: 1 }, null]);
  });

  it("goes on after the connections were lost", async () => {
    const { declared, counted } = counting("after_loss", { everyMs: 20 });
    const running = startLoops(one, [declared]);
    try {
      await until(() => counted.done > 1, "it comes round");
      // On a connection of its own, since the pools are out of order here.
      const client = new pg.Client({ ...house.database.pool.options, options: "" } as pg.ClientConfig);
      await client.connect();
      await client.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
      );
      await client.end();
      const before = counted.done;
      await until(() => counted.done > before + 1, "it comes round again");
    } finally {
      await running.stop();
    }
  });
});
