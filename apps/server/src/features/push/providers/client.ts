import { hash } from "node:crypto";
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http2";
import { type Clock, SECOND_MS } from "../../../platform/time/clock.ts";
import type { Bearer, Bearers } from "./bearer.ts";
import { type Http2Options, openHttp2 } from "./http2.ts";
import type { PushClient, PushNotification, PushReply } from "./reply.pure.ts";
import { fitsCollapseId, type PushRefusal, retryAfterMs } from "./rules.ts";

/** The time that one push may take in all, where `sendMs` is not given. */
export const SEND_MS = 10 * SECOND_MS;
/** Characters that are kept of an id that a provider gives. */
const MAX_ID = 128;

/** `url`: of the provider's API. `sendMs`: the time that one push may take in all. */
export type ClientOptions = Http2Options & { url: string; clock: Clock; sendMs?: number };

/** The name that two pushes share when one replaces the other on a device, in a form that every provider accepts. */
export function collapseId({
  replacementKey,
  slotId,
}: Pick<PushNotification, "replacementKey" | "slotId">): string {
  const name = replacementKey ?? slotId;
  return fitsCollapseId(name) ? name : hash("sha256", name, "base64url");
}

/** How requests of a provider are written, and its answers read. */
export type Dialect = {
  bearers: Bearers;
  /** The word before the bearer, as the provider's own documents spell it. */
  scheme: "bearer" | "Bearer";
  /** The request for a push: its path below `url`, its own headers, its body. */
  request(notification: PushNotification): { path: string; headers: OutgoingHttpHeaders; payload: string };
  /** Whether the body of a success has to be read. */
  wantsBody: boolean;
  /** The provider's id of a push that it accepted. */
  idOf(headers: IncomingHttpHeaders, body: string): unknown;
  refusalOf(status: number, body: string): PushRefusal;
};

/** A client that sends pushes with one credential. */
export function createPushClient(
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
