import { canonicalJson } from "../../canonical.ts";
import type { UsageCall } from "../../policy.ts";
import { bytesOf, isObject, type Json } from "./plain.ts";
import { type Recorded, responseKind } from "./recorded.ts";

/** What the server takes at most as one count of tokens. */
const MAX_TOKENS = 100_000_000;
/** Tokens of most languages and of JSON are longer, so that an estimate is rather too high. */
const BYTES_PER_TOKEN = 3;

const tokensIn = (value: unknown): number =>
  Math.min(MAX_TOKENS, Math.ceil(bytesOf(canonicalJson(value)) / BYTES_PER_TOKEN));

/** A count of tokens as an endpoint reports it, at most `most`; null where it reports none, or nonsense. */
const countOf = (value: unknown, most = MAX_TOKENS): number | null =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 ? Math.min(value, most) : null;

const partOf = (details: unknown, name: string, most: number): number =>
  (isObject(details) ? countOf(details[name], most) : null) ?? 0;

function reportedCall({ usage }: Json): UsageCall | null {
  if (!isObject(usage)) return null;
  const inputTokens = countOf(usage.prompt_tokens);
  const completion = countOf(usage.completion_tokens);
  if (inputTokens === null || completion === null) return null;
  // Some endpoints leave reasoning out of the completion, but never out of the total.
  const rest = (countOf(usage.total_tokens) ?? 0) - inputTokens;
  const outputTokens = Math.max(completion, rest);
  return {
    inputTokens,
    cachedInputTokens: partOf(usage.prompt_tokens_details, "cached_tokens", inputTokens),
    outputTokens,
    reasoningTokens: partOf(usage.completion_tokens_details, "reasoning_tokens", outputTokens),
  };
}

/** What an exchange used, as usage reports take it: what the endpoint reports, else an estimate. Null where a model did nothing. */
export function usageOf(request: Json, response: Recorded): { call: UsageCall; isEstimated: boolean } | null {
  const found = responseKind(response);
  const reported = found?.kind === "completion" ? reportedCall(found.completion) : null;
  if (reported !== null) return { call: reported, isEstimated: false };
  const isAnswered = found?.kind === "completion" || (found?.kind === "refusal" && found.status < 300);
  const isUnknown = found?.kind === "fault" && found.fault === "timeout";
  if (!isAnswered && !isUnknown) return null;
  const call = {
    inputTokens: tokensIn(request),
    cachedInputTokens: 0,
    outputTokens: isAnswered ? tokensIn(response) : 0,
    reasoningTokens: 0,
  };
  return { call, isEstimated: true };
}
