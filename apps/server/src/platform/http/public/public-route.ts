import type { IncomingHttpHeaders } from "node:http";
import type { FastifyInstance } from "fastify";
import type { App } from "../../runtime.ts";
import { takeAnyType } from "../body/any-type.ts";
import { budgetHook } from "../budgets/address-budget.ts";
import { DEFAULT_BODY_LIMIT, fastifyPath } from "../contract/endpoint.ts";
import { refuseOtherMethods } from "../other-methods.ts";

/** A request without a key. */
export type PublicRequest = {
  method: "GET" | "HEAD" | "POST";
  params: Readonly<Record<string, string>>;
  /** Path and query, escaped. */
  url: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** Address of the visitor. */
  address: string;
  /** The bytes as they came, whatever their type; empty where there are none. */
  body: Buffer;
  /** One instant for the whole request, epoch milliseconds. */
  now: number;
};

export type PublicAnswer = {
  status: number;
  contentType: string;
  body: string | Buffer;
  headers?: Readonly<Record<string, string | readonly string[]>>;
};

/**
 * A path without a key that reads raw bodies and writes its own answers: links in mail, reports of other services. The feature that
 * serves it has to tell genuine requests from forged ones. An `ApiError` is answered as everywhere.
 */
export type PublicRoute = {
  /** GET answers HEAD too: `respond` sees which one it is. */
  method: "GET" | "POST";
  /** Path with `{name}` parameters. */
  path: `/${string}`;
  /** Largest body in bytes; 8 KiB where it is not stated. */
  bodyLimit?: number;
  respond(app: App, request: PublicRequest): Promise<PublicAnswer>;
};

/** The policy of answers that set none: a page has to allow what it needs. */
const CLOSED = "default-src 'none'; frame-ancestors 'none'";

const NOTHING = Buffer.alloc(0);

const methodsOf = ({ method }: PublicRoute): ("GET" | "HEAD" | "POST")[] =>
  method === "GET" ? ["GET", "HEAD"] : [method];

function register(scope: FastifyInstance, app: App, route: PublicRoute): void {
  scope.route({
    method: methodsOf(route),
    url: fastifyPath(route.path),
    bodyLimit: route.bodyLimit ?? DEFAULT_BODY_LIMIT,
    onRequest: budgetHook(app, route.path),
    async handler(request, reply) {
      const { status, contentType, body, headers } = await route.respond(app, {
        method: request.method as PublicRequest["method"],
        params: request.params as Record<string, string>,
        url: request.url,
        query: new URLSearchParams(request.url.split("?").slice(1).join("?")),
        headers: request.headers,
        address: request.address,
        body: Buffer.isBuffer(request.body) ? request.body : NOTHING,
        now: app.clock(),
      });
      reply.code(status).headers({ "content-security-policy": CLOSED, ...headers });
      return reply.type(contentType).send(body);
    },
  });
}

/** Registers the routes in a scope of their own, in which bodies may be of any type and are not parsed. */
export function registerPublicRoutes(
  server: FastifyInstance,
  app: App,
  routes: readonly PublicRoute[],
): void {
  void server.register(async (scope) => {
    takeAnyType(scope, async (_request, body) => body);
    for (const route of routes) register(scope, app, route);
    for (const [path, group] of Map.groupBy(routes, (route) => route.path))
      refuseOtherMethods(scope, path, group.flatMap(methodsOf));
  });
}
