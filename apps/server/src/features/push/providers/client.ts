import { hash } from "node:crypto";
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http2";
import { type Clock, SECOND_MS } from "../../../platform/clock.ts";
import type { Bearer, Bearers } from "./bearer.ts";
import { type Http2Options, openHttp2 } from "./http2.ts";
import type { PushClient, PushNotification, PushReply } from "./reply.pure.ts";
import { fitsCollapseId, type Refusal, retryAfterMs } from "./rules.ts";

/** For one push, all in all, where nothing else is said. */
export const SEND_MS = 10 * SECOND_MS;
/** The longest id of a provider's that is kept. */
const MAX_ID = 128;

/** `url`: where the provider's API is. `sendMs`: for one push, all in all. */
export type ClientOptions = Http2Options & { url: string; clock: Clock; sendMs?: number };

/** What two pushes share that take each other's place on a device, in a form that every provider takes. */
export function collapseId({
  replacementKey,
  slotId,
}: Pick<PushNotification, "replacementKey" | "slotId">): string {
  const name = replacementKey ?? slotId;
  return fitsCollapseId(name) ? name : hash("sha256", name, "base64url");
}

/** How a provider wants to be spoken to. */
export type Dialect = {
  bearers: Bearers;
  /** The word before the bearer, as the provider's own documents spell it. */
  scheme: "bearer" | "Bearer";
  /** Of a request: its path below `url`, its own headers, its body. */
  request(notification: PushNotification): { path: string; headers: OutgoingHttpHeaders; payload: string };
  /** Whether a success has a body that matters. */
  wantsBody: boolean;
  /** What the provider calls a push that it took. */
  idOf(headers: IncomingHttpHeaders, body: string): unknown;
  refusalOf(status: number, body: string): Refusal;
};

/** A client for one credential: a bearer, a request, and what its answer means. */
export function createClient(
  dialect: Dialect,
  { url, clock, sendMs = SEND_MS, ...options }: ClientOptions,
): PushClient {
  const { origin, host, pathname } = new URL(url);
  const base = pathname.replace(/\/+$/, "");
  const http = openHttp2(origin, options);

  async function post(notification: PushNotification, bearer: Bearer, timeoutMs: number): Promise<PushReply> {
    const { path, headers: own, payload } = dialect.request(notification);
    const headers = {
      ":method": "POST",
      ":scheme": "https",
      ":authority": host,
      ":path": base + path,
      authorization: `${dialect.scheme} ${bearer.value}`,
      "content-type": "application/json",
      ...own,
    };
    const answer = await http.post(headers, payload, dialect.wantsBody, timeoutMs);
    if (answer.kind === "unknown") return answer;
    if (answer.kind === "blocked") return { ...answer, class: "connection" };
    if (answer.status === 200) {
      const id = dialect.idOf(answer.headers, answer.body);
      const providerId = typeof id === "string" && id !== "" ? id : notification.id;
      return { kind: "accepted", providerId: providerId.slice(0, MAX_ID) };
    }
    const refusal = dialect.refusalOf(answer.status, answer.body);
    if (refusal.class === "auth_expired") bearer.wasRefused = true;
    const after = retryAfterMs(answer.headers["retry-after"], clock());
    return { kind: "rejected", ...refusal, ...(after !== null && { retryAfterMs: after }) };
  }

  return {
    async send(notification, { freshAuth = false } = {}) {
      const deadline = performance.now() + sendMs;
      const bearer = await dialect.bearers.get(freshAuth);
      if ("kind" in bearer) return bearer;
      return post(notification, bearer, Math.max(0, Math.ceil(deadline - performance.now())));
    },
    close: http.close,
  };
}
