import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Answer } from "@tidings/client";
import { uploadFile } from "../../../../test/bringing.ts";
import { type TestProject, testHouse } from "../../../../test/harness.ts";
import type { Tidings } from "../../../app.ts";
import { processes } from "../../../platform/loops/processes.ts";
import { removeProcess } from "../../../platform/loops/processes-store.ts";
import { readImport } from "./import-loop.ts";

// With a databaseUrl, this process does not count as the only one on its database: it leaves leases of other processes alone.
const house = testHouse({ databaseUrl: "postgres://elsewhere" });
let [first, second]: Tidings[] = [];

const both = (): [Tidings, Tidings] => {
  assert.ok(first && second);
  return [first, second];
};

/** Lines of three pieces. */
const LINES = 12_000;
const ENDLESS = new AbortController().signal;

type Import = Answer<"getImport">["import"];
type Started = { project: TestProject; id: string; uuid: string };

/** A file of users that is started. */
async function started(): Promise<Started> {
  const project = await house.project();
  const { api } = project;
  const lines = Array.from({ length: LINES }, (_, n) => `user-${n},plan-${n % 5}`);
  const id = await uploadFile(project, `id,plan\n${lines.join("\n")}\n`, { kind: "users" });
  await api.startImport({ path: { id }, body: {} });
  return { project, id, uuid: id.slice(id.indexOf("_") + 1) };
}

const read = async ({ project, id }: Started): Promise<Import> =>
  (await project.api.getImport({ path: { id } })).import;

/** Each line was written once: nothing was known already. */
async function assertBrought(file: Started): Promise<void> {
  const { state, lines, written, known } = await read(file);
  assert.deepEqual([state, lines, written, known], ["done", LINES, LINES, 0]);
  const { rows } = await house.database.pool.query<{ users: number }>(
    "select count(*)::int as users from users where project_id = $1",
    [file.project.projectId],
  );
  assert.equal(rows[0]?.users, LINES);
  assert.deepEqual(await house.differences(file.project.projectId), {});
}

const ownerOf = async ({ uuid }: Started): Promise<string | null> =>
  (
    await house.database.pool.query<{ owner: string | null }>(
      "select lease_owner as owner from imports where id = $1",
      [uuid],
    )
  ).rows[0]?.owner ?? null;

/** Reads the first piece of a file in a process, which then gives it back as one that is stopped does. */
async function readOnePiece({ app }: Tidings, { project, uuid }: Started): Promise<void> {
  const stop = new AbortController();
  stop.abort();
  assert.equal(await readImport(app, project.projectId, uuid, stop.signal), true);
}

describe("two processes on one database", () => {
  before(async () => {
    first = house.tidings;
    second = await house.second();
    for (const { app } of [first, second]) await app.get(processes).startWorking();
  });
  after(async () => {
    for (const each of [first, second]) await each?.app.get(processes).leave();
  });

  it("read each file in one of them, and every line once", async () => {
    const [one, other] = both();
    const files = [await started(), await started()];
    await Promise.all([one.drain(), other.drain(), one.drain(), other.drain()]);
    for (const file of files) await assertBrought(file);
  });

  it("leave a file alone that another one reads", async () => {
    const [one, other] = both();
    const file = await started();
    const { project, uuid } = file;
    const reading = readImport(one.app, project.projectId, uuid, ENDLESS);
    while ((await ownerOf(file)) === null) await new Promise(setImmediate);
    assert.equal(await readImport(other.app, project.projectId, uuid, ENDLESS), false);
    assert.equal(await ownerOf(file), one.app.get(processes).leaseOwner());
    await other.drain();
    assert.equal(await reading, true);
    await assertBrought(file);
  });

  it("go on with a file where the other one stopped", async () => {
    const [one, other] = both();
    const file = await started();
    await readOnePiece(one, file);
    const { state, lines } = await read(file);
    assert.ok(state === "running" && lines > 0 && lines < LINES, `${state}, ${lines} lines`);
    await other.drain();
    await assertBrought(file);
  });

  it("go on with a file once the one that reads it is not on the list any more", async () => {
    const [one, other] = both();
    const file = await started();
    await readOnePiece(one, file);
    const { pool } = house.database;
    const gone = "01900000-0000-7000-8000-00000000dead";
    await pool.query(
      "insert into processes (lease_owner, serves, works, seen_at) values ($1, false, true, clock_timestamp())",
      [gone],
    );
    await pool.query("update imports set lease_owner = $2 where id = $1", [file.uuid, gone]);
    await one.drain();
    await other.drain();
    const { state, lines } = await read(file);
    assert.ok(state === "running" && lines < LINES, `${state}, ${lines} lines`);
    await removeProcess(pool, gone);
    await other.drain();
    await assertBrought(file);
  });

  it("take back a piece of one that was taken for gone, which another one brings in", async () => {
    const [one, other] = both();
    const file = await started();
    const { project, uuid } = file;
    const { pool } = house.database;
    const client = await pool.connect();
    try {
      // A lock on a row of the piece makes the first one wait in the middle of it.
      await project.sdk.identify({ body: { userId: "user-7", traits: { plan: "none" } } });
      await client.query("begin");
      await client.query("select from users where project_id = $1 for update", [project.projectId]);
      const slow = readImport(one.app, project.projectId, uuid, ENDLESS);
      const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      while ((await pool.query(waits)).rowCount === 0) await new Promise(setImmediate);
      const lost = one.app.get(processes).leaseOwner();
      await one.app.get(processes).leave();
      const taken = readImport(other.app, project.projectId, uuid, ENDLESS);
      while ((await ownerOf(file)) === lost) await new Promise(setImmediate);
      await client.query("commit");
      assert.deepEqual(await Promise.all([slow, taken]), [true, true]);
    } finally {
      client.release();
      await one.app.get(processes).startWorking();
    }
    await assertBrought(file);
  });
});
