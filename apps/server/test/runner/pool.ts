import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { killTree } from "./processes.ts";
import { NO_TESTS, type Order, type Outcome, type Report } from "./protocol.ts";

/** How workers are started. */
export type Pool = {
  /** Where the paths of files begin. */
  root: string;
  /** Flags of Node's, such as --test-name-pattern=…. */
  flags: readonly string[];
  env: NodeJS.ProcessEnv;
  /** Each worker has its temporary folder in here: two that unpack the same browser must not meet. */
  folder: string;
  fileTimeoutMs: number;
  /** Files that play a few of their rounds only. */
  brief: ReadonlySet<string>;
  /** When the run's time is over (epoch ms): then no file is begun any more. */
  endsAt: number;
  /** Says when the run is broken off: then no file is begun any more. */
  signal: AbortSignal;
};

type Worker = {
  run(file: string): Promise<Outcome>;
  /** Whether it can run another file. */
  isUsable(): boolean;
  end(): Promise<void>;
};

let workers = 0;

function startWorker({ root, flags, env, folder, fileTimeoutMs, brief }: Pool): Worker {
  // Short, because the paths of sockets begin with it.
  const temporary = join(folder, String(workers++));
  mkdirSync(temporary);
  const child = fork(new URL("worker.ts", import.meta.url), {
    env: { ...env, TMPDIR: temporary },
    execArgv: [...flags],
    // A session of its own: Ctrl-C reaches the runner only, which then ends all that tests have started.
    detached: true,
    serialization: "advanced",
  });
  const gone = once(child, "exit");
  let isUsable = true;
  void gone.then(() => {
    isUsable = false;
  });
  const underWay = new Set<string>();

  /** What is said of a file whose worker did not finish it. */
  function unfinished(file: string, ms: number, reason: string): Outcome {
    const tests = underWay.size === 0 ? ["the file itself"] : [...underWay];
    const failingText = [...tests.map((test) => `✖ ${test}`), `${file}: ${reason}`, ""].join("\n");
    const failures = tests.map((test) => ({ test, reason }));
    return {
      file,
      ms,
      cpuMs: 0,
      failures,
      failingText,
      text: failingText,
      counts: { ...NO_TESTS, tests: 1, failed: 1 },
    };
  }

  function run(file: string): Promise<Outcome> {
    const start = performance.now();
    underWay.clear();
    return new Promise((resolve) => {
      const finish = (outcome: Outcome): void => {
        clearTimeout(timer);
        child.off("message", hear).off("exit", lost);
        resolve(outcome);
      };
      const hear = (report: Report): void => {
        if (report.type === "began") underWay.add(report.test);
        else if (report.type === "ended") underWay.delete(report.test);
        else finish(report.outcome);
      };
      const lost = (code: number | null, by: string | null): void => {
        isUsable = false;
        finish(
          unfinished(
            file,
            performance.now() - start,
            `its process ended (${by ?? code}) before its tests did`,
          ),
        );
      };
      const timer = setTimeout(() => {
        isUsable = false;
        if (child.pid !== undefined) killTree(child.pid);
        finish(unfinished(file, fileTimeoutMs, `took longer than ${fileTimeoutMs / 1_000} seconds`));
      }, fileTimeoutMs);
      child.on("message", hear).once("exit", lost);
      child.send({ root, file, isBrief: brief.has(file) } satisfies Order);
    });
  }

  return {
    run,
    isUsable: () => isUsable,
    async end() {
      if (child.connected) child.disconnect();
      await gone;
    },
  };
}

/** Files that mostly wait, with the reason: they have a worker more, beside those that keep the processors busy. */
const WAITING: Readonly<Record<string, string>> = {
  "apps/server/test/shared-budgets.test.ts": "processes share out what may be asked for in a minute",
  "apps/server/src/platform/http/connections.test.ts": "a slow client has its time before it is ended",
};

/**
 * Runs files in worker processes, each of which takes the next file as soon as it is free.
 * @param files in the order in which they are taken
 * @param say gets what became of each file, as soon as it is known
 * @returns the files for which the time was over, or that a run that was broken off did not begin
 */
export async function runFiles(
  pool: Pool,
  files: readonly string[],
  count: number,
  say: (outcome: Outcome) => void,
): Promise<string[]> {
  const waiting = files.filter((file) => file in WAITING);
  const busy = files.filter((file) => !(file in WAITING));
  const mayBegin = (): boolean => !pool.signal.aborted && Date.now() < pool.endsAt;
  async function work(left: string[]): Promise<void> {
    let worker: Worker | null = null;
    for (let file = left[0]; file !== undefined && mayBegin(); file = left[0]) {
      left.shift();
      worker ??= startWorker(pool);
      say(await worker.run(file));
      if (!worker.isUsable()) worker = null;
    }
    await worker?.end();
  }
  await Promise.all([waiting, ...Array.from({ length: count }, () => busy)].map(work));
  return [...waiting, ...busy];
}
