import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { uploadFile } from "../../../test/bringing.ts";
import { type Random, randomFrom } from "../../../test/crash/random.ts";
import { type DatabaseClock, movableDatabaseClock } from "../../../test/database-clock.ts";
import { type TestProject, testHouse } from "../../../test/harness.ts";
import { type S3Peer, startS3 } from "../../../test/peers/s3.ts";
import { rounds, seedOf } from "../../../test/rounds.ts";
import { eventIdsOf, eventWindowsOf, filesInBucket, placeInBucket, syncOwner } from "../../../test/syncs.ts";
import { openBrowser, visitedProject } from "../../../test/visitors.ts";
import type { Tidings } from "../../app.ts";
import { uuidFor } from "../../domain/ids.ts";
import { processes } from "../../platform/loops/processes.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../platform/time/clock.ts";
import { writeSync } from "./writing/sync-loop.ts";

// With a databaseUrl, this process does not count as the only one on its database: it leaves leases of other processes alone.
const house = testHouse({ databaseUrl: "postgres://elsewhere", syncsPrivate: true });
let clock: DatabaseClock;
let s3: S3Peer;
let both: readonly [Tidings, Tidings];

/** A person of a project, in a browser and as a user; `events` by their ids. */
type Person = { user: string; browser: string; isSignedIn: boolean; events: string[] };

/** What happens in a project, and which events it acknowledged. */
type History = {
  project: TestProject;
  random: Random;
  people: Person[];
  erased: Set<string>;
  events: number;
  made: number;
};

const newId = (history: History): string => `e${history.events++}`;

function newPerson(history: History): Person {
  const { people } = history;
  const n = history.made++;
  const person = { user: `u${n}`, browser: `b${n}`, isSignedIn: false, events: [] };
  people.push(person);
  return person;
}

const anyone = (history: History): Person =>
  history.people.length < 3 || history.random.chance(0.2)
    ? newPerson(history)
    : (history.random.pick(history.people) ?? newPerson(history));

/** Something that happens in a project. */
const ACTS: readonly ((history: History) => Promise<unknown>)[] = [
  async (history) => {
    const [person, eventId] = [anyone(history), newId(history)];
    await history.project.sdk.track({ body: { userId: person.user, event: "seen", eventId } });
    person.events.push(eventId);
  },
  async (history) => {
    const [person, eventId] = [anyone(history), newId(history)];
    await openBrowser(history.project, person.browser).track("looked", eventId);
    person.events.push(eventId);
  },
  async (history) => {
    const person = anyone(history);
    const ids = Array.from({ length: history.random.between(1, 20) }, () => newId(history));
    const ts = house.now() - history.random.int(30) * DAY_MS;
    const events = ids.map((eventId) => ({ userId: person.user, event: "batched", eventId, ts }));
    await history.project.api.trackBatch({ body: { events } });
    person.events.push(...ids);
  },
  async (history) => {
    const person = anyone(history);
    await openBrowser(history.project, person.browser).signIn(person.user);
    person.isSignedIn = true;
  },
  async (history) => {
    const person = anyone(history);
    // What a visitor did who is not signed in is not erased with a user.
    if (!person.isSignedIn || history.random.chance(0.5)) return;
    await history.project.api.eraseUser({ path: { id: person.user } });
    for (const id of person.events) history.erased.add(id);
    // Neither the user nor the browser comes again.
    history.people.splice(history.people.indexOf(person), 1);
  },
  async (history) => {
    const person = anyone(history);
    const ids = Array.from({ length: history.random.between(1, 5) }, () => newId(history));
    const at = new Date(house.now() - 400 * DAY_MS).toISOString();
    const lines = ids.map((id) => `${person.user},bought,${at},${id}`).join("\n");
    const { api } = history.project;
    const id = await uploadFile(history.project, `id,event,timestamp,message_id\n${lines}\n`, {
      kind: "events",
    });
    await api.startImport({ path: { id }, body: {} });
    while ((await api.getImport({ path: { id } })).import.state === "running") await both[1].drain();
    person.events.push(...ids);
  },
];

/** A store that takes some files and not others, and that stops a process in the middle of others. */
function sometimes(random: Random, stop: AbortController): void {
  s3.behave((name) => {
    if (random.chance(0.1)) stop.abort();
    if (name.endsWith("_manifest.json") ? random.chance(0.2) : random.chance(0.3))
      return (
        random.pick(["drop", { status: 503, code: "SlowDown" }, { status: 403, code: "AccessDenied" }]) ??
        null
      );
    return null;
  });
}

/** Gives both processes turns at the same time, one of which may be stopped in the middle of its own. */
async function work({ project }: History, id: string, stop: AbortController): Promise<void> {
  const [one, other] = both;
  const uuid = uuidFor("sync", id);
  await Promise.all([
    writeSync(one.app, project.projectId, uuid, stop.signal),
    writeSync(other.app, project.projectId, uuid, new AbortController().signal),
    other.drain(),
  ]);
}

/** Each event that was not erased is in the files once, and none twice. */
async function assertOnce({ people, erased, project }: History, prefix: string): Promise<void> {
  const found = await eventIdsOf(filesInBucket(s3, prefix));
  assert.equal(new Set(found).size, found.length, "none twice");
  const kept = people.flatMap(({ events }) => events);
  assert.deepEqual(found.filter((id) => !erased.has(id)).toSorted(), kept.toSorted());
  assert.deepEqual(await house.differences(project.projectId), {});
}

describe("events that are written to files", () => {
  before(async () => {
    clock = await movableDatabaseClock(house);
    s3 = await startS3();
    both = [house.tidings, await house.second()];
    // Of what works there is a list. Without heartbeats the clock of the test is not compared with the database's.
    for (const { app } of both)
      await house.database.pool.query(
        "insert into processes (lease_owner, serves, works, seen_at) values ($1, false, true, 'infinity')",
        [app.get(processes).leaseOwner()],
      );
  });
  after(() => s3.close());

  for (let round = 0; round < rounds(3, 30); round++)
    it(`are there once each, whatever happens (${round})`, async (t) => {
      const seed = seedOf() + 1_000 * round;
      t.diagnostic(`seed ${seed}`);
      const random = randomFrom(seed);
      const project = await visitedProject(house);
      const history: History = { project, random, people: [], erased: new Set(), events: 0, made: 0 };
      const owner = await syncOwner(house, project);
      const prefix = `round-${round}`;
      s3.behave(() => null);
      const { id } = await owner.create({
        lists: ["users", "events"],
        history: random.chance(0.5),
        to: placeInBucket(s3, prefix),
      });
      for (let hour = 0; hour < 10; hour++) {
        const acts = Array.from({ length: random.between(3, 12) }, () => random.pick(ACTS));
        const stop = new AbortController();
        sometimes(random, stop);
        const working = work(history, id, stop);
        for (const act of acts) await act?.(history);
        await working;
        await clock.advance(random.between(10, 90) * MINUTE_MS);
      }
      s3.behave(() => null);
      await clock.advance(2 * HOUR_MS);
      await both[0].drain();
      await clock.advance(2 * HOUR_MS);
      await both[1].drain();
      const { failingSince, progress } = await owner.read(id);
      assert.equal(failingSince, null);
      await assertOnce(history, prefix);
      const windows = await eventWindowsOf(filesInBucket(s3, prefix));
      const rows = windows.reduce((sum, { manifest }) => sum + manifest.rows, 0);
      assert.equal(progress.find(({ list }) => list === "events")?.rows, rows);
    });

  it("wait for a transaction that has begun before their window ended, and for no later one", async () => {
    s3.behave(() => null);
    const project = await house.project();
    const owner = await syncOwner(house, project);
    const { id } = await owner.create({ lists: ["events"], history: false, to: placeInBucket(s3, "open") });
    const insert = (eventId: string) =>
      `insert into events (lane, user_key, event_id, project_id, name, ts)
      select lane, user_key, '${eventId}', project_id, 'seen', 1 from users where project_id = '${project.projectId}'`;
    await project.sdk.track({ body: { userId: "ada", event: "seen", eventId: "first" } });
    const [early, late] = [await house.database.pool.connect(), await house.database.pool.connect()];
    const written = async (): Promise<string[]> => {
      // What could not be written yet is looked at again soon.
      house.advance(MINUTE_MS);
      await house.drain();
      return eventIdsOf(filesInBucket(s3, "open"));
    };
    try {
      await early.query("begin");
      await early.query(insert("early"));
      await clock.advance(HOUR_MS);
      await late.query("begin");
      await late.query(insert("late"));
      await clock.advance(3 * MINUTE_MS);
      assert.deepEqual(await written(), []);
      assert.equal((await owner.read(id)).failingSince, null);
      await early.query("commit");
      assert.deepEqual(await written(), ["first", "early"]);
      await late.query("commit");
      await clock.advance(HOUR_MS);
      assert.deepEqual(await written(), ["first", "early", "late"]);
    } finally {
      early.release();
      late.release();
    }
  });
});
