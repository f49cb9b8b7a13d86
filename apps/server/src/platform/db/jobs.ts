import { EventEmitter } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Logger, type Runner, run, runOnce, type TaskList, type WorkerEvents } from "graphile-worker";
import { sql } from "kysely";
import type { z } from "zod";
import { presence } from "../presence.ts";
import type { App } from "../runtime.ts";
import type { Db } from "./db.ts";

const POLL_MS = 1_000;
const RESTART_MS = 1_000;

/** A piece of work outside a request: declared once, enqueued in the transaction that decided it. */
export type Job<Payload = unknown> = {
  name: string;
  payload: z.ZodType<Payload>;
  /** A cron line (UTC) for work that comes round by itself; its payload is `{}`. */
  cron?: string;
  handle(app: App, payload: Payload): Promise<void>;
};

/** Declares a job; its handler may run more than once, so it must be safe to repeat. */
export const job = <Payload>(declared: Job<Payload>): Job<Payload> => declared;

/** Puts a job into the queue; inside the caller's transaction it runs if, and only if, that commits. */
export async function enqueue<Payload>(db: Db, declared: Job<Payload>, payload: Payload): Promise<void> {
  await sql`select graphile_worker.add_job(${declared.name}, ${JSON.stringify(payload)}::json)`.execute(db);
}

function taskList(app: App, jobs: readonly Job[]): TaskList {
  return Object.fromEntries(
    jobs.map((each) => [
      each.name,
      async (payload: unknown) => {
        // The timer adds its own bookkeeping to the payload of a cron job.
        await each.handle(app, each.payload.parse(each.cron === undefined ? payload : {}));
      },
    ]),
  );
}

const options = (app: App, jobs: readonly Job[]) => ({
  pgPool: app.database.pool,
  taskList: taskList(app, jobs),
  crontab: jobs.flatMap(({ name, cron }) => (cron === undefined ? [] : [`${cron} ${name}`])).join("\n"),
  noHandleSignals: true,
  // Without these two the end of a job is written behind the worker's back, and a lost database ends the process.
  preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
  logger: new Logger(() => (level, message) => {
    if (level === "error") app.log.error({ worker: message }, "a job failed");
    else app.log.debug({ worker: message }, "worker");
  }),
});

/** A worker that is running. */
export type Worker = { stop(): Promise<void> };

/**
 * Jobs that an ended runner held would stay locked for hours: those of this process' runners before, and where it is the only one
 * all that are held. (Those of other processes are freed when these are struck off.)
 */
async function unlockAbandoned({ config, database, get }: App): Promise<void> {
  await sql`select graphile_worker.force_unlock_workers(array(
    select distinct locked_by from graphile_worker._private_jobs
    where locked_by = any(${get(presence).jobPools()}) or (locked_by is not null and ${config.databaseUrl === null})
  ))`.execute(database.kysely);
}

/** Notes under which names a runner locks jobs. */
function namesOf(app: App): WorkerEvents {
  const events: WorkerEvents = new EventEmitter();
  events.on("pool:create", ({ workerPool }) => app.get(presence).locksJobsAs(workerPool.id));
  return events;
}

/** Works the queue until it is stopped; a runner that a lost database ended is followed by another. */
export async function startWorker(app: App, jobs: readonly Job[]): Promise<Worker> {
  const start = async (): Promise<Runner> => {
    await unlockAbandoned(app);
    return run({ ...options(app, jobs), events: namesOf(app), concurrency: 4, pollInterval: POLL_MS });
  };
  let stopped = false;
  let runner = await start();

  async function keepRunning(): Promise<void> {
    for (;;) {
      await runner.promise.catch((error: unknown) => error);
      if (stopped) return;
      app.log.warn("the worker lost the database; starting it again");
      await sleep(RESTART_MS);
      // A start that fails leaves the ended runner in place: the next turn tries again.
      if (!stopped) runner = await start().catch(() => runner);
    }
  }

  const done = keepRunning();
  return {
    async stop() {
      stopped = true;
      await runner.stop().catch(() => undefined);
      await done;
    },
  };
}

/** Works whatever is due now, then returns. */
export async function drain(app: App, jobs: readonly Job[]): Promise<void> {
  await runOnce(options(app, jobs));
}
