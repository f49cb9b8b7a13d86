/** A guardrail of a goal as one field of a form: a number, a share in per cent, an instant, or phrases, one on each line. */
export type Kind = "count" | "percent" | "instant" | "phrases";

/** The guardrails that mean something, in the order of the form. */
export const KINDS = {
  maxActiveCampaigns: "count",
  quietUntil: "instant",
  forbiddenPhrases: "phrases",
  allowedHosts: "phrases",
  maxUnsubscribeRate: "percent",
  maxComplaintRate: "percent",
  minConversionRate: "percent",
  minControlShare: "percent",
  errorBudget: "percent",
  minimumLift: "percent",
} as const satisfies Record<string, Kind>;

export type Guardrail = keyof typeof KINDS;
export const GUARDRAILS = Object.keys(KINDS) as readonly Guardrail[];
export const isGuardrail = (key: string): key is Guardrail => Object.hasOwn(KINDS, key);

/** Limits of what comes back of mail alone: other channels have no unsubscriptions and no complaints. */
const OF_MAIL: readonly string[] = ["maxUnsubscribeRate", "maxComplaintRate"] satisfies Guardrail[];

/** Whether a limit can ever be reached by a campaign of a channel. */
export const hasGuardrail = (channel: "web_inapp" | "email" | "push", key: string): boolean =>
  channel === "email" || !OF_MAIL.includes(key);
