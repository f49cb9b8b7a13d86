import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { stop } from "../commands/spawned.ts";
import type { Random } from "../crash/random.ts";
import type { Fleet, Member } from "./fleet.ts";

export const FAULTS = [
  "worker frozen",
  "api killed",
  "postgres stopped at once",
  "worker killed",
  "api drained",
  "postgres stopped fast",
  "worker drained",
  "connections ended",
  "postgres frozen",
] as const;
export type FaultKind = (typeof FAULTS)[number];

/** What was done to the fleet, and how it took it. */
export type Disturbance = {
  count: Record<FaultKind, number>;
  /** Seconds from the start of PostgreSQL, or its thawing, until a process that had never been restarted said that it was ready. */
  readyAgainS: number[];
  /** The longest that anybody waited for the answer of /readyz, in seconds. */
  slowestProbeS: number;
  /** What must not be, in words. */
  faults: string[];
};

export type Injector = {
  disturbance: Disturbance;
  /** Does one of a kind; resolves when what it ended runs again. A worker that is frozen thaws by itself. */
  inject(kind: FaultKind): Promise<void>;
  /** Waits for what thaws by itself. */
  calm(): Promise<void>;
};

/** Longer than a process is missed: its claims are given up while it stands still. */
const FROZEN_MS = 18_000;
const AWAY_MS = 1_500;
const NOTICED_WITHIN_MS = 30_000;
const READY_WITHIN_MS = 60_000;
const DRAINED: readonly (number | null)[] = [0];

export function createInjector(fleet: Fleet, random: Random): Injector {
  const { postgres, members } = fleet;
  const disturbance: Disturbance = {
    count: Object.fromEntries(FAULTS.map((kind) => [kind, 0])) as Record<FaultKind, number>,
    readyAgainS: [],
    slowestProbeS: 0,
    faults: [],
  };
  const thawing = new Set<Promise<void>>();

  /** Does something to a member that is free, which is busy until then; nothing where no member of the role is free. */
  async function toOne(role: Member["role"], act: (member: Member) => Promise<void>): Promise<void> {
    const free = members.filter((each) => each.role === role && !each.busy);
    const member = random.pick(free);
    if (member === undefined) return;
    member.busy = true;
    try {
      await act(member);
    } finally {
      member.busy = false;
    }
  }

  const kill = async (member: Member): Promise<void> => {
    member.running.child.kill("SIGKILL");
    await member.running.ended;
    await fleet.start(member);
  };

  const drain = async (member: Member): Promise<void> => {
    // A load balancer takes the member out first.
    member.url = null;
    const { code } = await stop(member.running);
    if (!DRAINED.includes(code)) disturbance.faults.push(`a drained ${member.role} ended with ${code}`);
    await fleet.start(member);
  };

  const freeze = async ({ running: { child } }: Member): Promise<void> => {
    child.kill("SIGSTOP");
    await sleep(FROZEN_MS);
    child.kill("SIGCONT");
  };

  async function probe(url: string): Promise<number> {
    const from = performance.now();
    const { status } = await fetch(`${url}/readyz`);
    disturbance.slowestProbeS = Math.max(disturbance.slowestProbeS, (performance.now() - from) / 1_000);
    return status;
  }

  /** Until every process that answers says of itself what is so; answers the seconds that each took. */
  async function untilAllSay(
    watched: readonly Member[],
    status: number,
    withinMs: number,
  ): Promise<number[]> {
    const from = performance.now();
    return Promise.all(
      watched.map(async ({ url }) => {
        if (url === null) return 0;
        for (;;) {
          if ((await probe(url).catch(() => null)) === status) break;
          if (performance.now() - from > withinMs) {
            disturbance.faults.push(`/readyz did not say ${status} within ${withinMs} ms`);
            break;
          }
          await sleep(20);
        }
        return (performance.now() - from) / 1_000;
      }),
    );
  }

  /** Takes PostgreSQL away from everybody for a moment, and watches those who answer requests. */
  async function without(takeAway: () => Promise<void>, restore: () => Promise<void>): Promise<void> {
    const watched = members.filter(({ role, busy }) => role === "api" && !busy);
    for (const member of watched) member.busy = true;
    try {
      await takeAway();
      await untilAllSay(watched, 503, NOTICED_WITHIN_MS);
      await sleep(random.int(AWAY_MS));
      await restore();
      disturbance.readyAgainS.push(...(await untilAllSay(watched, 200, READY_WITHIN_MS)));
      for (const { running } of watched)
        if (running.child.exitCode !== null) disturbance.faults.push("an api ended with its database");
    } finally {
      for (const member of watched) member.busy = false;
    }
  }

  async function endConnections(): Promise<void> {
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    try {
      await client.query(`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and random() < 0.5`);
    } finally {
      await client.end();
    }
  }

  const acts: Record<FaultKind, () => Promise<void>> = {
    "api killed": () => toOne("api", kill),
    "worker killed": () => toOne("worker", kill),
    "api drained": () => toOne("api", drain),
    "worker drained": () => toOne("worker", drain),
    "connections ended": endConnections,
    "postgres stopped at once": () => without(() => postgres.stop("immediate"), postgres.start),
    "postgres stopped fast": () => without(() => postgres.stop("fast"), postgres.start),
    "postgres frozen": () =>
      without(
        async () => postgres.freeze(),
        async () => postgres.thaw(),
      ),
    async "worker frozen"() {
      const frozen = toOne("worker", freeze);
      thawing.add(frozen);
      frozen.finally(() => thawing.delete(frozen));
    },
  };
  return {
    disturbance,
    async inject(kind) {
      disturbance.count[kind]++;
      await acts[kind]();
    },
    async calm() {
      await Promise.all(thawing);
    },
  };
}
