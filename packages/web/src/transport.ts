import type { Viewer } from "./api.ts";
import type { Message } from "./message.ts";
import { warn } from "./warn.ts";

/** A call that has to arrive: its path under `/api/v1` and its JSON body. */
export type Call = {
  path: string;
  body: Readonly<Record<string, unknown>>;
  /** How often it was tried since the device's clock says that it is old. */
  lateTries?: number;
};

export type Transport = {
  /** Sends a call. Answers null when it was acknowledged or finally refused, else after how many ms at the soonest to try again. */
  post(call: Call): Promise<number | null>;
  /** The messages for a person on the page of a path; none where a repeat would be refused again, null where there is no answer. */
  messages(viewer: Viewer, path: string, signal: AbortSignal): Promise<Message[] | null>;
};

const TIMEOUT_MS = 10_000;
/** A timer that is set for more than 24 days ends at once. */
const MAX_RETRY_MS = 3_600_000;
/** In characters, which have up to three bytes each. Browsers let requests of 64 KiB outlive their page, and refuse larger ones. */
const MAX_KEEPALIVE = 20_000;
/** With these a repeat would be refused again. Any other status may come from a key or a server that will be repaired. */
const FINAL = [400, 404, 409, 413];
/** The server's refusal of a missing or wrong `userHash`. Such a call is dropped, because it would block all calls behind it. */
const UNIDENTIFIED = "Could not identify user";
/** In the server's refusal of a visitor's id, where the project has no visitors. */
const NO_VISITORS = /keeps no visitors/;

export const isFeedback = ({ path }: Call): boolean => path.startsWith("/deliveries/");

/** Whether an answer is the acknowledgement of this call, and not a proxy's or a captive portal's page. */
function acknowledges(call: Call, answer: Record<string, unknown>): boolean {
  const { path, body } = call;
  if (!isFeedback(call)) return answer.ok === true;
  return (
    path === `/deliveries/${answer.deliveryId}/event` &&
    ["userId", "anonymousId", "type"].every((name) => answer[name] === body[name])
  );
}

/**
 * Speaks to a Tidings server. No call throws: a message service must not break the page it is in.
 * @param withoutVisitors called where the server refuses the id of a visitor, because the project has no visitors
 */
export function createTransport(url: string, key: string, withoutVisitors: () => void): Transport {
  /** The server's answer, and whether a repeat would be refused again. */
  async function call(path: string, init: RequestInit) {
    const response = await fetch(`${url}/api/v1${path}`, {
      ...init,
      cache: "no-store",
      credentials: "omit",
      headers: { authorization: `Bearer ${key}`, ...init.headers },
    });
    // Only the API's own words count: a proxy's page says nothing about the call. The whole answer is read in any case, because an
    // unread one blocks its connection for the next request.
    const answer = await response.json().catch(() => ({}));
    const { error } = answer;
    warn(error);
    if (NO_VISITORS.test(error)) withoutVisitors();
    const isFinal = error === UNIDENTIFIED || (FINAL.includes(response.status) && typeof error === "string");
    return { response, answer, isFinal };
  }
  return {
    async post(item) {
      try {
        const body = JSON.stringify(item.body);
        const { response, answer, isFinal } = await call(item.path, {
          method: "POST",
          body,
          headers: { "content-type": "application/json" },
          // Not a beacon: that cannot carry the key.
          keepalive: body.length < MAX_KEEPALIVE,
          signal: AbortSignal.timeout(TIMEOUT_MS),
        });
        if (isFinal || (response.ok && acknowledges(item, answer))) return null;
        const retryMs = 1_000 * Number(response.headers.get("retry-after")) || 0;
        return Math.min(retryMs, MAX_RETRY_MS);
      } catch {
        return 0;
      }
    },
    async messages({ userId, userHash, anonymousId }, path, signal) {
      try {
        const query = new URLSearchParams({ path, ...(userId && { userId }) });
        // What proves the person goes into a header, since addresses end up in logs.
        const headers = {
          ...(userHash && { "x-user-hash": userHash }),
          ...(anonymousId && { "x-anonymous-id": anonymousId }),
        };
        const { answer, isFinal } = await call(`/messages?${query}`, { signal, headers });
        return answer.messages ?? (isFinal ? [] : null);
      } catch {
        return null;
      }
    },
  };
}
