import assert from "node:assert/strict";
import { describe, it } from "node:test";
import pg from "pg";
import { z } from "zod";
import { testHouse } from "../../../test/harness.ts";
import { drain as drainJobs, enqueue, type Job, job, startWorker as startJobs } from "./jobs.ts";

const house = testHouse();

const drain = (...jobs: readonly Job[]): Promise<void> => drainJobs(house.tidings.app, jobs);

type Note = { word: string };

/** A job that keeps what it was given, and fails as often as it is told to. */
function notes(name: string, failures = 0) {
  const kept: string[] = [];
  let left = failures;
  const declared = job<Note>({
    name,
    payload: z.object({ word: z.string() }),
    async handle(_app, { word }) {
      if (left-- > 0) throw new Error("not yet");
      kept.push(word);
    },
  });
  return { declared, kept };
}

const commit = (declared: ReturnType<typeof notes>["declared"], ...words: string[]): Promise<void> =>
  house.database.kysely.transaction().execute(async (tx) => {
    for (const word of words) await enqueue(tx, declared, { word });
  });

type Queued = { attempts: number; last_error: string | null; locked_at: Date | null };

const queued = async (name: string): Promise<Queued[]> =>
  (
    await house.database.pool.query<Queued>(
      "select attempts, last_error, locked_at from graphile_worker.jobs where task_identifier = $1",
      [name],
    )
  ).rows;

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 15_000; !(await holds()); ) {
    assert.ok(Date.now() < end, "what was waited for did not come");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** The worker notes what became of a job shortly after it has worked it. */
async function untilLeft(name: string, count: number): Promise<void> {
  for (const end = Date.now() + 5_000; Date.now() < end; ) {
    const left = (await queued(name)).filter(({ locked_at }) => locked_at === null);
    if (left.length === count && (await queued(name)).length === count) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.deepEqual((await queued(name)).length, count);
}

/** Runs a statement on a connection of its own, past the pools. */
async function asAnother(statement: string): Promise<void> {
  const client = new pg.Client({ ...house.database.pool.options, options: "" } as pg.ClientConfig);
  await client.connect();
  await client.query(statement);
  await client.end();
}

describe("a job", () => {
  it("runs once when its transaction has committed", async () => {
    const { declared, kept } = notes("once");
    await commit(declared, "a", "b");
    assert.deepEqual(kept, []);
    await drain(declared);
    await drain(declared);
    assert.deepEqual(kept.sort(), ["a", "b"]);
    await untilLeft("once", 0);
    await drain(declared);
    assert.deepEqual(kept.sort(), ["a", "b"]);
  });

  it("never runs when its transaction was rolled back", async () => {
    const { declared, kept } = notes("never");
    const failed = house.database.kysely.transaction().execute(async (tx) => {
      await enqueue(tx, declared, { word: "a" });
      throw new Error("changed my mind");
    });
    await assert.rejects(failed, /changed my mind/);
    await drain(declared);
    assert.deepEqual([kept, await queued("never")], [[], []]);
  });

  it("is not seen before its transaction commits", async () => {
    const { declared, kept } = notes("unseen");
    // The queue makes a row of a name it meets for the first time, and others wait for that row.
    await drain(declared);
    await house.database.kysely.transaction().execute(async (tx) => {
      await enqueue(tx, declared, { word: "a" });
      await drain(declared);
      assert.deepEqual(kept, []);
    });
    await drain(declared);
    assert.deepEqual(kept, ["a"]);
  });

  it("that fails is kept for later with its error, and holds up no other", async () => {
    const { declared, kept } = notes("fails", 1);
    const other = notes("other");
    await commit(declared, "a");
    await commit(other.declared, "b");
    await drain(declared, other.declared);
    assert.deepEqual([kept, other.kept], [[], ["b"]]);
    await untilLeft("fails", 1);
    const [left] = await queued("fails");
    assert.deepEqual([left?.attempts, left?.last_error], [1, "not yet"]);
    await house.database.pool.query("update graphile_worker._private_jobs set run_at = now()");
    await drain(declared);
    assert.deepEqual(kept, ["a"]);
    await untilLeft("fails", 0);
  });

  it("is given what its schema allows, and nothing else", async () => {
    const { declared, kept } = notes("typed");
    await house.database.pool.query("select graphile_worker.add_job('typed', '{\"word\": 5}')");
    await drain(declared);
    assert.deepEqual(kept, []);
    await untilLeft("typed", 1);
    assert.match((await queued("typed"))[0]?.last_error ?? "", /expected string/);
  });

  it("that comes round by a timer is given nothing", async () => {
    let seen: unknown;
    const timed = job({
      name: "timed",
      payload: z.strictObject({}),
      cron: "17 * * * *",
      handle: async (_app, payload) => {
        seen = payload;
      },
    });
    await house.database.pool.query(
      'select graphile_worker.add_job(\'timed\', \'{"_cron": {"ts": "now"}}\')',
    );
    await drain(timed);
    assert.deepEqual(seen, {});
  });

  it("is worked by a running worker, which stops when it is told", async () => {
    let finish = (_word: string): void => undefined;
    const finished = new Promise<string>((resolve) => {
      finish = resolve;
    });
    const declared = job<Note>({
      name: "worked",
      payload: z.object({ word: z.string() }),
      handle: async (_app, { word }) => finish(word),
    });
    const worker = await startJobs(house.tidings.app, [declared]);
    await commit(declared, "a");
    assert.equal(await finished, "a");
    await untilLeft("worked", 0);
    await worker.stop();
    await commit(declared, "b");
    await untilLeft("worked", 1);
  });
});

describe("a worker", () => {
  it("goes on after its connections were lost, and takes up the jobs that were held", async () => {
    const { declared, kept } = notes("after_loss");
    const { app } = house.tidings;
    const worker = await startJobs(app, [declared]);
    try {
      await commit(declared, "before");
      await until(() => kept.includes("before"));
      await asAnother(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
      );
      await until(() =>
        commit(declared, "after").then(
          () => true,
          () => false,
        ),
      );
      await until(() => kept.includes("after"));
      await untilLeft("after_loss", 0);
    } finally {
      await worker.stop();
    }
  });

  it("frees the jobs of one that was killed while it held them", async () => {
    const { declared, kept } = notes("abandoned");
    await commit(declared, "a");
    await house.database.pool.query(
      "update graphile_worker._private_jobs set locked_at = now(), locked_by = 'worker-that-died' where payload->>'word' = 'a'",
    );
    const worker = await startJobs(house.tidings.app, [declared]);
    try {
      await until(() => kept.includes("a"));
    } finally {
      await worker.stop();
    }
  });
});
