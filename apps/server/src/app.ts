import type { FastifyInstance } from "fastify";
import { oneProject } from "./domain/house-tables.ts";
import { authenticator } from "./features/access/public.ts";
import { recogniser } from "./features/people/public.ts";
import {
  checks,
  endpoints,
  files,
  foreignCalls,
  gateways,
  loops,
  metrics,
  outgoing,
  peopleEndpoints,
  plugs,
  routes,
  tables,
  tags,
} from "./features.ts";
import { buildMetric } from "./platform/build.ts";
import { type CheckFinding, recount } from "./platform/checks.ts";
import type { Config } from "./platform/config.ts";
import type { Database } from "./platform/db/db.ts";
import { budgets } from "./platform/http/budgets/shared-budget.ts";
import { registerGateways } from "./platform/http/gateway.ts";
import { registerPages } from "./platform/http/public/pages.ts";
import { registerPublicFiles } from "./platform/http/public/public-file.ts";
import { registerPublicRoutes } from "./platform/http/public/public-route.ts";
import { createServer } from "./platform/http/server.ts";
import { serverOf } from "./platform/http/server-of.ts";
import type { Log } from "./platform/log.ts";
import { changes } from "./platform/loops/changes.ts";
import { drainLoops, type RunningLoops, startLoops } from "./platform/loops/loops.ts";
import { processes, processMetrics } from "./platform/loops/processes.ts";
import { createMetrics } from "./platform/metrics.ts";
import { collectNodeMetrics } from "./platform/node-metrics.ts";
import { type App, createPorts, createResources, inBackground, plug } from "./platform/runtime.ts";
import type { Secrets } from "./platform/secrets/secrets.ts";
import { type Clock, systemClock } from "./platform/time/clock.ts";

export type Tidings = {
  app: App;
  server: FastifyInstance;
  /** Starts listening and answers the address to open. */
  listen(): Promise<string>;
  startWorker(): Promise<void>;
  /** Looks after the campaigns of projects that have a policy, by the API, which has to be reachable by then. */
  startAgent(): Promise<void>;
  /** Runs turns of all loops of a role, a worker's unless said otherwise, until none of them finds anything due. */
  drain(role?: "worker" | "agent"): Promise<void>;
  /** Runs every check, over all projects or one of them, on one snapshot of the database. */
  check(projectId?: string | null): AsyncGenerator<CheckFinding>;
  /** Stops accepting, finishes what is under way, closes the database. */
  close(): Promise<void>;
};

type Parts = {
  config: Config;
  database: Database;
  log: Log;
  secrets: Secrets;
  clock?: Clock;
  checkAnswers?: boolean;
};

/** The HTTP server of an app, with all operations, pages and routes. */
function serverFor(app: App, checkAnswers: boolean): FastifyInstance {
  const authenticate = app.get(authenticator);
  const server = createServer({
    app,
    authenticate,
    checkAnswers,
    recognise: app.get(recogniser),
    endpoints: [...endpoints, ...peopleEndpoints, ...foreignCalls],
  });
  registerPages(server, app, { endpoints, tags, outgoing });
  registerPublicFiles(server, app, files);
  registerPublicRoutes(server, app, routes);
  registerGateways(server, app, { gateways, endpoints, authenticate });
  return server;
}

/** Makes a server out of platform and features. The only place that knows every feature. */
export function createTidings({
  config,
  database,
  log,
  secrets,
  clock = systemClock,
  checkAnswers = false,
}: Parts): Tidings {
  let address = `http://${config.host}:${config.port}`;
  const app: App = {
    config,
    database,
    clock,
    log,
    secrets,
    metrics: createMetrics(),
    publicUrl: () => config.publicUrl ?? address,
    apiUrl: () => config.agentApiUrl ?? address,
    get: createResources(() => app),
    ...createPorts([...plugs, plug(serverOf, (served: App) => serverFor(served, checkAnswers))]),
  };
  const server = serverFor(app, checkAnswers);
  collectNodeMetrics(app.metrics.registry);
  app.metrics.gauge(
    "tidings_database_waiting",
    "Requests waiting for a database connection.",
    () => database.pool.waitingCount,
  );

  for (const each of [buildMetric, processMetrics, ...metrics]) app.get(each);

  for (const [name, pool] of [
    ["connections of requests", database.pool],
    ["connections of group commits", database.hotPool],
    ["connections of look-ups", database.lookups.pool],
    ["connections of the background", database.background.pool],
    ["connections of the sign-in", database.people],
  ] as const)
    app.metrics.queue(name, () => pool.waitingCount);

  const background = inBackground(app);
  const loopsOf = (role: "worker" | "agent") => loops.filter((each) => (each.role ?? "worker") === role);
  let worker: RunningLoops | null = null;
  let agent: RunningLoops | null = null;
  return {
    app,
    server,
    async listen() {
      await app.get(budgets).join();
      await server.listen({ port: config.port, host: config.host });
      const bound = server.server.address();
      const port = typeof bound === "object" && bound !== null ? bound.port : config.port;
      address = `http://${config.host.includes(":") ? `[${config.host}]` : config.host}:${port}`;
      return address;
    },
    async startWorker() {
      app.get(changes).listen();
      await app.get(processes).startWorking();
      worker = startLoops(background, loopsOf("worker"));
    },
    async startAgent() {
      app.get(changes).listen();
      await app.get(processes).startLookingAfter();
      agent = startLoops(background, loopsOf("agent"));
    },
    async drain(role = "worker") {
      await drainLoops(background, loopsOf(role));
    },
    check: (projectId = null) => recount(background.database.kysely, checks, oneProject(projectId, tables)),
    async close() {
      // The agent gives back what it has begun by the API, which has to answer until then.
      if (agent !== null) {
        await agent.stop();
        await app
          .get(processes)
          .stopLookingAfter()
          .catch(() => undefined);
      }
      await server.close();
      await app.get(budgets).leave();
      await worker?.stop();
      await app.get(changes).stop();
      await app.get(processes).leave();
      await database.close();
    },
  };
}
