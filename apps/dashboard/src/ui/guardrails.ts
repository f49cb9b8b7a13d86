import { numberOf, percentOf } from "../platform/figures.ts";
import { timeOf } from "../platform/times.ts";

/** What each guardrail limits, in words. */
export const guardrailNames: Readonly<Record<string, string>> = {
  maxActiveCampaigns: "Campaigns at once",
  forbiddenPhrases: "Texts with forbidden phrases",
  minControlShare: "Share of the control",
  quietUntil: "Quiet until",
  errorBudget: "Error budget",
  maxUnsubscribeRate: "Unsubscriptions",
  maxComplaintRate: "Complaints",
  minConversionRate: "Conversions",
};

export const nameOfGuardrail = (key: string): string => guardrailNames[key] ?? key;

/** Guardrails that are shares (0.02: 2 %). */
const SHARES = [
  "maxUnsubscribeRate",
  "maxComplaintRate",
  "minConversionRate",
  "minControlShare",
  "errorBudget",
];

const NOT_COUNTED = "not counted";

/** A limit or what there is now, in the unit of its guardrail. */
export function amountOf(key: string, value: number | null): string {
  if (value === null) return NOT_COUNTED;
  if (key === "quietUntil") return timeOf(value);
  return SHARES.includes(key) ? percentOf(value) : numberOf(value);
}
