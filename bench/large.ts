/**
 * `node bench/large.ts [--users 10000000] [--events 30000000] [--folder /var/tmp/large] [--rounds 3] [--only text] [--doctor]`: what the pages and
 * the API ask of a large project: lists, reports, censuses and checks, each with a ceiling, the processor time of PostgreSQL and the
 * pages (8 KB) that it reads. The folder is filled once and stays for later runs; filling takes some 20 minutes. `--only` asks what has the
 * text in its name. `--doctor` lets the doctor recount all of it as well. Exits 1 above a ceiling.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { createClient, TidingsError } from "@tidings/client";
import { setCredential, setSender } from "./campaign.ts";
import { fillEmail, fillProject, fillPush } from "./filled.ts";
import { startTidings } from "./processes.ts";
import { median } from "./report.ts";

const { values } = parseArgs({
  options: {
    users: { type: "string", default: "10000000" },
    events: { type: "string", default: "30000000" },
    folder: { type: "string" },
    rounds: { type: "string", default: "3" },
    only: { type: "string", default: "" },
    doctor: { type: "boolean", default: false },
  },
});
const [USERS, EVENTS, ROUNDS] = [values.users, values.events, values.rounds].map(Number) as [
  number,
  number,
  number,
];
const FOLDER = values.folder ?? join(tmpdir(), `tidings-large-${USERS}-${EVENTS}`);
/** Of all users, those who have had a mail, and those with a device. */
const [MAILED, WITH_DEVICE] = [USERS / 10, USERS / 100];
const DAY_MS = 86_400_000;
/** The file that says what a filled folder has in it. */
const FILLED = "filled.json";
type Filled = { web: string; goal: string };
/** The longest that a list may take, and a report, in milliseconds. */
const [LIST, REPORT] = [1_000, 20_000];
const COMMAND = new URL("../apps/server/bin/tidings.mjs", import.meta.url).pathname;

const start = () => startTidings({ APNS_URL: "https://127.0.0.1:9", LOG_LEVEL: "error" }, undefined, FOLDER);

/** Fills the folder. The last thing that it writes is the file by which later runs see that nothing is missing. */
async function fill(): Promise<void> {
  const began = performance.now();
  console.log(`filling ${USERS} users and ${EVENTS} events in ${FOLDER}`);
  const tidings = await start();
  const db = await tidings.connect();
  const api = createClient(`http://127.0.0.1:${tidings.port}`, tidings.secretKey);
  await setSender(tidings, "smtp://127.0.0.1:9", "org.spendCapUsd=0");
  await setCredential(tidings);
  await db.query("set synchronous_commit = off; set work_mem = '256MB'; set maintenance_work_mem = '1GB'");
  const web = await fillProject(db, tidings, { users: USERS, events: EVENTS });
  await fillEmail(db, MAILED);
  await fillPush(db, WITH_DEVICE);
  const { goal } = await api.createGoal({
    body: { name: "Event 2", targetEvent: "event_2", attributionDays: 7 },
  });
  // What runs would send while it is measured.
  await db.query(
    "update campaigns set goal_id = $1, status = case channel when 'web_inapp' then status else 'paused' end",
    [goal.id.slice(5)],
  );
  await db.query("alter system set shared_preload_libraries = 'pg_stat_statements'");
  await db.query("vacuum analyze");
  await writeFile(join(FOLDER, FILLED), JSON.stringify({ web, goal: goal.id } satisfies Filled));
  console.log(`filled in ${((performance.now() - began) / 60_000).toFixed(1)} minutes`);
  await db.end();
  await tidings.stop();
}

if (!existsSync(join(FOLDER, FILLED))) await fill();
const tidings = await start();
const db = await tidings.connect();
const api = createClient(`http://127.0.0.1:${tidings.port}`, tidings.secretKey);

/** Pages that PostgreSQL has read so far, from its own memory or from elsewhere. */
async function pagesSoFar(): Promise<number> {
  const { rows } = await db.query<{ pages: number }>(
    "select sum(shared_blks_hit + shared_blks_read)::float8 as pages from pg_stat_statements",
  );
  return rows[0]?.pages ?? 0;
}

type Question = { name: string; most: number; ask: () => Promise<unknown> };

const trait = (key: string, op: string, value: unknown) => ({
  kind: "field",
  field: { kind: "trait", key },
  op,
  value,
});
const event = (name: string, more: object = {}) => ({ kind: "event", event: name, ...more });
const all = (...children: unknown[]) => ({ kind: "all", children });
const check = (root: unknown) => () =>
  api.checkAudience({ body: { expression: { version: 1, root }, sampleLimit: 10 } as never });
const WINDOW = { window: { amount: 30, unit: "days" } };

type Paged = { page?: number; cursor?: string };

/** Asks for what is behind a page of a list. */
function behind(
  ask: (query: Paged) => Promise<{ nextCursor: string | null }>,
  page: number,
): () => Promise<unknown> {
  const found = { cursor: "" };
  return async () => {
    found.cursor ||= (await ask({ page })).nextCursor ?? "";
    return ask({ cursor: found.cursor });
  };
}

async function questions(): Promise<Question[]> {
  const { web, goal } = JSON.parse(await readFile(join(FOLDER, FILLED), "utf8")) as Filled;
  const { campaigns } = await api.listCampaigns({ query: { perPage: 100 } });
  const campaignOf = (channel: string): string =>
    campaigns.find((each) => each.channel === channel)?.id ?? "";
  const [mail, push] = [campaignOf("email"), campaignOf("push")];
  const { segments } = await api.listSegments({ query: {} as never });
  const made = async (name: string, root: unknown) =>
    segments.find((each) => each.name === name)?.id ??
    (
      await api.createSegment({
        body: { key: name.toLowerCase(), name, expression: { version: 1, root } } as never,
      })
    ).segment.id;
  const [byTrait, byEvent] = [
    await made("Pro", trait("plan", "eq", "pro")),
    await made("Lately", event("event_3", WINDOW)),
  ];
  const list = (name: string, ask: () => Promise<unknown>): Question => ({
    name: `list: ${name}`,
    most: LIST,
    ask,
  });
  const report = (name: string, ask: () => Promise<unknown>): Question => ({
    name: `report: ${name}`,
    most: REPORT,
    ask,
  });
  const now = Date.now();
  return [
    list("users", () => api.listUsers({ query: {} })),
    list("users, page 100", () => api.listUsers({ query: { page: 100 } })),
    list("users, last page", () => api.listUsers({ query: { page: Math.floor(USERS / 50), perPage: 50 } })),
    list(
      "users, behind the cursor of page 2,000",
      behind((query) => api.listUsers({ query }), 2_000),
    ),
    list("users by a text", () => api.listUsers({ query: { q: "user-77777" } })),
    list("users by a text that nobody has", () => api.listUsers({ query: { q: "zzzz" } })),
    list("users by a trait", () => api.listUsers({ query: { traitKey: "plan", traitValue: "pro" } })),
    list("users who were active", () => api.listUsers({ query: { activeSince: now - DAY_MS } })),
    list("users who are new", () => api.listUsers({ query: { firstSeenSince: now - 7 * DAY_MS } })),
    list("a user", () => api.getUser({ path: { id: "user-77777" } })),
    list("events of a user", () => api.listUserEvents({ path: { id: "user-77777" }, query: {} })),
    list("events", () => api.listEvents({ query: {} })),
    list("events, page 1,000", () => api.listEvents({ query: { page: 1_000 } })),
    list(
      "events, behind the cursor of page 1,000",
      behind((query) => api.listEvents({ query }), 1_000),
    ),
    list("events by a name", () => api.listEvents({ query: { name: "event_19" } })),
    list("events by a text", () => api.listEvents({ query: { q: "event_1" } })),
    list("events of some days", () =>
      api.listEvents({ query: { since: now - 40 * DAY_MS, until: now - 30 * DAY_MS } }),
    ),
    list("deliveries of a campaign", () => api.listCampaignDeliveries({ path: { id: web }, query: {} })),
    list("deliveries of a campaign, page 1,000", () =>
      api.listCampaignDeliveries({ path: { id: web }, query: { page: 1_000 } }),
    ),
    list(
      "deliveries of a campaign, behind the cursor of page 1,000",
      behind((query) => api.listCampaignDeliveries({ path: { id: web }, query }), 1_000),
    ),
    list("deliveries of a campaign in a state", () =>
      api.listCampaignDeliveries({ path: { id: web }, query: { state: "shown" } }),
    ),
    list("pushes of a campaign", () => api.getCampaignPush({ path: { id: push }, query: {} })),
    list("devices", () => api.listInstallations({ query: {} })),
    list("users of a segment by a trait", () => api.listSegmentUsers({ path: { id: byTrait }, query: {} })),
    list("users of a segment by events", () => api.listSegmentUsers({ path: { id: byEvent }, query: {} })),
    list("segments", () => api.listSegments({ query: {} as never })),
    list("campaigns", () => api.listCampaigns({ query: {} })),
    list("a campaign", () => api.getCampaign({ path: { id: web } })),
    list("mail of a campaign", () => api.getCampaignEmail({ path: { id: mail } })),
    list("capabilities", () => api.getAudienceCapabilities()),
    list("activity", () => api.listActivity({ query: {} })),
    list("usage", () => api.getUsage()),
    list("overview", () => api.getOverview()),
    report("summary of users, with the active ones", () => api.getUserSummary({ query: {} })),
    report("addresses that nobody reads", () => api.listUnreadAddresses({ query: {} })),
    list("metrics of 90 days", () => api.getMetrics({ query: { range: "90d" } })),
    report("results of 90 days", () => api.getResultDays({ query: { range: "90d" } })),
    report("results of a campaign", () =>
      api.listCampaignResults({ query: { campaignIds: [web] } as never }),
    ),
    report("conversions of a campaign", () =>
      api.getCampaignConversions({ path: { id: web }, query: { event: "event_2" } }),
    ),
    report("conversions of a campaign by day", () =>
      api.getCampaignConversions({ path: { id: web }, query: { event: "event_2", series: "day" } as never }),
    ),
    report("conversions of a goal", () => api.getGoalConversions({ path: { id: goal }, query: {} as never })),
    report("check: a trait", check(trait("plan", "eq", "pro"))),
    report("check: a text in a trait", check(trait("email", "contains", "77777"))),
    report(
      "check: a trait, seen, not seen",
      check(all(trait("plan", "eq", "pro"), event("event_3"), { kind: "not", child: event("event_5") })),
    ),
    report(
      "check: an event within 30 days",
      check(event("event_1", { count: { op: "gte", value: 1 }, ...WINDOW })),
    ),
    report(
      "check: a trait and two events within 30 days",
      check(all(trait("plan", "eq", "pro"), event("event_1", WINDOW), event("event_2", WINDOW))),
    ),
    report(
      "check: got a campaign and clicked nothing",
      check(
        all(
          { kind: "message", did: "received", campaigns: [web] },
          { kind: "not", child: { kind: "message", did: "clicked" } },
        ),
      ),
    ),
    report("census of a web campaign", () => api.takeCampaignCensus({ path: { id: web } })),
    report("census of mail", () => api.takeCampaignCensus({ path: { id: mail } })),
    report("census of a push campaign", () => api.takeCampaignCensus({ path: { id: push } })),
  ];
}

/** One asking: how long it took, and how it was refused. */
async function askOnce(ask: Question["ask"]): Promise<{ ms: number; refusal: string | null }> {
  const began = performance.now();
  let refusal: string | null = null;
  try {
    await ask();
  } catch (error) {
    refusal = error instanceof TidingsError ? `${error.status}: ${error.message}` : String(error);
  }
  return { ms: performance.now() - began, refusal };
}

async function measure({ name, most, ask }: Question): Promise<void> {
  const [pages, cpu] = [await pagesSoFar(), tidings.cpu().postgres];
  const first = await askOnce(ask);
  const seconds = tidings.cpu().postgres - cpu;
  const read = (await pagesSoFar()) - pages;
  const again: number[] = [];
  while (first.refusal === null && again.length < ROUNDS) again.push((await askOnce(ask)).ms);
  const ms = first.refusal === null ? median(again) : first.ms;
  const isReached = first.refusal === null && ms <= most;
  const cells = [first.ms.toFixed(0), ms.toFixed(0), most, (seconds * 1_000).toFixed(0), read.toFixed(0)];
  const line = cells.map((cell) => String(cell).padStart(9)).join("");
  console.log(`${isReached ? "reached" : "MISSED "}  ${name.padEnd(60)}${line}  ${first.refusal ?? ""}`);
  if (!isReached) process.exitCode = 1;
}

/** The slowest checks of the doctor, and how long it took in all. */
async function recount(): Promise<void> {
  const env = { ...process.env, DATA_DIR: tidings.dataDir };
  const options = { env, maxBuffer: 1e8, timeout: 3 * 3_600_000 };
  const { stdout } = await promisify(execFile)(process.execPath, [COMMAND, "doctor"], options).catch(
    (error: { stdout: string }) => error,
  );
  const lines = stdout.trimEnd().split("\n");
  const msOf = (line: string): number => Number(/(\d+) ms/.exec(line)?.[1] ?? 0);
  for (const line of lines.toSorted((a, b) => msOf(b) - msOf(a)).slice(0, 8)) console.log(line);
  const sum = lines.find((line) => line.includes("differences in")) ?? stdout;
  console.log(sum);
  if (!sum.startsWith("0 ")) process.exitCode = 1;
}

try {
  await db.query("create extension if not exists pg_stat_statements");
  console.log(
    " ".repeat(69) +
      ["first ms", "then ms", "at most", "PG ms", "pages"].map((cell) => cell.padStart(9)).join(""),
  );
  for (const question of await questions()) if (question.name.includes(values.only)) await measure(question);
  if (values.doctor) await recount();
} finally {
  await db.end();
  await tidings.stop();
}
