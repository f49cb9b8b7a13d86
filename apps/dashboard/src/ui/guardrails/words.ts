export const words = {
  guardrail: "Limit of the goal",
  limit: "Allowed",
  now: "Now",
  notCounted: "not counted",
  unreadable: "cannot be read",
  guardrails: {
    maxActiveCampaigns: "Campaigns at once",
    forbiddenPhrases: "Texts with forbidden phrases",
    minControlShare: "Share of the control",
    quietUntil: "Quiet until",
    errorBudget: "Error budget",
    maxUnsubscribeRate: "Unsubscriptions",
    maxComplaintRate: "Complaints",
    minConversionRate: "Conversions",
  } as Readonly<Record<string, string>>,
} as const;
