import type { FastifyInstance } from "fastify";
import { authenticator } from "./features/access/public.ts";
import { checks, endpoints, files, jobs } from "./features.ts";
import { type Clock, systemClock } from "./platform/clock.ts";
import type { Config } from "./platform/config.ts";
import type { Database } from "./platform/db/db.ts";
import { drain, startWorker, type Worker } from "./platform/db/jobs.ts";
import { registerPages } from "./platform/http/pages.ts";
import { registerPublicFiles } from "./platform/http/public-file.ts";
import { createServer } from "./platform/http/server.ts";
import type { Log } from "./platform/log.ts";
import { createMetrics } from "./platform/metrics.ts";
import { type App, createResources } from "./platform/runtime.ts";

export type Tidings = {
  app: App;
  server: FastifyInstance;
  /** Listens; answers the address to open. */
  listen(): Promise<string>;
  startWorker(): Promise<void>;
  /** Works every job that is due, then returns. */
  drain(): Promise<void>;
  /** Recounts every invariant; answers the differences found by name. */
  check(): Promise<{ name: string; differences: number }[]>;
  /** Stops accepting, finishes what is under way, closes the database. */
  close(): Promise<void>;
};

type Parts = { config: Config; database: Database; log: Log; clock?: Clock; checkAnswers?: boolean };

/** Puts the house together: the only place that sees every feature. */
export function createTidings({
  config,
  database,
  log,
  clock = systemClock,
  checkAnswers = false,
}: Parts): Tidings {
  let address = `http://${config.host}:${config.port}`;
  const app: App = {
    config,
    database,
    clock,
    log,
    metrics: createMetrics(),
    publicUrl: () => config.publicUrl ?? address,
    get: createResources(() => app),
  };
  const server = createServer({ app, endpoints, authenticate: authenticator(app), checkAnswers });
  registerPages(server, app, endpoints);
  registerPublicFiles(server, app, files);
  app.metrics.gauge(
    "tidings_database_waiting",
    "Requests waiting for a database connection.",
    () => database.pool.waitingCount,
  );

  let worker: Worker | null = null;
  return {
    app,
    server,
    async listen() {
      await server.listen({ port: config.port, host: config.host });
      const bound = server.server.address();
      const port = typeof bound === "object" && bound !== null ? bound.port : config.port;
      address = `http://${config.host.includes(":") ? `[${config.host}]` : config.host}:${port}`;
      return address;
    },
    async startWorker() {
      worker = await startWorker(app, jobs);
    },
    drain: () => drain(app, jobs),
    async check() {
      const found = [];
      for (const { name, countDifferences } of checks) {
        found.push({ name, differences: await countDifferences(database.kysely) });
      }
      return found;
    },
    async close() {
      await server.close();
      await worker?.stop();
      await database.close();
    },
  };
}
