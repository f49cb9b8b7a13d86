import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Ended, type Spawned, serve, stop, tidings, work } from "../commands/spawned.ts";
import { type SharedPostgres, startSharedPostgres } from "./postgres.ts";

type Role = "api" | "worker";

/** A process of the fleet, which is started again whenever it was ended. */
export type Member = {
  role: Role;
  /** Where it listens; null of one that only works, or is down. */
  url: string | null;
  /** It is being ended, started or watched: another fault leaves it alone. */
  busy: boolean;
  running: Pick<Spawned, "child" | "ended">;
};

/** Processes that share one PostgreSQL. */
export type Fleet = {
  postgres: SharedPostgres;
  members: Member[];
  /** Addresses of those that answer. */
  origins(): string[];
  /** Starts a member again that has ended, however long PostgreSQL is away. */
  start(member: Member): Promise<void>;
  /** A command beside them. */
  command(...args: string[]): Promise<Ended>;
  stop(): Promise<void>;
};

const START_MS = 90_000;
/** As often as a supervisor would. */
const RESTART_MS = 250;

/** Starts PostgreSQL, migrates it, and starts as many processes of each role as are wanted. */
export async function startFleet(
  sizes: Readonly<Record<Role, number>>,
  more: Readonly<Record<string, string>>,
): Promise<Fleet> {
  const postgres = await startSharedPostgres();
  const env = {
    DATABASE_URL: postgres.url,
    SECRET_KEY: randomBytes(32).toString("base64"),
    HOST: "127.0.0.1",
    RATE_LIMITS: "off",
    PUBLIC_URL: "http://tidings.example",
    DEMO: "0",
    ...more,
  };
  const command = (...args: string[]): Promise<Ended> => tidings(args, env);
  const migrated = await command("migrate");
  if (migrated.code !== 0) throw new Error(migrated.stderr);

  async function spawnOne(role: Role): Promise<Pick<Spawned, "child" | "ended"> & { url: string | null }> {
    for (const until = Date.now() + START_MS; ; await sleep(RESTART_MS)) {
      try {
        return role === "api" ? await serve({ ...env, ROLES: "api" }) : { ...(await work(env)), url: null };
      } catch (error) {
        // PostgreSQL is away: then a start is refused.
        if (Date.now() > until) throw error;
      }
    }
  }
  async function start(member: Member): Promise<void> {
    member.url = null;
    const { url, ...running } = await spawnOne(member.role);
    Object.assign(member, { url, running });
  }
  const roles = (["api", "worker"] as const).flatMap((role) =>
    Array.from({ length: sizes[role] }, () => role),
  );
  const members = await Promise.all(
    roles.map(async (role): Promise<Member> => {
      const { url, ...running } = await spawnOne(role);
      return { role, url, busy: false, running };
    }),
  );
  return {
    postgres,
    members,
    start,
    command,
    origins: () => members.flatMap(({ url }) => (url === null ? [] : [url])),
    async stop() {
      await Promise.all(members.map(({ running }) => stop(running)));
      await postgres.stop("fast");
    },
  };
}
