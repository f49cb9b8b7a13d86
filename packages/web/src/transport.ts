/** A call that has to arrive: its path under `/api/v1` and its JSON body. */
export type Call = { path: string; body: Readonly<Record<string, unknown>> };

/** What became of a call: acknowledged, refused for good, or to be tried again after `retryMs` (0: as the caller likes). */
export type Outcome = "settled" | { retryMs: number };

export type Transport = {
  post(call: Call): Promise<Outcome>;
  /** The JSON of a GET, or null when it could not be had. */
  get(path: string, query: Readonly<Record<string, string>>, signal: AbortSignal): Promise<unknown>;
};

const TIMEOUT_MS = 10_000;
/** Browsers let 64 KiB outlive their page. */
const MAX_KEEPALIVE = 60_000;
/** Sent again, these are refused again. Everything else may be a key or a server that is about to be repaired. */
const FINAL = [400, 404, 409, 413];

/** Whether an answer is the acknowledgement of this call, and not a proxy's or a captive portal's page. */
function acknowledges({ path, body }: Call, answer: Record<string, unknown>): boolean {
  return (
    answer.ok === true ||
    (path === `/deliveries/${answer.deliveryId}/event` &&
      answer.userId === body.userId &&
      answer.type === body.type &&
      Number.isSafeInteger(answer.acknowledgedAt))
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
        if (FINAL.includes(response.status)) return "settled";
        if (response.ok && acknowledges(item, await response.json())) return "settled";
        return { retryMs: 1_000 * Number(response.headers.get("retry-after")) || 0 };
      } catch {
        return { retryMs: 0 };
      }
    },
    async get(path, query, signal) {
      try {
        const response = await call(`${path}?${new URLSearchParams(query)}`, { signal });
        return response.ok ? await response.json() : null;
      } catch {
        return null;
      }
    },
  };
}
