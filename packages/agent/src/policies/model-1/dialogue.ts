import { APICallError } from "ai";
import { canonicalHash, canonicalJson } from "../../canonical.ts";
import type { TranscriptEntry, Usage, UsageCall } from "../../policy.ts";
import { MAX_EXCHANGES, MAX_RESPONSE, MAX_TRANSCRIPT, type ModelLimits } from "./limits.ts";
import { bytesOf, isObject, type Json, parsed } from "./plain.ts";
import { type Endpoint, type Recorded, type ResponseKind, responseKind } from "./recorded.ts";
import { usageOf } from "./usage.ts";

/** What an entry has beside request and response, in bytes of JSON. */
const AROUND_ENTRY = 200;
const MAX_QUOTED = 200;
const FIRST_ERROR_STATUS = 400;
/** Statuses after which the same request may be answered. */
const isPassing = (status: number): boolean => [408, 409, 429].includes(status) || status >= 500;

/** What was exchanged with the model, and what it came to. */
export type Dialogue = {
  /** What `ai` sends its requests with. */
  fetch: typeof fetch;
  transcript: readonly TranscriptEntry[];
  usage(model: string): Usage;
  /** Why there may be no further call; null where there may be. */
  limitReached(): string | null;
  /** Why the model has given no answer that can be read, in plain English. */
  fault(): string;
  /** How many answers the model has given. */
  steps(): number;
};

/** A sentence of an endpoint about an error, in one line; empty where it has none that can be read. */
function quoteOf(body: string): string {
  const error = parsed(body);
  const found = isObject(error) ? error.error : null;
  const message = isObject(found) ? found.message : found;
  if (typeof message !== "string") return "";
  const line = message.replace(/[\p{C}\p{Z}\s]+/gu, " ").trim();
  return line === "" ? "" : `: “${[...line].slice(0, MAX_QUOTED).join("")}”`;
}

function faultOf(kind: ResponseKind | null, { maxSeconds }: ModelLimits): string {
  if (kind?.kind === "fault") {
    if (kind.fault === "unreachable") return "The model could not be reached.";
    if (kind.fault === "redirected")
      return "The model's address redirects to another one, which is not followed.";
    return `The model did not decide within ${maxSeconds} seconds.`;
  }
  if (kind?.kind === "refusal" && kind.status >= FIRST_ERROR_STATUS)
    return `The model's endpoint answered ${kind.status}${quoteOf(kind.body)}.`;
  return "The model's endpoint answered with what is no chat completion.";
}

/** A fault as `ai` knows it: what may be repeated, and when. */
function callError(kind: Exclude<ResponseKind, { kind: "completion" }>, pauseMs: number): APICallError {
  const isRetryable = kind.kind === "fault" ? kind.fault === "unreachable" : isPassing(kind.status);
  return new APICallError({
    message: "The endpoint gave no answer that can be used.",
    url: "",
    requestBodyValues: {},
    isRetryable,
    responseHeaders: { "retry-after-ms": String(pauseMs) },
    ...(kind.kind === "refusal" ? { statusCode: kind.status } : {}),
  });
}

/**
 * What `ai` reads of a completion: its first choice. A call of a tool that has no id, or one that was used before, gets one that depends
 * on its place alone, so that a replay gives it the same.
 */
function readable({ choices }: Json, step: number, used: Set<string>): Json {
  const [choice] = choices as unknown[];
  const message = isObject(choice) ? choice.message : null;
  const calls = isObject(message) ? message.tool_calls : null;
  if (!isObject(choice) || !isObject(message) || !Array.isArray(calls)) return { choices: [choice].flat() };
  const named = calls.map((call: unknown, index) => {
    if (!isObject(call)) return call;
    const given = call.id;
    const isFree = typeof given === "string" && given !== "" && !used.has(given);
    let id = isFree ? given : `call_${step}_${index}`;
    while (used.has(id)) id += "_";
    used.add(id);
    return { ...call, id };
  });
  // Endpoints differ in how they end an answer with calls; only one that was cut off is not to be carried out.
  const isCut = ["length", "content_filter"].includes(String(choice.finish_reason));
  const reason = named.length > 0 && !isCut ? { finish_reason: "tool_calls" } : {};
  return { choices: [{ ...choice, ...reason, message: { ...message, tool_calls: named } }] };
}

/** Records each exchange with an endpoint, and asks no further where a limit is reached. Where it is fed from a transcript, it comes to the same. */
export function startDialogue(endpoint: Endpoint, limits: ModelLimits): Dialogue {
  const transcript: TranscriptEntry[] = [];
  const calls: UsageCall[] = [];
  const usedIds = new Set<string>();
  let isEstimated = false;
  let size = 0;
  let steps = 0;
  let last: ResponseKind | null = null;
  let stopped: string | null = null;

  const tokens = (): number =>
    calls.reduce((sum, { inputTokens, outputTokens }) => sum + (inputTokens ?? 0) + (outputTokens ?? 0), 0);

  function limitReached(): string | null {
    if (stopped !== null) return stopped;
    if (steps >= limits.maxSteps) return `The model did not decide within ${limits.maxSteps} answers.`;
    if (tokens() >= limits.maxTokens) return `The model did not decide within ${limits.maxTokens} tokens.`;
    return null;
  }

  const entrySize = (value: unknown): number => bytesOf(canonicalJson(value)) + AROUND_ENTRY;

  /** Refuses a request that the transcript has no room for, whatever is answered. */
  function isTooLong(request: Json): boolean {
    return transcript.length >= MAX_EXCHANGES || size + entrySize(request) + MAX_RESPONSE > MAX_TRANSCRIPT;
  }

  function record(request: Json, response: Recorded): void {
    const hash = canonicalHash({ request, response }, transcript.at(-1)?.hash);
    transcript.push({ request, response: response as Json, hash });
    size += entrySize(request) + entrySize(response);
    const used = usageOf(request, response);
    if (used === null) return;
    calls.push(used.call);
    isEstimated ||= used.isEstimated;
  }

  return {
    transcript,
    limitReached,
    steps: () => steps,
    usage: (model) => ({ model, calls, isEstimated }),
    fault: () => stopped ?? faultOf(last, limits),
    async fetch(_, init) {
      const request = parsed(String(init?.body)) as Json;
      stopped = limitReached();
      if (stopped === null && isTooLong(request)) stopped = "The dialogue with the model grew too long.";
      if (stopped !== null) throw new Error(stopped);
      const { response, pauseMs } = await endpoint(request);
      record(request, response);
      last = responseKind(response);
      if (last === null) throw new Error("An endpoint has to answer with what can be recorded.");
      if (last.kind !== "completion") throw callError(last, pauseMs);
      steps += 1;
      return Response.json(readable(last.completion, steps, usedIds));
    },
  };
}
