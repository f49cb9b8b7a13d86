import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { build } from "../../build.ts";
import { compareMigrations, schemaFault } from "../../db/migrate.ts";
import type { App } from "../../runtime.ts";
import { budgetHook } from "../budgets/address-budget.ts";
import { NOT_FOR_OTHER_PAGES } from "../common-headers.ts";
import { type Documented, openApiDocument } from "../openapi/document.ts";
import { frontPage } from "./front-page.ts";

const ASSETS = {
  "swagger-ui.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
} as const;

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tidings API</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<style>body { margin: 0 } .swagger-ui .topbar { display: none }</style>
</head>
<body>
<div id="reference"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;
const START = `SwaggerUIBundle({ url: "/openapi.json", dom_id: "#reference", deepLinking: true, defaultModelsExpandDepth: 0 });`;

// Swagger UI sets styles from script; everything else comes from this server.
const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";

/** A probe waits for a second or two, rarely more. */
const READY_WITHIN_MS = 1_500;
const NO_ANSWER = "The database does not answer.";

/** Why requests would fail now, or null. */
async function readinessFault(app: App): Promise<string | null> {
  try {
    // A newer version may have renamed what this server's statements name, while it ran.
    const fault = schemaFault(await compareMigrations(app.database.lookups.pool));
    return fault === null ? null : `${fault}.`;
  } catch {
    return NO_ANSWER;
  }
}

/**
 * Asks the database whether it answers, once at a time for all probes. Where it hangs, probes get an answer in time, and no further
 * statements pile up.
 */
function readiness(app: App): () => Promise<string | null> {
  let asking: Promise<string | null> | null = null;
  return async () => {
    asking ??= readinessFault(app).finally(() => {
      asking = null;
    });
    const answered = new AbortController();
    const tooLate = sleep(READY_WITHIN_MS, NO_ANSWER, { signal: answered.signal }).catch(() => NO_ANSWER);
    const fault = await Promise.race([asking, tooLate]);
    answered.abort();
    return fault;
  };
}

/** Registers what people and probes open: the API reference, health, readiness and metrics. */
export function registerPages(server: FastifyInstance, app: App, documented: Documented): void {
  let document: string | null = null;
  /** Written when it is first asked for: that takes a tenth of a second, which most processes never need. */
  const openApi = (): string => {
    document ??= JSON.stringify(openApiDocument(documented));
    return document;
  };
  const assets = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));

  const onRequest = budgetHook(app, "/docs");
  const front = frontPage(app.config);
  server.get("/", { onRequest }, (_request, reply) =>
    reply
      .headers({ ...NOT_FOR_OTHER_PAGES, ...front.headers })
      .type(front.contentType)
      .send(front.body),
  );
  server.get("/openapi.json", { onRequest }, (_request, reply) =>
    reply.type("application/json; charset=utf-8").send(openApi()),
  );
  server.get("/docs", { onRequest }, (_request, reply) =>
    reply
      .headers({ ...NOT_FOR_OTHER_PAGES, "content-security-policy": POLICY })
      .type("text/html; charset=utf-8")
      .send(PAGE),
  );
  server.get("/docs/start.js", { onRequest }, (_request, reply) =>
    reply.type("text/javascript; charset=utf-8").send(START),
  );
  for (const [name, type] of Object.entries(ASSETS)) {
    server.get(`/docs/${name}`, { onRequest }, async (_request, reply) => {
      reply.headers({ "cache-control": "public, max-age=86400" }).type(type);
      return readFile(join(assets, name));
    });
  }
  server.get("/healthz", async () => ({ ok: true, version: (await app.get(build)).version }));
  const faultNow = readiness(app);
  server.get("/readyz", async (_request, reply) => {
    const fault = await faultNow();
    return fault === null ? { ok: true } : reply.code(503).send({ ok: false, error: fault });
  });
  server.get("/metrics", async (_request, reply) => {
    reply.headers(NOT_FOR_OTHER_PAGES).type(app.metrics.registry.contentType);
    return app.metrics.registry.metrics();
  });
}
