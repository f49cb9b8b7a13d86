import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http2";
import { Http2Connection, PACE, type Pace } from "./connection.ts";

/** The result of a request. `blocked`: the peer certainly did not process it. */
export type Http2Answer =
  | { kind: "answered"; status: number; headers: IncomingHttpHeaders; body: string }
  | { kind: "unknown"; code: "timeout" | "connection_lost" }
  | { kind: "blocked"; code: "timeout" | "connection_lost" };

export type Http2Client = {
  /** Sends a POST and answers within `timeoutMs`; never throws. `wantsBody`: whether the body of a success has to be read. */
  post(
    headers: OutgoingHttpHeaders,
    payload: string,
    wantsBody: boolean,
    timeoutMs: number,
  ): Promise<Http2Answer>;
  close(): void;
};

export type Http2Options = {
  /** The most connections that are open at once. */
  connections?: number;
  pace?: Partial<Pace>;
  /** Called with the reason when a connection could not be opened. */
  onFault?: (error: Error) => void;
};

const MAX_CONNECTIONS = 4;
/** How often a request is sent that the peer did not process. */
const MAX_TRIES = 3;

type Waiter = { take: (given: Http2Connection | "connection_lost") => void };

/** The connections to one origin, and the requests that wait for room on one. */
class Connections {
  readonly #kept = new Set<Http2Connection>();
  readonly #waiting = new Set<Waiter>();
  readonly #origin: string;
  readonly #max: number;
  readonly #pace: Pace;
  readonly #onFault: (error: Error) => void;
  /** The connection that is being opened: one at a time, since waiting requests may get room on an open one first. */
  #opening: Http2Connection | null = null;
  #isClosed = false;

  constructor(
    origin: string,
    { connections = MAX_CONNECTIONS, pace, onFault = () => undefined }: Http2Options,
  ) {
    this.#origin = origin;
    this.#max = connections;
    this.#pace = { ...PACE, ...pace };
    this.#onFault = onFault;
  }

  /** A connection with room reserved for one request, or why there is none in time. */
  take(timeoutMs: number): Http2Connection | Promise<Http2Connection | "timeout" | "connection_lost"> {
    return this.#reserved() ?? this.#wait(timeoutMs);
  }

  close(): void {
    this.#isClosed = true;
    for (const connection of this.#kept) connection.destroy();
    this.#dismiss();
  }

  /** Reserves room on the connection that has most; null where none has any. */
  #reserved(): Http2Connection | null {
    let best: Http2Connection | null = null;
    let room = 0;
    for (const connection of this.#kept) {
      const more = connection.room();
      if (more > room) {
        best = connection;
        room = more;
      }
    }
    best?.reserve();
    return best;
  }

  #wait(timeoutMs: number): Promise<Http2Connection | "timeout" | "connection_lost"> {
    if (this.#isClosed) return Promise.resolve("connection_lost");
    return new Promise((resolve) => {
      const waiter: Waiter = {
        take(given) {
          clearTimeout(overdue);
          resolve(given);
        },
      };
      const overdue = setTimeout(() => {
        this.#waiting.delete(waiter);
        resolve("timeout");
      }, timeoutMs);
      this.#waiting.add(waiter);
      this.#open();
    });
  }

  #open(): void {
    if (this.#opening !== null || this.#isClosed || this.#kept.size >= this.#max) return;
    const connection = new Http2Connection(this.#origin, this.#pace, {
      onRoom: (given) => {
        if (this.#opening === given) this.#opening = null;
        this.#serve();
      },
      onEnd: (given, wasUseful, error) => this.#ended(given, wasUseful, error),
    });
    this.#opening = connection;
    this.#kept.add(connection);
  }

  #ended(connection: Http2Connection, wasUseful: boolean, error: Error | null): void {
    this.#kept.delete(connection);
    if (this.#opening === connection) this.#opening = null;
    if (error !== null && !wasUseful) this.#onFault(error);
    // No connection is left and this one brought no answer, so the peer is down: the waiting requests fail, and are retried later.
    if (!wasUseful && this.#kept.size === 0) this.#dismiss();
    else this.#serve();
  }

  #dismiss(): void {
    const dismissed = [...this.#waiting];
    this.#waiting.clear();
    for (const waiter of dismissed) waiter.take("connection_lost");
  }

  #serve(): void {
    for (const waiter of this.#waiting) {
      const connection = this.#reserved();
      if (connection === null) {
        this.#open();
        return;
      }
      this.#waiting.delete(waiter);
      waiter.take(connection);
    }
  }
}

/** Sends requests over a few connections to one https origin, which are opened when needed and closed when idle. */
export function openHttp2(origin: string, options: Http2Options = {}): Http2Client {
  const connections = new Connections(origin, options);
  return {
    async post(headers, payload, wantsBody, timeoutMs) {
      const deadline = performance.now() + timeoutMs;
      const left = (): number => Math.max(0, Math.ceil(deadline - performance.now()));
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const connection = await connections.take(left());
        if (typeof connection === "string") return { kind: "blocked", code: connection };
        const exchange = await connection.exchange({ headers, payload, wantsBody, timeoutMs: left() });
        if (exchange.kind !== "unsent") return exchange;
      }
      return { kind: "blocked", code: "connection_lost" };
    },
    close: () => connections.close(),
  };
}
