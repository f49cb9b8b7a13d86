import { z } from "zod";
import type { VisitorsMet } from "../../campaigns/authoring/rules.ts";
import { VISITORS_MET } from "../../campaigns/authoring/rules.ts";
import { gate } from "./gate.ts";

/** `isMet`: whether the campaign is for such a one: a user, or a visitor who is not signed in. */
type Facts = { isMet: boolean };
type Found = Facts & { isVisitor: boolean; campaign: { visitors: VisitorsMet } };

const FOR: Readonly<Record<VisitorsMet, string>> = {
  none: "users alone",
  also: "users and visitors",
  only: "visitors alone",
};

/** Whether the campaign is for a user, or for a visitor. Asked each time: a campaign that was for visitors may be so no more. */
export const visitorsGate = gate({
  gate: "visitors",
  asks: "is the campaign for users or for visitors (`visitors`), and which is this? Email and push are for users alone",
  stages: ["plan", "feed"],
  shape: {
    isVisitor: z.boolean().describe("Whether this is a visitor who is not signed in."),
    visitors: z.enum(VISITORS_MET).describe("Whether the campaign is for visitors."),
  },
  passes: ({ isMet }: Facts) => isMet,
  note: ({ isVisitor, campaign }: Found) =>
    `The campaign is for ${FOR[campaign.visitors]}, and this is a ${isVisitor ? "visitor who is not signed in" : "user"}.`,
  details: ({ isVisitor, campaign: { visitors } }: Found) => ({ isVisitor, visitors }),
});
