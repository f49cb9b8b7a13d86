import type { Request } from "./plan.ts";
import type { Fetch } from "./types.ts";

/** An answer of the server. `status` is 0 where there was none; `error` is the API's own word, which a proxy's page lacks. */
export type Answer = {
  status: number;
  body: Readonly<Record<string, unknown>>;
  error?: string | undefined;
  /** How long the server asks to wait, milliseconds; 0 where it does not. */
  retryMs: number;
};

/** The longest that a server may ask to wait. Timers of more than 24 days end at once. */
const MAX_RETRY_MS = 3_600_000;

export const NO_ANSWER: Answer = { status: 0, body: {}, retryMs: 0 };

/** Where a request goes. */
const METHODS = { installation: "POST", activity: "POST", observations: "POST" } as const;

export type DeviceSecret = { id: string; capability: string; was?: string };

/** How requests leave. */
export type Line = { url: string; key: string; fetch: Fetch };

/** Sends a request. @throws whatever `fetch` throws */
export async function call(line: Line, { id, capability }: DeviceSecret, request: Request): Promise<Answer> {
  const { kind, body } = request;
  const path = kind === "installation" ? "" : `/${id}/${kind}`;
  const response = await line.fetch(`${line.url.replace(/\/$/, "")}/api/v1/sdk/installations${path}`, {
    method: METHODS[kind as keyof typeof METHODS] ?? "PUT",
    headers: {
      authorization: `Bearer ${line.key}`,
      "content-type": "application/json",
      "x-service-installation-capability": capability,
    },
    body: JSON.stringify(body),
    credentials: "omit",
  });
  const answer = ((await response.json().catch(() => null)) ?? {}) as Record<string, unknown>;
  const { error } = answer;
  return {
    status: response.status,
    body: answer,
    error: typeof error === "string" ? error : undefined,
    retryMs: Math.min(1_000 * Number(response.headers.get("retry-after")) || 0, MAX_RETRY_MS),
  };
}
