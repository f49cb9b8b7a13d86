import multipart from "@fastify/multipart";
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from "fastify";
import type { z } from "zod";
import type { App } from "../runtime.ts";
import { type Authenticate, createAdmission } from "./admission/admit.ts";
import { CONFIRM } from "./admission/admit-person.ts";
import { createBodyRoom, isRoomNeeded } from "./admission/body-room.ts";
import { readCapability } from "./admission/capability.ts";
import { addClientAddress } from "./admission/client-address.ts";
import { heavyReads } from "./admission/heavy-reads.ts";
import { isProven, requireProof } from "./admission/perimeter.ts";
import { readSecretHeader } from "./admission/secret-header.ts";
import { createAnswerer } from "./answer.ts";
import { takeAnyType } from "./body/any-type.ts";
import { assertPlain, assertStorable, type JudgedApart, parseJsonBody } from "./body/body.ts";
import { bytesWithoutEscapes } from "./body/body-size.ts";
import { readForeignBody } from "./body/foreign-body.ts";
import { readUpload } from "./body/upload.ts";
import { commonHeaders, FOR_OTHER_PAGES, NOT_FOR_OTHER_PAGES } from "./common-headers.ts";
import { closeIdleConnections, connectionOptions, TIMEOUTS, type Timeouts } from "./connections.ts";
import {
  bodyLimitOf,
  byOf,
  type Ctx,
  DEFAULT_BODY_LIMIT,
  type Endpoint,
  fastifyPath,
  isManagementWrite,
  isOpenToBrowsers,
  type Principal,
  sentLimitOf,
} from "./contract/endpoint.ts";
import { ApiError, bodyTooLarge } from "./contract/errors.ts";
import { explainIssue } from "./contract/explain-issue.ts";
import { lookAlikeFinder } from "./contract/look-alikes.ts";
import { NO_PROJECT, type Recognise } from "./contract/person.ts";
import { toApiError } from "./contract/to-api-error.ts";
import { keptRefusal, refuseOtherCalls, writtenRefusal } from "./dialects.ts";
import { answerOtherMethods } from "./other-methods.ts";
import { assertDecodable, assertUtf8, headFault } from "./public/head.ts";
import { streamOf } from "./public/stream-of.ts";
import { requestRate } from "./request-rate.ts";

declare module "fastify" {
  interface FastifyRequest {
    principal: Principal | null;
  }
  interface FastifyContextConfig {
    /** What of the body the route judges by itself, numbers that cannot be kept among it. */
    judgedApart?: JudgedApart;
    /** The largest body, where it is measured without escapes. */
    mostBytes?: number;
    /** What to do where a body is too large, as the end of the sentence that refuses it. */
    whenTooLarge?: string;
  }
}

function parsePart(schema: z.ZodType | undefined, value: unknown, root: string): unknown {
  if (schema === undefined) return undefined;
  // With the input, an issue can tell a wrong value from a missing one.
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw new ApiError("invalid_request", explainIssue(parsed.error, root));
}

/** @throws ApiError for a body where the operation reads none: the caller means something by it that would be ignored */
function refuseBody(body: unknown): void {
  if (body === undefined || (typeof body === "object" && body !== null && Object.keys(body).length === 0))
    return;
  throw new ApiError("invalid_request", "body must be left out: this operation takes none");
}

/** The items of a body that has a list of them. */
const itemsApart =
  (field: string): JudgedApart =>
  ([name, index]) =>
    name === field && typeof index === "number" ? 2 : null;

/** The refusal of a body that is too large for its path. */
const tooLargeFor = ({ routeOptions: { bodyLimit, config } }: FastifyRequest): ApiError =>
  bodyTooLarge(config.mostBytes ?? bodyLimit, config.whenTooLarge);

/** @throws ApiError for a body that is too large, however its characters are written */
function assertSize(request: FastifyRequest, bytes: Buffer): void {
  const { mostBytes } = request.routeOptions.config;
  if (mostBytes !== undefined && bytes.length > mostBytes && bytesWithoutEscapes(bytes) > mostBytes)
    throw tooLargeFor(request);
}

function idempotencyKeyOf(
  { raw }: FastifyRequest,
  { projectId }: Principal,
  { dialect }: Endpoint["spec"],
): string | null {
  // `headers` joins a header that comes twice; these are names and values by turns, as they came.
  const { rawHeaders } = raw;
  const [given, second] = rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === "idempotency-key",
  );
  if (given === undefined) return null;
  if (second !== undefined) throw new ApiError("invalid_request", "Idempotency-Key must be given once");
  const most = dialect?.longestIdempotencyKey ?? 128;
  if (given.length < 1 || given.length > most)
    throw new ApiError("invalid_request", `Idempotency-Key must be 1 to ${most} characters`);
  // Keys are kept with their project. What is about no project has one effect by itself, however often it is asked for.
  if (projectId === NO_PROJECT)
    throw new ApiError(
      "invalid_request",
      "Idempotency-Key must be left out: this is about no single project",
    );
  return given;
}

/**
 * A signal that is aborted when the connection ends before its answer is out. Not after it: aborting makes an error with its stack, which
 * costs a small request a tenth of its time.
 */
export function goneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (raw.destroyed) gone.abort();
  else
    raw.once("close", () => {
      if (!raw.writableFinished) gone.abort();
    });
  return gone.signal;
}

/** The same for a request that nothing stops, as most are: they are spared to listen. */
const NEVER_GONE = new AbortController().signal;

export type ServerOptions = {
  app: App;
  endpoints: readonly Endpoint[];
  authenticate: Authenticate;
  recognise: Recognise;
  /** Parse every answer with its schema and fail on a difference: on in tests. */
  checkAnswers?: boolean;
  timeouts?: Timeouts;
};

/** The HTTP server of a list of operations: the same rules for every one, in one order. */
export function createServer({
  app,
  endpoints,
  authenticate,
  recognise,
  checkAnswers = false,
  timeouts = TIMEOUTS,
}: ServerOptions): FastifyInstance {
  const { clock, log, metrics, database } = app;
  const room = createBodyRoom(app.config.limits.largeBodyBytes);
  const admit = createAdmission(app, authenticate, recognise);
  // Ids are unique across restarts and processes without asking the system for random bytes each time.
  const bootId = Date.now().toString(36) + process.pid.toString(36);
  let requests = 0;
  const nextRequestId = (): string => `${bootId}-${(requests++).toString(36)}`;

  const common = commonHeaders(app.config);
  const server = fastify({
    bodyLimit: DEFAULT_BODY_LIMIT,
    logger: false,
    genReqId: nextRequestId,
    ...connectionOptions(timeouts, () => ({ ...common, "x-request-id": nextRequestId() })),
  });

  function refuse(
    reply: FastifyReply,
    error: ApiError,
    spec?: Pick<Endpoint["spec"], "dialect" | "refusals">,
  ): void {
    const { status, body } = writtenRefusal(error, reply.request, spec);
    void reply
      .code(status)
      .headers(error.headers)
      .type("application/json; charset=utf-8")
      .send(JSON.stringify(body));
  }

  closeIdleConnections(server);
  addClientAddress(server, app);
  server.decorateRequest("principal", null);
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body, done) => {
    try {
      assertPlain(request.headers);
      assertUtf8(request.headers["content-type"]);
      const bytes = body as Buffer;
      room.take(request, bytes.length);
      assertSize(request, bytes);
      done(null, parseJsonBody(bytes, request.routeOptions.config.judgedApart));
    } catch (error) {
      done(error as Error);
    }
  });
  const rate = app.get(requestRate);
  server.addHook("onRequest", (request, reply, done) => {
    rate.count();
    reply.header("x-request-id", request.id);
    reply.headers(common);
    const fault = headFault(request.raw);
    if (fault === null) return done();
    // It is not certain either where the next request on this connection begins.
    reply.header("connection", "close");
    done(new ApiError("invalid_request", fault));
  });
  if (log.isLevelEnabled("debug")) {
    server.addHook("onResponse", (request, reply, done) => {
      // Logs the path as it was declared: the real one names users, and may contain a signed link or a secret.
      const { method, id: requestId, routeOptions } = request;
      const path = routeOptions.url ?? null;
      log.debug({ requestId, method, path, status: reply.statusCode, ms: reply.elapsedTime }, "answered");
      done();
    });
  }
  server.setErrorHandler((error, request, reply) =>
    refuse(
      reply,
      toApiError(error, log, request.id, () => tooLargeFor(request)),
    ),
  );
  server.setNotFoundHandler((_request, reply) => refuse(reply, new ApiError("not_found")));

  function register(target: FastifyInstance, endpoint: Endpoint): void {
    const { spec } = endpoint;
    const answerHeaders = Object.entries(spec.headers ?? {});
    const isWrite = isManagementWrite(endpoint);
    const openToBrowsers = isOpenToBrowsers(endpoint);
    const takesNoBody = !openToBrowsers && spec.body === undefined && spec.upload === undefined;
    const faultOfOpen = spec.lookAlikes && lookAlikeFinder(spec.body, spec.lookAlikes);
    const isHeavy = spec.cost === "heavy";
    const isStoppable = isHeavy || spec.downloads !== undefined;
    const { takesForeign: foreign } = spec;
    const mayBeLarge = isRoomNeeded(sentLimitOf(spec));
    const observed = metrics.operation(spec.id);
    const answer = createAnswerer(app, endpoint, checkAnswers);
    const enter = (
      request: FastifyRequest,
      reply: FastifyReply,
      done: (error?: Error) => void,
      keyOfBody?: string,
    ): void => {
      const accept = (principal: Principal): void => {
        request.principal = principal;
        done();
      };
      try {
        // A remembered key is admitted without a promise, which most requests are spared.
        const admitted = admit(endpoint, request, reply, keyOfBody);
        if (admitted instanceof Promise) admitted.then(accept, done);
        else accept(admitted);
      } catch (error) {
        done(error as Error);
      }
    };
    target.route({
      method: spec.method,
      url: fastifyPath(spec.path),
      bodyLimit: sentLimitOf(spec),
      config: {
        mostBytes: bodyLimitOf(spec),
        ...(spec.whenTooLarge && { whenTooLarge: `, ${spec.whenTooLarge}` }),
        ...(spec.items && {
          judgedApart: itemsApart(spec.items.field),
          whenTooLarge: `, send fewer ${spec.items.field} at once`,
        }),
      },
      async errorHandler(error, request, reply) {
        const refused = toApiError(error, log, request.id, () => tooLargeFor(request));
        const { reason } = refused.fields;
        const isPromised =
          reason === undefined ||
          (reason === CONFIRM && spec.fresh) ||
          spec.reasons?.includes(String(reason));
        if (foreign && request.principal !== null) await foreign.onRefused(app, request.principal, refused);
        refuse(
          reply,
          checkAnswers && !isPromised
            ? new ApiError("internal", `${spec.id} does not list the reason ${String(reason)} in its reasons`)
            : refused,
          spec,
        );
      },
      onResponse(_request, reply, done) {
        observed.observe(reply.statusCode, reply.elapsedTime);
        done();
      },
      onRequest(request, reply, done) {
        reply.headers(openToBrowsers ? FOR_OTHER_PAGES : NOT_FOR_OTHER_PAGES);
        if (mayBeLarge) room.expect(request, reply);
        if (foreign && request.headers.authorization === undefined) done();
        else enter(request, reply, done);
      },
      ...(foreign && {
        preHandler(request, reply, done) {
          if (request.principal !== null) return done();
          const key = (request.body as Readonly<Record<string, unknown>> | null)?.[foreign.keyField];
          enter(request, reply, done, typeof key === "string" ? key : undefined);
        },
      }),
      async handler(request, reply) {
        assertDecodable(request.url);
        // NUL can only come into a URL as an escape.
        if (request.url.includes("%00")) {
          if (spec.params !== undefined) assertStorable(request.params, "path");
          if (spec.query !== undefined) assertStorable(request.query, "query");
        }
        if (takesNoBody) refuseBody(request.body);
        const input = {
          params: parsePart(spec.params, request.params, "path"),
          query: parsePart(spec.query, request.query, "query"),
          body: parsePart(spec.body, request.body, "body"),
          file: spec.upload === undefined ? null : await readUpload(request, spec.upload),
          capability: spec.needsCapability ? readCapability(request.headers) : null,
          secret:
            spec.secretHeader === undefined ? null : readSecretHeader(spec.secretHeader, request.headers),
        };
        const misread = faultOfOpen?.(request.body) ?? null;
        if (misread !== null) throw new ApiError("invalid_request", misread);
        const principal = request.principal as Principal;
        const now = clock();
        const claim = spec.identifies?.(input) ?? {};
        if (spec.identifies !== undefined) requireProof(principal, claim, request.headers, now);
        const ctx: Ctx = {
          app,
          db: database.kysely,
          now,
          ...principal,
          isProven: () => isProven(principal, claim, request.headers, now),
          by: byOf(principal),
          describe: () => undefined,
        };
        const operationRequest = {
          input,
          key: isWrite ? idempotencyKeyOf(request, principal, spec) : null,
          requestId: request.id,
          url: request.url,
          body: request.body,
        };
        const gone = isStoppable ? goneSignal(reply) : NEVER_GONE;
        const { status, body, replayed, download } = await (isHeavy
          ? app.get(heavyReads)(ctx, gone, (within) => answer(within, operationRequest))
          : answer(ctx, operationRequest));
        // A kept answer may have become a refusal since.
        if (status >= 400 && spec.dialect !== undefined) throw keptRefusal(body);
        for (const [name, value] of answerHeaders) reply.header(name, value);
        if (replayed) reply.header("idempotent-replayed", "true");
        if (download !== undefined) {
          const { contentType, name, pieces } = download;
          reply.code(status).type(`${contentType}; charset=utf-8`);
          reply.header("content-disposition", `attachment; filename="${name}"`);
          return reply.send(
            streamOf(pieces, {
              take: (next) => (isHeavy ? app.get(heavyReads)(ctx, gone, next, "patient") : next()),
              brokeOff: (cause) => {
                if (!gone.aborted) log.error({ err: cause, requestId: request.id }, "a file was cut off");
              },
            }),
          );
        }
        reply.code(status).type("application/json; charset=utf-8");
        return body;
      },
    });
  }

  const isUpload = ({ spec }: Endpoint): boolean => spec.upload !== undefined;
  const isForeign = ({ spec }: Endpoint): boolean => spec.takesForeign !== undefined;
  for (const endpoint of endpoints)
    if (!isUpload(endpoint) && !isForeign(endpoint)) register(server, endpoint);
  // In a scope of their own: the multipart hooks run for every request of the scope they are in.
  void server.register(async (scope) => {
    await scope.register(multipart, { throwFileSizeLimit: true });
    for (const endpoint of endpoints.filter(isUpload)) register(scope, endpoint);
  });
  void server.register(async (scope) => {
    takeAnyType(scope, async (request, body) => {
      room.take(request, body.length);
      return readForeignBody(request.headers, body, {
        mostBytes: request.routeOptions.config.mostBytes ?? DEFAULT_BODY_LIMIT,
        took: (bytes) => room.take(request, bytes),
      });
    });
    for (const endpoint of endpoints.filter(isForeign)) register(scope, endpoint);
  });
  const isOurs = ({ spec }: Endpoint): boolean => spec.dialect === undefined;
  answerOtherMethods(server, endpoints.filter(isOurs));
  refuseOtherCalls(server, endpoints, refuse);
  return server;
}
