/**
 * The crash test: the real server is loaded, killed with SIGKILL at a random instant and started again; then everything
 * that is stored is compared with everything that was acknowledged.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@tidings/client";
import pg from "pg";
import { z } from "zod";
import { embeddedAddress } from "../../src/platform/db/embedded/place.ts";
import { Faults, Ledger, type World } from "./ledger.ts";
import { createCampaign, runLoad } from "./load.ts";
import { type Random, randomFrom } from "./random.ts";
import { sendAcknowledgedAgain, sendUnansweredAgain } from "./repeat.ts";
import { type CrashServer, createCrashServer, type KillMode } from "./server.ts";
import { checkStored, countUnanswered, readStored, type Stored } from "./verify.ts";
import { GOAL_EVENT } from "./writes.ts";

export type CrashOptions = {
  rounds: number;
  seed: number;
  /** Concurrent loops of load. */
  clients?: number;
  say?: (line: string) => void;
};

export type CrashReport = {
  kills: Record<KillMode, number>;
  /** Writes that were answered with success, by kind. */
  acknowledged: Record<string, number>;
  /** Events and feedback without an answer at the kills, and how many of them were stored all the same. */
  unanswered: { sent: number; stored: number };
  lost: number;
  doubled: number;
  /** Differences that `tidings doctor` found. */
  differences: number;
  restartsMs: number[];
  /** Everything that must not be, in words. */
  faults: string[];
};

const FIRST_KILL_MS = 200;
const LAST_KILL_MS = 1_500;
/** Shorter than the half second after which the server would start its PostgreSQL again. */
const LONGEST_GAP_MS = 40;
const STEP_TIMEOUT_MS = 60_000;
/** On a machine that is busy elsewhere, how long the kill waits for the load to have begun in earnest. */
const SLOW_LOAD_MS = 10_000;

const Keys = z.object({ projectId: z.string(), publishableKey: z.string(), secretKey: z.string() });
type Keys = z.infer<typeof Keys>;
const Diagnosis = z.object({
  differences: z.number(),
  checks: z.array(z.object({ name: z.string(), differences: z.number() })),
});

/** Nothing may wait for ever, whatever the server does. */
async function inTime<T>(what: string, work: Promise<T>): Promise<T> {
  const ended = new AbortController();
  const late = sleep(STEP_TIMEOUT_MS, undefined, { signal: ended.signal }).then(() => {
    throw new Error(`${what} took more than ${STEP_TIMEOUT_MS / 1_000} s.`);
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    ended.abort();
  }
}

/** Half of each kind, in random order: a short run has both. */
function killModes(rounds: number, random: Random): KillMode[] {
  const modes = Array.from(
    { length: rounds },
    (_, index): KillMode => (index % 2 ? "node" : "node+postgres"),
  );
  return random.sample(modes, rounds);
}

async function readDatabase(server: CrashServer, projectId: string): Promise<Stored> {
  // As in the server: int8 carries epoch milliseconds, far below 2^53.
  pg.types.setTypeParser(pg.types.builtins.INT8, Number);
  const client = new pg.Client(embeddedAddress(server.dataDir));
  client.on("error", () => undefined);
  await client.connect();
  try {
    return await readStored(client, projectId);
  } finally {
    await client.end();
  }
}

async function diagnose(server: CrashServer, faults: Faults, round: number): Promise<number> {
  const { differences, checks } = Diagnosis.parse(JSON.parse(await server.command("doctor", "--json")));
  for (const check of checks.filter((each) => each.differences > 0))
    faults.add("wrong", `doctor after round ${round}: ${check.differences} ${check.name}`);
  return differences;
}

type Run = { server: CrashServer; keys: Keys; goalId: string; ledger: Ledger; faults: Faults };

const worldOf = ({ keys, goalId, ledger, faults }: Run, url: string, round: number): World => ({
  url,
  secretKey: keys.secretKey,
  projectId: keys.projectId,
  goalId,
  sdk: createClient(url, keys.publishableKey),
  ledger,
  faults,
  round,
  killed: false,
  restless: false,
});

/** A project with a goal and three campaigns for everyone, two of them for the goal. */
async function prepare(server: CrashServer, url: string, ledger: Ledger, faults: Faults): Promise<Run> {
  const made = await server.command("project", "create", "--name", "Crash test", "--json");
  const keys = Keys.parse(JSON.parse(made));
  const { goal } = await createClient(url, keys.secretKey).createGoal({
    body: { name: "Sales", targetEvent: GOAL_EVENT },
  });
  const run: Run = { server, keys, goalId: goal.id, ledger, faults };
  const world = worldOf(run, url, 0);
  for (const index of [0, 1, 2]) {
    const marker = `standing-${index}`;
    await createCampaign(world, { owner: "nobody", marker, launch: true, hasGoal: index > 0 });
  }
  return run;
}

type RoundPlan = {
  mode: KillMode;
  isLast: boolean;
  clients: number;
  seed: number;
  random: Random;
  say: (line: string) => void;
};

/** Loads the server, and kills it in the middle of it. */
async function loadAndKill(run: Run, world: World, { mode, isLast, clients, seed, random, say }: RoundPlan) {
  const killAtMs = random.between(FIRST_KILL_MS, LAST_KILL_MS);
  const first = random.chance(0.5) ? "node" : "postgres";
  const order = { first, gapMs: random.chance(0.5) ? 0 : random.int(LONGEST_GAP_MS) } as const;
  const nameHash = (name: string): number =>
    [...name].reduce((sum, character) => Math.imul(sum, 31) + character.charCodeAt(0), world.round);
  const load = runLoad(world, clients, (name) => randomFrom(seed ^ nameHash(name)));
  // It is awaited below; failing before that must not end the process with the server still alive.
  load.catch(() => undefined);
  const before = run.ledger.events.size;
  const faultsBefore = run.faults.list.length;
  await sleep(killAtMs);
  for (const until = Date.now() + SLOW_LOAD_MS; Date.now() < until; await sleep(10)) {
    // Random kills may all come early: by the last one, each kind of write has been acknowledged.
    const isLoaded = run.ledger.events.size - before >= clients;
    if (isLoaded && (!isLast || notAcknowledged(run.ledger).length === 0)) break;
  }
  // Read before the kill: a server whose database has just died complains rightly.
  if (run.faults.list.length > faultsBefore) say(`the server said:\n${run.server.lastLog()}`);
  world.killed = true;
  await run.server.kill(mode, order);
  await inTime("Ending the load", load);
  return killAtMs;
}

/** After a restart: what is stored, what a client repeats, what is stored then, and what the doctor says. */
async function verify(run: Run, world: World, random: Random) {
  const { server, keys, faults } = run;
  const found = await readDatabase(server, keys.projectId);
  checkStored(world, found);
  const unanswered = countUnanswered(world, found);
  await sendUnansweredAgain(world);
  await sendAcknowledgedAgain(world, random);
  checkStored(world, await readDatabase(server, keys.projectId));
  return { unanswered, differences: await diagnose(server, faults, world.round) };
}

/** Kinds of writes of which none was acknowledged. */
const notAcknowledged = (ledger: Ledger): string[] =>
  Object.entries(countAcknowledged(ledger)).flatMap(([kind, count]) => (count === 0 ? [kind] : []));

const countOf = <T>(items: Iterable<T>, isCounted: (item: T) => boolean): number =>
  [...items].filter(isCounted).length;

function countAcknowledged({ events, feedback, managed, ...ledger }: Ledger): Record<string, number> {
  return {
    "events with eventId": countOf(events.values(), (each) => each.acknowledged && each.hasId),
    "events without": countOf(events.values(), (each) => each.acknowledged && !each.hasId),
    identify: ledger.identified,
    "deliveries handed out": ledger.handedOut.size,
    feedback: countOf(feedback.values(), (each) => each.receipt !== null),
    "goal conversions": ledger.converted.size,
    "campaigns created": countOf(managed, (each) => each.path === "/api/v1/campaigns"),
    "campaigns changed": countOf(managed, (each) => each.path !== "/api/v1/campaigns"),
  };
}

const newReport = (): CrashReport => ({
  kills: { node: 0, "node+postgres": 0 },
  acknowledged: {},
  unanswered: { sent: 0, stored: 0 },
  lost: 0,
  doubled: 0,
  differences: 0,
  restartsMs: [],
  faults: [],
});

async function runRounds(
  server: CrashServer,
  { rounds, seed, clients = 32, say = () => undefined }: CrashOptions,
): Promise<CrashReport> {
  const random = randomFrom(seed);
  const ledger = new Ledger();
  const faults = new Faults();
  const report = newReport();
  let { url } = await server.start();
  const run = await inTime("Preparing", prepare(server, url, ledger, faults));
  for (const [index, mode] of killModes(rounds, random).entries()) {
    const round = index + 1;
    const plan = { mode, isLast: round === rounds, clients, seed, random, say };
    const killedAtMs = await loadAndKill(run, worldOf(run, url, round), plan);
    const restarted = await server.start();
    url = restarted.url;
    const verified = verify(run, worldOf(run, url, round), random);
    const { unanswered, differences } = await inTime("Verifying", verified);
    report.kills[mode]++;
    report.restartsMs.push(restarted.tookMs);
    report.unanswered.sent += unanswered.sent;
    report.unanswered.stored += unanswered.stored;
    report.differences += differences;
    const events = countOf(ledger.events.values(), (each) => each.acknowledged && each.round === round);
    say(
      `round ${round}: ${mode} killed after ${killedAtMs} ms and ${events} events, ${unanswered.sent} writes unanswered (${unanswered.stored} stored), up again in ${Math.round(restarted.tookMs)} ms, faults so far ${faults.list.length}`,
    );
  }
  if ((await server.stop()) !== 0) faults.add("wrong", "SIGTERM after the last round did not end it with 0");
  return {
    ...report,
    acknowledged: countAcknowledged(ledger),
    lost: faults.count("lost"),
    doubled: faults.count("doubled"),
    faults: faults.list,
  };
}

/** Runs the rounds on a server and a folder of its own; both are gone afterwards, whatever happens. */
export async function crashRounds(options: CrashOptions): Promise<CrashReport> {
  const server = await createCrashServer();
  const interrupted = (): void => {
    server.disposeNow();
    process.exit(130);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, interrupted);
  try {
    return await runRounds(server, options);
  } finally {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, interrupted);
    await server.dispose();
  }
}
