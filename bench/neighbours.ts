/**
 * `node bench/neighbours.ts [--rounds 3] [--seconds 5] [--only audiences,names] [--users 300000] [--events 1500000]`: what one project
 * can do to another on the same server. A neighbour tracks, then asks for messages, over a few connections, undisturbed and then while
 * another project attacks, in turn. Prints the ratio of both rates per attack, and the 5xx that the neighbour got. Exits 1 where a
 * ratio is below 0.7 and below 0.9 of its control's, or there was one. Controls: `busy` asks nothing and keeps
 * one processor busy, `ordinary` makes as many requests as `traits` of a user like any other.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type pg from "pg";
import type { Order } from "./attacker.ts";
import { ATTACKS, type Attacker, CONTROLS } from "./attacks.ts";
import { fillProject } from "./filled.ts";
import { httpRequest, type Load, load } from "./load.ts";
import { startTidings } from "./processes.ts";
import { median } from "./report.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "5" },
    only: { type: "string", default: Object.keys(ATTACKS).join(",") },
    users: { type: "string", default: "300000" },
    events: { type: "string", default: "1500000" },
  },
});
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const LEAST = 0.7;
/** Beside its control an attack may cost this much of it: the rest is what the machine gives to anybody who is busy on it. */
const AS_CONTROL = 0.9;
/** Few enough that most of the machine is idle, as it is for a small server most of the time. */
const CONNECTIONS = 2;

type Keys = { projectId: string; publishableKey: string; secretKey: string; agentKey: string };

// What attackers may do within the default budgets is the question; the neighbour is to be as fast as it can, in every round.
const tidings = await startTidings({
  RATE_LIMITS: JSON.stringify({ track: 10_000_000, messages: 10_000_000 }),
});
const { command } = tidings;
const project = async (name: string): Promise<Keys> =>
  JSON.parse(await command("project", "create", "--name", name, "--json")) as Keys;

async function post(path: string, key: string, body: unknown): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${tidings.port}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
}

/** A message that the attacker's project has sent; with no mail server it lies in the outbox. */
async function sentMessage(db: pg.Client, { projectId, publishableKey, secretKey }: Keys): Promise<string> {
  await command(
    "settings",
    "set",
    "--project",
    projectId,
    "email.from=Acme News <news@acme.example>",
    "email.postalAddress=Acme, 1 Main Street, Springfield",
    "email.domainVerified=true",
  );
  const traits = { email: "reader@example.com" };
  await post("/api/v1/identify", publishableKey, { userId: "reader", traits });
  await post("/api/v1/campaigns", secretKey, {
    name: "Mail",
    channel: "email",
    launch: true,
    message: { subject: "Hello", body: "Hello" },
    audience: {
      kind: "expression",
      expression: {
        version: 1,
        root: { kind: "field", field: { kind: "trait", key: "email" }, op: "eq", value: traits.email },
      },
    },
  });
  for (let tries = 0; tries < 600; tries++) {
    const { rows } = await db.query<{ raw: Buffer }>(
      "select raw from caught_messages where project_id = $1 limit 1",
      [projectId],
    );
    const [, messageId] = /^Message-ID:\s+<([^>]+)>/im.exec(rows[0]?.raw.toString("latin1") ?? "") ?? [];
    if (messageId !== undefined) return messageId;
    await sleep(100);
  }
  throw new Error("The mail did not leave.");
}

/** Waits until PostgreSQL has nothing more to do for what went before, and the server answers: a minute at most. */
async function untilIdle(db: pg.Client): Promise<void> {
  for (let tries = 0; tries < 120; tries++) {
    const { rows } = await db.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity
      where state = 'active' and backend_type like '%client%' and pid <> pg_backend_pid() and query_start < now() - interval '300 ms'`,
    );
    const response = await fetch(`http://127.0.0.1:${tidings.port}/healthz`);
    if (rows[0]?.count === 0 && response.ok) return;
    await sleep(500);
  }
}

type Measured = { track: Load; messages: Load };
let sequence = 0;

/**
 * The neighbour's requests, one kind after the other. Side by side the two compete for the processor as well: as soon as anything
 * else is busy, the scheduler gives almost all of what is left to the messages, and their ratios say nothing about the server.
 */
async function measure({ publishableKey }: Keys): Promise<Measured> {
  const drive = (request: () => string): Promise<Load> =>
    load({ port: tidings.port, connections: CONNECTIONS, seconds, request });
  const user = (): string => `user-${Math.floor(Math.random() * 1_000)}`;
  const track = await drive(() =>
    httpRequest(
      ...(["POST", "/api/v1/track", publishableKey] as const),
      `{"userId":"${user()}","event":"page_viewed","eventId":"e-${sequence++}"}`,
    ),
  );
  const messages = await drive(() => httpRequest("GET", `/api/v1/messages?userId=${user()}`, publishableKey));
  return { track, messages };
}

const failures = (loads: readonly Load[]): number =>
  loads.reduce(
    (sum, { statuses, errors }) =>
      Object.entries(statuses).reduce((all, [status, n]) => all + (status >= "500" ? n : 0), sum) + errors,
    0,
  );

const others = (loads: readonly Load[]): string => {
  const odd = loads.flatMap(({ statuses }) =>
    Object.entries(statuses).filter(([status]) => status !== "200"),
  );
  return odd.length === 0 ? "" : `  ${JSON.stringify(odd)}`;
};

const child = fork(new URL("./attacker.ts", import.meta.url).pathname);
async function tell(order: Order): Promise<Record<string, number>> {
  const answer = once(child, "message");
  child.send(order);
  return (await answer)[0] as Record<string, number>;
}

const line = (load: Load): string =>
  `${load.requestsPerSecond.toFixed(0).padStart(6)}/s p99 ${load.p99.toFixed(0).padStart(5)} ms`;

try {
  const db = await tidings.connect();
  await fillProject(db, tidings, { users: Number(values.users), events: Number(values.events) });
  const rotated = await command("key", "rotate", "--project", tidings.projectId, "--kind", "agent", "--json");
  const theirs = { ...tidings, agentKey: (JSON.parse(rotated) as { key: string }).key };
  const messageId = await sentMessage(db, theirs);
  const attacker: Attacker = { ...theirs, port: tidings.port, messageId };
  const neighbour = await project("Neighbour");
  await post("/api/v1/campaigns", neighbour.secretKey, {
    name: "To all",
    launch: true,
    message: { presentation: "toast", title: "Hello" },
  });
  await measure(neighbour);

  const verdicts: string[] = [];
  const medians = new Map<string, Record<keyof Measured, number>>();
  for (const name of values.only.split(",")) {
    const attack = ATTACKS[name];
    if (attack === undefined) throw new Error(`--only: there is no ${name}, only ${Object.keys(ATTACKS)}.`);
    console.log(`\n${name}: ${attack.title}`);
    console.log(
      `  prepared, answers by status: ${JSON.stringify(await tell({ kind: "prepare", attack: name, attacker }))}`,
    );
    const ratios: Record<keyof Measured, number[]> = { track: [], messages: [] };
    let failed = 0;
    for (let round = 1; round <= rounds; round++) {
      await untilIdle(db);
      const quiet = await measure(neighbour);
      await tell({ kind: "start", attack: name, attacker });
      // The first of its requests are under way.
      await sleep(500);
      const attacked = await measure(neighbour);
      const answers = await tell({ kind: "stop" });
      failed += failures([quiet.track, quiet.messages, attacked.track, attacked.messages]);
      for (const kind of ["track", "messages"] as const) {
        ratios[kind].push(attacked[kind].requestsPerSecond / quiet[kind].requestsPerSecond);
        console.log(
          `  round ${round}  ${kind.padEnd(8)} quiet ${line(quiet[kind])}   attacked ${line(attacked[kind])}${others([quiet[kind], attacked[kind]])}`,
        );
      }
      console.log(`  round ${round}  the attacker's answers by status: ${JSON.stringify(answers)}`);
    }
    const found = { track: median(ratios.track), messages: median(ratios.messages) };
    medians.set(name, found);
    const control = medians.get(attack.control ?? "");
    const isReached = (kind: keyof Measured): boolean =>
      found[kind] >= LEAST || found[kind] >= AS_CONTROL * (control?.[kind] ?? Number.POSITIVE_INFINITY);
    const isControl = CONTROLS.includes(name);
    const isMissed = !isControl && !(isReached("track") && isReached("messages") && failed === 0);
    if (isMissed) process.exitCode = 1;
    verdicts.push(
      `${isControl ? "control" : isMissed ? "MISSED " : "reached"}  ${name.padEnd(10)} track ${found.track.toFixed(2)}  messages ${found.messages.toFixed(2)}  5xx and broken connections ${failed}`,
    );
  }
  console.log(
    `\nThe neighbour's rate while it is attacked / undisturbed (at least ${LEAST}, or ${AS_CONTROL} of its control's, and no 5xx):`,
  );
  for (const verdict of verdicts) console.log(verdict);
  await db.end();
} finally {
  child.disconnect();
  await tidings.stop();
}
