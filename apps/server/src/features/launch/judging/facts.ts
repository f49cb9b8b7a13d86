import { beginningOf } from "@tidings/client/text";
import { apiId } from "../../../domain/ids.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import {
  assertReady,
  type CampaignRow,
  type DeclaredChange,
  declarationOf,
  findCampaign,
  type Launching,
  listDeclared,
  readLaunchRules,
} from "../../campaigns/authoring/public.ts";
import { placeInWindow } from "../../campaigns/authoring/rules.ts";
import { launchSettings } from "../../campaigns/authoring/status/settings.pure.ts";
import { readSome } from "../../settings/public.ts";
import {
  type DeploymentRow,
  findSource,
  listCurrentDeployments,
  listMappings,
  type MappingRow,
  mappingLabel,
  type SourceRow,
} from "../../sources/registry/public.ts";
import { isWithdrawn, readActivation, type StoredActivation } from "../activation/activation-store.ts";
import { readPolicy, type StoredPolicy } from "../policy/policy-store.ts";
import {
  type CoveragePair,
  type LaunchFacts,
  type LaunchStep,
  launchStep,
  type RequiredChange,
} from "../rules.ts";
import type { DeploymentEvidence, LaunchMode } from "../schema.ts";
import { readApproval } from "./approval.ts";
import { type CoverageRow, listCoverage } from "./coverage-store.ts";

type Where = Pick<Launching, "db" | "projectId">;

/** A deployment as evidence. */
export const toEvidence = (row: DeploymentRow): DeploymentEvidence => ({
  id: apiId("dep", row.id),
  provider: row.provider,
  label: row.label ?? beginningOf(row.deploymentKey, 200),
  url: row.url ?? "",
  revision: row.sha,
  reportedAt: row.reportedAt,
});

/** A source with its environments and what is deployed there now. */
type Place = {
  source: SourceRow;
  mappings: readonly MappingRow[];
  current: ReadonlyMap<string, DeploymentRow>;
};

async function readPlaces({ db, projectId }: Where, sourceIds: readonly string[]) {
  const places = new Map<string, Place | null>();
  const deployments = await listCurrentDeployments(db, projectId, sourceIds);
  for (const id of sourceIds) {
    const source = await findSource(db, projectId, id);
    const theirs = deployments.filter(({ sourceId }) => sourceId === id);
    places.set(
      id,
      source && {
        source,
        mappings: await listMappings(db, projectId, id),
        current: new Map(theirs.map((row) => [row.environment, row])),
      },
    );
  }
  return places;
}

const NOT_JUDGED = "The repository has not been compared with this deployment yet.";

/** What is known of a declared change in one environment. What was judged of another deployment says nothing of this one. */
function pairOf({ source, current }: Place, mapping: MappingRow, row: CoverageRow | undefined): CoveragePair {
  const deployment = current.get(mapping.environment) ?? null;
  const isOfNow =
    row !== undefined &&
    row.deploymentId === (deployment?.id ?? null) &&
    row.generation === source.generation;
  return {
    mappingId: apiId("map", mapping.id),
    mappingLabel: mappingLabel(source, mapping),
    ...(isOfNow
      ? { state: row.state, onBranch: row.onBranch, reason: row.reason }
      : deployment === null
        ? { state: "pending" as const, onBranch: null, reason: null }
        : { state: "unknown" as const, onBranch: null, reason: NOT_JUDGED }),
    evidence: deployment === null ? null : toEvidence(deployment),
  };
}

/** What is known of the changes that a campaign (UUID) declares. */
export type KnownCoverage = Pick<LaunchFacts, "required" | "sources"> & {
  /** The revision of the declaration. */
  declared: string;
  lastCheckedAt: number | null;
};

/** Reads what a campaign declares, and whether it is live by what is stored of the current deployments. */
export async function readCoverage(where: Where, campaignId: string): Promise<KnownCoverage> {
  const { db, projectId } = where;
  const declared: readonly DeclaredChange[] =
    (await listDeclared(db, projectId, [campaignId])).get(campaignId) ?? [];
  const { revision } = declarationOf(declared);
  if (declared.length === 0)
    return { declared: revision, required: [], sources: new Map(), lastCheckedAt: null };
  const places = await readPlaces(where, [...new Set(declared.map(({ change }) => change.sourceId))]);
  const rows = await listCoverage(db, projectId, campaignId);
  const rowOf = new Map(rows.map((row) => [`${row.requirementId} ${row.mappingId}`, row]));
  const required = declared.map(({ id, change }): RequiredChange => {
    const place = places.get(change.sourceId) ?? null;
    const pairs =
      place === null
        ? []
        : place.mappings.map((mapping) => pairOf(place, mapping, rowOf.get(`${id} ${mapping.id}`)));
    return { id: apiId("req", id), change, pairs };
  });
  const times = rows.map(({ judgedAt }) => judgedAt);
  return {
    declared: revision,
    required,
    sources: new Map([...places].map(([id, place]) => [id, place?.source ?? null])),
    lastCheckedAt: times.length === 0 ? null : Math.max(...times),
  };
}

/** Each deployment that shows that a campaign's changes are live, once. */
export function deploymentEvidence({ required }: Pick<LaunchFacts, "required">): DeploymentEvidence[] {
  const found = new Map<string, DeploymentEvidence>();
  for (const { evidence } of required.flatMap(({ pairs }) => pairs))
    if (evidence !== null) found.set(evidence.id, evidence);
  return [...found.values()];
}

/** Why a guardrail or the channel is not ready for a launch, or null. Locks nothing. */
async function findUnready(ctx: Launching, campaign: CampaignRow): Promise<string | null> {
  try {
    await assertReady(ctx, campaign, "read");
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
}

/** All that decides whether a campaign launches by itself, and what is shown beside it. */
export type Situation = {
  facts: LaunchFacts;
  coverage: KnownCoverage;
  policy: StoredPolicy;
  activation: StoredActivation;
};

/** Reads what decides whether a campaign launches by itself. */
export async function readSituation(ctx: Launching, campaign: CampaignRow): Promise<Situation> {
  const { db, projectId, now } = ctx;
  const policy = await readPolicy(db, projectId);
  const activation = await readActivation(db, projectId, campaign.id);
  const coverage = await readCoverage(ctx, campaign.id);
  const { "launch.paused": isPaused } = await readSome(db, projectId, launchSettings, ["launch.paused"]);
  const isInitial = campaign.status === "draft" && campaign.startedAt === null;
  const facts: LaunchFacts = {
    isInitial,
    mode: activation.mode ?? policy.defaultMode,
    approval: isInitial ? await readApproval(ctx, campaign) : null,
    approvedContent: (await readLaunchRules(ctx)).approvedContent,
    isPaused,
    isOver: placeInWindow(campaign, now) === "over",
    isWithdrawn: await isWithdrawn(db, projectId, campaign.id),
    notReady: isInitial ? await findUnready(ctx, campaign) : null,
    sources: coverage.sources,
    required: coverage.required,
  };
  return { facts, coverage, policy, activation };
}

/** What a draft (UUID) that announces changes waits for people to do, and the mode that counts; null where it is gone. */
export async function readStep(
  ctx: Launching,
  campaignId: string,
): Promise<{ step: LaunchStep; mode: LaunchMode } | null> {
  const campaign = await findCampaign(ctx.db, ctx.projectId, campaignId);
  if (campaign === null) return null;
  const { facts } = await readSituation(ctx, campaign);
  return { step: launchStep(facts), mode: facts.mode };
}
