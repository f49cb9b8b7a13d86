import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type pg from "pg";
import { liftReceiptsWithin, liftSuppressedWithin } from "../src/features/email/addresses/lift-store.ts";
import {
  findDueAcrossProjects as findDueMail,
  releasePostponed,
} from "../src/features/email/sending/send/send-store.ts";
import { emptyTable, readEmptied } from "../src/features/portable/delete-store.ts";
import { lockDueSlots } from "../src/features/push/sending/send/lease-store.ts";
import {
  findDueAcrossProjects as findDuePushes,
  findDueWays,
} from "../src/features/push/sending/send/send-store.ts";
import { findPostponedAcrossProjects } from "../src/features/timing/postponed-store.ts";
import { bringTokensBack } from "../src/features/users/devices/tokens/ended-token-store.ts";
import { tables } from "../src/features.ts";
import { type Connection, type Db, kyselyOn } from "../src/platform/db/db.ts";
import { HOUR_MS, SECOND_MS } from "../src/platform/time/clock.ts";
import { type TestHouse, testHouse } from "./harness.ts";
import { countRowsRead } from "./rows-read.ts";

/** How many rows of each kind there are: far more than a piece has. */
const ROWS = 3_000;
const PIECE = 10;
const IDLE_CAMPAIGNS = 300;
const LATER_MS = 10 * SECOND_MS;
const TABLES = ["email_sends", "email_addresses", "push_slots", "installations", "installation_ended_tokens"];
const CREDENTIAL = "00000000-0000-4000-8000-0000000000c0";

/** SQL of a key, and of the lane that it lies in, for the number `n`. */
const KEY = "md5('row ' || n)::uuid";
const LANE = `get_byte(uuid_send(${KEY}), 0) >> 2`;

type Filled = { projectId: string; postponed: string; due: string; push: string };

/** Running campaigns, whose messages are made by hand. Answers one of them (UUID). */
async function campaignOf(
  pool: pg.Pool,
  projectId: string,
  channel: "email" | "push",
  count = 1,
): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `insert into campaigns (id, project_id, name, status, channel, created_by, created_at, started_at, audience)
    select gen_random_uuid(), $1, 'To all', 'running', $2, 'api', 1, 1, '{"kind": "all"}' from generate_series(1, $3::int)
    returning id`,
    [projectId, channel, count],
  );
  return rows[0]?.id ?? "";
}

/** Makes the rows `from` to `until`, all of which wait. One push in three hundred is due now, the others a little later. */
async function makeRows(
  { database: { pool }, now }: TestHouse,
  { projectId, postponed, due, push }: Filled,
  [from, until]: readonly [number, number],
): Promise<void> {
  const numbers = `generate_series(${from}, ${until}) n`;
  for (const [campaign, dueAt, cap] of [
    [postponed, now() + HOUR_MS, "3/24"],
    [due, now() - 1, null],
  ])
    await pool.query(
      `insert into email_sends (lane, user_key, campaign_id, project_id, status, due_at, postponed_by)
      select ${LANE}, ${KEY}, $1, $2, 'waiting', $3, $4 from ${numbers}`,
      [campaign, projectId, dueAt, cap],
    );
  await pool.query(
    `insert into email_addresses (lane, address_key, project_id, suppressed_at, suppressed_by, receipts_stopped_at, receipts_stopped_by)
    select ${LANE}, ${KEY}, $1, $2::int8 + n, 'unsubscribed', $2::int8 + n, 'complained' from ${numbers}`,
    [projectId, now() - HOUR_MS],
  );
  await pool.query(
    `insert into installations (lane, installation_key, project_id, installation_id, app_id, platform, environment, verifier,
      token_revision, capabilities, created_at)
    select ${LANE}, ${KEY}, $1, 'device ' || n, 'com.example', 'ios', 'production', '', 1, '{}', 1 from ${numbers}`,
    [projectId],
  );
  await pool.query(
    `insert into installation_ended_tokens (lane, installation_key, project_id, token_lane, token_key, token, token_revision,
      credential_id, credential_revision, code, ended_at, is_doubtful)
    select ${LANE}, ${KEY}, $1, ${LANE}, ${KEY}, 'token ' || n, 1, $2, 1, 'gone', 1, true from ${numbers}`,
    [projectId, CREDENTIAL],
  );
  await pool.query(
    `insert into push_slots (lane, user_key, slot_key, campaign_id, send_id, project_id, is_test, installation_lane, installation_key,
      installation_id, binding_generation, selected_by, state, at, expires_at, created_at)
    select ${LANE}, ${KEY}, ${KEY}, $1, $1, $2, false, ${LANE}, ${KEY}, 'device ' || n, 1, 'last_active', 'waiting',
      $3::int8 + case when n % 300 = 0 then 0 else $4::int8 end, 9e12, 1 from ${numbers}`,
    [push, projectId, now(), LATER_MS],
  );
}

/** Tables with far more rows than there were when the planner's statistics were made: `expected`. */
async function fill(house: TestHouse, expected: number): Promise<Filled> {
  const { pool } = house.database;
  const { projectId } = await house.project();
  const filled = {
    projectId,
    postponed: await campaignOf(pool, projectId, "email"),
    due: await campaignOf(pool, projectId, "email"),
    push: await campaignOf(pool, projectId, "push"),
  };
  await campaignOf(pool, projectId, "email", IDLE_CAMPAIGNS);
  for (const table of TABLES) await pool.query(`alter table ${table} set (autovacuum_enabled = false)`);
  if (expected > 0) await makeRows(house, filled, [1, expected]);
  await pool.query(`vacuum analyze campaigns, ${TABLES.join(", ")}`);
  await makeRows(house, filled, [expected + 1, ROWS]);
  return filled;
}

/** Ends a transaction so that nothing of it stays. */
class TakenBack extends Error {}

/** How many rows are read in a transaction that is taken back. */
async function rowsRead(
  pool: pg.Pool,
  act: (client: Connection, tx: Db) => Promise<unknown>,
): Promise<number> {
  const client = await pool.connect();
  const lent = { query: client.query.bind(client), release: () => undefined };
  const db = kyselyOn({ connect: async () => lent, end: async () => undefined } as never);
  let sum = 0;
  try {
    await db.transaction().execute(async (tx) => {
      const { rows } = await countRowsRead(tx, TABLES, () => act(client, tx));
      sum = Object.values(rows).reduce((total, read) => total + read, 0);
      throw new TakenBack();
    });
  } catch (error) {
    if (!(error instanceof TakenBack)) throw error;
  } finally {
    client.release();
  }
  return sum;
}

for (const expected of [0, 60])
  describe(`what is gone through in pieces reads about what it answers, of ${ROWS} rows where ${expected} are expected`, () => {
    const house = testHouse();
    let filled: Filled;
    before(async () => {
      filled = await fill(house, expected);
    });

    it("mail that is due: one row of its campaign, among many that have none", async () => {
      const { due, postponed } = filled;
      const read = await rowsRead(house.database.pool, async (_, db) => {
        const found = await findDueMail(db, { now: house.now(), until: house.now() });
        assert.deepEqual(
          [found.some(({ queueId }) => queueId === due), found.some(({ queueId }) => queueId === postponed)],
          [true, false],
        );
      });
      assert.ok(read <= 10, `${read} rows`);
    });

    it("mail that a cap postponed: two rows of its campaign to find it, and a piece to release it", async () => {
      const { projectId, postponed } = filled;
      const { pool } = house.database;
      const found = await rowsRead(pool, async (_, db) => {
        const [queue] = await findPostponedAcrossProjects(db, "email", house.now());
        assert.deepEqual([queue?.projectId, queue?.queueId, queue?.words], [projectId, postponed, ["3/24"]]);
      });
      assert.ok(found <= 10, `${found} rows`);
      const terms = { words: "3/24", now: house.now(), limit: PIECE };
      const released = await rowsRead(pool, async (_, db) =>
        assert.equal(await releasePostponed(db, { projectId, queueId: postponed }, terms), PIECE),
      );
      assert.ok(released <= 4 * PIECE, `${released} rows`);
    });

    it("pushes that are due, while others wait: to look for them, to lease them, and to find the credentials that they need", async () => {
      const { projectId, push: campaignId } = filled;
      const { pool, hotPool } = house.database;
      const queueAt = (now: number) => ({ projectId, campaignId, now });
      const isFound = (now: number) => async (_: Connection, db: Db) =>
        (await findDuePushes(db, { now, until: now })).some(({ queueId }) => queueId === campaignId);
      const none = await rowsRead(pool, isFound(house.now() - 1));
      assert.ok(none <= 10, `${none} rows, where none is due`);
      const leased = await rowsRead(hotPool, (client) =>
        lockDueSlots(client, { ...queueAt(house.now()), tests: false }, PIECE),
      );
      assert.ok(leased <= PIECE, `${leased} rows, where ${ROWS / 300} are due`);
      const later = house.now() + LATER_MS;
      const ways = await rowsRead(hotPool, async (client) =>
        assert.deepEqual(await findDueWays(client, { ...queueAt(later), limit: PIECE }), [
          { platform: "ios", environment: "production" },
        ]),
      );
      assert.ok(ways <= 4 * PIECE, `${ways} rows, where all are due`);
    });

    it("suppressions that are lifted, and tokens that come back: a piece each", async () => {
      const { projectId } = filled;
      const { pool, hotPool } = house.database;
      const within = { reason: "unsubscribed", since: 0, until: house.now() } as const;
      const receipts = await rowsRead(pool, async (_, db) => {
        const piece = await liftReceiptsWithin(
          db,
          projectId,
          { ...within, reason: "complained" },
          { by: "test", at: house.now(), limit: PIECE },
        );
        assert.deepEqual(piece, { lifted: PIECE, looked: PIECE, last: house.now() - HOUR_MS + PIECE });
      });
      assert.ok(receipts <= 4 * PIECE, `${receipts} rows get receipts`);
      const lifted = await rowsRead(pool, async (_, db) => {
        const piece = await liftSuppressedWithin(db, projectId, within, {
          by: "test",
          at: house.now(),
          limit: PIECE,
        });
        assert.deepEqual(piece, { lifted: PIECE, looked: PIECE, last: house.now() - HOUR_MS + PIECE });
      });
      assert.ok(lifted <= 4 * PIECE, `${lifted} rows are lifted`);
      const mended = { projectId, credentialId: CREDENTIAL, revision: 2, limit: PIECE };
      const back = await rowsRead(hotPool, async (client) =>
        assert.equal(await bringTokensBack(client, mended), PIECE),
      );
      assert.ok(back <= 10 * PIECE, `${back} rows come back`);
    });

    it("a project that is deleted: the pages of a table once, or its own rows where an index finds them", async () => {
      const { pool } = house.database;
      const client = await pool.connect();
      const lent = { query: client.query.bind(client), release: () => undefined };
      const db = kyselyOn({ connect: async () => lent, end: async () => undefined } as never);
      const readCounts = async (name: string) => {
        await client.query("select pg_stat_force_next_flush()");
        const { rows } = await client.query<{ read: number; pages: number }>(
          `select heap_blks_read + heap_blks_hit as read, pg_relation_size(relid) / 8192 as pages
          from pg_statio_user_tables where relname = $1`,
          [name],
        );
        return rows[0] ?? { read: 0, pages: 0 };
      };
      try {
        const emptied = await readEmptied(db, tables);
        const mayRead = { email_sends: (pages: number) => 2 * pages, installations: () => 5 };
        for (const [name, most] of Object.entries(mayRead)) {
          const table = emptied.find((each) => each.name === name);
          assert.ok(table);
          const before = await readCounts(name);
          // Of a project without rows, what is read is what the neighbours cost.
          await emptyTable(db, "00000000-0000-4000-8000-000000000000", table);
          const { read, pages } = await readCounts(name);
          assert.ok(
            pages > 50 && read - before.read <= most(pages),
            `${read - before.read} of ${pages} pages`,
          );
        }
      } finally {
        client.release();
      }
    });
  });
