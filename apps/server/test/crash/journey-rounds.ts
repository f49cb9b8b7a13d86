import { setTimeout as sleep } from "node:timers/promises";
import { type Client, createClient, TidingsError } from "@tidings/client";
import { ask, until } from "../commands/spawned.ts";
import { mail, wait } from "../journeys.ts";
import { type SmtpPeer, startSmtp } from "../peers/smtp.ts";
import type { ClockedProcess } from "./clocked.ts";
import { type Random, randomFrom } from "./random.ts";
import { sendingKeys } from "./sender.ts";
import { type CrashServer, createCrashServer, type KillMode } from "./server.ts";

export type JourneyCrashOptions = {
  rounds: number;
  /** Users who enter in each round. */
  users: number;
  seed: number;
  say: (line: string) => void;
};

export type JourneyCrashReport = {
  kills: Record<KillMode | "worker", number>;
  /** Users whose entry was acknowledged, and who left by what. */
  users: number;
  finished: number;
  exited: number;
  /** Mails that the mail server took, those of them that it took before, and those that a user who finished never got. */
  mails: number;
  doubled: number;
  lost: number;
  /** Mails of which it is not known whether they left, as declared; and requests that were sent again. */
  unknown: number;
  repeated: number;
  differences: number;
  /** What contradicts what was promised, in words. */
  faults: string[];
};

const CONNECTIONS = 5;
/** Messages that one process has under way when it dies: on the wire, and begun while that one waits for its outcome. */
const UNDER_WAY = 2 * CONNECTIONS;
/** The server, and the worker beside it, which may have lost the database of the server before it can say what it sent. */
const PROCESSES = 2;
const WORKS = /working jobs/;
const CLIENTS = 6;
const DONE_MS = 180_000;
/** How far the clock goes ahead at a start: whose wait was begun before that is due. */
const AHEAD_MS = 65_000;
/** A mail that is on the wire when an event is acknowledged arrives within this, also on a busy machine. */
const ON_THE_WIRE_MS = 3_000;

const isPro = (number: number): boolean => number % 3 === 0;
/** Some users do what ends the wait sooner, some what ends the journey. */
const hurries = (number: number): boolean => number % 5 === 1;
const exits = (number: number): boolean => number % 7 === 2;
const nameOf = (number: number): string => `user-${number}`;
const addressOf = (number: number): string => `${nameOf(number)}@example.com`;

/** The mails of a user who goes through all steps. */
const mailsOf = (number: number): string[] =>
  isPro(number) ? ["first", "pro", "basic", "last"] : ["first", "basic", "last"];

const STEPS = [
  mail("first"),
  {
    id: "is-pro",
    kind: "if" as const,
    else: "basic",
    audience: {
      kind: "expression" as const,
      expression: {
        version: 1 as const,
        root: {
          kind: "field" as const,
          field: { kind: "trait" as const, key: "plan" },
          op: "eq" as const,
          value: "pro",
        },
      },
    },
  },
  mail("pro"),
  mail("basic"),
  { ...wait("pause", 1, "minutes"), orEvent: { event: "hurried" } },
  mail("last"),
];

type Run = {
  server: CrashServer;
  /** Works beside the server, on its database. */
  worker: ClockedProcess;
  smtp: SmtpPeer;
  random: Random;
  report: JourneyCrashReport;
  api: Client;
  secretKey: string;
  journeyId: string;
  /** When the event by which a user leaves was acknowledged, epoch milliseconds. */
  exitedAt: Map<number, number>;
  entered: Set<number>;
  arrivals: { number: number; stepId: string; at: number }[];
};

/** Makes the project and the journey, which runs. */
async function prepare(server: CrashServer, url: string, port: number) {
  const { secretKey } = await sendingKeys(server, { port, connections: CONNECTIONS });
  const api = createClient(url, secretKey);
  const { journey } = await api.createJourney({
    body: {
      name: "Crash",
      entry: { on: "event", event: "began" },
      exit: { onGoal: true, events: [{ event: "gave_up" }] },
      steps: STEPS,
    },
  });
  await api.setJourneyStatus({ path: { id: journey.id }, body: { action: "launch" } });
  return { api, secretKey, journeyId: journey.id };
}

/** Sends until it is acknowledged, to whichever server runs by then. */
async function acknowledged(run: Run, what: string, send: (api: Client) => Promise<unknown>): Promise<void> {
  for (const end = Date.now() + DONE_MS; Date.now() < end; await sleep(20), run.report.repeated++) {
    try {
      await send(run.api);
      return;
    } catch (error) {
      // The server was killed, or its database is gone before it.
      if (!(error instanceof TidingsError) || error.status >= 500 || error.status === 0) continue;
      run.report.faults.push(`${what}: ${error.status} ${error.message}`);
      return;
    }
  }
  run.report.faults.push(`${what} was never acknowledged`);
}

const does = (run: Run, number: number, event: string): Promise<void> =>
  acknowledged(run, `${event} of ${nameOf(number)}`, (api) =>
    api.track({ body: { userId: nameOf(number), event, eventId: `${event}-${number}` } }),
  );

/** What one user does: enters, and, once they have been inside for a little, perhaps what ends the wait or the journey. */
async function live(run: Run, number: number): Promise<void> {
  const traits = { email: addressOf(number), ...(isPro(number) ? { plan: "pro" } : {}) };
  await acknowledged(run, `identifying ${nameOf(number)}`, (api) =>
    api.identify({ body: { userId: nameOf(number), traits } }),
  );
  await does(run, number, "began");
  run.entered.add(number);
  const earlier = number - run.random.between(1, 40);
  if (hurries(earlier)) await does(run, earlier, "hurried");
  if (exits(earlier) && run.entered.has(earlier)) {
    await does(run, earlier, "gave_up");
    run.exitedAt.set(earlier, run.exitedAt.get(earlier) ?? Date.now());
  }
}

/** Users who are inside, but for those whose mail is unknown: these stay until a person has decided. */
const INSIDE = `select count(*)::int as inside from journey_entries e where left_at is null and not exists (
  select from email_sends s join campaigns c on c.id = s.campaign_id
  where s.lane = e.lane and s.user_key = e.user_key and c.step_id = e.step_id and s.status = 'unknown')`;
const MARKED_TWICE = `select step_id, did from journey_marks group by lane, user_key, journey_id, occasion, step_id, did having count(*) > 1`;
const ENTRIES = `select u.external_id as "userId", e.left_by as "leftBy", e.occasion, coalesce(
    (select json_agg(json_build_array(m.step_id, m.did) order by m.ordinal) from journey_marks m
      where m.lane = e.lane and m.user_key = e.user_key and m.journey_id = e.journey_id and m.occasion = e.occasion), '[]') as passed,
    (select count(*)::int from email_sends s where s.lane = e.lane and s.user_key = e.user_key and s.status = 'unknown') as unknown
  from journey_entries e join users u on u.lane = e.lane and u.user_key = e.user_key`;

type EntryRow = {
  userId: string;
  leftBy: string | null;
  occasion: number;
  passed: [string, string][];
  unknown: number;
};

/** Compares who is where, and what they went through, with what was acknowledged and what the mail server took. */
async function compare(run: Run): Promise<void> {
  const { report, server, arrivals, entered, exitedAt } = run;
  const { dataDir } = server;
  for (const { step_id, did } of await ask<{ step_id: string; did: string }>(dataDir, MARKED_TWICE))
    report.faults.push(`somebody has two marks ${did} at ${step_id}`);
  const entries = Map.groupBy(await ask<EntryRow>(dataDir, ENTRIES), ({ userId }) => userId);
  const tookOf = Map.groupBy(arrivals, ({ number }) => number);
  report.users = entered.size;
  report.mails = arrivals.length;
  for (const number of entered) {
    const [entry, ...more] = entries.get(nameOf(number)) ?? [];
    if (entry === undefined || more.length > 0 || entry.occasion !== 0) {
      report.faults.push(`${nameOf(number)} entered ${entry === undefined ? 0 : more.length + 1} times`);
      continue;
    }
    const took = (tookOf.get(number) ?? []).map(({ stepId }) => stepId);
    const twice = took.length - new Set(took).size;
    report.doubled += twice;
    if (twice > 0) report.faults.push(`${nameOf(number)} got ${took}`);
    report.unknown += entry.unknown;
    const sent = entry.passed.flatMap(([stepId, did]) => (did === "sent" ? [stepId] : []));
    for (const stepId of sent.filter((each) => !took.includes(each)))
      report.faults.push(`${stepId} of ${nameOf(number)} was sent, and never arrived`);
    if (entry.leftBy === "finished") {
      report.finished++;
      const missing = mailsOf(number).filter((stepId) => !took.includes(stepId));
      report.lost += missing.length;
      if (missing.length > 0)
        report.faults.push(`${nameOf(number)} finished without ${missing}: ${JSON.stringify(entry.passed)}`);
    } else if (entry.leftBy === "event") report.exited++;
    else if (entry.leftBy !== null || entry.unknown === 0)
      report.faults.push(`${nameOf(number)} is ${entry.leftBy ?? "inside"}: ${JSON.stringify(entry.passed)}`);
    const gone = exitedAt.get(number);
    const late = (tookOf.get(number) ?? []).filter(
      ({ at }) => gone !== undefined && at > gone + ON_THE_WIRE_MS,
    );
    for (const { stepId } of late)
      report.faults.push(`${stepId} of ${nameOf(number)} arrived after they left`);
  }
  for (const userId of entries.keys())
    if (!entered.has(Number(userId.slice(5)))) report.faults.push(`${userId} entered, and did not begin`);
}

/** Moves the clocks of both processes forward. */
async function advance({ server, worker }: Run, ms: number): Promise<void> {
  const to = server.now() + ms;
  await Promise.all([server.advanceTo(to), worker.advanceTo(to)]);
}

/** Kills the worker alone, the server alone, or the server with its PostgreSQL and perhaps the worker, and starts what was killed again. */
async function killOne(run: Run): Promise<void> {
  const { server, worker, random, report } = run;
  if (!worker.isRunning()) throw new Error(`The worker had ended by itself: ${worker.lastLog()}`);
  const endWorker = async (): Promise<void> => {
    worker.killNow();
    await worker.ended();
  };
  if (random.chance(0.35)) {
    await endWorker();
    report.kills.worker++;
  } else {
    const mode: KillMode = random.chance(0.7) ? "node" : "node+postgres";
    if (mode === "node+postgres" && random.chance(0.5)) await endWorker();
    const first = random.chance(0.5) ? "node" : "postgres";
    await server.kill(mode, { first, gapMs: random.between(0, 20) });
    report.kills[mode]++;
    run.api = createClient((await server.start()).url, run.secretKey);
  }
  if (!worker.isRunning()) await worker.start(WORKS);
}

/** Lets users in under load, and kills a process at a random instant of it. */
async function playRound(run: Run, next: () => Promise<void>): Promise<void> {
  const { random } = run;
  const [entered, arrived] = [run.entered.size, run.smtp.taken.length];
  await advance(run, AHEAD_MS);
  const load = next();
  // Some kills come while the first events are taken, most of them while users move and mail leaves.
  if (random.chance(0.9)) await until(() => run.entered.size > entered, "events are taken after a start");
  if (random.chance(0.7)) await until(() => run.smtp.taken.length > arrived, "mail leaves after a start");
  await sleep(random.between(0, 300));
  // Those whose mail has left meanwhile go on while a process dies.
  if (random.chance(0.3)) await advance(run, 10_000);
  await sleep(random.between(0, 200));
  await killOne(run);
  await load;
}

/**
 * Lets users into a journey by their events while a server and a worker beside it are killed again and again, repeats what was not
 * acknowledged, and lets all finish; then compares where they went and which mail arrived with what was acknowledged.
 */
export async function journeyCrashRounds(options: JourneyCrashOptions): Promise<JourneyCrashReport> {
  const { rounds, users, say } = options;
  const report: JourneyCrashReport = {
    kills: { node: 0, "node+postgres": 0, worker: 0 },
    users: 0,
    finished: 0,
    exited: 0,
    mails: 0,
    doubled: 0,
    lost: 0,
    unknown: 0,
    repeated: 0,
    differences: 0,
    faults: [],
  };
  const arrivals: Run["arrivals"] = [];
  const smtp = await startSmtp({
    onMessage({ to, raw }) {
      const stepId = /^Subject: (.*)\r$/m.exec(raw.toString("latin1"))?.[1] ?? "";
      arrivals.push({ number: Number(/^user-(\d+)@/.exec(to)?.[1]), stepId, at: Date.now() });
      return null;
    },
  });
  const server = await createCrashServer();
  try {
    const { url } = await server.start();
    const made = await prepare(server, url, smtp.port);
    const worker = server.worker();
    await worker.start(WORKS);
    const random = randomFrom(options.seed);
    const run: Run = {
      server,
      worker,
      smtp,
      random,
      report,
      ...made,
      exitedAt: new Map(),
      entered: new Set(),
      arrivals,
    };
    let number = 0;
    for (let round = 1; round <= rounds; round++) {
      const began = Date.now();
      const load = async (): Promise<void> => {
        while (number < round * users) await live(run, number++);
      };
      await playRound(run, async () => {
        await Promise.all(Array.from({ length: CLIENTS }, load));
      });
      say(
        `round ${round}: ${run.entered.size} entered, ${arrivals.length} arrived, ${Date.now() - began} ms`,
      );
    }
    await until(
      async () => {
        await advance(run, 20_000);
        await sleep(500);
        return (await ask<{ inside: number }>(server.dataDir, INSIDE))[0]?.inside === 0;
      },
      "all users are through",
      DONE_MS,
    );
    await compare(run);
    if (report.unknown > rounds * PROCESSES * UNDER_WAY)
      report.faults.push(`${report.unknown} are unknown after ${rounds} kills, more than were under way`);
    const checked = JSON.parse(await server.command("doctor", "--json")) as { differences: number };
    report.differences = checked.differences;
  } finally {
    await server.dispose();
    await smtp.close();
  }
  return report;
}
