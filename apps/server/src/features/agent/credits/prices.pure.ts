/** What a model costs, in micro-USD per million tokens: input, cached input, cache write, output, reasoning. */
export type TokenPrices = readonly [number, number, number, number, number];

/** A row of the price table: of a model, or of all others (`*`), for calls of more than `above` input tokens. */
export type PriceRow = { model: string; above: number; prices: TokenPrices };

const MAX_ROWS = 50;
const MAX_USD = 10_000;
const MAX_ABOVE = 100_000_000;
const ROW =
  /^(\*|[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,127})(?:>(0|[1-9]\d{0,8}))?((?: +(?:0|[1-9]\d{0,4})(?:\.\d{1,6})?){5})$/;

export const AI_PRICES_RULE = `must be rows such as * 0.2 0.025 0.25 1.6 1.6; gpt-x>200000 2 0.2 2 12 12: at most ${MAX_ROWS}, each a model (* is any other), where wanted >N for calls of more than N input tokens, and USD per million tokens of input, cached input, cache write, output and reasoning, from 0 to ${MAX_USD} with at most six decimals; none twice, one of them *`;

/** USD as micro-USD, digit by digit, so that nothing is rounded. */
function microsOf(usd: string): number {
  const [whole = "", decimals = ""] = usd.split(".");
  return Number(whole + decimals.padEnd(6, "0"));
}

function parseRow(typed: string): PriceRow | null {
  const [, model, above = "0", usd] = ROW.exec(typed.trim()) ?? [];
  if (model === undefined || usd === undefined) return null;
  const [input, cached, write, output, reasoning] = usd.trim().split(/ +/).map(microsOf);
  // The pattern has five amounts.
  const prices = [input, cached, write, output, reasoning] as unknown as TokenPrices;
  const isUsable = Number(above) <= MAX_ABOVE && prices.every((micros) => micros <= MAX_USD * 1e6);
  return isUsable ? { model, above: Number(above), prices } : null;
}

/** Reads the price table as people type it. Null for anything else, and for a table that leaves a call without a price. */
export function parseAiPrices(typed: string): readonly PriceRow[] | null {
  if (typed.length > 10_000) return null;
  const parts = typed.split(";");
  const rows = parts.map(parseRow).filter((row) => row !== null);
  const names = new Set(rows.map(({ model, above }) => `${model}>${above}`));
  const isWhole = rows.length === parts.length && names.size === rows.length && names.has("*>0");
  return isWhole && rows.length <= MAX_ROWS ? rows : null;
}

/** A price table as it is stored and shown; `parseAiPrices` reads it. */
export const aiPricesText = (rows: readonly PriceRow[]): string =>
  rows
    .map(({ model, above, prices }) =>
      [above === 0 ? model : `${model}>${above}`, ...prices.map(usdOf)].join(" "),
    )
    .join("; ");

const usdOf = (micros: number): string => (micros / 1e6).toFixed(6).replace(/\.?0+$/, "");
