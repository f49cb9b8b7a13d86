import { canonicalJson } from "../../canonical.ts";
import { completionsUrl } from "./endpoint-url.ts";
import { MAX_RESPONSE } from "./limits.ts";
import { bytesOf, cutText, isPlain, parsed, plainText } from "./plain.ts";
import { type Endpoint, isCompletion, type Recorded } from "./recorded.ts";
import { redactor } from "./redact.ts";

/** What is kept of an answer that is no completion, in bytes. */
const MAX_KEPT = 2_048;
const SECOND_MS = 1_000;
const USUAL_PAUSE_MS = SECOND_MS;
const LONGEST_PAUSE_MS = 30 * SECOND_MS;

/** Until when an answer is waited for. `signal` is aborted when the time is over, and when the runner stops. */
export type Deadline = { signal: AbortSignal; remainingMs(): number };

/** The text of an answer, at most 128 KiB and a part of the next chunk; `isWhole` says whether that is all of it. */
async function readText(answer: Response): Promise<{ text: string; isWhole: boolean }> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    // Leaving the loop ends the connection.
    if (bytes > MAX_RESPONSE) return { text: Buffer.concat(chunks).toString(), isWhole: false };
  }
  return { text: Buffer.concat(chunks).toString(), isWhole: true };
}

/** The longest pause that an endpoint can ask for is bounded, by this and by the time that is left. */
function pauseOf({ headers }: Response, remainingMs: number): number {
  const wanted = headers.get("retry-after");
  const seconds = wanted === null || wanted.trim() === "" ? Number.NaN : Number(wanted);
  const date = wanted === null ? Number.NaN : Date.parse(wanted) - Date.now();
  const pauseMs = [seconds * SECOND_MS, date].find(Number.isFinite) ?? USUAL_PAUSE_MS;
  return Math.floor(Math.max(0, Math.min(pauseMs, LONGEST_PAUSE_MS, remainingMs)));
}

/** An answer as it is kept: parsed, where it is a completion that can be written again; else its status and its beginning. */
function recordedOf(
  status: number,
  { text, isWhole }: { text: string; isWhole: boolean },
  redact: (value: unknown) => unknown,
): Recorded {
  const body = parsed(text);
  const isReadable = body !== undefined && isPlain(body);
  const redacted = isReadable ? redact(body) : redact(plainText(text));
  if (status === 200 && isWhole && isCompletion(redacted) && bytesOf(canonicalJson(redacted)) <= MAX_RESPONSE)
    return redacted;
  const kept = typeof redacted === "string" ? redacted : canonicalJson(redacted);
  return { status, body: cutText(kept, MAX_KEPT) };
}

/**
 * A model behind HTTP. Follows no redirect, reads 128 KiB at most, and replaces the key in everything that comes back. Answers whatever
 * happens, except when `stopping` is aborted.
 */
export function liveEndpoint(
  { url, key, send = fetch }: { url: string; key: string | null; send?: typeof fetch | undefined },
  deadline: Deadline,
  stopping: AbortSignal,
): Endpoint {
  const address = completionsUrl(url);
  const headers = {
    "content-type": "application/json",
    accept: "application/json",
    "user-agent": "tidings-agent",
    ...(key === null ? {} : { authorization: `Bearer ${key}` }),
  };
  const redact = redactor(key);
  const { signal } = deadline;
  return async (request) => {
    stopping.throwIfAborted();
    if (signal.aborted) return { response: { fault: "late" }, pauseMs: 0 };
    try {
      const body = JSON.stringify(request);
      const answer = await send(address, { method: "POST", headers, body, redirect: "error", signal });
      const response = recordedOf(answer.status, await readText(answer), redact);
      return { response, pauseMs: pauseOf(answer, deadline.remainingMs()) };
    } catch (cause) {
      stopping.throwIfAborted();
      if (signal.aborted) return { response: { fault: "timeout" }, pauseMs: 0 };
      // The only word of it is in the cause; anything else is a fault of the network.
      const isRedirect =
        cause instanceof Error && cause.cause instanceof Error && cause.cause.message.includes("redirect");
      return {
        response: { fault: isRedirect ? "redirected" : "unreachable" },
        pauseMs: Math.floor(Math.max(0, Math.min(USUAL_PAUSE_MS, deadline.remainingMs()))),
      };
    }
  };
}
