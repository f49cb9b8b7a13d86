import type { Feature } from "../../../domain/feature.ts";
import { countHashDifferencesAcrossProjects } from "./changes/check-hashes.ts";
import { mutateCampaign } from "./changes/mutate-campaign.ts";
import {
  countApprovalDifferencesAcrossProjects,
  countBudgetDifferencesAcrossProjects,
  countDoublePendingAcrossProjects,
  countLeaseDifferencesAcrossProjects,
  countVerdictDifferencesAcrossProjects,
  countVerdictGapsAcrossProjects,
} from "./check-store.ts";
import { claimEvaluation } from "./leases/claim-evaluation.ts";
import { completeEvaluation } from "./leases/complete-evaluation.ts";
import { getAgentActivity } from "./leases/get-agent-activity.ts";
import { listDueEvaluations } from "./leases/list-due-evaluations.ts";
import { listEvaluations } from "./leases/list-evaluations.ts";
import { planEvaluations } from "./leases/plan.ts";
import { scheduleEvaluation } from "./leases/schedule-evaluation.ts";
import { getAgentSettings } from "./limits/get-agent-settings.ts";
import { getGoalLimits } from "./limits/get-goal-limits.ts";
import { createProposal } from "./proposals/create-proposal.ts";
import { getProposal } from "./proposals/get-proposal.ts";
import { listProposals } from "./proposals/list-proposals.ts";
import { agentSettingGroup } from "./settings.ts";
import { tables } from "./tables.pure.ts";

/** What an agent may do: look after campaigns under a lease, within the bounds that people set. */
export const evaluations: Feature = {
  room: "agent/evaluations",
  tables,
  endpoints: [
    getAgentSettings,
    listDueEvaluations,
    scheduleEvaluation,
    claimEvaluation,
    mutateCampaign,
    completeEvaluation,
    createProposal,
    listProposals,
    getProposal,
    listEvaluations,
    getAgentActivity,
    getGoalLimits,
  ],
  settings: [agentSettingGroup],
  loops: [planEvaluations],
  checks: [
    {
      name: "agent: each day has paid for the claims that were granted",
      invariant: 10,
      compares: "derived",
      countDifferences: countBudgetDifferencesAcrossProjects,
    },
    {
      name: "agent: each lease is that of the last claim, and former claims have ended",
      invariant: 10,
      compares: "facts",
      countDifferences: countLeaseDifferencesAcrossProjects,
    },
    {
      name: "agent: each approval was used for what it approved, and nothing rejected was applied",
      invariant: 10,
      compares: "facts",
      countDifferences: countApprovalDifferencesAcrossProjects,
    },
    {
      name: "agent: each change is the one of which it has the hash",
      invariant: 10,
      compares: "facts",
      countDifferences: countHashDifferencesAcrossProjects,
    },
    {
      name: "agent: what people decided is what the run of their decision says",
      invariant: 10,
      compares: "facts",
      countDifferences: countVerdictDifferencesAcrossProjects,
    },
    {
      name: "agent: at most one proposal of a campaign waits for people",
      invariant: 10,
      compares: "facts",
      countDifferences: countDoublePendingAcrossProjects,
    },
    {
      name: "agent: the treatments of a goal are numbered without a gap",
      invariant: 10,
      compares: "facts",
      countDifferences: countVerdictGapsAcrossProjects,
    },
  ],
  tags: { Agent: "What an agent may do under a lease, and what people decide about it." },
};
