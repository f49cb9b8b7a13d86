/** Databases as former versions left them, with what people had by then. */
import { after, before } from "node:test";
import pg from "pg";
import { apiId, userRef } from "../../src/domain/ids.ts";
import { newToken, tokenDigest } from "../../src/features/access/keys/tokens.ts";
import type { CheckFinding } from "../../src/platform/checks.ts";
import { migrate, readMigrations } from "../../src/platform/db/migrate.ts";
import { canonicalHash } from "../../src/platform/text/canonical.ts";
import { DAY_MS } from "../../src/platform/time/clock.ts";
import { newUuid } from "../../src/platform/uuid.ts";
import { startServer, testClients, testServer } from "../harness.ts";
import { oldMessages } from "./old-messages.ts";

export const BEGAN = Date.UTC(2026, 0, 5, 9);
const NOW = BEGAN + 10 * DAY_MS;
const PERIOD = 202601;
export const CROWD = 60;

export const projectId = newUuid(BEGAN);
export const id = {
  organization: newUuid(BEGAN),
  goal: newUuid(BEGAN),
  campaign: newUuid(BEGAN),
  mail: newUuid(BEGAN),
  push: newUuid(BEGAN),
};
const variant = { web: newUuid(BEGAN), mail: newUuid(BEGAN), push: newUuid(BEGAN) };
const keys = {
  projectId,
  publishableKey: newToken("publishable"),
  secretKey: newToken("secret"),
  agentKey: newToken("agent"),
};

export type Run = (sql: string, values?: readonly unknown[]) => Promise<unknown>;
type Stage = (run: Run) => Promise<void>;

export const seen = (userId: string): number => BEGAN + (userId.codePointAt(0) ?? 0) * 1_000;
const place = (userId: string): unknown[] => {
  const { lane, userKey } = userRef(projectId, userId);
  return [lane, userKey];
};

/** Writes a user who looked, and perhaps paid, as the ingest did without the deltas of later versions. */
async function came(run: Run, userId: string, traits: object, events: readonly string[]): Promise<void> {
  const at = seen(userId);
  const [lane, key] = place(userId);
  await run("insert into users values ($1, $2, $3, $4, $5, $6, $6)", [
    lane,
    key,
    projectId,
    userId,
    traits,
    at,
  ]);
  for (const [index, name] of events.entries())
    await run("insert into events values ($1, $2, $3, $4, $5, $6, $7)", [
      lane,
      key,
      `${userId}-${index}`,
      projectId,
      name,
      { path: "/", n: index },
      at + index,
    ]);
  await run(
    `insert into event_counts select lane, user_key, name, project_id, count(*), min(ts), max(ts) from events
    where lane = $1 and user_key = $2 group by 1, 2, 3, 4`,
    [lane, key],
  );
  await run("insert into active_users values ($1, $2, $3, $4)", [lane, key, PERIOD, projectId]);
  await run(
    `insert into active_user_counts as c values ($1, $2, $3, 1)
    on conflict (lane, project_id, period) do update set users = c.users + 1`,
    [lane, projectId, PERIOD],
  );
}

/** What a project of the time had, by the migration after which it could. Columns that came later are not there yet. */
export const STAGES: Readonly<Record<string, Stage>> = {
  "0001_tenants.sql": async (run) => {
    await run("insert into organizations values ($1, 'Acme', $2)", [id.organization, BEGAN]);
    await run("insert into projects (id, organization_id, name, created_at) values ($1, $2, 'Shop', $3)", [
      projectId,
      id.organization,
      BEGAN,
    ]);
    for (const [kind, token] of [
      ["publishable", keys.publishableKey],
      ["secret", keys.secretKey],
      ["agent", keys.agentKey],
    ] as const)
      await run("insert into api_keys values ($1, $2, $3, $4, $5)", [
        tokenDigest(token),
        projectId,
        kind,
        kind === "publishable" ? token : null,
        BEGAN,
      ]);
  },
  "0002_users_and_events.sql": async (run) => {
    await came(run, "ada", { plan: "pro", seats: 3, code: "a" }, ["looked", "looked", "paid"]);
    await came(run, "bob", { plan: "free", gone: null, code: "b" }, ["looked"]);
    for (let i = 0; i < CROWD; i++) await came(run, `crowd-${i}`, { code: `code ${i}` }, []);
  },
  "0003_goals_and_campaigns.sql": async (run) => {
    await run(
      `insert into goals (id, project_id, name, target_event, approval_mode, status, created_at)
      values ($1, $2, 'Sales', 'paid', 'auto', 'active', $3)`,
      [id.goal, projectId, BEGAN],
    );
    await run(
      `insert into campaigns (id, project_id, name, status, channel, goal_id, created_by, created_at, started_at, audience)
      values ($1, $2, 'Hello', 'running', 'web_inapp', $3, 'api', $4, $4, '{"kind": "all"}')`,
      [id.campaign, projectId, id.goal, BEGAN],
    );
    await run(
      `insert into variants (id, campaign_id, project_id, position, name, weight, is_control, content)
      values ($1, $2, $3, 0, 'A', 1, true, '{"presentation": "toast", "title": "Hello"}')`,
      [variant.web, id.campaign, projectId],
    );
  },
  "0004_deliveries.sql": async (run) => {
    const [shown, paid] = [seen("ada"), seen("ada") + 2];
    await run(
      `insert into deliveries (lane, user_key, campaign_id, project_id, variant_id, state, queued_at, shown_at, exposed_at,
        converted_at, goal_event_at)
      values ($1, $2, $3, $4, $5, 'converted', $6, $6, $6, $7, $7)`,
      [...place("ada"), id.campaign, projectId, variant.web, shown, paid],
    );
    await run("insert into feedback_receipts values ($1, $2, 'seen', $3, 'shown', $4, $5)", [
      ...place("ada"),
      id.campaign,
      newUuid(shown),
      shown,
    ]);
    await run(
      `insert into campaign_stats (lane, campaign_id, variant_id, project_id, shown, converted) values ($1, $2, $3, $4, 1, 1)`,
      [place("ada")[0], id.campaign, variant.web, projectId],
    );
  },
  "0006_agent_runs.sql": async (run) => {
    await run(
      `insert into agent_runs (id, project_id, kind, goal_id, rationale, created_at) values ($1, $2, 'plan', $3, 'Why', $4)`,
      [newUuid(BEGAN), projectId, id.goal, BEGAN],
    );
  },
  // Rollups are kept from here on: they have deltas of users who come later, and none of those before.
  "0009_rollups.sql": async (run) => {
    await came(run, "cleo", {}, ["looked"]);
    const facts = [
      [
        "event",
        "looked",
        Math.floor(seen("cleo") / DAY_MS),
        [
          ["path", "string"],
          ["n", "number"],
        ],
        1,
        seen("cleo"),
      ],
      ["first", "looked", 1],
    ];
    await run("insert into rollup_notes (lane, project_id, facts) values ($1, $2, $3)", [
      place("cleo")[0],
      projectId,
      JSON.stringify(facts),
    ]);
  },
  // All properties of an event were counted once, however many, and names stayed that no event had any more.
  "0010_erasure.sql": async (run) => {
    const [lane, key] = place("cleo");
    const at = seen("cleo");
    const props = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`key ${index}`, index]));
    await run("insert into events values ($1, $2, 'wide', $3, 'wide', $4, $5)", [
      lane,
      key,
      projectId,
      props,
      at,
    ]);
    await run("insert into event_counts values ($1, $2, 'wide', $3, 1, $4, $4)", [lane, key, projectId, at]);
    await run("insert into event_names values ($1, 'wide', 1, 1, $2), ($1, 'gone', 0, 0, $2)", [
      projectId,
      at,
    ]);
    await run("insert into event_days values ($1, $2, 'wide', 1), ($1, $2, 'gone', 0)", [
      projectId,
      Math.floor(at / DAY_MS),
    ]);
    for (const name of Object.keys(props))
      await run("insert into event_properties values ($1, 'wide', $2, 'number', 1)", [projectId, name]);
  },
  "0012_settings.sql": async (run) => {
    await run(
      "insert into settings (project_id, key, value, updated_at) values ($1, 'email.capMax', '5', $2)",
      [projectId, BEGAN],
    );
    await run(
      `insert into setting_changes (project_id, key, after, changed_by, changed_at) values ($1, 'email.capMax', '5', 'Ada', $2)`,
      [projectId, BEGAN],
    );
  },
  "0013_email.sql": async (run) => {
    const at = seen("bob");
    await run(
      `insert into campaigns (id, project_id, name, status, channel, created_by, created_at, started_at, audience)
      values ($1, $2, 'News', 'paused', 'email', 'api', $3, $3, '{"kind": "all"}')`,
      [id.mail, projectId, BEGAN],
    );
    await run(
      `insert into variants (id, campaign_id, project_id, position, name, weight, is_control, content)
      values ($1, $2, $3, 0, 'A', 1, true, '{"subject": "News", "body": "News"}')`,
      [variant.mail, id.mail, projectId],
    );
    await run("insert into email_plans (campaign_id, project_id, next_pass_at) values ($1, $2, $3)", [
      id.mail,
      projectId,
      at,
    ]);
    await run(
      `insert into deliveries (lane, user_key, campaign_id, project_id, variant_id, state, queued_at, sent_at)
      values ($1, $2, $3, $4, $5, 'sent', $6, $6)`,
      [...place("bob"), id.mail, projectId, variant.mail, at],
    );
    await run(
      `insert into email_sends (lane, user_key, campaign_id, project_id, status, due_at, begun, attempts)
      values ($1, $2, $3, $4, 'accepted', $5, true, 1)`,
      [...place("bob"), id.mail, projectId, at],
    );
    await run("insert into email_attempts values ($1, $2, $3, 1, $4, gen_random_uuid(), $5)", [
      ...place("bob"),
      id.mail,
      projectId,
      at,
    ]);
    await run("insert into email_outcomes values ($1, $2, $3, 1, $4, 'accepted', $5, 250, 'OK')", [
      ...place("bob"),
      id.mail,
      projectId,
      at,
    ]);
    await run(
      "insert into campaign_stats (lane, campaign_id, variant_id, project_id, sent) values ($1, $2, $3, $4, 1)",
      [place("bob")[0], id.mail, variant.mail, projectId],
    );
  },
  // A click that was taken back left its state behind.
  "0017_push.sql": async (run) => {
    await run(
      `insert into campaigns (id, project_id, name, status, channel, created_by, created_at, started_at, ended_at, audience, push)
      values ($1, $2, 'Ping', 'ended', 'push', 'api', $3, $3, $3, '{"kind": "all"}', '{"appId": "com.acme.app", "selection": {"kind": "all"}, "ttlSeconds": 60}')`,
      [id.push, projectId, BEGAN],
    );
    await run(
      `insert into variants (id, campaign_id, project_id, position, name, weight, is_control, content)
      values ($1, $2, $3, 0, 'A', 1, true, '{"title": "Ping", "body": "Ping"}')`,
      [variant.push, id.push, projectId],
    );
    await run(
      `insert into push_plans (campaign_id, project_id, passes, next_pass_at, checked_at, recheck_at, closed_at)
      values ($1, $2, 2, 4, 5, 6, 7)`,
      [id.push, projectId],
    );
  },
  "0063_chain_of_runs.sql": chained,
  "0024_recount_rollups.sql": async (run) => {
    await run("update deliveries set state = 'clicked' where campaign_id = $1 and converted_at is not null", [
      id.campaign,
    ]);
  },
  "0123_plain_names.sql": (run) => oldMessages(run, { projectId, goalId: id.goal, at: BEGAN + DAY_MS }),
};

/** Runs of a chain as former versions wrote it: no hash spoke for who wrote them. */
export const CHAINED = ["approval", "evaluate"].map((kind) => ({ id: newUuid(BEGAN), kind }));

async function chained(run: Run): Promise<void> {
  let prevHash = "";
  for (const [index, { id: runId, kind }] of CHAINED.entries()) {
    const seq = index + 1;
    const nothing = { goalId: null, campaignId: null, input: null, output: null, rationale: null };
    const content = { id: apiId("run", runId), kind, ...nothing, createdAt: BEGAN, projectId, seq };
    const digest = canonicalHash(content, prevHash);
    await run(
      `insert into agent_runs (id, project_id, kind, created_at, seq, prev_hash, hash) values ($1, $2, $3, $4, $5, $6, $7)`,
      [runId, projectId, kind, BEGAN, seq, prevHash, digest],
    );
    prevHash = digest;
  }
  await run("insert into agent_run_heads (project_id, seq, hash) values ($1, $2, $3)", [
    projectId,
    CHAINED.length,
    prevHash,
  ]);
}

/** How the audiences of the mail and of the push were looked through, as it is said by the newest version. */
export const SWEEPS = [
  { campaign_id: id.mail, sweeps: 0, reevaluated_at: 0, reevaluate_at: null, closed_at: null },
  { campaign_id: id.push, sweeps: 2, reevaluated_at: 5, reevaluate_at: 6, closed_at: 7 },
];

/** Makes databases of former versions, which are dropped at the end. Call at the top of a file. */
export function oldDatabases() {
  const admin = new pg.Client({ ...testServer(), database: "postgres" });
  const names: string[] = [];
  before(() => admin.connect());
  after(async () => {
    for (const name of names) await admin.query(`drop database ${name} with (force)`);
    await admin.end();
  });

  /** A database as it was when a migration had just come, with what people had by then. */
  async function oldDatabase(until: string): Promise<pg.Pool> {
    const name = `upgrade_${process.pid}_${names.length}`;
    names.push(name);
    await admin.query(`create database ${name}`);
    const pool = new pg.Pool({ ...testServer(), database: name, max: 4 });
    // A connection that a test ends emits an error to its pool, or to the client that has it.
    pool.on("error", () => undefined);
    pool.on("connect", (client) => client.on("error", () => undefined));
    const run: Run = (sql, values = []) => pool.query(sql, [...values]);
    await run(
      "create table migrations (name text primary key, digest text not null, applied_at timestamptz not null default now())",
    );
    for (const migration of await readMigrations()) {
      if (migration.name > until) break;
      for (const { statement } of migration.indexes) await run(statement);
      await run(migration.sql);
      await run("insert into migrations (name, digest) values ($1, $2)", [migration.name, migration.digest]);
      await STAGES[migration.name]?.(run);
    }
    return pool;
  }

  /** Brings an old database up to date and serves it. */
  async function served(pool: pg.Pool) {
    await migrate(pool);
    await pool.end();
    const { tidings, url } = await startServer(names.at(-1) ?? "", {}, () => NOW);
    return { tidings, project: testClients(url, keys) };
  }

  return { oldDatabase, served };
}

type Served = Awaited<ReturnType<ReturnType<typeof oldDatabases>["served"]>>;

/** What the doctor finds wrong. */
export async function differencesOf({ check }: Served["tidings"]) {
  const found: CheckFinding[] = [];
  for await (const finding of check()) if (finding.differences > 0) found.push(finding);
  return found;
}
