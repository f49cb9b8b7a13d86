import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type DatabaseClock, movableDatabaseClock } from "../../../test/database-clock.ts";
import { type TestProject, testHouse } from "../../../test/harness.ts";
import { type S3Peer, startS3 } from "../../../test/peers/s3.ts";
import { eventIdsOf, eventWindowsOf, filesInBucket, placeInBucket, syncOwner } from "../../../test/syncs.ts";
import { openBrowser, visitedProject } from "../../../test/visitors.ts";
import type { Tidings } from "../../app.ts";
import { userRef, uuidFor } from "../../domain/ids.ts";
import { processes } from "../../platform/loops/processes.ts";
import { removeProcess } from "../../platform/loops/processes-store.ts";
import { HOUR_MS, MINUTE_MS } from "../../platform/time/clock.ts";
import { writeSync } from "./writing/sync-loop.ts";

const house = testHouse({ databaseUrl: "postgres://elsewhere", syncsPrivate: true });
let clock: DatabaseClock;
let s3: S3Peer;
let one: Tidings;
let other: Tidings;

const ENDLESS = new AbortController().signal;
/** What a statement reads, and what fits into a file at so many bytes each. */
const [PAGE, IN_A_FILE] = [1_000, 8_000];
const BATCH = 500;
const TEXT = "x".repeat(4_050);

/** Events with properties of 4 KB, by their number: their ids and their instants come in this order. */
async function fill({ api }: TestProject, from: number, until: number, userId = "ada"): Promise<void> {
  for (let at = from; at < until; at += BATCH)
    await api.trackBatch({
      body: {
        events: Array.from({ length: Math.min(BATCH, until - at) }, (_, n) => ({
          userId,
          event: "filled",
          eventId: idOf(at + n),
          ts: tsOf(at + n),
          props: { text: TEXT },
        })),
      },
    });
}

const idOf = (n: number): string => `e${String(n).padStart(6, "0")}`;
const tsOf = (n: number): number => house.now() - HOUR_MS + Math.floor(n / 10);
const idsUntil = (n: number): string[] => Array.from({ length: n }, (_, index) => idOf(index));

async function begun(prefix: string, body: object = {}) {
  const project = await visitedProject(house);
  const owner = await syncOwner(house, project);
  const create = () => owner.create({ lists: ["events"], to: placeInBucket(s3, prefix), ...body });
  const files = () => filesInBucket(s3, prefix);
  return { project, owner, create, files };
}

const write = ({ app }: Tidings, { projectId }: TestProject, id: string, signal = ENDLESS) =>
  writeSync(app, projectId, uuidFor("sync", id), signal);

const parts = (names: Iterable<string>): string[] =>
  [...names].filter((name) => name.includes("part-")).map((name) => name.slice(-12, -7));

describe("a window that is too large for one file", () => {
  before(async () => {
    clock = await movableDatabaseClock(house);
    s3 = await startS3();
    [one, other] = [house.tidings, await house.second()];
    await listed();
  });
  after(() => s3.close());

  /** Puts both processes on the list of those that work. */
  async function listed(): Promise<void> {
    for (const { app } of [one, other])
      await house.database.pool.query(
        `insert into processes (lease_owner, serves, works, seen_at) values ($1, false, true, 'infinity')
        on conflict (lease_owner) do nothing`,
        [app.get(processes).leaseOwner()],
      );
  }

  it("goes on behind the last file that stands, in whichever process", async () => {
    const { project, owner, create, files } = await begun("stopped");
    await fill(project, 0, 2 * IN_A_FILE + 500);
    await clock.advance(2 * HOUR_MS);
    const { id } = await create();
    const stop = new AbortController();
    s3.behave(() => {
      stop.abort();
      return null;
    });
    await write(one, project, id, stop.signal);
    assert.deepEqual(parts(files().keys()), ["00001"]);
    s3.behave((name) => (name.endsWith("00002.ndjson") ? "drop" : null));
    await write(other, project, id);
    const failed = await owner.read(id);
    assert.equal(failed.fault, `${new URL(s3.url).host}: The connection was closed before an answer came.`);
    assert.equal(failed.progress[0]?.rows, IN_A_FILE);
    s3.behave(() => null);
    await write(one, project, id);
    assert.deepEqual(await eventIdsOf(files()), idsUntil(2 * IN_A_FILE + 500));
    assert.deepEqual(parts(s3.puts.filter((name) => name.startsWith("stopped/"))), [
      "00001",
      "00002",
      "00003",
    ]);
    assert.equal((await owner.read(id)).failingSince, null);
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("has the last event of a file once, where its visitor became a user before the next one", async () => {
    const { project, create, files } = await begun("became");
    const last = IN_A_FILE - 1;
    await fill(project, 0, last);
    await project.api.trackBatch({
      body: {
        events: [
          { anonymousId: "b1", event: "filled", eventId: idOf(last), ts: tsOf(last), props: { text: TEXT } },
        ],
      },
    });
    await fill(project, IN_A_FILE, IN_A_FILE + 10);
    // A user whose key lies behind that of the visitor.
    const { lane } = userRef(project.projectId, "$anon:b1");
    const names = Array.from({ length: 500 }, (_, n) => `user ${n}`);
    const user = names.find((name) => userRef(project.projectId, name).lane > lane) ?? "";
    await clock.advance(2 * HOUR_MS);
    const { id } = await create();
    s3.behave((name) => (name.endsWith("00002.ndjson") ? "drop" : null));
    await write(one, project, id);
    assert.equal(parts(files().keys()).length, 1);
    await openBrowser(project, "b1").signIn(user);
    s3.behave(() => null);
    await write(one, project, id);
    assert.deepEqual(await eventIdsOf(files()), idsUntil(IN_A_FILE + 10));
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("is given up by a process that was taken for gone, and has each event once", async () => {
    const { project, create, files } = await begun("taken");
    await fill(project, 0, IN_A_FILE + 100);
    await clock.advance(2 * HOUR_MS);
    const { id } = await create();
    const reached = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<null>();
    s3.behave((_name, n) => {
      if (n > 1) return null;
      reached.resolve();
      return goOn.promise;
    });
    const slow = write(one, project, id);
    await reached.promise;
    assert.equal(await write(other, project, id), false, "it is being written");
    await removeProcess(house.database.pool, one.app.get(processes).leaseOwner());
    assert.equal(await write(other, project, id), true);
    goOn.resolve(null);
    await slow;
    await listed();
    assert.deepEqual(await eventIdsOf(files()), idsUntil(IN_A_FILE + 100));
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("has events once that arrived in one millisecond, and in many", async () => {
    const { project, owner, create, files } = await begun("millisecond", { history: false });
    const { id } = await create();
    const found: string[] = [];
    for (const text of ["a", "b"]) {
      const events = Array.from({ length: 3 * PAGE + 7 }, (_, n) => `${text}${n}`);
      for (let at = 0; at < events.length; at += BATCH)
        await project.api.trackBatch({
          body: {
            events: events
              .slice(at, at + BATCH)
              .map((eventId) => ({ userId: `u-${at}`, event: "seen", eventId })),
          },
        });
      if (text === "a")
        await house.database.pool.query(
          `update events set recorded_at = (select max(recorded_at) from events where project_id = $1) where project_id = $1`,
          [project.projectId],
        );
      found.push(...events);
    }
    await clock.advance(HOUR_MS + 5 * MINUTE_MS);
    await house.drain();
    assert.deepEqual((await eventIdsOf(files())).toSorted(), found.toSorted());
    const [window] = await eventWindowsOf(files());
    const times = (window?.rows ?? []).map(({ recordedAt }) => Number(recordedAt));
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
    assert.equal((await owner.read(id)).progress[0]?.rows, found.length);
  });
});
