import * as http from "node:http";
import * as https from "node:https";
import type { LookupFunction } from "node:net";
import { beginningOf } from "@tidings/client/text";
import { hostKind } from "./public-host.pure.ts";
import { type Asking, anyAddresses, type FindAddresses, lookupOf, publicAddresses } from "./public-host.ts";

/** Why there was no answer. `refused`: the address is none that anything is sent to. */
type Failure = "timeout" | "connection" | "refused";

/** The answer to a request, of whose body only the beginning is kept; or why there was none, in words for people, and whether the request may have arrived all the same. */
export type WayOutReply =
  | { status: number; headers: http.IncomingHttpHeaders; body: Buffer }
  | { status: null; fault: string; failure: Failure; hasLeft: boolean };

/**
 * What of an answer is read: `deadlineMs` from the first byte sent to the last one read, `keptBytes` of its body. `connections`: the most that
 * are open to one host.
 */
type Terms = Asking & { allowPrivate: boolean; deadlineMs: number; keptBytes: number; connections?: number };

/**
 * A client for addresses that customers choose. It never reaches this machine or its network, and
 * sends nothing that others can read on the way, unless an operator allows that.
 */
export type WayOut = {
  /** Sends a body to an address, and follows no redirect. Never throws for what the other side does. */
  send(url: URL, request: WayOutRequest): Promise<WayOutReply>;
};

/** `signal` gives the request up before its deadline. `isDone`: the status of an answer whose body is not waited for. */
type WayOutRequest = {
  isDone?: (status: number) => boolean;
  method: "POST" | "PUT";
  headers: Record<string, string>;
  body: string | Buffer;
  signal?: AbortSignal;
};

const MOST_WORDS = 300;
const LATE = "It did not answer in time.";
const PRIVATE = "leads to this server or its network, where nothing is sent.";

const PLAIN = "It is not https://, so that others on the way could read what is sent there.";

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "No server takes connections there.",
  ECONNRESET: "The connection was closed before an answer came.",
  EPIPE: "The connection was closed before an answer came.",
  EHOSTUNREACH: "Its network cannot be reached.",
  ENETUNREACH: "Its network cannot be reached.",
  ETIMEDOUT: LATE,
  ENOTFOUND: "There is no such host.",
  CERT_HAS_EXPIRED: "Its certificate has expired.",
};

const refused = (fault: string): WayOutReply => ({ status: null, fault, failure: "refused", hasLeft: false });

/** What went wrong, in words for people. */
function wordsOf(cause: unknown): string {
  const { code = "", message } = cause as NodeJS.ErrnoException;
  return WORDS[code] ?? beginningOf(String(message), MOST_WORDS);
}

/** Looks a name up when a connection is made to it, so that the address which was looked at is the one that is connected to. */
const lookupBy =
  (find: FindAddresses): LookupFunction =>
  (host, options, callback) => {
    find(host).then(
      (addresses) => lookupOf(addresses)(host, options, callback),
      (cause: Error) => callback(cause, ""),
    );
  };

/** `onConnected`: the request leaves from then on. */
type Sending = http.RequestOptions & {
  body: string | Buffer;
  keptBytes: number;
  onConnected: () => void;
  isDone: (status: number) => boolean;
};

function send(url: URL, { body, keptBytes, onConnected, isDone, ...options }: Sending): Promise<WayOutReply> {
  const { request } = url.protocol === "https:" ? https : http;
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (answer) => {
      const { statusCode: status = 0, headers } = answer;
      const parts: Buffer[] = [];
      let bytes = 0;
      const done = () => resolve({ status, headers, body: Buffer.concat(parts).subarray(0, keptBytes) });
      if (isDone(status)) done();
      answer.on("data", (part: Buffer) => {
        parts.push(part);
        bytes += part.length;
        // The status is known, and the rest of a long answer says nothing more.
        if (bytes > keptBytes) {
          done();
          answer.destroy();
        }
      });
      answer.on("end", done);
      answer.on("error", reject);
      answer.on("aborted", () => reject(Object.assign(new Error("aborted"), { code: "ECONNRESET" })));
    });
    sent.on("socket", (socket) => {
      if (sent.reusedSocket) onConnected();
      else socket.once(url.protocol === "https:" ? "secureConnect" : "connect", onConnected);
    });
    sent.on("error", (cause) => reject(Object.assign(cause, { wasReused: sent.reusedSocket })));
    // A server that would speak something else instead (101) has ended this request.
    sent.on("upgrade", ({ statusCode: status = 0, headers }, socket) => {
      socket.destroy();
      resolve({ status, headers, body: Buffer.alloc(0) });
    });
    // Whatever ends a request in another way must not leave its caller waiting.
    sent.on("close", () => reject(Object.assign(new Error("closed"), { code: "ECONNRESET" })));
    sent.end(body);
  });
}

/** How long a connection is kept for a next request. */
const IDLE_MS = 10_000;

/** A client that keeps connections for its next requests for some seconds. */
export function openWayOut({
  allowPrivate,
  deadlineMs,
  keptBytes,
  connections = Number.POSITIVE_INFINITY,
  ...asking
}: Terms): WayOut {
  // A connection that takes part in a request ends by the deadline of that.
  const pooled = { keepAlive: true, timeout: Math.max(IDLE_MS, deadlineMs), maxSockets: connections };
  const agents = { "http:": new http.Agent(pooled), "https:": new https.Agent(pooled) };
  const find = allowPrivate ? anyAddresses : publicAddresses;
  const lookup = lookupBy((host) => find(host, asking));
  return {
    async send(url, { method, headers, body, signal: givesUp, isDone = () => false }) {
      const { protocol, hostname } = url;
      if (protocol !== "http:" && protocol !== "https:") return refused("It is no web address.");
      if (!allowPrivate && protocol === "http:") return refused(PLAIN);
      if (!allowPrivate && hostKind(hostname) === "private") return refused(`${hostname} ${PRIVATE}`);
      const late = AbortSignal.timeout(deadlineMs);
      const signal = givesUp === undefined ? late : AbortSignal.any([late, givesUp]);
      const length = { "content-length": String(Buffer.byteLength(body)) };
      const sending = { method, headers: { ...headers, ...length }, agent: agents[protocol], signal };
      let hasLeft = false;
      const onConnected = () => {
        hasLeft = true;
      };
      const attempt = () => send(url, { ...sending, lookup, body, keptBytes, onConnected, isDone });
      try {
        // A connection that was kept may have been closed by the other side just now: that says nothing of this request.
        return await attempt().catch((cause: NodeJS.ErrnoException & { wasReused?: boolean }) => {
          if (cause.wasReused === true && (cause.code === "ECONNRESET" || cause.code === "EPIPE"))
            return attempt();
          throw cause;
        });
      } catch (cause) {
        const fault = signal.aborted ? LATE : wordsOf(cause);
        return { status: null, fault, failure: fault === LATE ? "timeout" : "connection", hasLeft };
      }
    },
  };
}
