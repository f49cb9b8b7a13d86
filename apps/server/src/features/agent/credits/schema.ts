import { z } from "zod";

const tokens = z.int().min(0).max(100_000_000).nullish();

/** What one call of a model used; what is null or not there counts as 0. */
const Call = z
  .strictObject({
    inputTokens: tokens.describe(
      "All tokens that the call read, cached ones and those written to the cache included.",
    ),
    cachedInputTokens: tokens.describe("Of the input, tokens that came from the cache."),
    cacheWriteTokens: tokens.describe("Of the input, tokens that were written to the cache."),
    outputTokens: tokens.describe("All tokens that the call wrote, those of its reasoning included."),
    reasoningTokens: tokens.describe("Of the output, tokens of reasoning."),
    toolCostMicros: z
      .int()
      .min(0)
      .max(1_000_000_000)
      .nullish()
      .describe("What its tools cost, in micro-USD."),
  })
  .check((ctx) => {
    const { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens, reasoningTokens } = ctx.value;
    const refuse = (field: string, message: string) =>
      ctx.issues.push({ code: "custom", path: [field], message, input: ctx.value });
    if ((cachedInputTokens ?? 0) + (cacheWriteTokens ?? 0) > (inputTokens ?? 0))
      refuse("inputTokens", "must be at least cachedInputTokens and cacheWriteTokens together");
    if ((reasoningTokens ?? 0) > (outputTokens ?? 0))
      refuse("outputTokens", "must be at least reasoningTokens");
  });
export type Call = z.infer<typeof Call>;

export const Calls = z.array(Call).min(1).max(200);
