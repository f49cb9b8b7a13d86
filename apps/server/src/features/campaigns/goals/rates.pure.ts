import { rateOf } from "../../statistics/rates.pure.ts";
import { RATE, splitEvidence } from "../../statistics/split.pure.ts";

/** The chance that a rate which keeps its limit is ever taken for one that does not, over all looks together. */
const ALPHA = 0.01;
/** No e-value is reported larger than this. */
const MAX_E = 1e12;

/** What each guardrail of a rate counts, and whether its limit is the most or the least. */
export const RATES = {
  maxUnsubscribeRate: { base: "sent", counts: "unsubscribed", isMost: true },
  maxComplaintRate: { base: "sent", counts: "complained", isMost: true },
  minConversionRate: { base: "exposed", counts: "converted", isMost: false },
} as const;
export type RateGuardrail = keyof typeof RATES;
export const RATE_GUARDRAILS = Object.keys(RATES) as readonly RateGuardrail[];

export const isRateGuardrail = (name: string): name is RateGuardrail => Object.hasOwn(RATES, name);

/** Messages sent of a campaign, and what came of them. */
export type SentCounts = { sent: number; unsubscribed: number; complained: number };

/** Counts of a campaign: messages sent and what came of them, and matured exposures with their conversions. */
export type CampaignCounts = SentCounts & { exposed: number; converted: number };

/** How many of all there are. */
export type Share = { all: number; successes: number };

/** What was sent, and came of it, from the counts of an earlier instant on. These are the same question at every instant. */
export function sentSince(now: SentCounts, then: SentCounts | null): SentCounts {
  const added = (name: keyof SentCounts): number => Math.max(0, now[name] - (then?.[name] ?? 0));
  return { sent: added("sent"), unsubscribed: added("unsubscribed"), complained: added("complained") };
}

/** The counts that a guardrail looks at. */
export function guardrailShare(guardrail: RateGuardrail, counts: CampaignCounts): Share {
  const { base, counts: counted } = RATES[guardrail];
  const all = counts[base];
  return { all, successes: Math.min(all, counts[counted]) };
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
  const { logE } = splitEvidence([{ arm: successes, other: all - successes, share: limit }], RATE);
  return { observed: estimate, lower, upper, e: isOpen ? Math.min(MAX_E, Math.exp(logE)) : null };
}
