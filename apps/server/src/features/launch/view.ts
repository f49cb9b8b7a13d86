import { apiId } from "../../domain/ids.ts";
import type { CampaignRow, Launching } from "../campaigns/authoring/public.ts";
import {
  findReceipt,
  listWarnings,
  type ReceiptRow,
  type WarningRow,
} from "./activation/activation-store.ts";
import { readSituation } from "./judging/facts.ts";
import type { StoredPolicy } from "./policy/policy-store.ts";
import { assess, isApproved, labelOf } from "./rules.ts";
import type {
  CampaignActivation,
  DeploymentEvidence,
  LaunchPolicy,
  LaunchReceipt,
  LaunchWarning,
} from "./schema.ts";

const MOST_WARNINGS = 100;
const MOST_BLOCKERS = 1_000;

export const toPolicy = ({ defaultMode, revision }: StoredPolicy): LaunchPolicy => ({
  defaultMode,
  revision: String(revision),
});

const toReceipt = (row: ReceiptRow): LaunchReceipt => ({
  mode: row.mode,
  startedAt: row.startedAt,
  contentHash: row.contentHash,
  requirementsDigest: row.requirementsDigest,
  // Only evidence is written to this column.
  evidence: row.evidence as DeploymentEvidence[],
  ...(row.overrideBy === null || row.overrideReason === null
    ? {}
    : { override: { by: row.overrideBy, reason: row.overrideReason } }),
});

const toWarning = (row: WarningRow): LaunchWarning => ({
  id: apiId("wrn", row.id),
  reason: row.reason,
  createdAt: row.createdAt,
  mappingId: apiId("map", row.mappingId),
  mappingLabel: row.mappingLabel,
  // Only ids and evidence are written to these columns.
  requirementIds: row.requirementIds as string[],
  evidence: row.evidence as DeploymentEvidence,
});

/** Whether and how a campaign launches by itself, as the API shows it. */
export async function viewActivation(ctx: Launching, campaign: CampaignRow): Promise<CampaignActivation> {
  const { db, projectId } = ctx;
  const { facts, coverage, policy, activation } = await readSituation(ctx, campaign);
  const receipt = await findReceipt(db, projectId, campaign.id);
  const warnings = await listWarnings(db, projectId, campaign.id, MOST_WARNINGS);
  const { state, blockers } = assess(facts);
  const approved = isApproved(facts) ? "approved" : "pending";
  return {
    campaignId: apiId("cmp", campaign.id),
    revision: String(activation.revision),
    defaultMode: policy.defaultMode,
    override: activation.mode,
    effectiveMode: facts.mode,
    approval: facts.isInitial ? approved : "unavailable",
    approvedAsIs: facts.approval === null ? null : facts.approval.covers === "all",
    assessment: { state, blockers: blockers.slice(0, MOST_BLOCKERS) },
    requirements: coverage.required.map(({ id, change, pairs }) => ({
      id,
      sourceId: change.sourceId,
      label: labelOf(change),
      mappingIds: pairs.map(({ mappingId }) => mappingId),
    })),
    coverage: coverage.required.flatMap(({ id, pairs }) =>
      pairs.map(({ mappingId, mappingLabel, state: is, reason, evidence }) => ({
        requirementId: id,
        mappingId,
        mappingLabel,
        state: is,
        evidence,
        ...(reason === null ? {} : { reason }),
      })),
    ),
    lastCheckedAt: coverage.lastCheckedAt,
    launch: receipt === null ? null : toReceipt(receipt),
    warnings: warnings.map(toWarning),
  };
}
