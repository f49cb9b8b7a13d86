import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ConnectionError, FastifyHttpOptions, FastifyInstance } from "fastify";
import { KIB } from "./endpoint.ts";

/** How long a connection may take for what, in milliseconds. Each is kept to within `checkMs`. */
export type Timeouts = {
  /** From its first byte to the end of a request's head. */
  headMs: number;
  /** From its first byte to the end of its body. */
  requestMs: number;
  /** Between two requests. Longer than a minute, which is how long load balancers like to keep theirs. */
  idleMs: number;
  /** Without a byte in either direction while a request is under way: a reader that does not read. */
  stalledMs: number;
  checkMs: number;
};

export const TIMEOUTS: Timeouts = {
  headMs: 20_000,
  requestMs: 60_000,
  idleMs: 72_000,
  stalledMs: 120_000,
  checkMs: 1_000,
};

const MAX_HEAD_BYTES = 16 * KIB;

const JSON_TYPE = { "content-type": "application/json; charset=utf-8" } as const;

type Refusal = { status: number; reason: string; message: string };

const NOT_HTTP: Refusal = { status: 400, reason: "Bad Request", message: "This is not a request of HTTP." };
/** What becomes of a connection before there is a request, by the code of Node.js. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    reason: "Request Header Fields Too Large",
    message: `The address and headers of a request must be at most ${MAX_HEAD_BYTES / KIB} KiB.`,
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 413,
    reason: "Payload Too Large",
    message: "Extensions of chunks must be at most 16 KiB.",
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    reason: "Request Timeout",
    message: "The request took too long to arrive.",
  },
};

/**
 * Options of the server for connections and what comes over them before it is a request.
 * @param headersOf headers of an answer that no hook sees
 */
export function connectionOptions(
  { headMs, requestMs, idleMs, stalledMs, checkMs }: Timeouts,
  headersOf: () => Readonly<Record<string, string>>,
) {
  return {
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    connectionTimeout: stalledMs,
    http: {
      headersTimeout: headMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: checkMs,
      maxHeaderSize: MAX_HEAD_BYTES,
      // Asked for by `headFault`, with an answer like any other.
      requireHostHeader: false,
    },
    routerOptions: {
      // Longer than the head of any request that Node.js reads: what is too long is said by the operation, like all else.
      maxParamLength: 65_536,
      onBadUrl: (_path, _request, reply) => {
        const body = JSON.stringify({ error: "The path is not valid percent-encoding." });
        // A plain response of node:http: the router gives up before there is a reply.
        (reply as unknown as ServerResponse).writeHead(400, { ...JSON_TYPE, ...headersOf() }).end(body);
      },
    },
    clientErrorHandler(error: ConnectionError, socket: Socket) {
      if (error.code !== "ECONNRESET" && socket.writable) {
        const { status, reason, message } = REFUSALS[error.code] ?? NOT_HTTP;
        const body = JSON.stringify({ error: message });
        const headers = {
          ...JSON_TYPE,
          ...headersOf(),
          "content-length": String(Buffer.byteLength(body)),
          connection: "close",
        };
        const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
        socket.write(`HTTP/1.1 ${status} ${reason}\r\n${head.join("")}\r\n${body}`);
      }
      socket.destroy();
    },
  } satisfies FastifyHttpOptions<Server>;
}

const SWEEP_MS = 50;

/**
 * Closing finishes whatever has begun, and waits for no connection beyond that. Browsers open some in advance: Node.js counts one
 * without a request as busy. Balancers keep theirs for the next request: one that is busy at the closing is idle only after it.
 */
export function closeIdleConnections(server: FastifyInstance): void {
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
    const sweeping = setInterval(() => server.server.closeIdleConnections(), SWEEP_MS);
    server.server.once("close", () => clearInterval(sweeping));
    done();
  });
}
