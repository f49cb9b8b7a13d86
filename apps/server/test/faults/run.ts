/**
 * The test of faults: several processes on one PostgreSQL do everything at once while they, and it, are killed, stopped, drained
 * and cut off; then all that was acknowledged is compared with what is stored, and with what arrived.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@tidings/client";
import pg from "pg";
import { z } from "zod";
import type { ProjectKeys } from "../../src/features/access/public.ts";
import { MINUTE_MS } from "../../src/platform/time/clock.ts";
import { cleanUp } from "../commands/spawned.ts";
import { type EventWrite, Faults, Ledger, type World } from "../crash/ledger.ts";
import { createCampaign, runLoad } from "../crash/load.ts";
import { type Random, randomFrom } from "../crash/random.ts";
import { sendAcknowledgedAgain, sendUnansweredAgain } from "../crash/repeat.ts";
import { checkStored, readStored } from "../crash/verify.ts";
import { GOAL_EVENT } from "../crash/writes.ts";
import { type Fleet, startFleet } from "./fleet.ts";
import { type Front, startFront } from "./front.ts";
import { createInjector, type Disturbance, FAULTS } from "./inject.ts";
import { type Pauses, watchPauses } from "./pauses.ts";
import { type Audience, type Sends, startSending } from "./sends.ts";

export type FaultsOptions = Audience & {
  seed: number;
  /** How long faults are done at least; each kind of them is done once in any case. */
  minutes: number;
  /** Concurrent loops of load. */
  clients: number;
  say?: (line: string) => void;
};

export type FaultsReport = {
  requests: Front["counts"];
  disturbance: Disturbance;
  pauses: Pauses;
  email: Sends;
  push: Sends;
  lost: number;
  doubled: number;
  /** Differences that `tidings doctor` found. */
  differences: number;
  /** Everything that must not be, in words. */
  faults: string[];
};

const Keys = z.object({
  projectId: z.string(),
  publishableKey: z.string(),
  secretKey: z.string(),
  agentKey: z.string(),
});
const Diagnosis = z.object({
  differences: z.number(),
  checks: z.array(z.object({ name: z.string(), differences: z.number() })),
});
const BATCH = 20;
const LONGEST_REST_MS = 1_200;

async function newProject(fleet: Fleet, name: string): Promise<ProjectKeys> {
  const { stdout, stderr } = await fleet.command("project", "create", "--name", name, "--json");
  if (stdout === "") throw new Error(stderr);
  return Keys.parse(JSON.parse(stdout));
}

/** A project with a goal and three campaigns for everyone, two of them for the goal. */
async function prepare(keys: ProjectKeys, front: Front): Promise<World> {
  const { goal } = await createClient(front.url, keys.secretKey).createGoal({
    body: { name: "Sales", targetEvent: GOAL_EVENT },
    headers: { "idempotency-key": "goal" },
  });
  const { projectId, secretKey, publishableKey } = keys;
  const world: World = {
    url: front.url,
    secretKey,
    projectId,
    goalId: goal.id,
    sdk: createClient(front.url, publishableKey),
    ledger: new Ledger(),
    faults: new Faults(),
    round: 0,
    killed: false,
    restless: false,
  };
  for (const index of [0, 1, 2]) {
    const marker = `standing-${index}`;
    await createCampaign(world, { owner: "nobody", marker, launch: true, hasGoal: index > 0 });
  }
  return { ...world, round: 1, restless: true };
}

/** Sends events many at a time, each with an id, until the load ends. */
async function runBatches({ ledger, ...world }: World, isOver: () => boolean): Promise<void> {
  for (let batch = 0; !isOver(); batch++) {
    const writes = Array.from({ length: BATCH }, (_, index): EventWrite => {
      const marker = `batch-${batch}-${index}`;
      const userId = `batch-user-${index % 7}`;
      return { marker, userId, event: "imported", hasId: true, round: 1, due: [], acknowledged: false };
    });
    for (const write of writes) {
      ledger.events.set(write.marker, write);
      ledger.users.add(write.userId);
    }
    const events = writes.map(({ marker, userId, event }) => ({
      userId,
      event,
      eventId: marker,
      props: { marker },
    }));
    const answer = await world.sdk.trackBatch({ body: { events } }).catch(() => null);
    for (const [index, result] of (answer?.results ?? []).entries()) {
      const write = writes[index];
      if (write !== undefined && result.ok) write.acknowledged = true;
    }
  }
}

/** What is stored, once all is quiet, and again after a client has repeated what it must and may. */
async function verify(fleet: Fleet, world: World, random: Random): Promise<void> {
  const client = new pg.Client({ connectionString: fleet.postgres.url });
  await client.connect();
  try {
    checkStored(world, await readStored(client, world.projectId));
    const quiet = { ...world, killed: false, restless: false };
    await sendUnansweredAgain(quiet);
    await sendAcknowledgedAgain(quiet, random);
    checkStored(quiet, await readStored(client, world.projectId));
  } finally {
    await client.end();
  }
}

async function diagnose(fleet: Fleet, faults: Faults): Promise<number> {
  const { stdout } = await fleet.command("doctor", "--json");
  const { differences, checks } = Diagnosis.parse(JSON.parse(stdout));
  for (const check of checks.filter((each) => each.differences > 0))
    faults.add("wrong", `doctor: ${check.differences} ${check.name}`);
  return differences;
}

async function runOn(
  fleet: Fleet,
  front: Front,
  sending: Awaited<ReturnType<typeof startSending>>,
  options: FaultsOptions,
): Promise<FaultsReport> {
  const { seed, minutes, clients, say = () => undefined } = options;
  const random = randomFrom(seed);
  const [main, paused, mail, push] = await Promise.all(
    ["Everything", "Pauses", "Mail", "Push"].map((name) => newProject(fleet, name)),
  );
  if (!main || !paused || !mail || !push) throw new Error("There is no project.");
  await fleet.command("settings", "set", "--project", mail.projectId, "--json", ...sending.settings());
  await sending.invite(front.url, mail, push, options);
  const world = await prepare(main, front);
  const injector = createInjector(fleet, random);
  const isOver = (): boolean => world.killed;
  const load = Promise.all([
    runLoad(world, clients, (name) =>
      randomFrom([...name].reduce((sum, c) => sum * 31 + c.charCodeAt(0), seed)),
    ),
    runBatches(world, isOver),
  ]);
  const others = Promise.all([
    watchPauses(fleet.origins, paused, isOver),
    sending.email(front.url, mail, isOver),
    sending.push(front.url, push, isOver),
  ]);
  // They are awaited below; failing before that must not end the process with others still alive.
  for (const each of [load, others]) each.catch(() => undefined);
  const until = Date.now() + minutes * MINUTE_MS;
  do {
    const [frozen, ...rest] = FAULTS;
    for (const kind of [frozen, ...random.sample(rest, rest.length)]) {
      await sleep(random.between(100, LONGEST_REST_MS));
      say(`${kind}, after ${front.counts.acknowledged} acknowledged`);
      await injector.inject(kind);
    }
    await injector.calm();
  } while (Date.now() < until);
  world.killed = true;
  await load;
  say("the load has ended");
  const [pauses, email, pushed] = await others;
  say("what was to leave has left");
  await verify(fleet, world, random);
  for (const { role, running } of fleet.members)
    if (running.child.exitCode !== null)
      world.faults.add("wrong", `a ${role} ended by itself, with ${running.child.exitCode}`);
  const differences = await diagnose(fleet, world.faults);
  const { disturbance } = injector;
  return {
    requests: front.counts,
    disturbance,
    pauses,
    email,
    push: pushed,
    differences,
    lost: world.faults.count("lost"),
    doubled: world.faults.count("doubled") + email.doubled + pushed.doubled,
    faults: [
      ...world.faults.list,
      ...front.refusals,
      ...disturbance.faults,
      ...email.faults,
      ...pushed.faults,
    ],
  };
}

/** Runs two processes that answer and two that work, disturbs them, and reports what came of everything. */
export async function runFaults(options: FaultsOptions): Promise<FaultsReport> {
  // As in the server: int8 carries epoch milliseconds, far below 2^53.
  pg.types.setTypeParser(pg.types.builtins.INT8, Number);
  const sending = await startSending();
  let front: Front | null = null;
  try {
    const fleet = await startFleet({ api: 2, worker: 2 }, sending.environment);
    front = await startFront(fleet.origins, randomFrom(options.seed ^ 1).int);
    const report = await runOn(fleet, front, sending, options);
    await fleet.stop();
    return report;
  } finally {
    await front?.close();
    await cleanUp();
    await sending.close();
  }
}
