import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { apiId, userRef } from "../src/domain/ids.ts";
import { newToken, tokenDigest } from "../src/features/access/keys/tokens.ts";
import { linkSigner } from "../src/features/email/sending/public.ts";
import type { CheckFinding } from "../src/platform/checks.ts";
import { migrate, readMigrations } from "../src/platform/db/migrate.ts";
import { canonicalHash } from "../src/platform/text/canonical.ts";
import { DAY_MS } from "../src/platform/time/clock.ts";
import { newUuid } from "../src/platform/uuid.ts";
import { messagesOf } from "./factories.ts";
import { startServer, testClients, testServer } from "./harness.ts";
import { ask, unboundClick } from "./mail.ts";

const BEGAN = Date.UTC(2026, 0, 5, 9);
const NOW = BEGAN + 10 * DAY_MS;
const PERIOD = 202601;
const CROWD = 60;

const projectId = newUuid(BEGAN);
const id = {
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

type Run = (sql: string, values?: readonly unknown[]) => Promise<unknown>;
type Stage = (run: Run) => Promise<void>;

const seen = (userId: string): number => BEGAN + (userId.codePointAt(0) ?? 0) * 1_000;
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
const STAGES: Readonly<Record<string, Stage>> = {
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
};

/** Runs of a chain as former versions wrote it: no hash spoke for who wrote them. */
const CHAINED = ["approval", "evaluate"].map((kind) => ({ id: newUuid(BEGAN), kind }));

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
const SWEEPS = [
  { campaign_id: id.mail, sweeps: 0, reevaluated_at: 0, reevaluate_at: null, closed_at: null },
  { campaign_id: id.push, sweeps: 2, reevaluated_at: 5, reevaluate_at: 6, closed_at: 7 },
];

const admin = new pg.Client({ ...testServer(), database: "postgres" });
const names: string[] = [];
after(async () => {
  for (const name of names) await admin.query(`drop database ${name} with (force)`);
  await admin.end();
});

/** A database as it was when a migration had just come, with what people had by then. */
async function oldDatabase(until: string): Promise<pg.Pool> {
  if (names.length === 0) await admin.connect();
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
    await run(migration.sql);
    await run("insert into migrations (name, digest) values ($1, $2)", [migration.name, migration.digest]);
    await STAGES[migration.name]?.(run);
  }
  return pool;
}

/** The queue of jobs that former versions kept in a schema of its own, with what is queued in it. */
async function withQueue(pool: pg.Pool, names: readonly string[]): Promise<void> {
  await pool.query(`
    create schema graphile_worker;
    create table graphile_worker._private_tasks (id int primary key generated always as identity, identifier text not null unique);
    create table graphile_worker._private_jobs (id bigint primary key generated always as identity,
      task_id int not null references graphile_worker._private_tasks, locked_by text);
    create view graphile_worker.jobs as select * from graphile_worker._private_jobs`);
  for (const name of names)
    await pool.query(
      `with task as (insert into graphile_worker._private_tasks (identifier) values ($1) returning id)
      insert into graphile_worker._private_jobs (task_id, locked_by) select id, 'worker-that-died' from task`,
      [name],
    );
}

/** Brings an old database up to date and serves it. */
async function served(pool: pg.Pool) {
  await migrate(pool);
  await pool.end();
  const { tidings, url } = await startServer(names.at(-1) ?? "", {}, () => NOW);
  return { tidings, project: testClients(url, keys) };
}

async function differencesOf({ check }: Awaited<ReturnType<typeof served>>["tidings"]) {
  const found: CheckFinding[] = [];
  for await (const finding of check()) if (finding.differences > 0) found.push(finding);
  return found;
}

describe("an upgrade", () => {
  for (const from of Object.keys(STAGES))
    it(`from ${from} leaves a house in order, which opens with the old keys`, async () => {
      const { tidings, project } = await served(await oldDatabase(from));
      try {
        assert.deepEqual(await differencesOf(tidings), []);
        await project.api.listCampaigns();
        await project.sdk.track({ body: { userId: "new", event: "looked" } });
        await tidings.drain();
        assert.deepEqual(await differencesOf(tidings), []);
      } finally {
        await tidings.close();
      }
    });

  it("keeps the chain of runs whole, and guesses the writer of none", async () => {
    const { tidings, project } = await served(await oldDatabase("0084_lifted_suppressions.sql"));
    try {
      const { run } = await project.agent.createAgentRun({ body: { kind: "note" } });
      assert.deepEqual([run.writtenBy, run.chain?.seq], ["agent", CHAINED.length + 1]);
      const { runs } = await project.api.listAgentRuns();
      assert.deepEqual(
        runs.filter(({ chain }) => chain !== null).map(({ writtenBy }) => writtenBy),
        ["agent", null, null],
      );
      assert.deepEqual(await differencesOf(tidings), []);
    } finally {
      await tidings.close();
    }
  });

  it("says of each place in the order of verdicts which texts it is about, where that is known", async () => {
    const pool = await oldDatabase("0078_revision_of_goals.sql");
    const run: Run = (sql, values = []) => pool.query(sql, [...values]);
    /** A campaign with variants A (the control), B …; the digests of their contents by epoch, and their tests: `t` and the verdict's instant. */
    async function campaignWith(
      name: string,
      variants: readonly string[],
      epochs: readonly (readonly (string | null)[])[],
      tests: Readonly<Record<string, readonly [t: number, verdictAt: number | null]>>,
    ): Promise<void> {
      const campaignId = newUuid(BEGAN);
      await run(
        `insert into campaigns (id, project_id, name, status, channel, goal_id, created_by, created_at, audience, epoch)
        values ($1, $2, $3, $4, 'web_inapp', $5, 'api', $6, '{"kind": "all"}', $7)`,
        [
          campaignId,
          projectId,
          name,
          epochs.length === 0 ? "draft" : "running",
          id.goal,
          BEGAN,
          epochs.length,
        ],
      );
      for (const [position, called] of variants.entries()) {
        const variantId = newUuid(BEGAN + position);
        await run(
          `insert into variants (id, campaign_id, project_id, position, name, weight, is_control, content)
          values ($1, $2, $3, $4, $5, 1, $6, '{}')`,
          [variantId, campaignId, projectId, position, called, position === 0],
        );
        for (const [epoch, digests] of epochs.entries())
          if (digests[position] !== null)
            await run(
              `insert into allocations (campaign_id, epoch, variant_id, project_id, weight, content_digest, goal_id, holdout_percent, started_at)
              values ($1, $2, $3, $4, 1, $5, $6, 0, $2 * 10)`,
              [campaignId, epoch + 1, variantId, projectId, digests[position], id.goal],
            );
        const [t, verdictAt] = tests[called] ?? [];
        if (t !== undefined)
          await run("insert into verdict_tests values ($1, $2, $3, $4, $5, 0.01, $6)", [
            id.goal,
            t,
            projectId,
            campaignId,
            variantId,
            verdictAt ?? null,
          ]);
      }
    }
    await campaignWith(
      "Edited",
      ["A", "B", "C", "D"],
      [
        ["a", "b", "c", null],
        ["a", "b2", "c", null],
        ["a", "b2", "c", "d"],
      ],
      { B: [1, null], C: [2, null], D: [3, null] },
    );
    await campaignWith(
      "Control edited and back",
      ["A", "B"],
      [
        ["a", "b"],
        ["a2", "b"],
        ["a", "b"],
      ],
      { B: [4, null] },
    );
    await campaignWith(
      "Edited after its verdict",
      ["A", "B"],
      [
        ["a", "b1"],
        ["a", "b2"],
        ["a", "b2"],
        ["a", "b3"],
      ],
      { B: [5, 30] },
    );
    await campaignWith("Not launched", ["A", "B"], [], { B: [6, null] });
    await campaignWith("Now the control", ["A", "B"], [["a", "b"]], { A: [7, 5], B: [8, 5] });
    await migrate(pool);
    const { rows } = await pool.query<Record<string, unknown>>(
      `select t, k.name as control, since_epoch as since, event, attribution_days as days, verdict_at is not null as has_verdict
      from verdict_tests left join variants k on k.id = control_id order by t`,
    );
    const verdictTest = (since: number, has_verdict = false) => ({
      control: "A",
      since,
      event: "paid",
      days: 7,
      has_verdict,
    });
    const unknown = { control: null, since: null, event: null, days: null, has_verdict: true };
    const expected = [
      verdictTest(2),
      verdictTest(1),
      verdictTest(3),
      verdictTest(3),
      verdictTest(2, true),
      verdictTest(1),
      unknown,
      unknown,
    ];
    assert.deepEqual(
      rows,
      expected.map((row, index) => ({ t: index + 1, ...row })),
    );
    await pool.end();
  });

  it("says of what lies in the server's network whether an operator has named it, by the audit log where that knows", async () => {
    const pool = await oldDatabase("0086_makers_of_links.sql");
    const run: Run = (sql, values = []) => pool.query(sql, [...values]);
    const person = { operator: newUuid(BEGAN), owner: newUuid(BEGAN), gone: newUuid(BEGAN) };
    for (const [name, isOperator] of [
      ["operator", true],
      ["owner", false],
    ] as const) {
      await run(
        `insert into people."user" ("id", "name", "email", "emailVerified", "createdAt", "updatedAt")
        values ($1, $2, $2 || '@example.com', true, now(), now())`,
        [person[name], name],
      );
      await run(
        "insert into members (person_id, organization_id, role, is_operator, created_at) values ($1, $2, 'owner', $3, $4)",
        [person[name], id.organization, isOperator, BEGAN],
      );
    }
    async function entry(
      by: keyof typeof person,
      operation: string,
      target: string | null,
      detail: object,
    ): Promise<void> {
      await run(
        `insert into audit_entries (organization_id, project_id, at, by_kind, by_id, by_name, operation, target, detail)
        values ($1, $2, $3, 'human', $4, $5, $6, $7, $8)`,
        [id.organization, projectId, BEGAN, person[by], by, operation, target, detail],
      );
    }
    const NAME = "https://git.example.com/web.git";
    const OTHER = "https://git.example.com/other.git";
    /** A source with its address, what was done to it (by whom, and which address it had then), and whether an operator named it. */
    const sources: [string, url: string, log: [keyof typeof person, string][], expected: boolean][] = [
      ["an operator's", NAME, [["operator", NAME]], true],
      ["an owner's", NAME, [["owner", NAME]], false],
      [
        "changed by an owner",
        NAME,
        [
          ["operator", OTHER],
          ["owner", NAME],
        ],
        false,
      ],
      [
        "changed by an operator",
        NAME,
        [
          ["owner", OTHER],
          ["operator", NAME],
        ],
        true,
      ],
      [
        "paused by an owner",
        NAME,
        [
          ["operator", NAME],
          ["owner", NAME],
        ],
        true,
      ],
      [
        "changed back by an owner",
        NAME,
        [
          ["operator", NAME],
          ["operator", OTHER],
          ["owner", NAME],
        ],
        false,
      ],
      ["a command's", "file:///srv/web.git", [], true],
      ["of a person who is gone", "https://10.0.0.5/web.git", [["gone", "https://10.0.0.5/web.git"]], true],
      ["under localhost, by ssh", "git@a.localhost:web.git", [], false],
      ["under localhost, with a port", "https://x@A.LocalHost.:8443/web.git", [], false],
      [
        "localhost of a person who is gone",
        "http://localhost/web.git",
        [["gone", "http://localhost/web.git"]],
        false,
      ],
      [
        "localhost, an operator's",
        "http://localhost/web.git",
        [["operator", "http://localhost/web.git"]],
        true,
      ],
      ["localhost in a path", "https://git.example.com/localhost/web.git", [], true],
    ];
    for (const [name, url, log] of sources) {
      await run(
        "insert into sources (project_id, id, url, branch, created_at, look_at) values ($1, $2, $3, 'main', $4, $4)",
        [projectId, name, url, BEGAN],
      );
      let before: string | undefined;
      for (const [by, newUrl] of log) {
        const operation = before === undefined ? "connectSource" : "changeSource";
        await entry(by, operation, name, {
          ...(before !== undefined && { before: { url: before } }),
          after: { url: newUrl },
        });
        before = newUrl;
      }
    }
    // The same thing of the mail server and the model, of which the log says the names of settings alone.
    for (const key of ["email.smtpUrl", "agent.modelUrl", "email.capHours"])
      await run("insert into settings (project_id, key, value, updated_at) values ($1, $2, '1', $3)", [
        projectId,
        key,
        BEGAN,
      ]);
    await entry("operator", "prepareEmailSender", null, { after: ["email.from", "email.smtpUrl"] });
    await entry("owner", "changePeopleSettings", null, { after: ["email.smtpUrl"] });
    await entry("operator", "changePeopleSettings", null, { after: ["email.capHours"] });
    await migrate(pool);
    const found = await pool.query("select id, by_operator from sources");
    assert.deepEqual(
      Object.fromEntries(found.rows.map((row) => [row.id, row.by_operator])),
      Object.fromEntries(sources.map(([name, , , expected]) => [name, expected])),
    );
    const { rows } = await pool.query(
      "select key, by_operator from settings where key <> 'email.capMax' order by key",
    );
    assert.deepEqual(
      rows.map((row) => [row.key, row.by_operator]),
      [
        ["agent.modelUrl", true],
        ["email.capHours", true],
        ["email.smtpUrl", false],
      ],
    );
    await pool.end();
  });

  it("keeps what users read now with the first epoch that had it, and knows no text that was edited before", async () => {
    const pool = await oldDatabase("0087_sources_of_operators.sql");
    const [campaignId, variantId] = [newUuid(BEGAN), newUuid(BEGAN + 1)];
    await pool.query(
      `insert into campaigns (id, project_id, name, status, channel, goal_id, created_by, created_at, audience, epoch)
      values ($1, $2, 'Edited', 'running', 'web_inapp', $3, 'api', $4, '{"kind": "all"}', 3)`,
      [campaignId, projectId, id.goal, BEGAN],
    );
    await pool.query(
      `insert into variants (id, campaign_id, project_id, position, name, weight, is_control, content)
      values ($1, $2, $3, 0, 'A', 1, true, '{"title": "Now"}')`,
      [variantId, campaignId, projectId],
    );
    for (const [epoch, title] of ["Former", "Now", "Now"].entries())
      await pool.query(
        `insert into allocations (campaign_id, epoch, variant_id, project_id, weight, content_digest, goal_id, holdout_percent, started_at)
        values ($1, $2, $3, $4, 1, encode(sha256(convert_to($5::jsonb::text, 'UTF8')), 'hex'), $6, 0, $2 * 10)`,
        [campaignId, epoch + 1, variantId, projectId, JSON.stringify({ title }), id.goal],
      );
    await migrate(pool);
    const { rows } = await pool.query<{ content: unknown }>(
      "select content from allocations where campaign_id = $1 order by epoch",
      [campaignId],
    );
    assert.deepEqual(
      rows.map(({ content }) => content),
      [null, { title: "Now" }, null],
    );
    await pool.end();
  });

  it("from the first migration on keeps all that came since, and counts what was not counted then", async () => {
    const last = (await readMigrations()).at(-1)?.name ?? "";
    const { tidings, project } = await served(await oldDatabase(Object.keys(STAGES).at(-1) ?? last));
    try {
      const { api } = project;
      assert.equal((await api.listUsers()).total, CROWD + 3);
      const { user } = await api.getUser({ path: { id: "ada" } });
      assert.deepEqual([user.traits, user.firstSeenAt], [{ plan: "pro", seats: 3, code: "a" }, seen("ada")]);
      assert.equal((await api.listEvents()).total, 6);
      const { campaigns } = await api.listCampaigns();
      const stats = Object.fromEntries(campaigns.map(({ name, stats: each }) => [name, each]));
      assert.deepEqual([stats.Hello?.shown, stats.Hello?.converted, stats.News?.sent], [1, 1, 1]);
      const { rows: sweeps } = await tidings.app.database.pool.query(
        "select campaign_id, sweeps, reevaluated_at, reevaluate_at, closed_at from campaign_sweeps order by sweeps",
      );
      assert.deepEqual(sweeps, SWEEPS);
      const token = tidings.app.get(linkSigner).token(userRef(projectId, "bob").userKey, id.mail, "link");
      const sent = { link: (part: string) => `${project.url}/e/${token}/${part}` };
      const followed = await ask(unboundClick(tidings.app, sent, "https://shop.example/news"));
      assert.deepEqual(
        [followed.status, followed.headers.get("location")],
        [302, "https://shop.example/news"],
        "a link in mail that was sent before goes on leading there",
      );
      const path = { id: `cmp_${id.campaign}` };
      assert.equal((await api.listCampaignDeliveries({ path, query: { state: "converted" } })).total, 1);
      const { totals } = await api.getCampaignConversions({ path, query: { event: "paid" } });
      assert.deepEqual([totals.exposedUsers, totals.convertedUsers], [1, 1]);
      assert.deepEqual(
        (await api.listGoals()).goals.map(({ name }) => name),
        ["Sales"],
      );
      assert.equal((await api.listAgentRuns()).total, 1);
      const { days } = await api.getMetrics({ query: { range: "30d" } });
      const sum = (key: "events" | "impressions" | "conversions") =>
        days.reduce((all, day) => all + day[key], 0);
      assert.deepEqual([sum("events"), sum("impressions"), sum("conversions")], [6, 1, 1]);
      const { capabilities } = await api.getAudienceCapabilities();
      const known = JSON.stringify(capabilities);
      for (const word of ["looked", "paid", "plan", "pro", "seats", "path"])
        assert.ok(known.includes(`"${word}"`), word);
      const wide = capabilities.events.find(({ name }) => name === "wide");
      assert.deepEqual([wide?.properties.length, known.includes("gone")], [50, false]);
      assert.ok(!known.includes("code 7"), "a trait with too many values is not listed by value");
      assert.deepEqual(await messagesOf(project, "ada"), [], "who converted is not served again");
      assert.equal((await messagesOf(project, "bob")).length, 1);
      assert.deepEqual(await differencesOf(tidings), []);
    } finally {
      await tidings.close();
    }
  });

  it("takes away the queue of jobs that nothing works any more, and no other program's", async () => {
    for (const [names, isLeft] of [
      [["fold_rollups", "retire_events"], false],
      [[], false],
      [["fold_rollups", "bake_bread"], true],
    ] as const) {
      const pool = await oldDatabase("0042_links_of_campaigns.sql");
      await withQueue(pool, names);
      await migrate(pool);
      const { rows } = await pool.query("select to_regnamespace('graphile_worker') is not null as left");
      assert.deepEqual(rows, [{ left: isLeft }], names.join(", "));
      await pool.end();
    }
  });

  it("keeps the leases of a process of before that still works", async () => {
    const pool = await oldDatabase("0042_links_of_campaigns.sql");
    await pool.query(
      "insert into workers (fence, seen_at, job_pools) values ($1, now() - interval '4 s', '{}')",
      [id.goal],
    );
    await migrate(pool);
    const { rows } = await pool.query(
      "select lease_owner, serves, works, seen_at < now() - interval '3 s' as aged from processes",
    );
    assert.deepEqual(rows, [{ lease_owner: id.goal, serves: false, works: true, aged: true }]);
    await pool.end();
  });

  it("keeps what is known of events that were deleted for their age", async () => {
    const pool = await oldDatabase("0078_revision_of_goals.sql");
    await pool.query(
      "update event_counts set first_at = last_at - 5, retired = 1, retired_until = last_at - 1 where name = 'paid'",
    );
    await migrate(pool);
    const { rows } = await pool.query(
      "select distinct name = 'paid' as was_retired, retired_firsts = array[first_at, last_at - 1] as are_kept from event_counts",
    );
    assert.deepEqual(
      rows.toSorted((a, b) => Number(a.was_retired) - Number(b.was_retired)),
      [
        { was_retired: false, are_kept: null },
        { was_retired: true, are_kept: true },
      ],
    );
    await pool.end();
  });

  it("that is killed in the middle leaves the former state, and is done by the next one", async () => {
    const pool = await oldDatabase("0008_audience_facts.sql");
    const applied = async (): Promise<string[]> =>
      (await pool.query<{ name: string }>("select name from migrations order by name")).rows.map(
        ({ name }) => name,
      );
    const before = await applied();
    // The first statement of the next migration waits for this lock, inside its transaction.
    const holder = await pool.connect();
    await holder.query("begin; lock table migrations in share mode");
    const migrating = migrate(pool);
    const ended = assert.rejects(migrating);
    let pid: number | undefined;
    for (const end = Date.now() + 30_000; pid === undefined && Date.now() < end; await sleep(10)) {
      const { rows } = await pool.query<{ pid: number }>(
        "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like 'insert into migrations%'",
      );
      pid = rows[0]?.pid;
    }
    assert.ok(pid, "it waits in the middle of a migration");
    await holder.query("select pg_terminate_backend($1)", [pid]);
    await holder.query("commit");
    holder.release();
    await ended;
    assert.deepEqual(await applied(), before);
    const both = await Promise.all([migrate(pool), migrate(pool)]);
    const left = (await readMigrations()).map(({ name }) => name).filter((name) => !before.includes(name));
    assert.deepEqual(both.flat().sort(), left);
    const { tidings } = await served(pool);
    try {
      assert.deepEqual(await differencesOf(tidings), []);
    } finally {
      await tidings.close();
    }
  });
});
