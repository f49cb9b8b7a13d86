import type { Feature } from "../../domain/feature.ts";
import { approvalCommands } from "./commands/approvals.ts";
import { decideActivation } from "./decide-activation.ts";
import { decideProposal } from "./decide-proposal.ts";
import { getActivationApproval } from "./get-activation-approval.ts";
import { getApproval } from "./get-approval.ts";
import { listApprovals } from "./list-approvals.ts";
import { tables } from "./tables.pure.ts";
import { takeProposalCensus } from "./take-proposal-census.ts";

export const approvals: Feature = {
  room: "approvals",
  tables,
  endpoints: [
    listApprovals,
    getApproval,
    takeProposalCensus,
    decideProposal,
    getActivationApproval,
    decideActivation,
  ],
  commandGroups: {
    approvals: "what agents propose, which campaigns may launch by themselves, and what people decide",
  },
  commands: [approvalCommands],
};
