import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ConnectionError, FastifyHttpOptions, FastifyInstance } from "fastify";
import { KIB } from "./contract/endpoint.ts";

/** How long the parts of a connection's life may take, in milliseconds. The server checks every `checkMs`. */
export type Timeouts = {
  /** From its first byte to the end of a request's head. */
  headMs: number;
  /** From its first byte to the end of its body. */
  requestMs: number;
  /** Between two requests. Longer than a minute, for which load balancers usually keep theirs. */
  idleMs: number;
  /** Without a byte in either direction while a request is under way, as with a client that does not read. */
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
/** The refusals of connections on which no request was read, by the code of Node.js. */
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
 * Options of the server for connections, and for bytes that never become a request.
 * @param headersOf headers of answers that hooks cannot add to
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
      // `headFault` checks this itself, with a refusal like any other.
      requireHostHeader: false,
    },
    routerOptions: {
      // Longer than any head that Node.js reads, so that the operation refuses a parameter that is too long, like any other fault.
      maxParamLength: 65_536,
      onBadUrl: (_path, _request, reply) => {
        const body = JSON.stringify({ error: "The path is not valid percent-encoding." });
        // The router calls this before there is a reply: it is a plain response of node:http.
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
 * Lets the server's close wait for requests that have begun and for no other connection. Browsers open connections in advance, which
 * Node.js counts as busy without a request; these are cut at once. Load balancers keep theirs, which become idle after a request.
 */
export function closeIdleConnections(server: FastifyInstance): void {
  const unused = new Set<Socket>();
  let isClosing = false;
  server.server.on("connection", (socket: Socket) => {
    if (isClosing) socket.destroy();
    unused.add(socket);
    socket.once("close", () => unused.delete(socket));
  });
  server.server.on("request", ({ socket }) => unused.delete(socket));
  server.addHook("preClose", (done) => {
    isClosing = true;
    for (const socket of unused) socket.destroy();
    const sweeping = setInterval(() => server.server.closeIdleConnections(), SWEEP_MS);
    server.server.once("close", () => clearInterval(sweeping));
    done();
  });
}
