import assert from "node:assert/strict";
import { afterEach, before, describe, it } from "node:test";
import { testHouse } from "../../../../test/harness.ts";
import { Overloaded } from "../bounded-pool.ts";
import { sqlState } from "../db.ts";
import { type BatchOptions, createBatch } from "./batch.ts";

const house = testHouse();

type Row = { key: string; amount: number };
type Written = { statements: string[][]; most: number };

/** A group commit into a real table that refuses negative amounts; records the rows of each statement. */
function accounts(options: Partial<BatchOptions<Row, number>> = {}) {
  const written: Written = { statements: [], most: 0 };
  let flying = 0;
  const batch = createBatch<Row, number>({
    laneOf: () => 0,
    async run(rows) {
      written.statements.push(rows.map((row) => row.key));
      written.most = Math.max(written.most, ++flying);
      try {
        const found = await house.database.hotPool.query<{ balance: number }>(
          `with input as (select * from unnest($1::text[], $2::int8[]) with ordinality as t (key, amount, ord)),
           changed as (
             insert into accounts as a select key, amount from input
             on conflict (key) do update set balance = a.balance + excluded.balance returning key, balance
           )
           select c.balance from input i join changed c using (key) order by i.ord`,
          [rows.map((row) => row.key), rows.map((row) => row.amount)],
        );
        return found.rows.map((row) => row.balance);
      } finally {
        flying--;
      }
    },
    ...options,
  });
  return { batch, written };
}

let series = 0;
/** Keys that no other test uses. */
const fresh = (count: number): string[] => {
  const name = `series${series++}`;
  return Array.from({ length: count }, (_, index) => `${name} ${index}`);
};

const balanceOf = async (key: string): Promise<number | null> => {
  const found = await house.database.pool.query<{ balance: number }>(
    "select balance from accounts where key = $1",
    [key],
  );
  return found.rows[0]?.balance ?? null;
};

describe("createBatch", () => {
  before(() =>
    house.database.pool.query(
      "create table accounts (key text primary key, balance int8 check (balance >= 0))",
    ),
  );

  it("answers each row with its own result, in order", async () => {
    const { batch } = accounts();
    const results = await Promise.all(fresh(1_234).map((key, amount) => batch.add({ key, amount })));
    assert.deepEqual(
      results,
      results.map((_, index) => index),
    );
  });

  it("writes what comes in one turn of the event loop together, at most 500 rows in a statement", async () => {
    const { batch, written } = accounts();
    await Promise.all(fresh(1_202).map((key) => batch.add({ key, amount: 1 })));
    assert.deepEqual(
      written.statements.map((keys) => keys.length),
      [500, 500, 202],
    );
    assert.equal(written.most, 1);
  });

  it("never has rows of one lane in two statements in flight", async () => {
    const flying = new Set<number>();
    let most = 0;
    const batch = createBatch<number, number>({
      laneOf: (lane) => lane,
      async run(lanes) {
        const mine = new Set(lanes);
        for (const lane of mine) assert.ok(!flying.has(lane), `lane ${lane}`);
        for (const lane of mine) flying.add(lane);
        most = Math.max(most, flying.size);
        await house.database.hotPool.query("select 1");
        for (const lane of mine) flying.delete(lane);
        return lanes;
      },
    });
    const lanes = Array.from({ length: 400 }, (_, index) => index % 64);
    assert.deepEqual(await Promise.all(lanes.map((lane) => batch.add(lane))), lanes);
    assert.ok(most > 1);
  });

  it("a row that is refused does not fail its neighbours", async () => {
    const { batch } = accounts();
    const keys = fresh(60);
    const poisoned = new Set([0, 1, 30, 58, 59]);
    const outcomes = await Promise.allSettled(
      keys.map((key, index) => batch.add({ key, amount: poisoned.has(index) ? -1 : index })),
    );
    for (const [index, key] of keys.entries()) {
      const outcome = outcomes[index];
      assert.ok(outcome);
      if (poisoned.has(index)) {
        assert.ok(outcome.status === "rejected" && sqlState(outcome.reason) === "23514");
        assert.equal(await balanceOf(key), null);
      } else {
        assert.deepEqual(outcome, { status: "fulfilled", value: index });
        assert.equal(await balanceOf(key), index);
      }
    }
    assert.equal(await batch.add({ key: fresh(1).join(), amount: 7 }), 7);
  });

  it("rows of one key never share a statement, and are applied in order", async () => {
    const { batch, written } = accounts({ keyOf: (row) => row.key });
    const [one = "", two = ""] = fresh(2);
    const results = await Promise.all(
      [one, one, two, one, two].map((key, index) => batch.add({ key, amount: 10 ** index })),
    );
    assert.deepEqual(results, [1, 11, 100, 1_011, 10_100]);
    for (const keys of written.statements) assert.equal(new Set(keys).size, keys.length);
  });

  it("keys are held apart across many rows and statements", async () => {
    const { batch, written } = accounts({ keyOf: (row) => row.key });
    const keys = fresh(700);
    await Promise.all([...keys, ...keys, ...keys.slice(0, 50)].map((key) => batch.add({ key, amount: 1 })));
    for (const statement of written.statements) {
      assert.ok(statement.length <= 500);
      assert.equal(new Set(statement).size, statement.length);
    }
    assert.deepEqual(await Promise.all([0, 49, 50].map((at) => balanceOf(keys[at] ?? ""))), [3, 3, 2]);
  });

  it("tries a deadlocked statement again, and gives up in the end", async () => {
    const meet = (times: number) => {
      let tries = 0;
      const batch = createBatch<null, number>({
        laneOf: () => 0,
        async run(rows) {
          if (++tries <= times)
            await house.database.hotPool.query(
              "do $$ begin raise exception 'met' using errcode = '40P01'; end $$",
            );
          return rows.map(() => tries);
        },
      });
      return batch.add(null);
    };
    assert.equal(await meet(4), 5);
    await assert.rejects(meet(1_000), (error) => sqlState(error) === "40P01");
  });

  it("does not write again what a lost connection may have written", async () => {
    let runs = 0;
    const batch = createBatch<number, number>({
      laneOf: () => 0,
      async run(rows) {
        runs++;
        if (rows.length > 1)
          await house.database.hotPool.query("select pg_terminate_backend(pg_backend_pid())");
        return rows;
      },
    });
    const outcomes = await Promise.allSettled([1, 2, 3].map((row) => batch.add(row)));
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ["rejected", "rejected", "rejected"],
    );
    assert.equal(runs, 1);
    assert.equal(await batch.add(4), 4);
  });

  const releases: (() => Promise<void>)[] = [];
  // A test that failed must not keep its connection.
  afterEach(async () => {
    for (const release of releases.splice(0)) await release();
  });
  /** Locks a row until `release` is called, as another transaction does. */
  async function lockRow(key: string): Promise<{ release(): Promise<void> }> {
    const holder = await house.database.pool.connect();
    let isLocked = true;
    const release = async (): Promise<void> => {
      if (!isLocked) return;
      isLocked = false;
      await holder.query("rollback");
      holder.release();
    };
    releases.push(release);
    await holder.query("begin");
    await holder.query("select from accounts where key = $1 for update", [key]);
    return { release };
  }

  it("writes everybody else's rows while one waits for a lock, and that one once it is free", async () => {
    const { batch, written } = accounts({ keyOf: (row) => row.key });
    const keys = fresh(64);
    const [locked = ""] = keys;
    await Promise.all(keys.map((key) => batch.add({ key, amount: 1 })));
    const lock = await lockRow(locked);
    written.statements.length = 0;
    let isAnswered = false;
    const waiting = Promise.all([10, 100].map((amount) => batch.add({ key: locked, amount }))).finally(() => {
      isAnswered = true;
    });
    const others = keys.slice(1);
    assert.deepEqual(
      await Promise.all(others.map((key) => batch.add({ key, amount: 1 }))),
      others.map(() => 2),
    );
    // The statement's rows are halved until the locked one is found, and not tried one by one.
    assert.ok(written.statements.length < 30, `${written.statements.length} statements`);
    // A row that comes later does not wait at all.
    assert.equal(await batch.add({ key: others[0] ?? "", amount: 1 }), 3);
    assert.deepEqual([isAnswered, batch.queued], [false, 2]);
    await lock.release();
    assert.deepEqual(await waiting, [11, 111]);
    await batch.idle();
    assert.equal(batch.queued, 0);
  });

  it("keeps the order of a user's rows while the first of them waits", async () => {
    const { batch } = accounts({ keyOf: (row) => `${row.key} ${row.amount}`, userOf: (row) => row.key });
    const [locked = "", other = ""] = fresh(2);
    await batch.add({ key: locked, amount: 0 });
    const lock = await lockRow(locked);
    const first = batch.add({ key: locked, amount: 1 });
    assert.equal(await batch.add({ key: other, amount: 5 }), 5);
    const later = [10, 100].map((amount) => batch.add({ key: locked, amount }));
    assert.equal(await batch.add({ key: other, amount: 6 }), 11);
    await lock.release();
    assert.equal(await first, 1);
    await Promise.all(later);
    assert.equal(await balanceOf(locked), 111);
  });

  it("refuses a row that waits for too long, and what queued behind it has its own time", async () => {
    const { batch } = accounts({ keyOf: (row) => row.key, patienceMs: 300 });
    const [locked = "", other = ""] = fresh(2);
    await batch.add({ key: locked, amount: 0 });
    const lock = await lockRow(locked);
    await assert.rejects(batch.add({ key: locked, amount: 1 }), (error) => sqlState(error) === "55P03");
    assert.equal(await batch.add({ key: other, amount: 1 }), 1);
    await lock.release();
    assert.equal(await batch.add({ key: locked, amount: 2 }), 2);
    await batch.idle();
  });

  it("a row that is refused does not fail those that were parked with it", async () => {
    const { batch } = accounts({ keyOf: (row) => row.key });
    const [locked = "", ...others] = fresh(9);
    await batch.add({ key: locked, amount: 0 });
    const lock = await lockRow(locked);
    const waiting = batch.add({ key: locked, amount: 1 });
    const outcomes = await Promise.allSettled(
      others.map((key, index) => batch.add({ key, amount: index === 3 ? -1 : 1 })),
    );
    assert.deepEqual(
      outcomes.map(({ status }) => status === "fulfilled"),
      others.map((_, index) => index !== 3),
    );
    await lock.release();
    assert.equal(await waiting, 1);
  });

  it("says when nothing is queued and nothing is in flight", async () => {
    const { batch } = accounts({ laneOf: (row) => row.amount });
    await batch.idle();
    let answered = 0;
    for (const [index, key] of fresh(900).entries()) {
      void batch.add({ key, amount: index % 2 }).then(() => answered++);
    }
    assert.equal(batch.queued, 900);
    await batch.idle();
    assert.deepEqual([answered, batch.queued], [900, 0]);
    await batch.idle();
  });

  it("refuses at once what comes when its queue is full, and takes rows again later", async () => {
    let length = () => 0;
    const queue = {
      name: "accounts",
      mostRows: 40,
      watch(read: () => number) {
        length = read;
      },
    };
    const { batch } = accounts({ queue });
    const outcomes = await Promise.allSettled(
      fresh(60).map((key) => {
        const added = batch.add({ key, amount: 1 });
        assert.ok(length() <= 40);
        return added;
      }),
    );
    const refused = outcomes.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
    assert.ok(refused.length >= 20 && refused.length < 60);
    for (const error of refused) assert.ok(error instanceof Overloaded);
    assert.equal(length(), 0);
    assert.equal(await batch.add({ key: fresh(1).join(), amount: 7 }), 7);
  });

  it("is idle after a failure too", async () => {
    const { batch } = accounts();
    const failed = batch.add({ key: fresh(1).join(), amount: -1 }).catch(sqlState);
    await batch.idle();
    assert.equal(await failed, "23514");
  });
});
