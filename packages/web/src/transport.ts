import { warn } from "./warn.ts";

/** A call that has to arrive: its path under `/api/v1` and its JSON body. */
export type Call = {
  path: string;
  body: Readonly<Record<string, unknown>>;
  /** How often it was tried since the device's clock says that it is old. */
  lateTries?: number;
};

/** The outcome of a call: `done` when it was acknowledged or finally refused, else when to try again (0: whenever the caller likes). */
export type PostOutcome = "done" | { retryMs: number };

export type Transport = {
  post(call: Call): Promise<PostOutcome>;
  /** The JSON of a GET for messages, or null when there is none. The user's hash goes into a header, since addresses end up in logs. */
  get(
    path: string,
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
    userHash?: string,
  ): Promise<unknown>;
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

export const isFeedback = ({ path }: Call): boolean => path.startsWith("/deliveries/");

/** Whether an answer is the acknowledgement of this call, and not a proxy's or a captive portal's page. */
function acknowledges(call: Call, answer: Record<string, unknown>): boolean {
  const { path, body } = call;
  if (!isFeedback(call)) return answer.ok === true;
  return (
    path === `/deliveries/${answer.deliveryId}/event` &&
    answer.userId === body.userId &&
    answer.type === body.type
  );
}

/** Speaks to a Tidings server. No call throws: a message service must not break the page it is in. */
export function createTransport(url: string, key: string): Transport {
  const call = (path: string, init: RequestInit): Promise<Response> =>
    fetch(`${url}/api/v1${path}`, {
      ...init,
      cache: "no-store",
      credentials: "omit",
      headers: { authorization: `Bearer ${key}`, ...init.headers },
    });
  return {
    async post(item) {
      try {
        const body = JSON.stringify(item.body);
        const response = await call(item.path, {
          method: "POST",
          body,
          headers: { "content-type": "application/json" },
          // Not a beacon: that cannot carry the key.
          keepalive: body.length < MAX_KEEPALIVE,
          signal: AbortSignal.timeout(TIMEOUT_MS),
        });
        // Only the API's own words count: a proxy's page says nothing about the call.
        const answer = await response.json().catch(() => ({}));
        warn(answer.error);
        const isFinal =
          response.status === 401
            ? answer.error === UNIDENTIFIED
            : FINAL.includes(response.status) && typeof answer.error === "string";
        if (isFinal || (response.ok && acknowledges(item, answer))) return "done";
        const retryMs = 1_000 * Number(response.headers.get("retry-after")) || 0;
        return { retryMs: Math.min(retryMs, MAX_RETRY_MS) };
      } catch {
        return { retryMs: 0 };
      }
    },
    async get(path, query, signal, userHash) {
      try {
        const headers: HeadersInit = userHash ? { "x-user-hash": userHash } : {};
        const response = await call(`${path}?${new URLSearchParams(query)}`, { signal, headers });
        // Reads the whole answer, because an unread one blocks its connection for the next request.
        const answer = await response.json().catch(() => ({}));
        warn(answer.error);
        return answer.messages ? answer : null;
      } catch {
        return null;
      }
    },
  };
}
