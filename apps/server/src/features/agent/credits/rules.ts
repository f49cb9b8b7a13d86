import type { PriceRow, TokenPrices } from "./prices.pure.ts";
import type { Call } from "./schema.ts";

/** One credit is so many micro-USD. */
const CREDIT_MICROS = 3_000n;
/** Prices are for so many tokens. */
const PER_TOKENS = 1_000_000n;

const dividedUp = (value: bigint, by: bigint): bigint => (value + by - 1n) / by;

/** The sums of some calls. The bounds of calls and prices keep each of them a safe integer. */
export type Sums = { [Field in keyof Call]-?: number };

/** The prices of a call: of the rows for its model, or else of those for any other, the one for the most input that it exceeds. */
function pricesFor(rows: readonly PriceRow[], model: string | null, input: number): TokenPrices {
  const applying = (name: string): PriceRow | undefined =>
    rows
      .filter((row) => row.model === name && (row.above === 0 || input > row.above))
      .sort((a, b) => b.above - a.above)[0];
  const row = (model === null ? undefined : applying(model)) ?? applying("*");
  if (row === undefined) throw new Error("The price table has no row for any other model.");
  return row.prices;
}

/** Micro-USD of a call's tokens, times a million. */
function scaledCost(call: Call, prices: TokenPrices): bigint {
  const [input, cached, write, output, reasoning] = prices.map(BigInt);
  const costOf = (tokens: number | null | undefined, price = 0n): bigint => BigInt(tokens ?? 0) * price;
  const fresh = (call.inputTokens ?? 0) - (call.cachedInputTokens ?? 0) - (call.cacheWriteTokens ?? 0);
  const answered = (call.outputTokens ?? 0) - (call.reasoningTokens ?? 0);
  return (
    costOf(fresh, input) +
    costOf(call.cachedInputTokens, cached) +
    costOf(call.cacheWriteTokens, write) +
    costOf(answered, output) +
    costOf(call.reasoningTokens, reasoning)
  );
}

/** What calls cost: the prices of each, their sums, micro-USD rounded up once over all of them, and credits rounded up. */
export function priced(
  calls: readonly Call[],
  model: string | null,
  rows: readonly PriceRow[],
): { prices: readonly TokenPrices[]; sums: Sums; costMicros: number; credits: number } {
  const prices = calls.map((call) => pricesFor(rows, model, call.inputTokens ?? 0));
  const sum = (field: keyof Call): number => calls.reduce((all, call) => all + (call[field] ?? 0), 0);
  const sums: Sums = {
    inputTokens: sum("inputTokens"),
    cachedInputTokens: sum("cachedInputTokens"),
    cacheWriteTokens: sum("cacheWriteTokens"),
    outputTokens: sum("outputTokens"),
    reasoningTokens: sum("reasoningTokens"),
    toolCostMicros: sum("toolCostMicros"),
  };
  let scaled = 0n;
  for (const [index, call] of calls.entries()) {
    const ofCall = prices[index];
    if (ofCall !== undefined) scaled += scaledCost(call, ofCall);
  }
  const cost = dividedUp(scaled, PER_TOKENS) + BigInt(sums.toolCostMicros);
  return { prices, sums, costMicros: Number(cost), credits: Number(dividedUp(cost, CREDIT_MICROS)) };
}

/** The UTC month of an instant: its start, and that of the next one (epoch ms). */
export function monthOf(now: number): { start: number; end: number } {
  const date = new Date(now);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return { start: Date.UTC(year, month), end: Date.UTC(year, month + 1) };
}
