import { type RawBuilder, sql } from "kysely";
import { apiId, type DeliveryKey, deliveryId } from "../../domain/ids.ts";
import type { Db } from "../../platform/db/db.ts";
import { inIndexOrder } from "../../platform/db/in-index-order.ts";
import { t } from "../../platform/db/statements/table-names.ts";
import { isDelivery, sameDelivery } from "../deliveries/public.ts";
import type { FiledDelivery, FiledSend } from "./delivery-columns.pure.ts";
import type { RowPage } from "./walk.ts";

const ROWS = 1_000;

export type ExtractedCampaign = { id: string; name: string; channel: "web_inapp" | "email" | "push" };

/** The campaigns of a project, or one of them (UUID), in the order in which they were made. */
export async function listExtractedCampaigns(
  db: Db,
  projectId: string,
  campaignId: string | undefined,
): Promise<ExtractedCampaign[]> {
  return db
    .selectFrom("campaigns")
    .select(["id", "name", "channel"])
    .where("projectId", "=", projectId)
    .$if(campaignId !== undefined, (query) => query.where("id", "=", campaignId ?? ""))
    .orderBy("createdAt")
    .orderBy("id")
    .execute();
}

/** Instants are epoch milliseconds, and included. */
export type Queued = { since: number | undefined; until: number };
type DeliveryPlace = { queuedAt: number; userKey: string; occasion: number };

/** Where a list goes on behind a delivery; null where the project has no such delivery. */
export async function findPlace(
  db: Db,
  projectId: string,
  delivery: DeliveryKey,
): Promise<DeliveryPlace | null> {
  const row = await db
    .selectFrom("deliveries")
    .select(["queuedAt", "userKey", "occasion"])
    .where(isDelivery("deliveries", projectId, delivery))
    .executeTakeFirst();
  return row ?? null;
}

/** SQL: the next deliveries of a campaign by when they were queued, which never changes. So many are read, however few of them are meant. */
const nextOf = (
  projectId: string,
  campaign: ExtractedCampaign,
  { since, until }: Queued,
  after: DeliveryPlace | null,
): RawBuilder<unknown> => sql`(
    select * from ${t.deliveries}
    where project_id = ${projectId} and campaign_id = ${campaign.id} and queued_at <= ${until}
      and ${since === undefined ? sql`true` : sql`queued_at >= ${since}`}
      and ${after === null ? sql`true` : sql`(queued_at, user_key, occasion) > (${after.queuedAt}::int8, ${after.userKey}::uuid, ${after.occasion}::int4)`}
    order by queued_at, user_key, occasion limit ${ROWS}
  ) d
  left join ${t.users} u on u.lane = d.lane and u.user_key = d.user_key`;

type Place = DeliveryPlace & { externalId: string | null };

function pageOf<Row extends Place, Filed>(
  rows: readonly Row[],
  filed: (row: Row & { externalId: string }) => Filed | null,
): RowPage<Filed, DeliveryPlace> {
  const last = rows.length < ROWS ? undefined : rows.at(-1);
  // The deliveries of erased users go on without them.
  const known = rows.filter((row): row is Row & { externalId: string } => row.externalId !== null);
  return { rows: known.map(filed).filter((row) => row !== null), next: last ?? null };
}

type DeliveryRow = Place &
  Omit<FiledDelivery, "id" | "campaignId" | "campaignName" | "endUserId" | "externalUserId">;

/** The next deliveries of a campaign, those in a state where one is named. */
export async function nextDeliveries(
  db: Db,
  projectId: string,
  campaign: ExtractedCampaign,
  { state, ...queued }: Queued & { state: string | undefined },
  after: DeliveryPlace | null,
): Promise<RowPage<FiledDelivery, DeliveryPlace>> {
  const statement = sql<DeliveryRow>`
    select d.user_key as "userKey", d.occasion, u.external_id as "externalId", d.variant_id as "variantId", v.name as "variantName", d.state,
      d.queued_at as "queuedAt", d.sent_at as "sentAt", d.delivered_at as "deliveredAt", d.shown_at as "shownAt",
      d.opened_at as "openedAt", d.clicked_at as "clickedAt", d.dismissed_at as "dismissedAt", d.bounced_at as "bouncedAt",
      d.complained_at as "complainedAt", d.unsubscribed_at as "unsubscribedAt", d.converted_at as "convertedAt"
    from ${nextOf(projectId, campaign, queued, after)}
    join ${t.variants} v on v.id = d.variant_id
    order by d.queued_at, d.user_key, d.occasion`;
  const { rows } = await inIndexOrder(db, (tx) => statement.execute(tx));
  return pageOf(rows, ({ userKey, occasion, externalId, variantId, ...row }) =>
    state !== undefined && row.state !== state
      ? null
      : {
          ...identityOf(campaign, { userKey, occasion }, externalId),
          variantId: apiId("var", variantId),
          ...row,
        },
  );
}

type SendRow = Place &
  Omit<FiledSend, "id" | "campaignId" | "campaignName" | "endUserId" | "externalUserId" | "status"> & {
    status: FiledSend["status"] | null;
  };

/** The next mails of an email campaign, those with a status where one is named. */
export async function nextSends(
  db: Db,
  projectId: string,
  campaign: ExtractedCampaign,
  { status, ...queued }: Queued & { status: string | undefined },
  after: DeliveryPlace | null,
): Promise<RowPage<FiledSend, DeliveryPlace>> {
  const statement = sql<SendRow>`
    select d.user_key as "userKey", d.occasion, u.external_id as "externalId", a.address, s.status, s.reason, s.attempts, d.queued_at as "queuedAt",
      d.sent_at as "sentAt", d.delivered_at as "deliveredAt", d.bounced_at as "bouncedAt", answer.code, answer.response
    from ${nextOf(projectId, campaign, queued, after)}
    left join ${t.emailSends} s on ${sameDelivery("s", "d")}
    left join ${t.emailAddresses} a on a.lane = s.address_lane and a.address_key = s.address_key
    left join lateral (
      select o.code, o.response from ${t.emailOutcomes} o
      where ${sameDelivery("o", "d")}
      order by o.ordinal desc, o.at desc limit 1
    ) answer on true
    order by d.queued_at, d.user_key, d.occasion`;
  const { rows } = await inIndexOrder(db, (tx) => statement.execute(tx));
  return pageOf(rows, ({ userKey, occasion, externalId, status: has, ...row }) =>
    has === null || (status !== undefined && has !== status)
      ? null
      : { ...identityOf(campaign, { userKey, occasion }, externalId), status: has, ...row },
  );
}

const identityOf = (
  { id, name }: ExtractedCampaign,
  { userKey, occasion }: Omit<DeliveryPlace, "queuedAt">,
  externalUserId: string,
) => ({
  id: deliveryId({ userKey, campaignId: id, occasion }),
  campaignId: apiId("cmp", id),
  campaignName: name,
  endUserId: apiId("eu", userKey),
  externalUserId,
});
