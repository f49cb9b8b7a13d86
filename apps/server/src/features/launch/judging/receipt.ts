import type { Launch, Launched, Launching } from "../../campaigns/authoring/public.ts";
import { logRun } from "../../runs/public.ts";
import { insertReceipt } from "../activation/activation-store.ts";
import { contentHashOf, readDetail } from "./content-hash.ts";
import { deploymentEvidence, readCoverage } from "./facts.ts";

const BY_ITSELF = "Launched by itself: a person allowed it, and all changes that it announces are live.";
/** The most deployments that a run names. */
const MOST_NAMED = 100;

/**
 * Writes how a campaign (locked or just inserted) is launched: a receipt the first time, and a run where no request launches it. The one
 * door of launches calls this.
 */
export async function writeLaunch(ctx: Launching, campaign: Launched, launch: Launch): Promise<void> {
  const { db, projectId, now } = ctx;
  const { id: campaignId, goalId } = campaign;
  const { mode, override } = launch;
  const isFirst = campaign.startedAt === null;
  const isRun = mode === "automatic" || override !== null;
  if (!isFirst && !isRun) return;
  const coverage = await readCoverage(ctx, campaignId);
  const evidence = deploymentEvidence(coverage);
  const ids = evidence.map(({ id }) => id);
  const runId = isRun
    ? await logRun(ctx, {
        kind: "launch",
        goalId,
        campaignId,
        rationale: override?.reason ?? BY_ITSELF,
        input: { requirementsDigest: coverage.declared, evidence: ids.slice(0, MOST_NAMED) },
        output: { action: "launch", mode, ...(override === null ? {} : { overriddenBy: override.by }) },
      })
    : null;
  if (!isFirst) return;
  await insertReceipt(db, {
    campaignId,
    projectId,
    mode,
    startedAt: now,
    runId,
    contentHash: contentHashOf(await readDetail(db, projectId, campaignId, now)),
    requirementsDigest: coverage.declared,
    evidence: JSON.stringify(evidence),
    overrideBy: override?.by ?? null,
    overrideReason: override?.reason ?? null,
  });
}
