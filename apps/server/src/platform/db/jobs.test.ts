import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import { testHouse } from "../../../test/harness.ts";
import { drain, enqueue, job, startWorker } from "./jobs.ts";

const house = testHouse();

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

const queued = async (name: string): Promise<{ attempts: number; last_error: string | null }[]> =>
  (
    await house.database.pool.query<{ attempts: number; last_error: string | null }>(
      "select attempts, last_error from graphile_worker.jobs where task_identifier = $1",
      [name],
    )
  ).rows;

describe("a job", () => {
  it("runs once when its transaction has committed", async () => {
    const { declared, kept } = notes("once");
    await commit(declared, "a", "b");
    assert.deepEqual(kept, []);
    await drain(house.tidings.app, [declared]);
    await drain(house.tidings.app, [declared]);
    assert.deepEqual(kept.sort(), ["a", "b"]);
    assert.deepEqual(await queued("once"), []);
  });

  it("never runs when its transaction was rolled back", async () => {
    const { declared, kept } = notes("never");
    const failed = house.database.kysely.transaction().execute(async (tx) => {
      await enqueue(tx, declared, { word: "a" });
      throw new Error("changed my mind");
    });
    await assert.rejects(failed, /changed my mind/);
    await drain(house.tidings.app, [declared]);
    assert.deepEqual([kept, await queued("never")], [[], []]);
  });

  it("is not seen before its transaction commits", async () => {
    const { declared, kept } = notes("unseen");
    await house.database.kysely.transaction().execute(async (tx) => {
      await enqueue(tx, declared, { word: "a" });
      await drain(house.tidings.app, [declared]);
      assert.deepEqual(kept, []);
    });
    await drain(house.tidings.app, [declared]);
    assert.deepEqual(kept, ["a"]);
  });

  it("that fails is kept for later with its error, and holds up no other", async () => {
    const { declared, kept } = notes("fails", 1);
    const other = notes("other");
    await commit(declared, "a");
    await commit(other.declared, "b");
    await drain(house.tidings.app, [declared, other.declared]);
    assert.deepEqual([kept, other.kept], [[], ["b"]]);
    const [left] = await queued("fails");
    assert.deepEqual([left?.attempts, left?.last_error], [1, "not yet"]);
    await house.database.pool.query("update graphile_worker._private_jobs set run_at = now()");
    await drain(house.tidings.app, [declared]);
    assert.deepEqual([kept, await queued("fails")], [["a"], []]);
  });

  it("is given what its schema allows, and nothing else", async () => {
    const { declared, kept } = notes("typed");
    await house.database.pool.query("select graphile_worker.add_job('typed', '{\"word\": 5}')");
    await drain(house.tidings.app, [declared]);
    assert.deepEqual(kept, []);
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
    await drain(house.tidings.app, [timed]);
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
    const worker = await startWorker(house.tidings.app, [declared]);
    await commit(declared, "a");
    assert.equal(await finished, "a");
    await worker.stop();
    await commit(declared, "b");
    assert.equal((await queued("worked")).length, 1);
  });
});
