import type { IncomingHttpHeaders } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { App } from "../runtime.ts";
import { type Authenticate, tokenIn, wrongKey } from "./admission/admit.ts";
import { isOurOrigin, otherPage } from "./admission/same-origin.ts";
import type { JudgedApart } from "./body/body.ts";
import { NOT_FOR_OTHER_PAGES } from "./common-headers.ts";
import {
  DEFAULT_BODY_LIMIT,
  type Endpoint,
  fastifyPath,
  type KeyKind,
  type KeyPrincipal,
} from "./contract/endpoint.ts";
import { ApiError } from "./contract/errors.ts";
import { refuseOtherMethods } from "./other-methods.ts";
import { goneSignal } from "./server.ts";

/** A request of one of the operations, for the caller of the gateway. */
export type OperationCall = {
  method: Endpoint["spec"]["method"];
  /** Path and query, escaped. */
  url: string;
  headers?: Readonly<Record<string, string>>;
  payload?: string | Buffer;
};

export type OperationAnswer = { status: number; body: string; headers: Readonly<Record<string, unknown>> };

export type GatewayRequest = {
  headers: IncomingHttpHeaders;
  /** The JSON that came. */
  body: unknown;
  principal: KeyPrincipal;
  /** Runs an operation as the caller, with all that a request of its own would go through. */
  call(operation: OperationCall): Promise<OperationAnswer>;
  /** Aborted when the caller is gone. */
  gone: AbortSignal;
};

export type GatewayAnswer = { status: number; body: string; headers: Readonly<Record<string, string>> };

/** A path with a key that offers the operations in another form than as paths of their own. Takes POST with JSON. */
export type Gateway = {
  path: `/${string}`;
  keys: readonly [KeyKind, ...KeyKind[]];
  /** Largest body in bytes; 8 KiB where it is not stated. */
  bodyLimit?: number;
  /** What of a body it judges by itself; an `Unkept` stands there where that has a number that cannot be kept. */
  judgedApart?: JudgedApart;
  /** Called once for a server; answers what serves its requests. */
  open(app: App, endpoints: readonly Endpoint[]): (request: GatewayRequest) => Promise<GatewayAnswer>;
};

/** Refuses pages of other origins. Without this, a name that points at this machine would let a page speak to a server that only listens here. */
function refuseOtherPages(request: FastifyRequest, publicUrl: string): void {
  if (request.headers.origin !== undefined && !isOurOrigin(request, publicUrl))
    throw otherPage(request, publicUrl, "Pages of other origins may not use this path.");
}

type Parts = { gateways: readonly Gateway[]; endpoints: readonly Endpoint[]; authenticate: Authenticate };

/** Registers the gateways: their key and origin are checked before a byte of the body is read. */
export function registerGateways(
  server: FastifyInstance,
  app: App,
  { gateways, endpoints, authenticate }: Parts,
): void {
  async function admit(request: FastifyRequest, { keys }: Gateway): Promise<KeyPrincipal> {
    refuseOtherPages(request, app.publicUrl());
    const token = tokenIn(request.headers.authorization);
    const principal = token === "" ? null : await authenticate(token, request);
    if (principal === null) throw new ApiError("unauthorized");
    if (!keys.includes(principal.keyKind)) throw new ApiError("forbidden", wrongKey(keys, principal.keyKind));
    return principal;
  }

  /**
   * An operation is called as a request without a socket. So key, budget, size, parsing, transaction, Idempotency-Key, metrics and refusals
   * are those of the API by construction, for the price of writing and reading its JSON once more.
   */
  function caller({ headers, address }: FastifyRequest, gone: AbortSignal): GatewayRequest["call"] {
    const authorization = headers.authorization ?? "";
    return async ({ method, url, headers: own, payload }) => {
      const answer = await server.inject({
        method,
        url,
        remoteAddress: address,
        signal: gone,
        headers: { ...own, authorization },
        ...(payload === undefined ? {} : { payload }),
      });
      return { status: answer.statusCode, body: answer.payload, headers: answer.headers };
    };
  }

  function register(gateway: Gateway): void {
    const respond = gateway.open(app, endpoints);
    server.route({
      method: "POST",
      url: fastifyPath(gateway.path),
      bodyLimit: gateway.bodyLimit ?? DEFAULT_BODY_LIMIT,
      config: gateway.judgedApart === undefined ? {} : { judgedApart: gateway.judgedApart },
      async onRequest(request, reply: FastifyReply) {
        reply.headers(NOT_FOR_OTHER_PAGES);
        request.principal = await admit(request, gateway);
      },
      async handler(request, reply) {
        const gone = goneSignal(reply);
        const principal = request.principal as KeyPrincipal;
        const call = caller(request, gone);
        const { headers, body } = request;
        const answer = await respond({ headers, body, principal, call, gone });
        reply.code(answer.status).headers(answer.headers);
        return reply.send(answer.body);
      },
    });
    refuseOtherMethods(server, gateway.path, ["POST"]);
  }

  for (const gateway of gateways) register(gateway);
}
