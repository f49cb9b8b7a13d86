import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import { testHouse } from "../../../test/harness.ts";
import { newUuid } from "../ids.ts";
import { enqueue, job } from "./jobs.ts";
import { noteWorker, removeWorker, strikeOffWorkers } from "./workers.ts";

const house = testHouse({ databaseUrl: "postgres://elsewhere" });
const SILENT_MS = 15_000;

const newFence = (): string => newUuid(Date.now());
const silence = (fence: string, seconds: number) =>
  house.database.pool.query(
    "update workers set seen_at = clock_timestamp() - $2 * interval '1 s' where fence = $1",
    [fence, seconds],
  );
const listed = async (): Promise<string[]> =>
  (await house.database.pool.query<{ fence: string }>("select fence from workers")).rows.map(
    ({ fence }) => fence,
  );

describe("processes that work", () => {
  it("are struck off by another one when they are silent, and by themselves never", async () => {
    const [own, silent, talking] = [newFence(), newFence(), newFence()];
    const { pool } = house.database;
    for (const fence of [own, silent, talking]) await noteWorker(pool, { fence, jobPools: [] });
    for (const fence of [own, silent]) await silence(fence, 16);
    await silence(talking, 10);
    assert.equal(await strikeOffWorkers(pool, own, SILENT_MS), 1);
    assert.deepEqual((await listed()).sort(), [own, talking].sort());
    // Said again, it is there again.
    await noteWorker(pool, { fence: silent, jobPools: [] });
    assert.equal(await strikeOffWorkers(pool, own, SILENT_MS), 0);
    for (const fence of [own, silent, talking]) await removeWorker(pool, fence);
    assert.deepEqual(await listed(), []);
  });

  it("leave the jobs they held to the others, and those keep theirs", async () => {
    const { kysely, pool } = house.database;
    const declared = job({
      name: "held",
      payload: z.object({ by: z.string() }),
      handle: async () => undefined,
    });
    const [own, silent] = [newFence(), newFence()];
    for (const [fence, by] of [
      [own, "pool-own"],
      [silent, "pool-silent"],
    ] as const) {
      await enqueue(kysely, declared, { by });
      await noteWorker(pool, { fence, jobPools: ["pool-before", by] });
      await pool.query(
        "update graphile_worker._private_jobs set locked_at = now(), locked_by = $1 where payload->>'by' = $1",
        [by],
      );
    }
    await silence(silent, 16);
    assert.equal(await strikeOffWorkers(pool, own, SILENT_MS), 1);
    const { rows } = await pool.query<{ locked_by: string }>(
      "select locked_by from graphile_worker._private_jobs where locked_by is not null",
    );
    assert.deepEqual(rows, [{ locked_by: "pool-own" }]);
    await removeWorker(pool, own);
  });
});
