import { rateOf } from "../../statistics/rates.pure.ts";
import { evidenceOf, RATE } from "../../statistics/split.pure.ts";

/** The chance that a rate which keeps its limit is ever taken for one that does not, over all looks together. */
const ALPHA = 0.01;
/** No e-value is reported larger than this. */
const MAX_E = 1e12;

/** What each guardrail of a rate counts, and whether its limit is the most or the least. */
export const RATES = {
  maxUnsubscribeRate: { of: "sent", counts: "unsubscribed", isMost: true },
  maxComplaintRate: { of: "sent", counts: "complained", isMost: true },
  minConversionRate: { of: "exposed", counts: "converted", isMost: false },
} as const;
export type RateGuardrail = keyof typeof RATES;
export const RATE_GUARDRAILS = Object.keys(RATES) as readonly RateGuardrail[];

export const isRateGuardrail = (name: string): name is RateGuardrail => Object.hasOwn(RATES, name);

/** Counts of a campaign: messages sent and what came of them, and matured exposures with their conversions. */
export type CampaignCounts = {
  sent: number;
  unsubscribed: number;
  complained: number;
  exposed: number;
  converted: number;
};

/** How many of all there are. */
export type Share = { all: number; successes: number };

/** The counts that a guardrail looks at, from those of an earlier instant on. */
export function shareOf(guardrail: RateGuardrail, now: CampaignCounts, since: CampaignCounts | null): Share {
  const { of, counts } = RATES[guardrail];
  const from = (name: keyof CampaignCounts): number => Math.max(0, now[name] - (since?.[name] ?? 0));
  const all = from(of);
  return { all, successes: Math.min(all, from(counts)) };
}

/**
 * What breaks the limit of a rate, or null: only where the whole interval of the rate lies beyond it, so that few users decide nothing,
 * however often one looks.
 */
export function breakOf(
  guardrail: RateGuardrail,
  limit: number,
  { all, successes }: Share,
): { observed: number; lower: number; upper: number; e: number | null } | null {
  const { estimate, lower, upper } = rateOf(successes, all, ALPHA);
  const isBroken = RATES[guardrail].isMost ? lower > limit : upper < limit;
  if (!isBroken || estimate === null) return null;
  // Against a rate of 0 or 1 there is no e-value: one user the other way decides.
  const isOpen = limit > 0 && limit < 1;
  const { logE } = evidenceOf([{ arm: successes, other: all - successes, share: limit }], RATE);
  return { observed: estimate, lower, upper, e: isOpen ? Math.min(MAX_E, Math.exp(logE)) : null };
}
