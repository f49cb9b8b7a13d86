/**
 * `node bench/agent.ts [--rounds 5] [--campaigns 200] [--deliveries 1000] [--history 24]`: evaluations a minute of one runner with the policy
 * `statistical@1` over campaigns that were shown to so many users and evaluated so often before, with one and with eight at a time; in turn
 * with the same requests sent as often without a runner.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { parseArgs } from "node:util";
import { type Agent, lookAfter, statistical1 } from "@tidings/agent";
import { createClient } from "@tidings/client";
import type pg from "pg";
import { countUsers } from "./filled.ts";
import { startTidings } from "./processes.ts";
import { median } from "./report.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    campaigns: { type: "string", default: "200" },
    deliveries: { type: "string", default: "1000" },
    history: { type: "string", default: "24" },
  },
});
const [ROUNDS, CAMPAIGNS, DELIVERIES, HISTORY] = [
  values.rounds,
  values.campaigns,
  values.deliveries,
  values.history,
].map(Number) as [number, number, number, number];
const DAY_MS = 86_400_000;
const AT_ONCE = [1, 8];
/** Too few conversions to act on: each evaluation decides to do nothing, and the next one finds what this one found. */
const CONVERSIONS = 15;
const WANTED = 0.8;

const TIDINGS = new URL("../apps/server/bin/tidings.mjs", import.meta.url).pathname;
const tidings = await startTidings();
const baseUrl = `http://127.0.0.1:${tidings.port}`;
const api = createClient(baseUrl, tidings.secretKey);

async function set(...settings: string[]): Promise<void> {
  const child = spawn(
    process.execPath,
    [TIDINGS, "settings", "set", "--project", tidings.projectId, ...settings],
    { env: { ...process.env, DATA_DIR: tidings.dataDir }, stdio: ["ignore", "ignore", "inherit"] },
  );
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`settings set ended with ${code}`);
}

const uuid = (id: string): string => id.slice(id.indexOf("_") + 1);

/** Users, of whom each campaign was shown to all, half in each variant, between three and twenty days ago. */
async function fill(db: pg.Client, campaigns: readonly { id: string; variants: string[] }[]): Promise<void> {
  const { projectId } = tidings;
  const now = Date.now();
  await db.query(
    `create temp table people as
    select n, get_byte(digest, 0) >> 2 as lane, encode(substring(digest from 1 for 16), 'hex')::uuid as user_key
    from (
      select n, sha256(convert_to($1, 'UTF8') || '\\x00'::bytea || convert_to('user-' || n, 'UTF8')) as digest
      from generate_series(0, $2::int - 1) n
    ) digests`,
    [projectId, DELIVERIES],
  );
  await db.query(
    `insert into users (lane, user_key, project_id, external_id, traits, first_seen_at, last_seen_at)
    select lane, user_key, $1, 'user-' || n, '{}', $2, $2 from people`,
    [projectId, now],
  );
  await countUsers(db);
  await db.query(
    `insert into event_counts (lane, user_key, name, project_id, count, first_at, last_at)
    select lane, user_key, 'paid', $1, 1, $2, $2 from people where n < $3`,
    [projectId, now - DAY_MS, CONVERSIONS],
  );
  for (const { id, variants } of campaigns)
    await db.query(
      `insert into deliveries (lane, user_key, campaign_id, project_id, variant_id, epoch, state, queued_at, shown_at, exposed_at)
      select lane, user_key, $1, $2, ($3::uuid[])[1 + n % 2], 1, 'shown', at, at, at
      from people, lateral (select $4::int8 - (3 + n % 17) * $5::int8 as at) shown`,
      [uuid(id), projectId, variants.map(uuid), now, DAY_MS],
    );
  await db.query("vacuum analyze");
}

async function makeCampaigns(): Promise<string[]> {
  const { goal } = await api.createGoal({
    body: { name: "Sales", targetEvent: "paid", attributionDays: 2, approvalMode: "auto" },
  });
  const made: { id: string; variants: string[] }[] = [];
  for (let n = 0; n < CAMPAIGNS; n++) {
    const variants = ["A", "B"].map((title) => ({ message: { presentation: "toast" as const, title } }));
    const { campaign } = await api.createCampaign({
      body: { name: `Campaign ${n}`, goalId: goal.id, launch: true, variants },
    });
    made.push({ id: campaign.id, variants: campaign.variants.map(({ id }) => id) });
  }
  const db = await tidings.connect();
  await fill(db, made);
  await db.end();
  return made.map(({ id }) => id);
}

/** A request as the runner sent it. */
type Sent = { method: string; url: string; body: string };

/** Plans all campaigns for now; answers the instant. */
async function planAll(ids: readonly string[]): Promise<number> {
  const nextEvaluationAt = Date.now();
  for (const id of ids) await api.scheduleEvaluation({ path: { id }, body: { nextEvaluationAt } });
  return nextEvaluationAt;
}

/** Has the runner evaluate what is due; answers what it sent, and the seconds that it took. */
async function run(): Promise<{ sent: Sent[]; seconds: number }> {
  const sent: Sent[] = [];
  const recording: typeof fetch = (input, init = {}) => {
    sent.push({ method: init.method ?? "GET", url: String(input), body: String(init.body ?? "") });
    return fetch(input, init);
  };
  const failures: unknown[] = [];
  const { signal } = new AbortController();
  const agent: Agent = {
    api: createClient(baseUrl, tidings.agentKey, recording),
    policy: statistical1,
    everyHours: 24,
    clock: Date.now,
    signal,
  };
  const begun = performance.now();
  const claimed = await lookAfter(agent, { failed: (_, cause) => failures.push(cause) });
  const seconds = (performance.now() - begun) / 1_000;
  if (failures.length > 0) throw failures[0];
  if (claimed !== CAMPAIGNS) throw new Error(`${claimed} of ${CAMPAIGNS} campaigns were evaluated.`);
  return { sent, seconds };
}

const headers = { authorization: `Bearer ${tidings.agentKey}`, "content-type": "application/json" };

async function send({ method, url, body }: Sent): Promise<string> {
  const response = await fetch(url, { method, headers, ...(body === "" ? {} : { body }) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text}`);
  return text;
}

/** The requests of each campaign, in their order. */
function byCampaign(sent: readonly Sent[], ids: readonly string[]): Sent[][] {
  const found = new Map<string, Sent[]>(ids.map((id) => [id, []]));
  let last = "";
  for (const each of sent) {
    last = /cmp_[0-9a-f-]{36}/.exec(each.url + each.body)?.[0] ?? last;
    found.get(last)?.push(each);
  }
  return [...found.values()];
}

/** Sends what a runner sent in an earlier evaluation, for the one of `instant`; answers the seconds that it took. */
async function sendBare(
  evaluations: readonly (readonly Sent[])[],
  { before, instant, atOnce }: { before: number; instant: number; atOnce: number },
): Promise<number> {
  const left = [...evaluations];
  const begun = performance.now();
  const takeUp = async (): Promise<void> => {
    for (let requests = left.shift(); requests !== undefined; requests = left.shift()) {
      let token = "";
      for (const { method, url, body } of requests) {
        const text = body
          .replaceAll(String(before), String(instant))
          .replace(/"leaseToken":"[^"]*"/, `"leaseToken":"${token}"`);
        const answer = await send({ method, url, body: text });
        if (url.endsWith("/claim")) token = (JSON.parse(answer) as { leaseToken: string }).leaseToken;
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, takeUp));
  return (performance.now() - begun) / 1_000;
}

try {
  const ids = await makeCampaigns();
  const most = String(10_000);
  await set(`safety.maxRunsPerDay=${most}`, "safety.maxConcurrentCampaigns=1");
  const before = await planAll(ids);
  const evaluations = byCampaign((await run()).sent, ids);
  // The goal is asked for by each, and named by none of the campaigns' ids: it belongs to the request before it.
  for (let n = 1; n <= HISTORY; n++)
    for (const { method, url, body } of evaluations.flat())
      if (method === "POST" && url.endsWith("/agent-runs"))
        await send({ method, url, body: body.replaceAll(String(before), String(before - n)) });
  console.log(
    `${CAMPAIGNS} campaigns, each shown to ${DELIVERIES} users and evaluated ${HISTORY + 1} times before; ${evaluations[0]?.length} requests for each evaluation`,
  );
  for (const atOnce of AT_ONCE) {
    await set(`safety.maxConcurrentCampaigns=${atOnce}`);
    const rates: number[] = [];
    const ratios: number[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      await planAll(ids);
      const cpu = tidings.cpu();
      const { seconds } = await run();
      const used = tidings.cpu();
      const instant = await planAll(ids);
      const bare = await sendBare(evaluations, { before, instant, atOnce });
      rates.push((60 * CAMPAIGNS) / seconds);
      ratios.push(bare / seconds);
      const each = (from: number, to: number): string =>
        `${((1_000 * (to - from)) / CAMPAIGNS).toFixed(1)} ms`;
      console.log(
        `round ${round}, ${atOnce} at once: ${((60 * CAMPAIGNS) / seconds).toFixed(0)} evaluations a minute, bare ${((60 * CAMPAIGNS) / bare).toFixed(0)}; each ${each(cpu.node, used.node)} of Node, ${each(cpu.postgres, used.postgres)} of PostgreSQL`,
      );
    }
    const ratio = median(ratios);
    console.log(
      `${ratio >= WANTED ? "reached" : "MISSED "}  ${atOnce} at once: ${median(rates).toFixed(0)} evaluations a minute, ${ratio.toFixed(2)} of the bare requests (at least ${WANTED})`,
    );
    if (ratio < WANTED) process.exitCode = 1;
  }
} finally {
  await tidings.stop();
}
