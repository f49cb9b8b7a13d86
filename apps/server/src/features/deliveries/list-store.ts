import { type RawBuilder, type Selectable, sql } from "kysely";
import { apiId, deliveryId, type UserRef } from "../../domain/ids.ts";
import type { Db, Tables } from "../../platform/db/db.ts";
import {
  type Listed,
  listByIndex,
  listByReading,
  type PageAt,
  type Stretch,
} from "../../platform/db/long-list.ts";
import { t } from "../../platform/db/statements/table-names.ts";
import { contentDigest, listTitles } from "../campaigns/authoring/public.ts";
import type { DeliveryState } from "./lifecycle/rules.ts";
import type { Delivery, UserDelivery } from "./schema.ts";

type DeliveryFilter = { campaignId: string; state: DeliveryState | null };

/** A delivery of a variant, and whether it was decided for the text that the variant has now. */
type WithText = { variantId: string; isOfTextNow: boolean };
/** Titles of variants by their id. */
type Titles = ReadonlyMap<string, string>;

/** SQL: whether a delivery `d` was decided for the text that its variant `v` has now; false as well where its epoch was not kept. */
const isOfTextNow = sql<boolean>`exists (
    select from ${t.allocations} a
    where a.campaign_id = d.campaign_id and a.epoch = d.epoch and a.variant_id = v.id and a.content_digest = ${contentDigest}
  )`;

const titlesFor = (db: Db, projectId: string, rows: readonly WithText[]): Promise<Titles> =>
  listTitles(db, projectId, [...new Set(rows.filter((row) => row.isOfTextNow).map((row) => row.variantId))]);

/** Null for a delivery of an earlier text: the present one is not what was delivered. */
const titleIn = (titles: Titles, { variantId, isOfTextNow: isNow }: WithText): string | null =>
  isNow ? (titles.get(variantId) ?? null) : null;

type DeliveryRow = Selectable<Tables["deliveries"]> &
  WithText & { externalId: string | null; variantName: string };

function toDelivery(row: DeliveryRow, titles: Titles): Delivery {
  const { queuedAt, sentAt, deliveredAt, shownAt, openedAt, clickedAt } = row;
  const { dismissedAt, bouncedAt, complainedAt, unsubscribedAt, convertedAt } = row;
  return {
    id: deliveryId(row),
    endUserId: apiId("eu", row.userKey),
    externalUserId: row.externalId ?? "",
    variantId: apiId("var", row.variantId),
    variantName: row.variantName,
    variantTitle: titleIn(titles, row),
    state: row.state,
    queuedAt,
    sentAt,
    deliveredAt,
    shownAt,
    openedAt,
    clickedAt,
    dismissedAt,
    bouncedAt,
    complainedAt,
    unsubscribedAt,
    convertedAt,
  };
}

/** A delivery's place in the list of its campaign: newest first, then by user and occasion, descending. */
export type DeliveryPlace = { queuedAt: number; userKey: string; occasion: number };

/** `among`: how many deliveries are looked at where each has to be read for its state. */
type Listing = Stretch<DeliveryPlace> & DeliveryFilter & { among: number };

const placeSql = ({ queuedAt, userKey, occasion }: DeliveryPlace): RawBuilder<unknown> =>
  sql`(${queuedAt}::int8, ${userKey}::uuid, ${occasion}::int4)`;

/** Deliveries of a campaign between two places. The index has the instants alone in this order, so these are named by themselves as well. */
const between = (
  projectId: string,
  campaignId: string,
  { after, end }: { after: DeliveryPlace | null; end: DeliveryPlace | null },
): RawBuilder<unknown> => sql`
  ${t.deliveries} d
  where d.campaign_id = ${campaignId} and d.project_id = ${projectId}
    ${after === null ? sql`` : sql`and d.queued_at <= ${after.queuedAt} and (d.queued_at, d.user_key, d.occasion) < ${placeSql(after)}`}
    ${end === null ? sql`` : sql`and d.queued_at >= ${end.queuedAt} and (d.queued_at, d.user_key, d.occasion) >= ${placeSql(end)}`}`;

const NEWEST_FIRST = sql`d.queued_at desc, d.user_key desc, d.occasion desc`;
const OLDEST_FIRST = sql`d.queued_at, d.user_key, d.occasion`;

/** Deliveries with what is shown of their users and variants, which are looked up for those of the page alone. */
async function readPage(
  db: Db,
  deliveries: RawBuilder<unknown>,
  { fromEnd, offset, limit }: PageAt,
): Promise<DeliveryRow[]> {
  const { rows } = await sql<DeliveryRow>`
    select d.*, u.external_id, v.name as variant_name, ${isOfTextNow} as is_of_text_now
    from (
      select d.* from ${deliveries}
      order by ${fromEnd ? OLDEST_FIRST : NEWEST_FIRST} offset ${offset} limit ${limit}
    ) d
    join ${t.variants} v on v.id = d.variant_id
    left join ${t.users} u on u.lane = d.lane and u.user_key = d.user_key
    order by ${NEWEST_FIRST}`.execute(db);
  return rows;
}

/** How many deliveries a campaign has. An index answers that alone, so the project is asked of the campaign. */
async function countOfCampaign(db: Db, projectId: string, campaignId: string): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(*) as total from ${t.campaigns} c join ${t.deliveries} d on d.campaign_id = c.id
    where c.id = ${campaignId} and c.project_id = ${projectId}`.execute(db);
  return rows[0]?.total ?? 0;
}

/** Of the deliveries behind a place, the last one that is looked at; null where all of them are. */
async function lastLookedAt(
  db: Db,
  deliveries: RawBuilder<unknown>,
  among: number,
): Promise<DeliveryPlace | null> {
  const { rows } = await sql<DeliveryPlace>`
    select d.queued_at, d.user_key, d.occasion from ${deliveries} order by ${NEWEST_FIRST} offset ${among - 1} limit 2`.execute(
    db,
  );
  return rows.length < 2 ? null : (rows[0] ?? null);
}

async function count(db: Db, deliveries: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ total: number }>`select count(*) as total from ${deliveries}`.execute(db);
  return rows[0]?.total ?? 0;
}

/** The deliveries of a campaign in their order, or those of them that are in a state. */
export async function listDeliveries(
  db: Db,
  projectId: string,
  { campaignId, state, among, ...stretch }: Listing,
): Promise<Listed<Delivery, DeliveryPlace>> {
  const { after } = stretch;
  const ofCampaign = (end: DeliveryPlace | null): RawBuilder<unknown> =>
    between(projectId, campaignId, { after, end });
  const placeOf = ({ queuedAt, userKey, occasion }: DeliveryRow): DeliveryPlace => ({
    queuedAt,
    userKey,
    occasion,
  });
  async function find(): Promise<Listed<DeliveryRow, DeliveryPlace>> {
    if (state === null) {
      const total = await countOfCampaign(db, projectId, campaignId);
      return listByIndex(stretch, total, (at) => readPage(db, ofCampaign(null), at), placeOf);
    }
    const end = await lastLookedAt(db, ofCampaign(null), among);
    const matching = sql`${ofCampaign(end)} and d.state = ${state}`;
    const reads = {
      readPage: (at: PageAt) => readPage(db, matching, at),
      count: () => count(db, matching),
    };
    return listByReading(stretch, end, reads, placeOf);
  }
  const { rows, ...found } = await find();
  const titles = await titlesFor(db, projectId, rows);
  return { ...found, rows: rows.map((row) => toDelivery(row, titles)) };
}

/** The deliveries of a user by the instant they were queued, newest first; at equal instants by campaign, descending. */
export async function listUserDeliveries(
  db: Db,
  projectId: string,
  { lane, userKey }: UserRef,
  window: { offset: number; limit: number },
): Promise<{ deliveries: UserDelivery[]; total: number }> {
  const matching = db
    .selectFrom("deliveries as d")
    .where("d.projectId", "=", projectId)
    .where("d.lane", "=", lane)
    .where("d.userKey", "=", userKey);
  const { total } = await matching.select(sql<number>`count(*)`.as("total")).executeTakeFirstOrThrow();
  const rows = await matching
    .innerJoin("campaigns as c", "c.id", "d.campaignId")
    .innerJoin("variants as v", "v.id", "d.variantId")
    .select(["d.campaignId", "d.occasion", "d.variantId", "d.state", "d.queuedAt"])
    .select([
      "c.name as campaignName",
      "c.status as campaignStatus",
      "v.name as variantName",
      isOfTextNow.as("isOfTextNow"),
    ])
    .orderBy("d.queuedAt", "desc")
    .orderBy("d.campaignId", "desc")
    .orderBy("d.occasion", "desc")
    .offset(window.offset)
    .limit(window.limit)
    .execute();
  const titles = await titlesFor(db, projectId, rows);
  const deliveries = rows.map((row) => ({
    id: deliveryId({ userKey, ...row }),
    campaignId: apiId("cmp", row.campaignId),
    campaignName: row.campaignName,
    campaignStatus: row.campaignStatus,
    variantId: apiId("var", row.variantId),
    variantName: row.variantName,
    variantTitle: titleIn(titles, row),
    state: row.state,
    queuedAt: row.queuedAt,
  }));
  return { deliveries, total };
}
