import { type Selectable, sql } from "kysely";
import { containing } from "../../../platform/db/containing.ts";
import type { Db, Tables } from "../../../platform/db/db.ts";
import { type SqlText, sqlText } from "../../../platform/db/statements/sql-text.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import type { StoredAudience } from "../../audience/language/schema.ts";
import type { PushSettings } from "../../content/push/message.pure.ts";
import { titleOf } from "./message/texts.pure.ts";
import type {
  CampaignStatus,
  DeliveryWindow,
  EffectiveStatus,
  Purpose,
  VariantState,
  VisitorsMet,
} from "./rules.ts";
import type { CampaignStats, Channel, EndedBy, PausedBy } from "./schema.ts";
import type { SendTime } from "./timing.pure.ts";

/** The database takes no other values of `visitors` and `purpose`. */
export type CampaignRow = Omit<Selectable<Tables["campaigns"]>, "visitors" | "purpose" | "sendTime"> & {
  visitors: VisitorsMet;
  purpose: Purpose;
  /** Only checked objects are written. */
  sendTime: SendTime | null;
};
export type VariantRow = VariantState & {
  id: string;
  campaignId: string;
  position: number;
  content: Record<string, unknown>;
};

export type NewCampaign = {
  id: string;
  name: string;
  status: CampaignStatus;
  channel: Channel;
  purpose: Purpose;
  key: string | null;
  isSensitive: boolean;
  goalId: string | null;
  topicId: string | null;
  agentRunId: string | null;
  /** The step of a journey whose message it is; null for any other campaign. */
  journeyId: string | null;
  stepId: string | null;
  createdBy: string;
  createdAt: number;
  startedAt: number | null;
  deliverFrom: number | null;
  deliverUntil: number | null;
  once: boolean;
  sendTime: SendTime | null;
  priority: number;
  patienceHours: number;
  urgent: boolean;
  audience: StoredAudience;
  visitors: VisitorsMet;
  pages: string[] | null;
  push: PushSettings | null;
};

/** Answers whether it was inserted: false where another template that has not ended has its key. */
export async function insertCampaign(db: Db, projectId: string, campaign: NewCampaign): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto("campaigns")
    .values({
      ...campaign,
      audience: JSON.stringify(campaign.audience),
      push: campaign.push === null ? null : JSON.stringify(campaign.push),
      sendTime: campaign.sendTime === null ? null : JSON.stringify(campaign.sendTime),
      projectId,
    })
    .onConflict((found) =>
      found
        .columns(["projectId", "key"])
        // Written out, as the index has it.
        .where(sql<boolean>`key is not null and status <> 'ended'`)
        .doNothing(),
    )
    .executeTakeFirst();
  return numInsertedOrUpdatedRows > 0n;
}

/** The template of a key that has not ended, or the newest of all; null where there is none. */
export async function findTemplate(
  db: Db,
  projectId: string,
  key: string,
  which: "not ended" | "also ended" = "not ended",
): Promise<CampaignRow | null> {
  const row = await db
    .selectFrom("campaigns")
    .selectAll()
    .where("projectId", "=", projectId)
    .where("key", "=", key)
    .$if(which === "not ended", (query) => query.where("status", "!=", "ended"))
    .orderBy(sql`status = 'ended'`)
    .orderBy("createdAt", "desc")
    .limit(1)
    .executeTakeFirst();
  return (row as CampaignRow | undefined) ?? null;
}

export async function insertVariants(
  db: Db,
  projectId: string,
  variants: readonly VariantRow[],
): Promise<void> {
  if (variants.length === 0) return;
  const rows = variants.map((variant) => ({
    ...variant,
    content: JSON.stringify(variant.content),
    projectId,
  }));
  await db.insertInto("variants").values(rows).execute();
}

export async function updateVariant(db: Db, projectId: string, variant: VariantRow): Promise<void> {
  const { id, name, weight, isControl, content } = variant;
  await db
    .updateTable("variants")
    .set({ name, weight, isControl, content: JSON.stringify(content) })
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .execute();
}

/** Removes the control flag from all variants, so that another one can get it: the database allows one at a time. */
export async function clearControl(db: Db, projectId: string, campaignId: string): Promise<void> {
  await db
    .updateTable("variants")
    .set({ isControl: false })
    .where("projectId", "=", projectId)
    .where("campaignId", "=", campaignId)
    .execute();
}

export async function findCampaign(
  db: Db,
  projectId: string,
  uuid: string,
  lock: "read" | "for update" = "read",
): Promise<CampaignRow | null> {
  const row = await db
    .selectFrom("campaigns")
    .selectAll()
    .where("projectId", "=", projectId)
    .where("id", "=", uuid)
    .$if(lock === "for update", (query) => query.forUpdate())
    .executeTakeFirst();
  return (row as CampaignRow | undefined) ?? null;
}

/** Whether a journey (UUID) runs. */
export async function isJourneyRunning(db: Db, projectId: string, journeyId: string): Promise<boolean> {
  const row = await db
    .selectFrom("journeys")
    .select("status")
    .where("projectId", "=", projectId)
    .where("id", "=", journeyId)
    .executeTakeFirst();
  return row?.status === "running";
}

/** Whether a person has allowed a draft to launch by itself. */
export async function isAllowedByItself(db: Db, projectId: string, uuid: string): Promise<boolean> {
  const row = await db
    .selectFrom("campaignApprovals")
    .select("campaignId")
    .where("projectId", "=", projectId)
    .where("campaignId", "=", uuid)
    .executeTakeFirst();
  return row !== undefined;
}

export async function listVariants(db: Db, projectId: string, campaignId: string): Promise<VariantRow[]> {
  const rows = await db
    .selectFrom("variants")
    .select(["id", "campaignId", "position", "name", "weight", "isControl", "content"])
    .where("projectId", "=", projectId)
    .where("campaignId", "=", campaignId)
    .orderBy("position")
    .execute();
  return rows as VariantRow[];
}

/** The titles of variants (UUIDs) as they are now, by id. */
export async function listTitles(
  db: Db,
  projectId: string,
  variantIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (variantIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("variants as v")
    .innerJoin("campaigns as c", "c.id", "v.campaignId")
    // The body of a mail is long, and its subject says enough.
    .select([
      "v.id",
      "c.channel",
      sql`case c.channel when 'email' then v.content - 'body' else v.content end`.as("content"),
    ])
    .where("v.projectId", "=", projectId)
    .where("v.id", "in", variantIds)
    .execute();
  return new Map(rows.map(({ id, channel, content }) => [id, titleOf(channel, content)]));
}

export type CampaignChange = {
  name?: string;
  audience?: StoredAudience;
  visitors?: VisitorsMet;
  pages?: string[] | null;
  goalId?: string | null;
  topicId?: string | null;
  agentRunId?: string | null;
  once?: boolean;
  sendTime?: SendTime | null;
  priority?: number;
  patienceHours?: number;
  urgent?: boolean;
  push?: PushSettings;
} & Partial<DeliveryWindow>;

/**
 * Changes a campaign that has not ended; answers whether there was one. `changesContent`: its variants or push settings change.
 * `beginsPass`: whether a campaign that is sent once goes through its audience another time for it.
 */
export async function updateCampaignRow(
  db: Db,
  projectId: string,
  uuid: string,
  change: CampaignChange,
  { changesContent, beginsPass }: { changesContent: boolean; beginsPass: boolean },
): Promise<boolean> {
  const { audience, push, sendTime, ...rest } = change;
  const set = {
    ...rest,
    ...(audience === undefined ? {} : { audience: JSON.stringify(audience) }),
    ...(push === undefined ? {} : { push: JSON.stringify(push) }),
    ...(sendTime === undefined ? {} : { sendTime: sendTime === null ? null : JSON.stringify(sendTime) }),
    ...(changesContent ? { contentVersion: sql<number>`content_version + 1` } : {}),
    ...(beginsPass ? { pass: sql<number>`pass + 1` } : {}),
  };
  if (Object.keys(set).length === 0) return true;
  const { numUpdatedRows } = await db
    .updateTable("campaigns")
    .set(set)
    .where("projectId", "=", projectId)
    .where("id", "=", uuid)
    .where("status", "!=", "ended")
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** SQL: when the messages of the campaign `c` leave, as `CampaignTiming`. */
export const timingOfSql = (c: string): SqlText =>
  sqlText(`jsonb_build_object('sendTime', ${c}.send_time, 'priority', ${c}.priority, 'patienceHours', ${c}.patience_hours,
    'urgent', ${c}.urgent, 'deliverFrom', ${c}.deliver_from)`);

/** Moves a campaign from one of the states it may leave; the first launch and the end keep their instant. */
export async function moveCampaign(
  db: Db,
  projectId: string,
  uuid: string,
  move: {
    from: readonly CampaignStatus[];
    next: CampaignStatus;
    pause: PausedBy | null;
    ending: EndedBy | null;
    now: number;
  },
): Promise<boolean> {
  const { from, next, pause, ending, now } = move;
  const { numUpdatedRows } = await db
    .updateTable("campaigns")
    .set({
      status: next,
      pause: pause === null ? null : JSON.stringify(pause),
      ...(next === "running" ? { startedAt: sql<number>`coalesce(started_at, ${now})` } : {}),
      ...(next === "ended" ? { endedAt: now, ending: ending === null ? null : JSON.stringify(ending) } : {}),
    })
    .where("projectId", "=", projectId)
    .where("id", "=", uuid)
    .where("status", "in", from)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Says of the campaigns that an import has just paused when that was (epoch ms). */
export async function adoptPauses(db: Db, projectId: string, now: number): Promise<void> {
  await sql`
    update ${t.campaigns}
    set pause = jsonb_build_object('by', 'import', 'name', null, 'at', ${now}::int8, 'runId', null, 'guardrail', null)
    where project_id = ${projectId} and pause = '{"by": "import"}'`.execute(db);
}

/**
 * How many other campaigns of a goal run, without templates, or will once their window opens. A journey is one, however many steps it has.
 * `now` is epoch milliseconds.
 */
export async function countActive(
  db: Db,
  projectId: string,
  { goalId, except, now }: { goalId: string; except: string; now: number },
): Promise<number> {
  const { active } = await db
    .selectFrom("campaigns")
    .select(sql<number>`count(distinct coalesce(journey_id, id))`.as("active"))
    .where("projectId", "=", projectId)
    .where("goalId", "=", goalId)
    .where(
      sql<boolean>`coalesce(journey_id, id) <> coalesce(
        (select o.journey_id from ${t.campaigns} o where o.id = ${except} and o.project_id = ${projectId}), ${except}
      )`,
    )
    .where("purpose", "=", "marketing")
    .where("status", "=", "running")
    .where(sql<boolean>`coalesce(deliver_until > ${now}, true)`)
    .executeTakeFirstOrThrow();
  return active;
}

/** The newest campaigns of a goal (UUID) that run, are scheduled or paused at an instant, and how many there are. */
export async function listUnderGoal(
  db: Db,
  projectId: string,
  { goalId, now }: { goalId: string; now: number },
  limit: number,
): Promise<{ rows: CampaignRow[]; total: number }> {
  const going = db
    .selectFrom("campaigns")
    .where("projectId", "=", projectId)
    .where("goalId", "=", goalId)
    .where("status", "in", ["running", "paused"])
    .where(sql<boolean>`coalesce(deliver_until > ${now}, true)`);
  const { total } = await going.select(sql<number>`count(*)`.as("total")).executeTakeFirstOrThrow();
  const rows = await going
    .selectAll()
    .orderBy("createdAt", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  return { rows: rows as CampaignRow[], total };
}

/** `goalId` is a UUID, `segmentId` the id of the API, as audiences keep it. */
export type CampaignFilter = {
  status: EffectiveStatus | null;
  purpose: Purpose;
  nameContains: string | null;
  goalId: string | null;
  segmentId: string | null;
  /** UUID: only the steps of this journey; null for campaigns that are no steps. */
  journeyId: string | null;
  now: number;
};

/** Newest first. The filter and the answer use the effective status at the same instant. */
export async function listCampaigns(
  db: Db,
  projectId: string,
  filter: CampaignFilter,
  window: { offset: number; limit: number },
): Promise<{ rows: CampaignRow[]; total: number }> {
  const { purpose, status, nameContains, goalId, segmentId, journeyId, now } = filter;
  const isOver = sql<boolean>`coalesce(${now} >= deliver_until, false)`;
  const isEarly = sql<boolean>`coalesce(${now} < deliver_from, false)`;
  const states: Readonly<Record<EffectiveStatus, ReturnType<typeof sql<boolean>>>> = {
    draft: sql`status = 'draft'`,
    ended: sql`status = 'ended'`,
    expired: sql`status in ('running', 'paused') and ${isOver}`,
    paused: sql`status = 'paused' and not ${isOver}`,
    scheduled: sql`status = 'running' and not ${isOver} and ${isEarly}`,
    running: sql`status = 'running' and not ${isOver} and not ${isEarly}`,
  };
  const matching = db
    .selectFrom("campaigns")
    .where("projectId", "=", projectId)
    .where("purpose", "=", purpose)
    .where("journeyId", journeyId === null ? "is" : "=", journeyId)
    .$if(status !== null, (query) => query.where(states[status ?? "draft"]))
    .$if(nameContains !== null, (query) => query.where("name", "ilike", containing(nameContains ?? "")))
    .$if(goalId !== null, (query) => query.where("goalId", "=", goalId))
    .$if(segmentId !== null, (query) => query.where(sql<boolean>`audience->>'segmentId' = ${segmentId}`));
  const { total } = await matching.select(sql<number>`count(*)`.as("total")).executeTakeFirstOrThrow();
  const rows = await matching
    .selectAll()
    .orderBy("createdAt", "desc")
    .orderBy("id", "desc")
    .offset(window.offset)
    .limit(window.limit)
    .execute();
  return { rows: rows as CampaignRow[], total };
}

export type VariantStats = CampaignStats & { campaignId: string; variantId: string };

/** Counters of campaigns by variant, summed over the lanes they are kept in. */
export async function sumStats(
  db: Db,
  projectId: string,
  campaignIds: readonly string[],
): Promise<VariantStats[]> {
  if (campaignIds.length === 0) return [];
  const sum = (column: keyof CampaignStats) => sql<number>`sum(${sql.ref(column)})::int8`.as(column);
  return db
    .selectFrom("campaignStats")
    .select(["campaignId", "variantId"])
    .select([
      sum("sent"),
      sum("frequencyCapped"),
      sum("delivered"),
      sum("shown"),
      sum("opened"),
      sum("clicked"),
      sum("dismissed"),
      sum("bounced"),
      sum("complained"),
      sum("unsubscribed"),
      sum("converted"),
    ])
    .where("projectId", "=", projectId)
    .where("campaignId", "in", campaignIds)
    .groupBy(["campaignId", "variantId"])
    .execute();
}
