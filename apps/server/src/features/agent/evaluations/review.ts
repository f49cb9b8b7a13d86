import type { Db } from "../../../platform/db/db.ts";
import { viewCampaignDetail } from "../../campaigns/authoring/public.ts";
import { findRun } from "../../runs/public.ts";
import { type Fields, setFields } from "./affected.pure.ts";
import { isStale, mutationOf } from "./open-proposals.ts";
import type { ProposalRow } from "./proposal-store.ts";
import { changesBetween, textsOf } from "./review.pure.ts";
import type { ProposalReview } from "./schema.ts";

/** The run in which the agent gave its reason. */
async function evidenceOf(
  { db, projectId }: { db: Db; projectId: string },
  runUuid: string | null,
): Promise<ProposalReview["evidence"]> {
  const run = runUuid === null ? null : await findRun(db, projectId, runUuid);
  return run && { runId: run.id, rationale: run.rationale, output: run.output };
}

/** What a person has to see in order to decide a proposal. */
export async function reviewOf(
  within: { db: Db; projectId: string; now: number },
  proposal: ProposalRow,
): Promise<ProposalReview> {
  const { db, projectId, now } = within;
  // Only objects made by `affectedFields` are written to this column.
  const changes = changesBetween(proposal.base as Fields, setFields(mutationOf(proposal)));
  const campaign = await viewCampaignDetail(db, projectId, proposal.campaignId, now);
  const audience = campaign?.audience;
  const summary = audience === undefined || !("summary" in audience) ? "all users" : audience.summary;
  return {
    changes,
    texts: textsOf(changes),
    audience: {
      summary: audience?.kind === "invalid" ? "an audience that cannot be read: nobody" : summary,
      delivered: campaign?.stats.delivered ?? 0,
    },
    evidence: await evidenceOf(within, proposal.proposedRunId),
    isStale: await isStale(within, proposal),
  };
}
