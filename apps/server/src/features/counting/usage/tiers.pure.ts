/** A price per active user and period, in micro-USD; `upTo` is the last user who costs that, null for all further ones. */
export type PriceTier = { micros: number; upTo: number | null };

const MAX_TIERS = 10;
const MAX_PRICE = 1_000;
const MAX_USERS = 1_000_000_000;
const TIER = /^(\d{1,4}(?:\.\d{1,6})?)(?: +to +([1-9]\d{0,9}))?$/;

export const TIERS_RULE = `must be prices in USD per active user such as 0.02 to 10000, 0.012: at most ${MAX_TIERS}, each from 0 to ${MAX_PRICE} with at most six decimals, all but the last with the number of users it goes up to`;

/** Reads `0.02 to 10000, 0.012`: 0.02 USD for each of the first 10,000 active users, 0.012 for each beyond. Null for anything else. */
export function parsePriceTiers(typed: string): readonly PriceTier[] | null {
  if (typed.length > 1_000) return null;
  const tiers = typed.split(",").map((part): PriceTier | null => {
    const [, price, upTo] = TIER.exec(part.trim()) ?? [];
    if (price === undefined) return null;
    return { micros: Math.round(Number(price) * 1e6), upTo: upTo === undefined ? null : Number(upTo) };
  });
  const known = tiers.filter((tier) => tier !== null);
  const isUsable = known.every(({ micros, upTo }, index) => {
    const before = known[index - 1]?.upTo ?? 0;
    const isLast = index === tiers.length - 1;
    const isPlaced = isLast ? upTo === null : upTo !== null && upTo > before && upTo <= MAX_USERS;
    return isPlaced && micros <= MAX_PRICE * 1e6;
  });
  return isUsable && known.length === tiers.length && tiers.length <= MAX_TIERS ? known : null;
}

/** Prices as they are stored and shown; `parsePriceTiers` reads them. */
export const priceTiersText = (tiers: readonly PriceTier[]): string =>
  tiers.map(({ micros, upTo }) => `${decimal(micros)}${upTo === null ? "" : ` to ${upTo}`}`).join(", ");

/** Micro-USD as USD, without an exponent and without trailing zeros. */
const decimal = (micros: number): string => (micros / 1e6).toFixed(6).replace(/\.?0+$/, "");
