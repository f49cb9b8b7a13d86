/**
 * Where the processor's time goes: `PROFILE=1` before a bench, such as `PROFILE=1 node bench/track.ts`, prints it for Node.js by
 * function and for PostgreSQL by statement when the server ends. Measuring costs a tenth or so: figures are taken without.
 */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";

const LINES = 25;

type Connect = (database?: string) => Promise<pg.Client>;

/** A profile that is being taken of one server. */
export type Profile = {
  /** What Node.js is started with. */
  flags: readonly string[];
  /** Begins to count statements; PostgreSQL is started anew for that. */
  countStatements(connect: Connect, postmaster: number): Promise<void>;
  printStatements(connect: Connect): Promise<void>;
  /** To be called when Node.js has ended. */
  printFunctions(): Promise<void>;
};

const share = (part: number, whole: number): string => `${((part / whole) * 100).toFixed(1)} %`.padStart(7);

async function connectAgain(connect: Connect): Promise<pg.Client> {
  for (const until = Date.now() + 30_000; ; await sleep(100)) {
    try {
      return await connect();
    } catch (cause) {
      if (Date.now() > until) throw cause;
    }
  }
}

type CpuProfile = {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  samples: number[];
  timeDeltas: number[];
};

/** Time by function, in microseconds, without that of what it calls. */
function timeByFunction({ nodes, samples, timeDeltas }: CpuProfile): Map<string, number> {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const times = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    const { functionName, url, lineNumber } = frames.get(id) ?? { functionName: "?", url: "", lineNumber: 0 };
    const place = url.replace(/^.*\/(apps|node_modules)\//, "$1/");
    const name = place === "" ? functionName : `${functionName} ${place}:${lineNumber + 1}`;
    times.set(name, (times.get(name) ?? 0) + (timeDeltas[index] ?? 0));
  }
  return times;
}

/** A profile of the server that is about to be started, or null where none was asked for. */
export async function takeProfile(): Promise<Profile | null> {
  if (process.env.PROFILE === undefined) return null;
  const folder = await mkdtemp(join(tmpdir(), "tidings-profile-"));
  return {
    flags: ["--cpu-prof", `--cpu-prof-dir=${folder}`],
    async countStatements(connect, postmaster) {
      const before = await connect();
      await before.query("alter system set shared_preload_libraries = 'pg_stat_statements'");
      await before.end();
      process.kill(postmaster, "SIGINT");
      const client = await connectAgain(connect);
      await client.query("create extension if not exists pg_stat_statements");
      await client.end();
    },
    async printStatements(connect) {
      const client = await connect();
      const { rows } = await client.query<{ text: string; calls: string; rows: string; ms: number }>(
        "select query as text, calls, rows, total_exec_time as ms from pg_stat_statements order by ms desc",
      );
      await client.end();
      const whole = rows.reduce((sum, { ms }) => sum + ms, 0);
      console.log("PostgreSQL, by statement: share, calls, µs per call");
      for (const { text, calls, ms } of rows.slice(0, LINES)) {
        // What differs between statements over many rows comes after their input.
        const statement = text
          .replace(/\s+/g, " ")
          .replace(/^with input as .*? with ordinality as i \(.*?\)\)[ ,]*/, "")
          .slice(0, 110);
        const each = ((ms * 1_000) / Number(calls)).toFixed(0);
        console.log(`${share(ms, whole)} ${calls.padStart(8)} ${each.padStart(8)}  ${statement}`);
      }
    },
    async printFunctions() {
      for (const file of await readdir(folder)) {
        const times = timeByFunction(JSON.parse(await readFile(join(folder, file), "utf8")));
        times.delete("(idle)");
        const whole = [...times.values()].reduce((sum, each) => sum + each, 0);
        console.log("Node.js, by function: share");
        for (const [name, time] of [...times].sort(([, a], [, b]) => b - a).slice(0, LINES))
          console.log(`${share(time, whole)}  ${name}`);
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}
