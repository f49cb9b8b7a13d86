import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { testHouse } from "../../../test/harness.ts";
import { newUuid } from "../ids.ts";
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
});
