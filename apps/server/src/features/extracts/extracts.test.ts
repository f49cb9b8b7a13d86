import assert from "node:assert/strict";
import { memoryUsage } from "node:process";
import { describe, it } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { askAs } from "../../../test/asking.ts";
import { launchCampaign } from "../../../test/factories.ts";
import { type TestProject, testHouse } from "../../../test/harness.ts";
import { clientOf, giveRole, makePerson, signedInAgo } from "../../../test/people.ts";
import { countRowsRead } from "../../../test/rows-read.ts";
import { untilWaiting } from "../../../test/waiting.ts";
import { nextSuppressions, type SuppressionPlace } from "../email/addresses/list-store.ts";
import { type EventProgress, nextEvents } from "./events-store.ts";
import { nextUsers } from "./users-store.ts";
import { walk } from "./walk.ts";

const house = testHouse();

const kinds = ["users", "events", "deliveries", "sends", "suppressions", "runs"] as const;

async function take({ secretKey }: TestProject, file: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`${house.url}/api/v1/extracts/${file}`, {
    headers: { authorization: `Bearer ${secretKey}` },
  });
  // A text would be without the mark that a table begins with.
  return { status: response.status, text: Buffer.from(await response.arrayBuffer()).toString() };
}

type Line = Record<string, unknown>;
const linesIn = (text: string): Line[] =>
  text === ""
    ? []
    : text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as Line);

/** Users by hand: far more than fit into a page, each with a trait of some size. */
async function fill({ projectId }: TestProject, users: number, bytes = 10): Promise<void> {
  await house.database.pool.query(
    `insert into users (lane, user_key, project_id, external_id, traits, first_seen_at, last_seen_at)
    select get_byte(uuid_send(k), 0) >> 2, k, $1::uuid, 'user ' || n, jsonb_build_object('n', n, 'x', repeat('x', $4)), $2, $2
    from (
      select n, encode(substring(sha256(convert_to($1::text, 'UTF8') || '\\x00' || convert_to('user ' || n, 'UTF8')) for 16), 'hex')::uuid as k
      from generate_series(1, $3::int) n
    ) made`,
    [projectId, house.now(), users, bytes],
  );
}

async function fillEvents({ projectId }: TestProject, events: number, bytes = 0): Promise<void> {
  await house.database.pool.query(
    `insert into events (lane, user_key, event_id, project_id, name, ts, props)
    select u.lane, u.user_key, 'e' || n, $1, 'opened', $2::int8 - n / 100, jsonb_build_object('x', repeat('x', $4))
    from generate_series(1, $3::int) n
    join (select lane, user_key, row_number() over (order by user_key) as i from users where project_id = $1) u
      on u.i = 1 + n % 50`,
    [projectId, house.now(), events, bytes],
  );
}

/** What 100,000 events with properties of 500 bytes come to at least. */
const FILE_BYTES = 50_000_000;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Bytes that this process, server and client, really needs: what is left once nothing is kept that nothing refers to. */
function liveBytes(): number {
  collectGarbage();
  const { heapUsed, external } = memoryUsage();
  return heapUsed + external;
}

/** Begins to take out the users, far more than fit into the buffers on the way, and reads on when it is asked to. */
async function begin({ secretKey }: TestProject) {
  const response = await fetch(`${house.url}/api/v1/extracts/users.ndjson`, {
    headers: { authorization: `Bearer ${secretKey}` },
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  assert.ok(reader);
  const { value: first = "" } = await reader.read();
  return {
    first,
    async rest() {
      const pieces: string[] = [];
      for (let next = await reader.read(); !next.done; next = await reader.read()) pieces.push(next.value);
      return pieces.join("");
    },
  };
}

describe("a list that is taken out", () => {
  it("has each row once, although users come, change and go meanwhile", async () => {
    const project = await house.project();
    await fill(project, 3_000, 8_000);
    const { first, rest } = await begin(project);
    house.advance(1);
    for (const n of [1, 2_999]) await project.api.eraseUser({ path: { id: `user ${n}` } });
    await project.sdk.identify({ body: { userId: "late", traits: { n: 0 } } });
    for (let n = 100; n < 200; n++)
      await project.sdk.identify({ body: { userId: `user ${n}`, traits: { changed: true } } });
    const ids = linesIn(first + (await rest())).map(({ externalUserId }) => externalUserId);
    assert.equal(new Set(ids).size, ids.length, "none twice");
    const there = new Set(ids);
    for (let n = 2; n < 2_999; n++) assert.ok(there.has(`user ${n}`), `user ${n}`);
    assert.ok(!there.has("late"), "who came after it began");
  });

  it("is cut off where it cannot be read to its end, so that no part is taken for the whole", async () => {
    const project = await house.project();
    await fill(project, 3_000, 8_000);
    const { rest } = await begin(project);
    const { pool } = house.database;
    await pool.query("alter table users rename to users_elsewhere");
    try {
      await assert.rejects(rest());
    } finally {
      await pool.query("alter table users_elsewhere rename to users");
    }
    assert.equal(linesIn((await take(project, "users.ndjson")).text).length, 3_000, "the next one is whole");
  });

  for (const when of ["while a page of it is read", "between two of its pages"])
    it(`leaves its entry in the audit log, and nothing else, where its client hangs up ${when}`, async () => {
      const project = await house.project();
      await fill(project, 2_000, 8_000);
      const { person } = await clientOf(house, project.projectId, "approver");
      const gone = new AbortController();
      const answer = await fetch(`${house.url}/api/v1/extracts/users.ndjson`, {
        headers: person.headers(project.projectId),
        signal: gone.signal,
      });
      const reader = answer.body?.getReader();
      await reader?.read();
      const { pool, background } = house.database;
      const holder = await background.pool.connect();
      try {
        await holder.query("begin");
        if (when.startsWith("while")) {
          await holder.query("lock table users in access exclusive mode");
          const reading = (async () => {
            while (!(await reader?.read())?.done);
          })();
          await untilWaiting(house, 1);
          gone.abort();
          await assert.rejects(reading);
        } else gone.abort();
        const isFree = async (): Promise<boolean> => {
          const { rows } = await background.pool.query<{ left: number }>(`
            select count(*)::int as left from pg_stat_activity
            where datname = current_database() and application_name = 'tidings' and state <> 'idle'`);
          return rows[0]?.left === 0 && pool.idleCount === pool.totalCount;
        };
        for (let tries = 0; !(await isFree()); tries++)
          assert.ok(tries < 2_000, "its statement is stopped, and its connection and transaction are free");
      } finally {
        await holder.query("rollback");
        holder.release();
      }
      // Its turn among the expensive reads, of which a project has few, is free as well.
      assert.equal((await take(project, "events.ndjson")).status, 200);
      const { body } = await askAs(house, person, project.projectId, [
        "GET",
        "/api/people/audit?operations=extractUsers",
      ]);
      assert.deepEqual(
        (body.entries as { target: string }[]).map(({ target }) => target),
        ["users.ndjson"],
      );
    });

  it("has the events of one instant once as well, in pages", async () => {
    const project = await house.project();
    await fill(project, 50);
    await fillEvents(project, 2_500);
    const found = linesIn((await take(project, "events.ndjson")).text);
    assert.equal(found.length, 2_500);
    assert.equal(new Set(found.map(({ id }) => id)).size, 2_500);
    const times = found.map(({ ts }) => Number(ts));
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
    const since = house.now() - 5;
    const late = linesIn((await take(project, `events.ndjson?since=${since}&until=${since + 2}`)).text);
    assert.ok(late.length > 0 && late.every(({ ts }) => Number(ts) >= since && Number(ts) <= since + 2));
  });

  it("is never in memory as a whole: 100,000 rows pass through a server that keeps a few of them", async () => {
    const project = await house.project();
    await fill(project, 50);
    await fillEvents(project, 100_000, 500);
    const answer = await fetch(`${house.url}/api/v1/extracts/events.ndjson`, {
      headers: { authorization: `Bearer ${project.secretKey}` },
    });
    const reader = answer.body?.getReader();
    assert.ok(reader);
    const kept = liveBytes();
    const LOOKS = 4;
    let [bytes, rows, most] = [0, 0, 0];
    for (let next = await reader.read(), looks = 1; !next.done; next = await reader.read()) {
      bytes += next.value.length;
      rows += Buffer.from(next.value).toString("latin1").split("\n").length - 1;
      if (bytes < (looks * FILE_BYTES) / LOOKS) continue;
      looks++;
      most = Math.max(most, liveBytes() - kept);
    }
    assert.ok(rows === 100_000 && bytes > FILE_BYTES, `${rows} rows, ${bytes} bytes`);
    assert.ok(most < FILE_BYTES / 2, `${most} bytes were kept`);
  });

  it("goes on behind the row that came last", async () => {
    const project = await house.project();
    await fill(project, 1_200);
    const all = linesIn((await take(project, "users.ndjson")).text).map(({ id }) => id);
    const rest = await take(project, `users.ndjson?after=${all[700]}`);
    assert.deepEqual(
      linesIn(rest.text).map(({ id }) => id),
      all.slice(701),
    );
    for (const kind of ["users", "deliveries", "sends", "runs"] as const) {
      const refused = await take(project, `${kind}.csv?after=nothing`);
      assert.equal(refused.status, 400, kind);
      assert.match(refused.text, /query\.after must be/);
    }
  });

  it("reads of a page what it answers, in a project of any size", async () => {
    const [project, other] = [await house.project(), await house.project()];
    await fill(project, 20_000);
    await fill(other, 20_000);
    await house.database.pool.query("analyze users");
    const chosen = {
      expression: null,
      evaluatedAt: house.now(),
      kind: "users" as const,
      filter: { until: house.now() },
    };
    const { rows } = await house.database.kysely.transaction().execute((tx) =>
      countRowsRead(tx, ["users"], () =>
        nextUsers(tx, project.projectId, chosen, {
          lane: 20,
          userKey: "50000000-0000-0000-0000-000000000000",
        }),
      ),
    );
    assert.ok(rows.users >= 500 && rows.users <= 1_100, `${rows.users} rows`);
  });

  it("reads the events of one instant a few times, however many they are", async () => {
    const [project, other] = [await house.project(), await house.project()];
    const EVENTS = 12_000;
    for (const each of [other, project]) {
      // When the second is filled, the statistics know only the first.
      await house.database.pool.query("analyze events");
      await fill(each, 50);
      await fillEvents(each, EVENTS);
      await house.database.pool.query("update events set ts = $2 where project_id = $1", [
        each.projectId,
        house.now(),
      ]);
    }
    const chosen = { since: undefined, until: house.now(), name: undefined, q: undefined, users: [] };
    const { answer, rows } = await house.database.kysely.transaction().execute((tx) =>
      countRowsRead(tx, ["events"], async () => {
        const found: unknown[] = [];
        const read = (progress: EventProgress | null) => nextEvents(tx, project.projectId, chosen, progress);
        for await (const page of walk(read)) found.push(...page);
        return found.length;
      }),
    );
    assert.equal(answer, EVENTS);
    assert.ok(rows.events <= 3 * EVENTS, `${rows.events} rows`);
  });

  it("reads the addresses to which mail ended at one instant once", async () => {
    const project = await house.project();
    const ADDRESSES = 5_000;
    await house.database.pool.query(
      `insert into email_addresses (lane, address_key, project_id, address, suppressed_at, suppressed_by)
      select get_byte(uuid_send(k), 0) >> 2, k, $1::uuid, n || '@example.com', $2, 'manual'
      from (select n, md5($1::uuid::text || n)::uuid as k from generate_series(1, $3::int) n) made`,
      [project.projectId, house.now(), ADDRESSES],
    );
    const { answer, rows } = await house.database.kysely.transaction().execute((tx) =>
      countRowsRead(tx, ["email_addresses"], async () => {
        const read = (after: SuppressionPlace | null) =>
          nextSuppressions(tx, project.projectId, { until: house.now() }, { after, limit: 500 });
        let found = 0;
        for await (const page of walk(read)) found += page.length;
        return found;
      }),
    );
    assert.equal(answer, ADDRESSES);
    assert.ok(rows.email_addresses <= 2 * ADDRESSES, `${rows.email_addresses} rows`);
  });

  it("is of its project, and without users who were erased", async () => {
    const [project, other] = [await house.project(), await house.project()];
    for (const each of [project, other]) {
      await each.sdk.identify({ body: { userId: "ada" } });
      await each.sdk.track({ body: { userId: "ada", event: "opened", eventId: "1" } });
      await launchCampaign(each);
      await each.sdk.getMessages({ query: { userId: "ada" } });
    }
    for (const kind of ["users", "events", "deliveries"] as const)
      assert.equal(linesIn((await take(project, `${kind}.ndjson`)).text).length, 1, kind);
    await project.api.eraseUser({ path: { id: "ada" } });
    for (const kind of ["users", "events", "deliveries"] as const)
      assert.equal((await take(project, `${kind}.ndjson`)).text, "", kind);
    const { campaigns } = await other.api.listCampaigns();
    assert.equal((await take(project, `deliveries.csv?campaignId=${campaigns[0]?.id}`)).status, 404);
  });

  it("is narrowed to a segment, as it is now", async () => {
    const project = await house.project();
    for (const [userId, plan] of [
      ["ada", "pro"],
      ["ben", "free"],
      ["cleo", "pro"],
    ] as const)
      await project.sdk.identify({ body: { userId, traits: { plan } } });
    const root = { kind: "field", field: { kind: "trait", key: "plan" }, op: "eq", value: "pro" } as const;
    await project.api.createSegment({ body: { key: "pro", name: "Pro", expression: { version: 1, root } } });
    const found = linesIn((await take(project, "users.ndjson?segment=pro")).text);
    assert.deepEqual(found.map(({ externalUserId }) => externalUserId).toSorted(), ["ada", "cleo"]);
    assert.equal((await take(project, "users.ndjson?segment=none")).status, 404);
    assert.match((await take(project, "events.ndjson?segment=pro")).text, /segment: unknown field/);
  });
});

describe("a table", () => {
  it("has traits as columns, at once, the rest in the last one, and no formula", async () => {
    const project = await house.project();
    await project.sdk.identify({
      body: {
        userId: "=1+1",
        traits: {
          name: 'Zoë, "Z"',
          n: -1.5,
          big: 9007199254740991,
          ok: true,
          tags: ["a"],
          "=k": "+x",
          id: "7",
        },
      },
    });
    const { text } = await take(project, "users.csv");
    assert.ok(text.startsWith("\ufeffid,externalUserId,"));
    const [head = "", row = "", end] = text.slice(1).split("\r\n");
    assert.equal(end, "");
    assert.match(
      head,
      /firstSeenAt,lastSeenAt,isVisitor,traits\.=k,traits\.big,traits\.id,traits\.n,traits\.name,/,
    );
    assert.match(row, /^eu_[0-9a-f-]+,'=1\+1,2026-01-15T12:00:\d\d\.\d{3}Z,/);
    assert.ok(row.includes(`,'+x,9007199254740991,7,-1.5,"Zoë, ""Z""",true,`), row);
    assert.ok(row.includes('"[""a""]"'), row);
    await project.api.listEvents();
    assert.equal((await take(project, "users.csv")).text, text, "once its traits are counted, as before");
    await house.database.pool.query("delete from trait_keys where project_id = $1 and key = 'n'", [
      project.projectId,
    ]);
    const other = (await take(project, "users.csv")).text;
    assert.ok(other.trimEnd().endsWith('"{""n"":-1.5}"'), "a trait without a column is not lost");
  });

  it("is there without rows too, with its heads", async () => {
    const project = await house.project();
    for (const kind of kinds) {
      const { status, text } = await take(project, `${kind}.csv`);
      assert.equal(status, 200, kind);
      assert.match(text, /^\ufeff[A-Za-z,]+\r\n$/, kind);
      assert.equal((await take(project, `${kind}.ndjson`)).text, "", kind);
    }
  });
});

describe("people who take out a list", () => {
  it("are approvers who have signed in lately, and leave an entry that names no user", async () => {
    const project = await house.project();
    const { person } = await clientOf(house, project.projectId, "approver");
    const get = (path: string) => askAs(house, person, project.projectId, ["GET", path]);
    const path = "/api/v1/extracts/users.csv?q=ada%40example.com&since=2026-01-01";
    assert.equal((await get(path)).status, 200);
    const entries = async () => {
      const { body } = await get("/api/people/audit?operations=extractUsers");
      return body.entries as { target: string; after: unknown }[];
    };
    assert.deepEqual(
      (await entries()).map(({ target, after }) => [target, after]),
      [["users.csv", { q: "(left out)", since: Date.UTC(2026, 0, 1) }]],
    );
    assert.equal((await get("/api/v1/extracts/users.csv?segment=none")).status, 404);
    assert.equal((await entries()).length, 1, "nothing was taken out");
    await signedInAgo(house, person, 3_600_000);
    // A sign-in is believed for some seconds.
    house.advance(60_000);
    const stale = await get(path);
    assert.deepEqual([stale.status, stale.body.reason], [403, "confirm"]);
    for (const role of ["viewer", "editor"] as const) {
      const lower = await makePerson(house);
      await giveRole(house, project.projectId, lower, role);
      for (const kind of kinds)
        assert.equal(
          (await askAs(house, lower, project.projectId, ["GET", `/api/v1/extracts/${kind}.csv`])).status,
          403,
          `${role} ${kind}`,
        );
    }
  });
});
