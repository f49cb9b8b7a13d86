import { Logger, type Runner, run, runOnce, type TaskList } from "graphile-worker";
import { sql } from "kysely";
import type { z } from "zod";
import type { App } from "../runtime.ts";
import type { Tx } from "./db.ts";

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

/** Puts a job into the queue inside the caller's transaction: it runs if, and only if, that commits. */
export async function enqueue<Payload>(tx: Tx, declared: Job<Payload>, payload: Payload): Promise<void> {
  await sql`select graphile_worker.add_job(${declared.name}, ${JSON.stringify(payload)}::json)`.execute(tx);
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
  logger: new Logger(() => (level, message) => {
    if (level === "error") app.log.error({ worker: message }, "a job failed");
    else app.log.debug({ worker: message }, "worker");
  }),
});

/** Works the queue until it is stopped. */
export function startWorker(app: App, jobs: readonly Job[]): Promise<Runner> {
  return run({ ...options(app, jobs), concurrency: 4, pollInterval: 1_000 });
}

/** Works whatever is due now, then returns. */
export async function drain(app: App, jobs: readonly Job[]): Promise<void> {
  await runOnce(options(app, jobs));
}
