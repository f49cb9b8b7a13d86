/**
 * `node bench/sweep.ts [--users 1000000] [--events 1] [--rounds 3] [--seconds 60]`: what sweeping an audience reads and costs, per user, in a project of
 * each of these sizes (`--users 1000000,10000000`, grown in place) and in two smaller ones beside it: mail and push to everybody, a sweep
 * that finds no new user, audiences of which few users match, and censuses that go page by page. What a sweep has not done
 * after so many seconds is left out, and figures are per user that it came to. Rows are those of `users` and `events` that
 * PostgreSQL counts. No message leaves: the spend cap of the organization is 0, so mail is planned and waits.
 * Exits 1 where planning reads more than three rows per user, or a planned user of a larger project costs more than 1.5 times
 * that of a smaller one.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Client, createClient, type Input, TidingsError } from "@tidings/client";
import { setCredential, setSender } from "./campaign.ts";
import { fillDeliveries, fillDevices, fillEvents, fillUsers } from "./filled.ts";
import { startTidings } from "./processes.ts";
import { median } from "./report.ts";

const { values } = parseArgs({
  options: {
    users: { type: "string", default: "1000000" },
    /** Of each user, on average. */
    events: { type: "string", default: "1" },
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "60" },
  },
});
const SIZES = values.users
  .split(",")
  .map(Number)
  .toSorted((a, b) => a - b);
const ROUNDS = Number(values.rounds);
const SECONDS = Number(values.seconds);
const MOST_READ = 3;
const MOST_GROWN = 1.5;
/** A session that has become idle adds what it has read to the counters of PostgreSQL after 10 seconds at the latest. */
const COUNTED_MS = 10_500;
const DAY_MS = 86_400_000;
/** Users of a page of the walk by hand. */
const PAGE = 2_000;
const FIRST_USER = "00000000-0000-0000-0000-000000000000";
/** Every so many users have a device, or an address that `parseAddress` alone reads. */
const [DEVICE_EVERY, ODD_EVERY] = [10, 20];
const SUBJECT = "Hello {{ user.plan | default: 'there' }}";

type Body = Input<"createCampaign">["body"];
const MAIL: Body = { name: "Mail", channel: "email", message: { subject: SUBJECT, body: "Hello." } };
const push = (title: string): Body => ({
  name: "Push",
  channel: "push",
  push: { appId: "com.example.app", selection: { kind: "last_active" } },
  message: { title, body: "Hello.", destination: { kind: "website", url: "https://example.com/" } },
});

type Project = { name: string; projectId: string; secretKey: string; api: Client; users: number };
type Campaign = { id: string; variants: { id: string }[] };
type Reads = { rows: number; entries: number; events: number };
/** What something took: processor seconds, and the rows of `users` (of their indexes: `entries`) and of `events` that were read. */
type Cost = Reads & { seconds: number; node: number; postgres: number };
/** A sweep, for how many users it queued something, and how many it came to. */
type Swept = Cost & { campaign: Campaign | null; planned: number; passed: number; isThrough: boolean };
type Planning = { campaign: Campaign | null; reads: number; micros: number; postgres: number };

// Nothing leaves; if it did, it would not leave this machine.
const tidings = await startTidings({
  APNS_URL: "https://127.0.0.1:9",
  RATE_LIMITS: "off",
  LOG_LEVEL: "error",
});
const db = await tidings.connect();
const uuid = (id: string): string => id.slice(id.indexOf("_") + 1);

async function project(name: string, keys: { projectId: string; secretKey: string }): Promise<Project> {
  const { projectId, secretKey } = keys;
  const { command, port } = tidings;
  await setSender({ projectId, command }, "smtp://127.0.0.1:9", "org.spendCapUsd=0");
  await setCredential({ port, secretKey });
  return { name, projectId, secretKey, api: createClient(`http://127.0.0.1:${port}`, secretKey), users: 0 };
}

async function newProject(name: string): Promise<Project> {
  const made = await tidings.command("project", "create", "--name", name, "--json");
  return project(name, JSON.parse(made) as { projectId: string; secretKey: string });
}

async function grow(grown: Project, users: number): Promise<void> {
  const began = performance.now();
  const added = users - grown.users;
  await fillUsers(db, grown.projectId, { from: grown.users, until: users, oddEvery: ODD_EVERY });
  await fillEvents(db, added * Number(values.events));
  await fillDevices(db, `n % ${DEVICE_EVERY} = 0`);
  grown.users = users;
  const seconds = ((performance.now() - began) / 1_000).toFixed(0);
  console.log(
    `filled ${added} users and ${values.events} times as many events of ${grown.name} in ${seconds} s`,
  );
}

async function readsSoFar(): Promise<Reads> {
  await db.query("select pg_stat_force_next_flush()");
  const { rows } = await db.query<Reads>(
    `select sum(rows) filter (where relname = 'users')::float8 as rows, sum(rows) filter (where relname = 'events')::float8 as events,
      (select sum(idx_tup_read)::float8 from pg_stat_user_indexes where relname = 'users') as entries
    from (select relname, seq_tup_read + coalesce(idx_tup_fetch, 0) as rows from pg_stat_user_tables) t`,
  );
  return rows[0] ?? { rows: 0, entries: 0, events: 0 };
}

async function measured(act: () => Promise<void>): Promise<Cost> {
  const [before, cpuBefore, began] = [await readsSoFar(), tidings.cpu(), performance.now()];
  await act();
  const [cpu, ended] = [tidings.cpu(), performance.now()];
  await sleep(COUNTED_MS);
  const after = await readsSoFar();
  return {
    seconds: (ended - began) / 1_000,
    node: cpu.node - cpuBefore.node,
    postgres: cpu.postgres - cpuBefore.postgres,
    rows: after.rows - before.rows,
    entries: after.entries - before.entries,
    events: after.events - before.events,
  };
}

/** How many users of a project come before the cursor of a sweep. */
async function countPassed({ projectId }: Project, campaignId: string): Promise<number> {
  const { rows } = await db.query<{ passed: number }>(
    `select count(*)::float8 as passed from campaign_sweeps s join users u on (u.lane, u.user_key) <= (s.after_lane, s.after_user)
    where s.campaign_id = $1 and u.project_id = $2`,
    [campaignId, projectId],
  );
  return rows[0]?.passed ?? 0;
}

/** Lets a campaign run until a condition on the row of its sweep is true, or the seconds are over. @returns whether it became true */
async function run(target: Project, { id }: Campaign, condition: string): Promise<boolean> {
  let isTrue = false;
  const until = performance.now() + SECONDS * 1_000;
  await target.api.setCampaignStatus({ path: { id }, body: { action: "launch" } });
  while (!isTrue && performance.now() < until) {
    await sleep(50);
    const text = `select from campaign_sweeps where campaign_id = $1 and ${condition}`;
    isTrue = (await db.query(text, [uuid(id)])).rowCount === 1;
  }
  // Waits for a page that is being written. A campaign of which nothing waits may have ended by itself.
  await target.api.setCampaignStatus({ path: { id }, body: { action: "pause" } }).catch((error: unknown) => {
    if (!(isTrue && error instanceof TidingsError && error.status === 409)) throw error;
  });
  return isTrue;
}

/** Sweeps the audience of a campaign that is sent once. */
async function sweep(
  target: Project,
  body: Body,
  prepare?: (made: Campaign) => Promise<void>,
): Promise<Swept> {
  const { campaign } = await target.api.createCampaign({ body: { ...body, once: true } });
  await prepare?.(campaign);
  let isThrough = false;
  const cost = await measured(async () => {
    isThrough = await run(target, campaign, "passed_at is not null");
  });
  const table = body.channel === "push" ? "push_recipients" : "email_sends";
  const { rows } = await db.query<{ planned: number }>(
    `select count(*)::float8 as planned from ${table} where campaign_id = $1`,
    [uuid(campaign.id)],
  );
  const passed = isThrough ? target.users : await countPassed(target, uuid(campaign.id));
  return { ...cost, campaign, planned: rows[0]?.planned ?? 0, passed, isThrough };
}

/** Looks again at the users of a push campaign who wait, most of them for a device. @returns the rows read for each */
async function reevaluate(target: Project, campaign: Campaign): Promise<number> {
  await target.api.updateCampaign({ path: { id: campaign.id }, body: { once: false } });
  await db.query(
    "update campaign_sweeps set reevaluate_at = 0, next_sweep_at = $2, rest_ms = 9e12 where campaign_id = $1",
    [uuid(campaign.id), Date.now() + DAY_MS],
  );
  let isThrough = false;
  const cost = await measured(async () => {
    isThrough = await run(target, campaign, "reevaluated_at > 0");
  });
  const { rows } = await db.query<{ waiting: number }>(
    "select count(*)::float8 as waiting from push_recipients where campaign_id = $1 and state = 'waiting'",
    [uuid(campaign.id)],
  );
  const passed = rows[0]?.waiting ?? 0;
  print("those who wait for a device", { ...cost, campaign, planned: 0, passed, isThrough }, passed);
  return readsPer(cost, passed);
}

/** The same pages by hand: the next users by their key, with what a mail takes; nothing is queued. */
async function walkByHand({ projectId }: Project): Promise<Swept> {
  let passed = 0;
  let isThrough = false;
  const cost = await measured(async () => {
    const until = performance.now() + SECONDS * 1_000;
    await db.query("set enable_sort = off; set enable_bitmapscan = off; set enable_seqscan = off");
    for (let after: unknown[] = [-1, FIRST_USER]; !isThrough && performance.now() < until; ) {
      const { rows } = await db.query<{ lane: number; user_key: string }>(
        `select lane, user_key, traits ->> 'email' as email, address_given_at from users
        where project_id = $1 and (lane, user_key) > ($2, $3)
        order by lane, user_key limit ${PAGE}`,
        [projectId, ...after],
      );
      passed += rows.length;
      isThrough = rows.length < PAGE;
      after = [rows.at(-1)?.lane, rows.at(-1)?.user_key];
    }
    await db.query("reset enable_sort; reset enable_bitmapscan; reset enable_seqscan");
  });
  return { ...cost, campaign: null, planned: 0, passed, isThrough };
}

const per = (amount: number, users: number): number => amount / Math.max(users, 1);
const micros = (seconds: number, users: number): string => (per(seconds, users) * 1e6).toFixed(0);
/** Rows of `users` that were read for each user: of the table or of its indexes, whichever is more. */
const readsPer = ({ rows, entries }: Reads, users: number): number => per(Math.max(rows, entries), users);

const COLUMNS = ["users", "found", "s", "rows", "entries", "of events", "µs of PG", "of Node"] as const;
const line = (what: string, cells: readonly (string | number)[]): void =>
  console.log(what.padEnd(34) + cells.map((cell) => String(cell).padStart(10)).join(""));

/** Prints what something took, per user of `users`; with `+` where it was not through. */
function print(what: string, { isThrough, planned, ...cost }: Swept, users: number): void {
  const { seconds, postgres, node } = cost;
  const reads = [cost.rows, cost.entries, cost.events].map((read) => per(read, users).toFixed(2));
  const time = [`${seconds.toFixed(1)}${isThrough ? "" : "+"}`, ...reads];
  line(what, [users, planned, ...time, micros(postgres, users), micros(node, users)]);
}

/** Plans a campaign to everybody, round after round. */
async function plan(what: string, target: Project, body: Body): Promise<Planning> {
  const rounds: Swept[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const swept = await sweep(target, body);
    print(`${what}, ${target.name}`, swept, swept.planned);
    rounds.push(swept);
  }
  return {
    campaign: rounds.at(-1)?.campaign ?? null,
    // Writing its message reads the row of a user once more, to lock it.
    reads: median(rounds.map((each) => readsPer(each, each.planned) - 1)),
    micros: median(rounds.map(({ node, postgres, planned }) => per((node + postgres) * 1e6, planned))),
    postgres: median(rounds.map(({ postgres, planned }) => per(postgres * 1e6, planned))),
  };
}

/** A figure beside the most that it may be. */
function atMost(what: string, value: number, most: number): void {
  console.log(`${value <= most ? "reached" : "MISSED "}  ${what}: ${value.toFixed(2)} (at most ${most})`);
  if (!(value <= most)) process.exitCode = 1;
}

async function census(what: string, target: Project, body: Body): Promise<void> {
  const { campaign } = await target.api.createCampaign({ body });
  let [planned, refusal] = [0, ""];
  const cost = await measured(async () => {
    try {
      planned = (await target.api.takeCampaignCensus({ path: { id: campaign.id } })).willReceive;
    } catch (error) {
      // Too much for one request: a statement or the connection ends at its limit.
      refusal = error instanceof TidingsError ? ` ${error.status}` : ", cut off";
    }
  });
  const isThrough = refusal === "";
  print(
    `census, ${what}${refusal}`,
    { ...cost, campaign, planned, passed: target.users, isThrough },
    target.users,
  );
}

const matching = (root: unknown) =>
  ({ audience: { kind: "expression", expression: { version: 1, root } } }) as Pick<Body, "audience">;

/** 50 users, by their ids. */
const idsFrom = (start: number) => ({
  kind: "field",
  field: { kind: "user", field: "id" },
  op: "in",
  value: Array.from({ length: 50 }, (_, n) => `user-${start + n * 7}`),
});

const AUDIENCES: readonly { what: string; root: unknown }[] = [
  {
    what: "1 % by a trait",
    root: { kind: "field", field: { kind: "trait", key: "email" }, op: "ends_with", value: "02@example.com" },
  },
  {
    what: "an event within 30 days",
    root: {
      kind: "event",
      event: "event_1",
      count: { op: "gte", value: 1 },
      window: { amount: 30, unit: "days" },
    },
  },
  {
    what: "100 ids",
    // A list has at most 50 members.
    root: { kind: "any", children: [0, 1].map(idsFrom) },
  },
];

try {
  const [small, middle] = [await newProject("small"), await newProject("middle")];
  const large = await project("large", tidings);
  await grow(small, 3_000);
  await grow(middle, 200_000);
  const found: { users: number; mail: Planning; push: Planning; waiting: number }[] = [];
  for (const users of SIZES) {
    console.log(`\n${users} users, beside ${middle.users} and ${small.users} of other projects`);
    await grow(large, users);
    await db.query("vacuum analyze");
    line("", COLUMNS);
    await walkByHand(large);
    const walked = await walkByHand(large);
    print("walk by hand", walked, walked.passed);
    const mail = await plan("mail to everybody", large, MAIL);
    const pushed = await plan("push to everybody", large, push(SUBJECT));
    const waiting = pushed.campaign === null ? 0 : await reevaluate(large, pushed.campaign);
    found.push({ users, mail, push: pushed, waiting });
    const byHand = per(walked.postgres * 1e6, walked.passed);
    console.log(
      `a planned mail takes ${(mail.postgres / byHand).toFixed(1)} times what PostgreSQL takes for the walk by hand`,
    );
    const old = await sweep(large, MAIL, async (campaign) => {
      await fillDeliveries(db, campaign, `users where project_id = '${large.projectId}'`);
      await db.query("vacuum analyze deliveries");
    });
    print("a sweep that finds nobody", old, old.passed);
    for (const { what, root } of AUDIENCES) {
      const swept = await sweep(large, { ...MAIL, ...matching(root) });
      print(what, swept, swept.passed);
    }
    for (const beside of [small, middle]) await plan("mail to everybody", beside, MAIL);
    await census("web", large, { name: "Web", message: { presentation: "toast", title: "{{ user.plan }}" } });
    await census("email", large, MAIL);
    await census("push", large, push("{{ user.plan }}"));
  }
  console.log("");
  for (const { users, mail, push, waiting } of found) {
    atMost(`rows that planning a mail reads of ${users} users, per user`, mail.reads, MOST_READ);
    atMost(`rows that planning a push reads of ${users} users, per user`, push.reads, MOST_READ);
    atMost(`rows that looking again reads of ${users} users, per user who waits`, waiting, MOST_READ);
  }
  for (const [at, { users, mail, push }] of found.entries()) {
    const smaller = found[at - 1];
    if (smaller === undefined) continue;
    const [from, to] = [smaller.users, users];
    atMost(`a planned mail of ${to} users / of ${from}`, mail.micros / smaller.mail.micros, MOST_GROWN);
    atMost(`a planned push of ${to} users / of ${from}`, push.micros / smaller.push.micros, MOST_GROWN);
  }
} finally {
  await db.end();
  await tidings.stop();
}
