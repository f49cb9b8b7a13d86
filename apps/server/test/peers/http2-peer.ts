import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import {
  constants,
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newCertificate, trustedCertificate } from "./certificate.ts";

/**
 * What a peer answers; or: `goaway` leaves the connection and says that it never looked at the request, `refuse` the same of the
 * stream alone; `leave` says goodbye after it looked; `reset` ends the stream and `drop` the connection without a word;
 * `silence` says nothing, ever.
 */
export type PeerAnswer =
  | { status: number; headers?: Readonly<Record<string, string>>; body?: string }
  | "goaway"
  | "leave"
  | "refuse"
  | "reset"
  | "drop"
  | "silence";

export type PeerRequest = { headers: IncomingHttpHeaders; body: string };

export type Http2Peer = {
  /** `https://127.0.0.1:port` */
  url: string;
  /** A file with the certificate: NODE_EXTRA_CA_CERTS of another process that should trust it. */
  caFile: string;
  /** Connections so far, and now. */
  connections(): { total: number; open: number };
  /** The most requests that were under way at once on one connection. */
  busiest(): number;
  /** Ends every connection at once, without a word. */
  cut(): void;
  close(): Promise<void>;
};

export type Http2PeerOptions = {
  port?: number;
  maxConcurrentStreams?: number;
  /** How long an answer takes, milliseconds. */
  latencyMs?: number;
  /** Whether this process trusts its certificate; it does where nothing is said. */
  isTrusted?: boolean;
  answer: (request: PeerRequest) => PeerAnswer | Promise<PeerAnswer>;
  /** What is asked over HTTP/1.1. */
  onHttp1?: (request: Http2ServerRequest, response: Http2ServerResponse) => void;
};

/** Ends a stream in one of the ways that are no answer. */
function misbehave(stream: ServerHttp2Stream, how: Exclude<PeerAnswer, object>): void {
  const { session, id = 0 } = stream;
  switch (how) {
    case "goaway":
      // Of the first stream of a connection a goaway cannot say that; refusing it can.
      if (id === 1) stream.close(constants.NGHTTP2_REFUSED_STREAM);
      session?.goaway(constants.NGHTTP2_NO_ERROR, Math.max(1, id - 2));
      return;
    case "leave":
      session?.goaway(constants.NGHTTP2_INTERNAL_ERROR, id);
      return;
    case "refuse":
      stream.close(constants.NGHTTP2_REFUSED_STREAM);
      return;
    case "reset":
      stream.close(constants.NGHTTP2_INTERNAL_ERROR);
      return;
    case "drop":
      session?.socket.destroy();
      return;
    case "silence":
  }
}

function give(stream: ServerHttp2Stream, answer: PeerAnswer): void {
  if (stream.destroyed) return;
  if (typeof answer === "string") {
    misbehave(stream, answer);
    return;
  }
  stream.respond({ ":status": answer.status, ...answer.headers }, { endStream: answer.body === undefined });
  if (answer.body !== undefined) stream.end(answer.body);
}

/** A real HTTP/2 server on loopback, with TLS. */
export async function startHttp2Peer(options: Http2PeerOptions): Promise<Http2Peer> {
  const { latencyMs = 0, answer, onHttp1 } = options;
  const { key, cert } = await (options.isTrusted === false ? newCertificate() : trustedCertificate());
  const folder = mkdtempSync(join(tmpdir(), "tidings-peer-"));
  const caFile = join(folder, "ca.pem");
  writeFileSync(caFile, cert);
  const sessions = new Set<ServerHttp2Session>();
  let total = 0;
  let busiest = 0;
  const server = createSecureServer({
    key,
    cert,
    allowHTTP1: onHttp1 !== undefined,
    settings: { maxConcurrentStreams: options.maxConcurrentStreams ?? 1_000 },
  });
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  const busy = new WeakMap<object, number>();
  server.on("session", (session: ServerHttp2Session) => {
    total++;
    sessions.add(session);
    session.on("close", () => sessions.delete(session));
    session.on("error", () => undefined);
  });
  server.on("stream", (stream: ServerHttp2Stream, headers) => {
    const session = stream.session ?? stream;
    const under = (busy.get(session) ?? 0) + 1;
    busy.set(session, under);
    busiest = Math.max(busiest, under);
    stream.on("close", () => busy.set(session, (busy.get(session) ?? 1) - 1));
    stream.on("error", () => undefined);
    let body = "";
    stream.setEncoding("utf8");
    stream.on("data", (chunk: string) => {
      body += chunk;
    });
    stream.on("end", async () => {
      const given = await answer({ headers, body });
      if (latencyMs > 0) setTimeout(() => give(stream, given), latencyMs);
      else give(stream, given);
    });
  });
  if (onHttp1 !== undefined)
    server.on("request", (request, response) => {
      if (request.httpVersionMajor === 1) onHttp1(request, response);
    });
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  const cut = (): void => {
    for (const session of sessions) session.destroy();
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    caFile,
    connections: () => ({ total, open: sessions.size }),
    busiest: () => busiest,
    cut,
    async close() {
      cut();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A way to a peer that can be blocked without a word, as a broken network does. */
export type Line = {
  url: string;
  /** Connections that the caller has open. */
  open(): number;
  /** From now on nothing passes on the connections that there are. */
  freeze(): void;
  close(): void;
};

export async function startLine(to: Http2Peer): Promise<Line> {
  const callers = new Set<Socket>();
  const sockets = new Set<Socket>();
  const server = createServer((caller) => {
    const peer = connect(Number(new URL(to.url).port), "127.0.0.1");
    callers.add(caller);
    caller.on("close", () => callers.delete(caller));
    for (const socket of [caller, peer]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
    }
    caller.pipe(peer).pipe(caller);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open: () => callers.size,
    freeze() {
      for (const socket of sockets) {
        socket.unpipe();
        // What arrives is lost, but the socket still learns that its other end was closed.
        socket.resume();
      }
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
