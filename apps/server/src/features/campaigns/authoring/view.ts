import { apiId, uuidFor } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { readStored } from "../../audience/language/parse/stored.pure.ts";
import { describeAudience } from "../../audience/language/public.ts";
import { findSegmentKeys } from "../../audience/segments/public.ts";
import type { PushSettings } from "../../content/push/message.pure.ts";
import { findRun } from "../../runs/public.ts";
import { findPass, findPasses, type Pass } from "./audience/pass-store.ts";
import { declarationOf } from "./changes/declaration.ts";
import { type DeclaredChange, listDeclared } from "./changes/declaration-store.ts";
import { titleOf } from "./message/texts.pure.ts";
import { revisionOf } from "./revision.ts";
import { effectiveStatus } from "./rules.ts";
import { type Campaign, type CampaignDetail, type CampaignStats, EndedBy, PausedBy } from "./schema.ts";
import {
  type CampaignRow,
  findCampaign,
  listCampaigns,
  listVariants,
  sumStats,
  type VariantStats,
} from "./store.ts";

const NO_STATS: CampaignStats = {
  sent: 0,
  frequencyCapped: 0,
  delivered: 0,
  shown: 0,
  opened: 0,
  clicked: 0,
  dismissed: 0,
  bounced: 0,
  complained: 0,
  unsubscribed: 0,
  converted: 0,
};

const total = (parts: readonly VariantStats[]): CampaignStats => {
  const sum = { ...NO_STATS };
  for (const part of parts) {
    for (const name of Object.keys(NO_STATS) as (keyof CampaignStats)[]) sum[name] += part[name];
  }
  return sum;
};

/** Keys of segments by their API id. */
type SegmentKeys = ReadonlyMap<string, string>;

/** The keys of the segments that campaigns have pinned. */
async function readSegmentKeys(
  db: Db,
  projectId: string,
  rows: readonly CampaignRow[],
): Promise<SegmentKeys> {
  const pinned = rows.flatMap(({ audience }) => {
    const stored = readStored(audience);
    return stored.kind === "segment" ? [stored.segmentId] : [];
  });
  const found = await findSegmentKeys(
    db,
    projectId,
    pinned.map((id) => uuidFor("seg", id)),
  );
  return new Map([...found].map(([id, key]) => [apiId("seg", id), key]));
}

/** What is shown of a campaign beside its row. */
type Beside = {
  stats: readonly VariantStats[];
  segmentKeys: SegmentKeys;
  declared: readonly DeclaredChange[];
  pass: Pass;
  now: number;
};

/** A campaign as the API shows it at one instant. */
function toCampaign(row: CampaignRow, { stats, segmentKeys, declared, pass, now }: Beside): Campaign {
  const stored = readStored(row.audience);
  const segmentKey = stored.kind === "segment" ? segmentKeys.get(stored.segmentId) : undefined;
  return {
    id: apiId("cmp", row.id),
    name: row.name,
    status: row.status,
    effectiveStatus: effectiveStatus(row.status, row, now),
    channel: row.channel,
    purpose: row.purpose,
    key: row.key,
    sensitive: row.isSensitive,
    goalId: row.goalId === null ? null : apiId("goal", row.goalId),
    topicId: row.topicId === null ? null : apiId("top", row.topicId),
    agentRunId: row.agentRunId === null ? null : apiId("run", row.agentRunId),
    journeyStep:
      row.journeyId === null || row.stepId === null
        ? null
        : { journeyId: apiId("jrn", row.journeyId), stepId: row.stepId },
    createdBy: row.createdBy,
    createdAt: row.createdAt,
    ...(row.startedAt === null ? {} : { startedAt: row.startedAt }),
    ...(row.endedAt === null ? {} : { endedAt: row.endedAt }),
    // A file that was imported may say anything here.
    pausedBy: row.status === "paused" ? (PausedBy.safeParse(row.pause).data ?? null) : null,
    endedBy: row.status === "ended" ? (EndedBy.safeParse(row.ending).data ?? null) : null,
    deliverFrom: row.deliverFrom,
    deliverUntil: row.deliverUntil,
    once: row.once,
    sendTime: row.sendTime,
    priority: row.priority,
    patienceHours: row.patienceHours,
    urgent: row.urgent,
    passEndedAt: pass.endedAt,
    ...describeAudience(stored, segmentKey),
    visitors: row.visitors,
    pages: row.pages,
    stats: total(stats),
    // Only checked objects are written to this column.
    push: row.push as PushSettings | null,
    sourceChanges: declarationOf(declared),
  };
}

/** Campaigns with their counters, in the order of the rows. */
export async function viewCampaigns(
  db: Db,
  projectId: string,
  rows: readonly CampaignRow[],
  now: number,
): Promise<Campaign[]> {
  const ids = rows.map((row) => row.id);
  const stats = await sumStats(db, projectId, ids);
  const declared = await listDeclared(db, projectId, ids);
  const passOf = await findPasses(db, projectId, rows);
  const byCampaign = Map.groupBy(stats, (part) => part.campaignId);
  const segmentKeys = await readSegmentKeys(db, projectId, rows);
  return rows.map((row) =>
    toCampaign(row, {
      stats: byCampaign.get(row.id) ?? [],
      declared: declared.get(row.id) ?? [],
      segmentKeys,
      pass: passOf(row),
      now,
    }),
  );
}

/** The newest campaigns of a project with their counters, newest first. */
export async function readNewestCampaigns(
  db: Db,
  projectId: string,
  now: number,
  limit: number,
): Promise<Campaign[]> {
  const everything = {
    purpose: "marketing" as const,
    status: null,
    nameContains: null,
    goalId: null,
    segmentId: null,
    journeyId: null,
    now,
  };
  const { rows } = await listCampaigns(db, projectId, everything, { offset: 0, limit });
  return viewCampaigns(db, projectId, rows, now);
}

/** A campaign with its variants and counters, or null when the project has none of that id. */
export async function viewCampaignDetail(
  db: Db,
  projectId: string,
  uuid: string,
  now: number,
): Promise<CampaignDetail | null> {
  const row = await findCampaign(db, projectId, uuid);
  if (row === null) return null;
  const variants = await listVariants(db, projectId, uuid);
  const stats = await sumStats(db, projectId, [uuid]);
  const segmentKeys = await readSegmentKeys(db, projectId, [row]);
  const declared = (await listDeclared(db, projectId, [uuid])).get(uuid) ?? [];
  const pass = await findPass(db, projectId, row);
  const campaign = toCampaign(row, { stats, segmentKeys, declared, pass, now });
  const runId = campaign.pausedBy?.runId ?? null;
  const run = runId === null ? null : await findRun(db, projectId, uuidFor("run", runId));
  return {
    ...campaign,
    pausedBecause: run?.rationale ?? null,
    revision: revisionOf(row, variants),
    variants: variants.map((variant) => ({
      id: apiId("var", variant.id),
      name: variant.name,
      weight: variant.weight,
      isControl: variant.isControl,
      content: variant.content,
      title: titleOf(row.channel, variant.content),
      stats: total(stats.filter((part) => part.variantId === variant.id)),
    })),
  };
}
