import { isObject, type Json } from "./plain.ts";

/** Why there is no answer of the endpoint. `late`: the time was over before the request was sent. */
const FAULTS = ["timeout", "late", "unreachable", "redirected"] as const;
export type Fault = (typeof FAULTS)[number];

/** What became of a request: a chat completion as it was parsed, an answer that is none (`body` is cut), or no answer. */
export type Recorded = Json | { status: number; body: string } | { fault: Fault };

export type ResponseKind =
  | { kind: "completion"; completion: Json }
  | { kind: "refusal"; status: number; body: string }
  | { kind: "fault"; fault: Fault };

/** Whether a parsed body is kept as it is. Everything else is kept as `{status, body}`, so that the two are never taken for one another. */
export const isCompletion = (body: unknown): body is Json => isObject(body) && Array.isArray(body.choices);

/** What a recorded response is; null for what no exchange records. */
export function responseKind(response: unknown): ResponseKind | null {
  if (isCompletion(response)) return { kind: "completion", completion: response };
  if (!isObject(response)) return null;
  const { status, body, fault } = response;
  if (typeof status === "number" && typeof body === "string") return { kind: "refusal", status, body };
  const found = FAULTS.find((each) => each === fault);
  return found === undefined ? null : { kind: "fault", fault: found };
}

/** A request to the endpoint, and what became of it; `pauseMs` says when it may be repeated. Throws only where the runner stops. */
export type Endpoint = (request: Json) => Promise<{ response: Recorded; pauseMs: number }>;
