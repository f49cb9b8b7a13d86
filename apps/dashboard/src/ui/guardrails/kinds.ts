/** A guardrail of a goal as one field of a form: a number, a share in per cent, an instant, or phrases, one on each line. */
export type GuardrailKind = "count" | "percent" | "instant" | "phrases";

/** The guardrails that mean something, in the order of the form. */
export const GUARDRAIL_KINDS = {
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
} as const satisfies Record<string, GuardrailKind>;

export type Guardrail = keyof typeof GUARDRAIL_KINDS;
export const GUARDRAILS = Object.keys(GUARDRAIL_KINDS) as readonly Guardrail[];
export const isGuardrail = (key: string): key is Guardrail => Object.hasOwn(GUARDRAIL_KINDS, key);

/** Limits of what comes back of mail alone: other channels have no unsubscriptions and no complaints. */
const OF_MAIL: readonly string[] = ["maxUnsubscribeRate", "maxComplaintRate"] satisfies Guardrail[];

/** Whether a limit can ever be reached by a campaign of a channel. */
export const hasGuardrail = (channel: "web_inapp" | "email" | "push", key: string): boolean =>
  channel === "email" || !OF_MAIL.includes(key);
