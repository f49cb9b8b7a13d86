export const words = {
  about: "Whether messages are served, who was active, and what that costs.",
  states: {
    ok: "Messages are served",
    payment_required: "Nothing is served: billing has to be restored",
    cap_reached: "Nothing is served: the spend cap is reached",
  },
  statesAbout: {
    ok: "Campaigns reach their users on every channel.",
    payment_required:
      "No message leaves on any channel, and what was planned waits. It goes on once billing is in order again (org.billingStatus): an owner sets that, or the payment service does.",
    cap_reached:
      "No message leaves on any channel, and what was planned waits. It goes on once an owner raises the spend cap (org.spendCapUsd), or in the next period.",
  },
  emailStates: { ok: "Email leaves", paused: "Email waits" },
  emailAbout: {
    ok: "Campaign email leaves as it is planned.",
    paused: "Campaign email waits until messages are served and billing is not past due.",
    pastDue:
      "Billing is past due: campaign email waits, and the other channels go on. It leaves once billing is in order again (org.billingStatus): an owner sets that, or the payment service does.",
  },
  period: "Period",
  boundaries: {
    calendar_month: "The calendar month, by UTC. The last day is not part of it.",
    subscription: "A period of the subscription, by UTC. The last day is not part of it.",
  },
  active: "Active users, all projects",
  activeAbout:
    "A user counts once per period and project: identified, tracked, shown a message, or accepted for campaign email.",
  spend: "Estimated spend",
  spendAbout: "Before tax, by the prices that are set (org.priceTiers).",
  cap: "Spend cap",
  noCap: "none",
  capAbout: "Where it is reached, nothing is served. Owners set it (org.spendCapUsd).",
  ofCap: (share: string) => `${share} of the cap`,
  billable: "A payment method is on file.",
  notBillable: "No payment method is on file: this server bills nobody.",
  credits: "AI credits of this project",
  creditsOf: (used: string, limit: string) => `${used} of ${limit}`,
  creditsAbout: "In this UTC month. Owners set the limit (ai.monthlyLimit).",
  creditsOver: "The limit is reached: the agent begins no further run of a model before the next month.",
  capped: "Left out by the cap",
  cappedAbout:
    "Campaign email that was left out for good, because its recipient had had as many mails as the cap allows.",
  projects: "By project",
  project: "Project",
  activeUsers: "Active users",
  share: "Share",
  noShare: "–",
} as const;
