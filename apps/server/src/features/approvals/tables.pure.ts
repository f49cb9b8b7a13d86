import { declareTables } from "../../domain/tables.ts";

export const tables = declareTables("approvals", {
  campaignApprovals: {
    lies: "reference",
    refersTo: ["campaigns", "agentRuns"],
    leftOut: "people allowed launches of the old project: in the new one they decide anew",
  },
});
