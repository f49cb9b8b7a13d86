import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { agentHistory } from "../../../test/agent.ts";
import { type DatabaseClock, movableDatabaseClock } from "../../../test/database-clock.ts";
import { setSettings } from "../../../test/email.ts";
import { launchCampaign, messagesOf } from "../../../test/factories.ts";
import { type TestProject, testHouse } from "../../../test/harness.ts";
import { sentMail } from "../../../test/mail.ts";
import { type S3Peer, startS3 } from "../../../test/peers/s3.ts";
import {
  eventWindowsOf,
  type FileRow,
  type Files,
  filesInBucket,
  filesInFolder,
  placeInBucket,
  rowsOf,
  syncOwner,
  windowsOf,
} from "../../../test/syncs.ts";
import { openBrowser } from "../../../test/visitors.ts";
import { HOUR_MS, MINUTE_MS } from "../../platform/time/clock.ts";
import { decideSuppression } from "../email/addresses/public.ts";
import { LISTS } from "./rules.ts";

const house = testHouse({ syncsPrivate: true });
let clock: DatabaseClock;
let s3: S3Peer;
const FORMATS = ["csv", "ndjson", "parquet"] as const;
type Format = (typeof FORMATS)[number];

const TEXT = 'Zoë, "Z"\n日本 👩‍👩‍👧';

/** A project in which something stands in each list. */
async function lived(): Promise<TestProject> {
  const project = await house.project();
  const { api, sdk, projectId } = project;
  await setSettings(house, project, { "visitors.enabled": "true" });
  await launchCampaign(project, { name: TEXT, visitors: "also" });
  await sdk.identify({ body: { userId: "zoë", traits: { name: TEXT, n: -1.5, list: [1, { a: null }] } } });
  await messagesOf(project, "zoë");
  await sdk.track({
    body: { userId: "zoë", event: "seen", eventId: "whole", props: { text: TEXT, n: 1e21 } },
  });
  await sdk.track({ body: { userId: "ben", event: "seen", eventId: "bare" } });
  const browser = openBrowser(project, "b1");
  await browser.track("looked", "as a visitor");
  await openBrowser(project, "b2").track("looked", "a visitor still");
  await browser.signIn("ben");
  const old = { userId: "old", event: "bought", eventId: "old", ts: house.now() - 90 * 24 * HOUR_MS };
  await api.trackBatch({ body: { events: [old] } });
  await sentMail(house, project);
  await house.database.kysely
    .transaction()
    .execute((tx) =>
      decideSuppression(tx, projectId, "eve@example.com", "suppress", { by: "test", at: house.now() }),
    );
  await agentHistory(house, project);
  return project;
}

/** A list as an operation answers it. */
async function taken({ secretKey }: TestProject, file: string): Promise<FileRow[]> {
  const answer = await fetch(`${house.url}/api/v1/extracts/${file}`, {
    headers: { authorization: `Bearer ${secretKey}` },
  });
  assert.equal(answer.status, 200, file);
  return rowsOf(file, Buffer.from(await answer.arrayBuffer()));
}

/** Values as a table has them: of what kind a cell is, it does not say. */
const plain = (row: FileRow): FileRow =>
  Object.fromEntries(
    Object.entries(row)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => [name, typeof value === "object" ? value : String(value)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

const sorted = (rows: readonly FileRow[]): string[] => rows.map((row) => JSON.stringify(plain(row))).sort();

/** The users that the API lists, as a row has them. */
async function usersOf({ api }: TestProject): Promise<FileRow[]> {
  const known = await api.listUsers({ query: { perPage: 100 } });
  const visitors = await api.listUsers({ query: { perPage: 100, visitors: "only" } });
  return [...known.users, ...visitors.users].map(({ traits, ...user }) => ({ ...user, traits }));
}

async function assertAsTheApiSays(project: TestProject, files: Files, format: Format): Promise<void> {
  const table = format === "ndjson" ? "ndjson" : "csv";
  for (const list of LISTS) {
    const found = (await windowsOf(files, list)).flatMap(({ rows }) => rows);
    assert.ok(found.length > 0, list);
    const expected = list === "users" ? await usersOf(project) : await taken(project, `${list}.${table}`);
    const comparable = list === "events" ? found.map(({ recordedAt, ...row }) => row) : found;
    assert.deepEqual(sorted(comparable), sorted(expected), list);
  }
}

describe("the files of a sync", () => {
  before(async () => {
    clock = await movableDatabaseClock(house);
    s3 = await startS3();
  });
  after(() => s3.close());

  for (const format of FORMATS)
    it(`have what the API says of each list, as ${format}, in a folder and in a bucket`, async () => {
      const project = await lived();
      await clock.advance(2 * HOUR_MS);
      const owner = await syncOwner(house, project);
      const body = { lists: LISTS, format, every: "hour" };
      const name = `lived-${format}`;
      await owner.create({ ...body, to: { folder: name } });
      await owner.create({ ...body, to: placeInBucket(s3, `${name}/below`) });
      await house.drain();
      const folder = filesInFolder(join(house.tidings.app.config.syncsFolder ?? "", name));
      const bucket = filesInBucket(s3, `${name}/below`);
      assert.deepEqual([...bucket.keys()].sort(), [...folder.keys()].sort());
      for (const files of [folder, bucket]) await assertAsTheApiSays(project, files, format);
      assert.deepEqual(await house.differences(project.projectId), {});
    });

  it("have an event of a visitor under the user who they became", async () => {
    const project = await lived();
    await clock.advance(2 * HOUR_MS);
    const owner = await syncOwner(house, project);
    await owner.create({ lists: ["events"], to: placeInBucket(s3, "visitors") });
    await house.drain();
    const [window] = await eventWindowsOf(filesInBucket(s3, "visitors"));
    const users = new Map(window?.rows.map(({ eventId, externalUserId }) => [eventId, externalUserId]));
    assert.equal(users.get("as a visitor"), "ben");
    assert.equal(users.get("a visitor still"), "$anon:b2");
  });

  it("say the day of the clock of the database, and follow each other hour by hour", async () => {
    const project = await house.project();
    const owner = await syncOwner(house, project);
    const { id } = await owner.create({ lists: ["events"], to: { folder: "hourly" } });
    for (let n = 0; n < 4; n++) {
      await project.sdk.track({ body: { userId: "ada", event: "seen", eventId: `hour ${n}` } });
      await clock.advance(HOUR_MS);
      // The hour is over, and what was recorded in it may not be there yet.
      if (n < 3) await house.drain();
    }
    await clock.advance(5 * MINUTE_MS);
    await house.drain();
    const files = filesInFolder(join(house.tidings.app.config.syncsFolder ?? "", "hourly"));
    const windows = await eventWindowsOf(files);
    const now = await clock.now();
    const first = now - (now % HOUR_MS) - 4 * HOUR_MS;
    assert.deepEqual(
      windows.map(({ folder, manifest, rows }) => [folder, manifest.since, manifest.until, rows.length]),
      [0, 1, 2, 3, 4].map((n) => {
        const until = first + n * HOUR_MS;
        const [date, time] = new Date(until - HOUR_MS).toISOString().split("T");
        const folder = `events/date=${date}/hour=${time?.slice(0, 2)}`;
        return [folder, n === 0 ? null : until - HOUR_MS, until, n === 0 ? 0 : 1];
      }),
    );
    const { progress } = await owner.read(id);
    assert.deepEqual(
      progress.map(({ writtenUntil, rows }) => [writtenUntil, rows]),
      [[first + 4 * HOUR_MS, 4]],
    );
  });
});
