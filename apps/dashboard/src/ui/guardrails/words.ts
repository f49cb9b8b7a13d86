import { counted } from "../../platform/figures.ts";
import type { Guardrail } from "./kinds.ts";

const names: Readonly<Record<Guardrail, string>> = {
  maxActiveCampaigns: "Campaigns at once",
  quietUntil: "Quiet until",
  forbiddenPhrases: "Forbidden phrases",
  allowedHosts: "Allowed hosts of links",
  maxUnsubscribeRate: "Most unsubscriptions",
  maxComplaintRate: "Most complaints",
  minConversionRate: "Least conversions",
  minControlShare: "Least share of the control",
  errorBudget: "Error budget",
  minimumLift: "Smallest difference that matters",
};

export const words = {
  guardrail: "Limit of the goal",
  limit: "Allowed",
  now: "Now",
  notCounted: "not counted",
  unreadable: "cannot be read",
  found: {
    forbiddenPhrases: {
      none: "none",
      some: (count: number) => counted(count, "text says one", "texts say one"),
    },
    allowedHosts: {
      none: "no others",
      some: (count: number) => counted(count, "link to another", "links to others"),
    },
  },
  names,
} as const;
