import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { FastifyInstance } from "fastify";
import { pendingMigrations } from "../db/migrate.ts";
import type { App } from "../runtime.ts";
import type { Endpoint } from "./endpoint.ts";
import { openApiDocument } from "./openapi.ts";

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

/** Why requests would fail now, or null. */
async function readinessFault(app: App): Promise<string | null> {
  try {
    const pending = await pendingMigrations(app.database.pool);
    return pending.length === 0 ? null : `The database lacks ${pending.join(", ")}.`;
  } catch {
    return "The database does not answer.";
  }
}

/** What a person or a probe opens: the reference, the health of the process and of what it needs, its metrics. */
export function registerPages(server: FastifyInstance, app: App, endpoints: readonly Endpoint[]): void {
  const document = JSON.stringify(openApiDocument(endpoints));
  const assets = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));

  server.get("/openapi.json", (_request, reply) =>
    reply.type("application/json; charset=utf-8").send(document),
  );
  server.get("/docs", (_request, reply) =>
    reply.headers({ "content-security-policy": POLICY }).type("text/html; charset=utf-8").send(PAGE),
  );
  server.get("/docs/start.js", (_request, reply) => reply.type("text/javascript; charset=utf-8").send(START));
  for (const [name, type] of Object.entries(ASSETS)) {
    server.get(`/docs/${name}`, async (_request, reply) => {
      reply
        .headers({ "cache-control": "public, max-age=86400", "x-content-type-options": "nosniff" })
        .type(type);
      return readFile(join(assets, name));
    });
  }
  server.get("/healthz", () => ({ ok: true }));
  server.get("/readyz", async (_request, reply) => {
    const fault = await readinessFault(app);
    return fault === null ? { ok: true } : reply.code(503).send({ ok: false, error: fault });
  });
  server.get("/metrics", async (_request, reply) => {
    reply.type(app.metrics.registry.contentType);
    return app.metrics.registry.metrics();
  });
}
