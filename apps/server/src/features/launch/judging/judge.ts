import { apiId } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { wake } from "../../../platform/loops/loops.ts";
import type { App } from "../../../platform/runtime.ts";
import { newUuid } from "../../../platform/uuid.ts";
import { type CampaignRow, findCampaign } from "../../campaigns/authoring/public.ts";
import { logRun } from "../../runs/public.ts";
import { type CodeChange, type GitProof, judgeChanges } from "../../sources/git/public.ts";
import {
  findSource,
  type Looked,
  listCurrentDeployments,
  listMappings,
  mappingLabel,
} from "../../sources/registry/public.ts";
import { extendWarning, insertWarning } from "../activation/activation-store.ts";
import { isPresentAfter, warningOf } from "../rules.ts";
import type { DeploymentEvidence } from "../schema.ts";
import { type CoverageRow, listPresent, listUnjudged, putCoverage, type Unjudged } from "./coverage-store.ts";
import { toEvidence } from "./facts.ts";
import { launchLoop } from "./launch-loop.ts";

const toChange = ({ kind, number, shas, mergeSha: mergeCommit }: Unjudged): CodeChange =>
  kind === "commit" ? { kind, sha: shas[0] ?? "" } : { kind, number: number ?? 0, shas, mergeCommit };

/** Changes of one campaign in one environment, with what the repository says of each. */
type Judged = {
  campaignId: string;
  mappingId: string;
  requirements: readonly (Unjudged & { verdict: GitProof })[];
};

/** Warnings name the deployment that took changes back. */
type Place = { label: string; evidence: DeploymentEvidence; deploymentId: string };

async function warn(
  within: { db: Db; projectId: string; now: number },
  campaign: CampaignRow,
  mappingId: string,
  reason: "rollback" | "revert",
  requirementIds: readonly string[],
  { label, evidence, deploymentId }: Place,
): Promise<void> {
  const { db, projectId, now } = within;
  const key = { campaignId: campaign.id, mappingId, deploymentId, reason };
  if (await extendWarning(db, projectId, key, requirementIds)) return;
  const what = reason === "rollback" ? "was deployed without" : "takes back";
  const runId = await logRun(within, {
    kind: "warning",
    goalId: campaign.goalId,
    campaignId: campaign.id,
    input: { reason, mappingId: apiId("map", mappingId), evidence, requirementIds },
    output: { action: "warn" },
    rationale: `${label} ${what} a change that this campaign announces. It goes on: people decide.`,
  });
  await insertWarning(db, {
    ...key,
    id: newUuid(now),
    projectId,
    createdAt: now,
    mappingLabel: label,
    runId,
    requirementIds: JSON.stringify(requirementIds),
    evidence: JSON.stringify(evidence),
  });
}

/** Writes what was judged of one campaign in one environment, and warns where a launched one lost a change. Locks the campaign. */
async function write(
  within: { db: Db; projectId: string; now: number },
  looked: Looked,
  { campaignId, mappingId, requirements }: Judged,
  place: Place | null,
): Promise<void> {
  const { db, projectId, now } = within;
  const campaign = await findCampaign(db, projectId, campaignId, "for update");
  if (campaign === null) return;
  const ids = requirements.map(({ requirementId }) => requirementId);
  const present = await listPresent(db, projectId, mappingId, ids);
  const rows = requirements.map(
    ({ requirementId, deploymentId, verdict }): CoverageRow => ({
      requirementId,
      mappingId,
      projectId,
      campaignId,
      deploymentId,
      judgedAt: now,
      state: verdict.state,
      reason: verdict.reason,
      onBranch: verdict.onBranch,
      generation: looked.generation,
      fetchRevision: looked.fetchRevision,
      representation: [...verdict.representation],
      wasPresent: isPresentAfter(present.has(requirementId), verdict.state),
    }),
  );
  const isLaunched = campaign.startedAt !== null && campaign.status !== "ended";
  if (isLaunched && place !== null) {
    const lost = (reason: "rollback" | "revert") =>
      rows
        .filter(({ requirementId, state }) => warningOf(present.has(requirementId), state) === reason)
        .map(({ requirementId }) => apiId("req", requirementId));
    for (const reason of ["rollback", "revert"] as const) {
      const requirementIds = lost(reason);
      if (requirementIds.length > 0) await warn(within, campaign, mappingId, reason, requirementIds, place);
    }
  }
  await putCoverage(db, rows);
}

/** What each environment of a source runs now, for warnings, by mapping. */
async function readPlacesOf(db: Db, { projectId, sourceId }: Looked): Promise<ReadonlyMap<string, Place>> {
  const source = await findSource(db, projectId, sourceId);
  if (source === null) return new Map();
  const deployments = await listCurrentDeployments(db, projectId, [sourceId]);
  const places = new Map<string, Place>();
  for (const mapping of await listMappings(db, projectId, sourceId)) {
    const current = deployments.find(({ environment }) => environment === mapping.environment);
    if (current !== undefined)
      places.set(mapping.id, {
        label: mappingLabel(source, mapping),
        evidence: toEvidence(current),
        deploymentId: current.id,
      });
  }
  return places;
}

/**
 * Judges the declared changes of a source that was looked at against what is deployed now, and stores it. It looks for those whose stored
 * state is not of now, so that a deployment, a mapping, a declaration and a fetch are covered alike.
 */
export async function judgeLooked(app: App, looked: Looked, signal: AbortSignal): Promise<void> {
  const { kysely } = app.database;
  const { projectId, mirror, tipSha } = looked;
  const unjudged = await listUnjudged(kysely, projectId, looked);
  if (unjudged.length === 0) return;
  const places = await readPlacesOf(kysely, looked);
  for (const [deployed, group] of Map.groupBy(unjudged, (each) => each.deployed)) {
    const verdicts = await judgeChanges(mirror, {
      changes: group.map(toChange),
      branchTip: tipSha,
      deployed,
      signal,
    });
    if (signal.aborted) return;
    const judged = group.flatMap((each, index) => {
      const verdict = verdicts[index];
      return verdict === undefined ? [] : [{ ...each, verdict }];
    });
    const byPlace = Map.groupBy(judged, ({ campaignId, mappingId }) => `${campaignId} ${mappingId}`);
    for (const requirements of byPlace.values()) {
      const [first] = requirements;
      if (first === undefined) continue;
      const { campaignId, mappingId, deploymentId } = first;
      const place = places.get(mappingId) ?? null;
      // Another deployment counts by now: the next look, which is due then, judges that one.
      if ((place?.deploymentId ?? null) !== deploymentId) continue;
      await kysely
        .transaction()
        .execute((db) =>
          write({ db, projectId, now: app.clock() }, looked, { campaignId, mappingId, requirements }, place),
        );
    }
  }
  wake(app, launchLoop);
}
