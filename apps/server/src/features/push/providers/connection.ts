import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from "node:http2";

/** The result of a request. `unsent`: the peer certainly did not process it, so another connection may try. */
export type Exchange =
  | { kind: "answered"; status: number; headers: IncomingHttpHeaders; body: string }
  | { kind: "unknown"; code: "timeout" | "connection_lost" }
  | { kind: "unsent" };

export type Http2Request = {
  headers: OutgoingHttpHeaders;
  payload: string;
  /** Whether the body of a success has to be read. */
  wantsBody: boolean;
  timeoutMs: number;
};

/** The timeouts of a connection, and how often it is pinged. Milliseconds. */
export type Pace = { connectMs: number; idleMs: number; pingEveryMs: number; pongMs: number };

export const PACE: Pace = { connectMs: 10_000, idleMs: 300_000, pingEveryMs: 60_000, pongMs: 10_000 };

/** More streams than this would not keep a peer busier, and would take memory. */
const MAX_STREAMS = 1_000;
/** Stream ids end at 2^31 (RFC 9113, 5.1.1): a connection is replaced long before. */
const MAX_REQUESTS = 500_000_000;
const MAX_BODY = 65_536;

const { NGHTTP2_CANCEL, NGHTTP2_REFUSED_STREAM } = constants;

type Events = {
  /** The connection has room again. */
  onRoom: (connection: Http2Connection) => void;
  /** The connection takes no more requests. `wasUseful`: it has brought an answer; `error`: why it ended, where it failed. */
  onEnd: (connection: Http2Connection, wasUseful: boolean, error: Error | null) => void;
};

/** One HTTP/2 connection to an https origin, with many requests in flight. TLS is verified, and no other protocol is accepted. */
export class Http2Connection {
  readonly #session: ClientHttp2Session;
  readonly #pace: Pace;
  readonly #events: Events;
  readonly #opening: NodeJS.Timeout;
  readonly #upkeep: NodeJS.Timeout;
  #isOpen = false;
  #isEnding = false;
  #isPinging = false;
  #wasUseful = false;
  #limit = 0;
  #active = 0;
  #requests = 0;
  /** The peer has not processed streams above this one (RFC 9113, 6.8). */
  #lastStreamId = Number.POSITIVE_INFINITY;
  #usedAt = performance.now();
  #heardAt = performance.now();

  constructor(origin: string, pace: Pace, events: Events) {
    this.#pace = pace;
    this.#events = events;
    const session = connect(origin, { settings: { enablePush: false }, maxSessionMemory: 64 });
    this.#session = session;
    const late = (): void => {
      session.destroy(new Error("The connection was not opened in time."));
    };
    this.#opening = setTimeout(late, pace.connectMs);
    const checkMs = Math.min(pace.idleMs, pace.pingEveryMs) / 2;
    this.#upkeep = setInterval(() => this.#keepUp(), checkMs).unref();
    session.on("remoteSettings", ({ maxConcurrentStreams = MAX_STREAMS }) =>
      this.#opened(maxConcurrentStreams),
    );
    session.on("goaway", (_code, last) => {
      if (typeof last === "number") this.#lastStreamId = Math.min(this.#lastStreamId, last);
      this.#end(null);
    });
    session.on("error", (error: Error) => this.#end(error));
    session.on("close", () => this.#end(null));
  }

  /** How many requests the connection can take now; 0 until it is open, and when it is about to end. */
  room(): number {
    return this.#isEnding ? 0 : this.#limit - this.#active;
  }

  /** Reserves room for one request, which has to follow. */
  reserve(): void {
    this.#usedAt = performance.now();
    if (this.#active++ === 0) this.#session.ref();
    if (++this.#requests >= MAX_REQUESTS) this.#close();
  }

  /** Sends a request for which room was reserved. */
  exchange(request: Http2Request): Promise<Exchange> {
    let stream: ClientHttp2Stream;
    try {
      stream = this.#session.request(request.headers);
    } catch {
      this.#close();
      this.#release();
      return Promise.resolve({ kind: "unsent" });
    }
    const exchange = this.#read(stream, request);
    stream.end(request.payload);
    return exchange;
  }

  destroy(): void {
    this.#end(null);
    this.#session.destroy();
  }

  #opened(limit: number): void {
    this.#limit = Math.min(limit, MAX_STREAMS);
    if (!this.#isOpen) {
      this.#isOpen = true;
      clearTimeout(this.#opening);
      if (this.#active === 0) this.#session.unref();
    }
    this.#events.onRoom(this);
  }

  #end(error: Error | null): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    clearTimeout(this.#opening);
    clearInterval(this.#upkeep);
    this.#events.onEnd(this, this.#wasUseful, error);
  }

  #close(): void {
    this.#end(null);
    this.#session.close();
  }

  #release(): void {
    this.#usedAt = performance.now();
    if (--this.#active === 0) this.#session.unref();
    if (!this.#isEnding) this.#events.onRoom(this);
  }

  #keepUp(): void {
    const now = performance.now();
    if (this.#active === 0 && now - this.#usedAt >= this.#pace.idleMs) this.#close();
    else if (this.#isOpen && now - this.#heardAt >= this.#pace.pingEveryMs) this.#ping();
  }

  /** Pings the peer, and closes a connection that does not answer. */
  #ping(): void {
    const session = this.#session;
    if (session.destroyed || session.closed || this.#isPinging) return;
    const late = (): void => {
      session.destroy(new Error("The connection fell silent."));
    };
    const overdue = setTimeout(late, this.#pace.pongMs).unref();
    this.#isPinging = session.ping((error) => {
      clearTimeout(overdue);
      this.#isPinging = false;
      if (error === null) this.#heardAt = performance.now();
    });
    if (!this.#isPinging) clearTimeout(overdue);
  }

  #wasLookedAt(stream: ClientHttp2Stream): boolean {
    const isBeyond = stream.id === undefined || stream.id > this.#lastStreamId;
    return !isBeyond && stream.rstCode !== NGHTTP2_REFUSED_STREAM;
  }

  /** Reads the answer of a stream. A stream that closes without one is unknown, or unsent where the peer did not process it. */
  #read(stream: ClientHttp2Stream, { wantsBody, timeoutMs }: Http2Request): Promise<Exchange> {
    return new Promise((resolve) => {
      let answer: { status: number; headers: IncomingHttpHeaders } | null = null;
      let body = "";
      const overdue = setTimeout(() => {
        resolve({ kind: "unknown", code: "timeout" });
        stream.close(NGHTTP2_CANCEL);
        this.#ping();
      }, timeoutMs);
      const answered = (given: { status: number; headers: IncomingHttpHeaders }): void => {
        clearTimeout(overdue);
        this.#wasUseful = true;
        this.#heardAt = performance.now();
        resolve({ kind: "answered", ...given, body });
      };
      stream.on("response", (headers) => {
        answer = { status: headers[":status"] ?? 0, headers };
        if (answer.status === 200 && !wantsBody) {
          answered(answer);
          stream.resume();
          return;
        }
        stream.setEncoding("utf8");
        stream.on("data", (chunk: string) => {
          if (body.length < MAX_BODY) body += chunk;
        });
      });
      // The "close" event follows, and decides by the state of the stream.
      stream.on("error", () => undefined);
      stream.on("close", () => {
        clearTimeout(overdue);
        if (answer !== null) answered(answer);
        else
          resolve(
            this.#wasLookedAt(stream) ? { kind: "unknown", code: "connection_lost" } : { kind: "unsent" },
          );
        this.#release();
      });
    });
  }
}
