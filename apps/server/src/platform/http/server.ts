import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import multipart from "@fastify/multipart";
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from "fastify";
import type { z } from "zod";
import type { App } from "../runtime.ts";
import { type Authenticate, createAdmission } from "./admit.ts";
import { createAnswerer } from "./answer.ts";
import { assertStorable, parseJsonBody } from "./body.ts";
import {
  type Ctx,
  DEFAULT_BODY_LIMIT,
  type Endpoint,
  fastifyPath,
  isManagementWrite,
  isOpenToBrowsers,
  type Principal,
} from "./endpoint.ts";
import { ApiError } from "./errors.ts";
import { explainIssue } from "./explain-issue.ts";
import { answerOtherMethods } from "./other-methods.ts";
import { toApiError } from "./to-api-error.ts";
import { readUpload } from "./upload.ts";

export const API_VERSION = "2026-08-22";

declare module "fastify" {
  interface FastifyRequest {
    principal: Principal | null;
  }
}

function parsePart(schema: z.ZodType | undefined, value: unknown, root: string): unknown {
  if (schema === undefined) return undefined;
  // Without its input an issue cannot tell a wrong value from a missing one.
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw new ApiError("invalid_request", explainIssue(parsed.error, root));
}

function idempotencyKeyOf(request: FastifyRequest): string | null {
  const given = request.headers["idempotency-key"];
  if (given === undefined) return null;
  if (typeof given !== "string" || given.length < 1 || given.length > 128) {
    throw new ApiError("invalid_request", "Idempotency-Key must be 1 to 128 characters");
  }
  return given;
}

export type ServerOptions = {
  app: App;
  endpoints: readonly Endpoint[];
  authenticate: Authenticate;
  /** Parse every answer with its schema and fail on a difference: on in tests. */
  checkAnswers?: boolean;
};

/**
 * Browsers open connections in advance. Node.js counts one without a request as busy, and closing would wait for it for ever:
 * closing ends those, whatever has begun is finished.
 */
function closeSilentConnections(server: FastifyInstance): void {
  const silent = new Set<Socket>();
  let isClosing = false;
  server.server.on("connection", (socket: Socket) => {
    if (isClosing) socket.destroy();
    silent.add(socket);
    socket.once("close", () => silent.delete(socket));
  });
  server.server.on("request", ({ socket }) => silent.delete(socket));
  server.addHook("preClose", (done) => {
    isClosing = true;
    for (const socket of silent) socket.destroy();
    done();
  });
}

/** The HTTP server of a list of operations: the same rules for every one, in one order. */
export function createServer({
  app,
  endpoints,
  authenticate,
  checkAnswers = false,
}: ServerOptions): FastifyInstance {
  const { clock, log, metrics, database } = app;
  const admit = createAdmission(app, authenticate);
  // Ids are unique across restarts and processes without asking the system for random bytes each time.
  const bootId = Date.now().toString(36) + process.pid.toString(36);
  let requests = 0;
  const nextRequestId = (): string => `${bootId}-${(requests++).toString(36)}`;

  const server = fastify({
    bodyLimit: DEFAULT_BODY_LIMIT,
    logger: false,
    genReqId: nextRequestId,
    requestTimeout: 60_000,
    routerOptions: {
      // External user ids of 256 characters may take 12 bytes each when percent-encoded.
      maxParamLength: 4_096,
      onBadUrl: (_path, _request, reply) => {
        const body = JSON.stringify({ error: "The path is not valid percent-encoding." });
        // A plain response of node:http: the router gives up before there is a reply.
        (reply as unknown as ServerResponse)
          .writeHead(400, {
            "content-type": "application/json; charset=utf-8",
            "x-request-id": nextRequestId(),
            "x-api-version": API_VERSION,
          })
          .end(body);
      },
    },
  });

  function refuse(reply: FastifyReply, error: ApiError): void {
    void reply
      .code(error.status)
      .headers(error.headers)
      .type("application/json; charset=utf-8")
      .send(JSON.stringify(error.body()));
  }

  closeSilentConnections(server);
  server.decorateRequest("principal", null);
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => {
    try {
      done(null, parseJsonBody(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
  server.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id);
    reply.header("x-api-version", API_VERSION);
    done();
  });
  if (log.isLevelEnabled("debug")) {
    server.addHook("onResponse", (request, reply, done) => {
      const { method, url, id: requestId } = request;
      log.debug({ requestId, method, url, status: reply.statusCode, ms: reply.elapsedTime }, "answered");
      done();
    });
  }
  server.setErrorHandler((error, request, reply) => refuse(reply, toApiError(error, log, request.id)));
  server.setNotFoundHandler((_request, reply) => refuse(reply, new ApiError("not_found")));

  function register(target: FastifyInstance, endpoint: Endpoint): void {
    const { spec } = endpoint;
    const answerHeaders = Object.entries(spec.headers ?? {});
    const isWrite = isManagementWrite(endpoint);
    const openToBrowsers = isOpenToBrowsers(endpoint);
    const observed = metrics.operation(spec.id);
    const answer = createAnswerer(app, endpoint, checkAnswers);
    target.route({
      method: spec.method,
      url: fastifyPath(spec.path),
      bodyLimit: spec.bodyLimit ?? DEFAULT_BODY_LIMIT,
      onResponse(_request, reply, done) {
        observed.observe(reply.statusCode, reply.elapsedTime);
        done();
      },
      onRequest(request, reply, done) {
        if (openToBrowsers) reply.header("access-control-allow-origin", "*");
        const accept = (principal: Principal): void => {
          request.principal = principal;
          done();
        };
        try {
          // A known key is answered at once: no promise on the way of most requests.
          const admitted = admit(endpoint, request.headers.authorization);
          if (admitted instanceof Promise) admitted.then(accept, done);
          else accept(admitted);
        } catch (error) {
          done(error as Error);
        }
      },
      async handler(request, reply) {
        // NUL can only come into a URL as an escape.
        if (request.url.includes("%00")) {
          assertStorable(request.params, "path");
          assertStorable(request.query, "query");
        }
        const input = {
          params: parsePart(spec.params, request.params, "path"),
          query: parsePart(spec.query, request.query, "query"),
          body: parsePart(spec.body, request.body, "body"),
          file: spec.upload === undefined ? null : await readUpload(request, spec.upload),
        };
        const ctx: Ctx = { app, db: database.kysely, now: clock(), ...(request.principal as Principal) };
        const asked = {
          input,
          key: isWrite ? idempotencyKeyOf(request) : null,
          url: request.url,
          body: request.body,
        };
        const { status, body, replayed } = await answer(ctx, asked);
        for (const [name, value] of answerHeaders) reply.header(name, value);
        if (replayed) reply.header("idempotent-replayed", "true");
        reply.code(status).type("application/json; charset=utf-8");
        return body;
      },
    });
  }

  const isUpload = ({ spec }: Endpoint): boolean => spec.upload !== undefined;
  for (const endpoint of endpoints) if (!isUpload(endpoint)) register(server, endpoint);
  // In a scope of their own: the multipart hooks run for every request of the scope they are in.
  void server.register(async (scope) => {
    await scope.register(multipart, { throwFileSizeLimit: true });
    for (const endpoint of endpoints.filter(isUpload)) register(scope, endpoint);
  });
  answerOtherMethods(server, endpoints);
  return server;
}
