import type { FastifyInstance } from "fastify";
import { type Endpoint, fastifyPath, isOpenToBrowsers } from "./contract/endpoint.ts";
import { ApiError } from "./contract/errors.ts";

const CORS_MAX_AGE_SECONDS = "7200";
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Answers a browser's preflight, which it sends before a call from another origin. */
function answerPreflight(server: FastifyInstance, url: string, methods: readonly string[]): void {
  const headers = {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": methods.join(", "),
    // The last two are sent by libraries of other services.
    "access-control-allow-headers":
      "authorization, content-type, x-user-hash, x-anonymous-id, x-service-installation-capability, x-retry-count, anonymousid",
    "access-control-max-age": CORS_MAX_AGE_SECONDS,
  };
  server.options(url, (_request, reply) => reply.code(204).headers(headers).send());
}

/** 405 with `Allow` for every method that a path does not have. */
export function refuseOtherMethods(server: FastifyInstance, path: string, allow: readonly string[]): void {
  const refusal = new ApiError("method_not_allowed", undefined, { headers: { allow: allow.join(", ") } });
  server.route({
    method: METHODS.filter((method) => !allow.includes(method)),
    url: fastifyPath(path),
    onRequest: () => Promise.reject(refusal),
    handler: () => undefined,
  });
}

/** Preflights of browsers, and 405 for every method that an operation's path does not have. */
export function answerOtherMethods(server: FastifyInstance, endpoints: readonly Endpoint[]): void {
  for (const [path, group] of Map.groupBy(endpoints, ({ spec }) => spec.path)) {
    const methods: string[] = group.map(({ spec }) => spec.method);
    const browser = group.filter(isOpenToBrowsers).map(({ spec }) => spec.method);
    if (browser.length > 0) answerPreflight(server, fastifyPath(path), browser);
    const allow = [
      ...methods,
      ...(methods.includes("GET") ? ["HEAD"] : []),
      ...(browser.length > 0 ? ["OPTIONS"] : []),
    ];
    refuseOtherMethods(server, path, allow);
  }
}
