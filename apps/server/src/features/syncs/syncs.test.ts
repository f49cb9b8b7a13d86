import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type DatabaseClock, movableDatabaseClock } from "../../../test/database-clock.ts";
import { type TestProject, testHouse } from "../../../test/harness.ts";
import { type S3Peer, startS3 } from "../../../test/peers/s3.ts";
import {
  eventIdsOf,
  eventWindowsOf,
  filesInBucket,
  filesInFolder,
  placeInBucket,
  syncOwner,
  windowsOf,
} from "../../../test/syncs.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../platform/time/clock.ts";
import { clockWatch } from "../../platform/time/clock-watch.ts";
import { retireEvents } from "../users/events/retire-store.ts";

const house = testHouse({ syncsPrivate: true });
let clock: DatabaseClock;
let s3: S3Peer;
let places = 0;

const seen = ({ sdk }: TestProject, eventId: string, userId = "ada") =>
  sdk.track({ body: { userId, event: "seen", eventId } });

/** A project with an owner, and a place that is theirs. */
async function begun() {
  const project = await house.project();
  const owner = await syncOwner(house, project);
  const folder = `place-${places++}`;
  const files = () => filesInFolder(join(house.tidings.app.config.syncsFolder ?? "", folder));
  const create = (body: object = {}) => owner.create({ lists: ["events"], to: { folder }, ...body });
  return { project, owner, create, files, ids: async () => (await eventIdsOf(files())).toSorted() };
}

/** Lets time pass until all that is over is written. */
async function passes(ms: number): Promise<void> {
  await clock.advance(ms);
  await house.drain();
}
const anHour = HOUR_MS + 5 * MINUTE_MS;
const aDay = DAY_MS + 5 * MINUTE_MS;

describe("a sync", () => {
  before(async () => {
    clock = await movableDatabaseClock(house);
    s3 = await startS3();
  });
  after(() => s3.close());

  it("writes what arrives from when it was made on, where it is asked to", async () => {
    const { project, create, files, ids } = await begun();
    await seen(project, "before");
    await clock.advance(1_000);
    const { history, createdAt } = await create({ history: false });
    assert.equal(history, false);
    await seen(project, "behind");
    await passes(anHour);
    assert.deepEqual(await ids(), ["behind"]);
    const [first] = await eventWindowsOf(files());
    assert.ok(Math.abs(Number(first?.manifest.since) - createdAt) < MINUTE_MS);
  });

  it("writes the events of a day at its end, and other lists once a day", async () => {
    const { project, create, files, ids } = await begun();
    await seen(project, "one");
    await create({ lists: ["users", "events"], every: "day" });
    await house.drain();
    const today = new Date(await clock.now()).toISOString().slice(0, 10);
    assert.deepEqual(
      (await windowsOf(files(), "users")).map(({ folder, rows }) => [folder, rows.length]),
      [[`users/date=${today}`, 1]],
    );
    await seen(project, "two", "ben");
    await passes(anHour);
    assert.deepEqual(await ids(), []);
    assert.equal((await windowsOf(files(), "users")).length, 1, "once a day");
    await passes(DAY_MS);
    assert.deepEqual(await ids(), ["one", "two"]);
    const tomorrow = new Date(await clock.now()).toISOString().slice(0, 10);
    assert.deepEqual(
      (await windowsOf(files(), "users")).map(({ folder, rows }) => [folder, rows.length]),
      [
        [`users/date=${today}`, 1],
        [`users/date=${tomorrow}`, 2],
      ],
    );
    assert.deepEqual(
      (await eventWindowsOf(files())).map(({ folder }) => folder.length),
      ["events/date=2026-01-15".length, "events/date=2026-01-15".length],
    );
  });

  it("goes on where it stopped once it is on again", async () => {
    const { project, owner, create, files, ids } = await begun();
    const { id } = await create();
    await seen(project, "on");
    await passes(anHour);
    const off = await owner.change(id, { state: "off" });
    assert.deepEqual([off.state, off.dueAt], ["off", null]);
    for (const eventId of ["off 1", "off 2"]) {
      await seen(project, eventId);
      await passes(anHour);
    }
    assert.deepEqual(await ids(), ["on"]);
    await owner.change(id, { state: "on" });
    await house.drain();
    assert.deepEqual(await ids(), ["off 1", "off 2", "on"]);
    assert.equal((await eventWindowsOf(files())).filter(({ rows }) => rows.length > 0).length, 3);
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("writes a list that is added, and none that is taken out", async () => {
    const { project, owner, create, files, ids } = await begun();
    await seen(project, "there");
    const { id } = await create({ lists: ["users"] });
    await passes(anHour);
    assert.deepEqual(await ids(), []);
    await owner.change(id, { lists: ["events"] });
    await passes(1_000);
    assert.deepEqual(await ids(), ["there"]);
    await passes(aDay);
    assert.equal((await windowsOf(files(), "users")).length, 1);
    await owner.change(id, { lists: ["events", "users", "users"] });
    await house.drain();
    assert.deepEqual((await owner.read(id)).lists, ["events", "users"]);
    assert.equal((await windowsOf(files(), "users")).length, 2);
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("says why it fails, waits longer each time, and writes at once when it is run", async () => {
    const { project, owner } = await begun();
    await seen(project, "kept");
    await clock.advance(2 * HOUR_MS);
    const { id } = await owner.create({ lists: ["events"], to: placeInBucket(s3, "failing") });
    s3.behave(() => ({ status: 503, code: "SlowDown" }));
    const waits: number[] = [];
    for (let failures = 1; failures <= 9; failures++) {
      await house.drain();
      const { fault, dueAt, failingSince } = await owner.read(id);
      assert.match(fault ?? "", /answered 503: SlowDown/);
      assert.ok(failingSince !== null);
      waits.push((dueAt ?? 0) - house.now());
      await clock.advance((dueAt ?? 0) - house.now());
    }
    assert.deepEqual(
      waits.map((ms) => ms / MINUTE_MS),
      [1, 2, 4, 8, 16, 32, 60, 60, 60],
    );
    await house.drain();
    s3.behave(() => null);
    await house.drain();
    assert.deepEqual(await eventIdsOf(filesInBucket(s3, "failing")), [], "it is not due");
    const run = await owner.run(id);
    assert.equal(run.dueAt, house.now());
    await house.drain();
    assert.deepEqual(await eventIdsOf(filesInBucket(s3, "failing")), ["kept"]);
    const { fault, failingSince, succeededAt } = await owner.read(id);
    assert.deepEqual([fault, failingSince, succeededAt], [null, null, house.now()]);
    await owner.run(id);
    const before = s3.puts.length;
    await house.drain();
    assert.equal(s3.puts.length, before, "nothing is written twice");
  });

  it("goes on with other keys once the store takes its own no more", async () => {
    const { project, owner } = await begun();
    const { id } = await owner.create({ lists: ["events"], to: placeInBucket(s3, "rolled") });
    await seen(project, "rolled");
    const { secretAccessKey } = s3.key;
    s3.key.secretAccessKey = "another+key/of=this";
    await passes(anHour);
    assert.match((await owner.read(id)).fault ?? "", /SignatureDoesNotMatch/);
    await owner.change(id, { keys: s3.key });
    await house.drain();
    assert.deepEqual(await eventIdsOf(filesInBucket(s3, "rolled")), ["rolled"]);
    s3.key.secretAccessKey = secretAccessKey;
    await owner.ask("DELETE", `/${id}`);
  });

  it("leaves its files where they are when it is deleted", async () => {
    const { project, owner, create, files } = await begun();
    await seen(project, "stays");
    const { id } = await create();
    await passes(2 * HOUR_MS);
    const before = [...files().keys()];
    assert.equal((await owner.ask("DELETE", `/${id}`)).status, 204);
    await seen(project, "later");
    await passes(2 * HOUR_MS);
    assert.deepEqual([...files().keys()], before);
    assert.deepEqual((await owner.ask("GET")).body.syncs, []);
    assert.deepEqual(await house.differences(), {});
  });

  it("writes nothing of users who were erased, and of events that were deleted for their age", async () => {
    const { project, create, ids } = await begun();
    const { projectId } = project;
    await create();
    for (const [eventId, user] of [
      ["kept", "ada"],
      ["erased", "ben"],
      ["old", "cleo"],
    ] as const) {
      await seen(project, eventId, user);
      house.advance(1);
    }
    await project.api.eraseUser({ path: { id: "ben" } });
    await house.database.pool.query("update events set ts = 1 where project_id = $1 and event_id = 'old'", [
      projectId,
    ]);
    await retireEvents(house.database.kysely, projectId, { before: 2, limit: 10 });
    await passes(anHour);
    assert.deepEqual(await ids(), ["kept"]);
  });

  it("lists its windows, the latest first, in pages", async () => {
    const { project, owner, create } = await begun();
    await seen(project, "listed");
    const { id } = await create({ lists: ["users", "events"] });
    for (let n = 0; n < 3; n++) await passes(HOUR_MS);
    const windows = async (query: string) => {
      const { status, body } = await owner.ask("GET", `/${id}/windows?${query}`);
      assert.equal(status, 200);
      return body as {
        windows: { list: string; until: number; rows: number; files: number }[];
        more: boolean;
      };
    };
    const all = await windows("list=events");
    const untils = all.windows.map(({ until }) => until);
    assert.ok(untils.length >= 3);
    assert.deepEqual(
      untils,
      untils.toSorted((a, b) => b - a),
    );
    assert.equal(
      all.windows.reduce((sum, { rows }) => sum + rows, 0),
      1,
    );
    const [first, rest] = [await windows("list=events&limit=1"), await windows("list=events&skip=1")];
    assert.deepEqual([first.more, rest.more], [true, false]);
    assert.deepEqual([...first.windows, ...rest.windows], all.windows);
    assert.deepEqual((await windows("list=users")).windows.length, 1);
  });

  it("begins no window while the clock of the database is far from that of the server", async () => {
    const { project, create, ids } = await begun();
    await seen(project, "early");
    const watch = house.tidings.app.get(clockWatch);
    const look = (aheadMs: number) => {
      const at = performance.now();
      watch.look({ at: house.now() + aheadMs, from: at, to: at });
    };
    look(DAY_MS);
    await create();
    await passes(2 * HOUR_MS);
    assert.deepEqual(await ids(), [], "what came until the clock is right again would be in no window");
    look(0);
    await passes(MINUTE_MS);
    assert.deepEqual(await ids(), ["early"]);
  });
});
