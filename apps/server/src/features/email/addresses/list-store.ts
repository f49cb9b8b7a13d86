import { type RawBuilder, sql } from "kysely";
import { apiId, type UserRef } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { deliveryKey, sameDelivery } from "../../deliveries/public.ts";
import type { AddressRef } from "./address-ref.ts";
import { stopperOf } from "./decide-store.ts";
import type { ReceiptsStop, SuppressionReason } from "./rules.ts";
import { stoppedAtSql, stoppedBySql } from "./streams-store.ts";

/**
 * Which suppressed addresses are meant: those that have `q` in them, those of a reason of either stream, those suppressed from `since` to `until`
 * (epoch ms, both included), and those that left because of mail of a campaign (UUID).
 */
export type SuppressionFilter = {
  q?: string | undefined;
  reason?: SuppressionReason | undefined;
  since?: number | undefined;
  until?: number | undefined;
  campaignId?: string | undefined;
};

/**
 * A suppressed address. `reason` and `suppressedAt` (epoch ms) are of the mail of campaigns; null where only receipts are stopped, since
 * `receiptsStoppedAt`. `by`: who decided it, where a person did. `campaign`: the mail that it left after. `user`: who has the address, as far as
 * mail went there.
 */
export type DecidedSuppression = {
  address: string | null;
  reason: SuppressionReason | null;
  suppressedAt: number | null;
  receiptsStoppedBy: ReceiptsStop | null;
  receiptsStoppedAt: number | null;
  by: string | null;
  campaign: { id: string; name: string } | null;
  user: { id: string; externalUserId: string } | null;
};

const all = (conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> =>
  sql.join(conditions, sql` and `);

/** SQL: the addresses of a campaign's deliveries that have an instant by which an address is suppressed; an index has those alone. */
const leftAfter = (projectId: string, campaignId: string): RawBuilder<unknown> => sql`
  (a.lane, a.address_key) in (
    select s.address_lane, s.address_key
    from (
      select ${deliveryKey()} from ${t.deliveries}
      where project_id = ${projectId} and campaign_id = ${campaignId}
        and (unsubscribed_at is not null or complained_at is not null)
      union
      select ${deliveryKey()} from ${t.deliveries}
      where project_id = ${projectId} and campaign_id = ${campaignId} and bounced_at is not null
    ) d
    join ${t.emailSends} s on ${sameDelivery("s", "d")}
    where s.address_key is not null
  )`;

/**
 * SQL that joins to an address the user who has it, and the campaign after whose mail it was suppressed: the one whose delivery has the instant of
 * the reason that lies nearest, before rather than after. A reason that hardened has its instant after the address was suppressed first. A
 * complaint stopped its own stream.
 */
const withCause = (projectId: string): RawBuilder<unknown> => sql`
  left join lateral (
    select s.campaign_id, s.user_key, u.external_id, left_at.at
    from ${t.emailSends} s
    join ${t.users} u on u.lane = s.lane and u.user_key = s.user_key
    join ${t.campaigns} m on m.id = s.campaign_id and m.project_id = s.project_id
    left join ${t.deliveries} d on ${sameDelivery("d", "s")}
    cross join lateral (
      select case ${stoppedBySql("a")} when 'unsubscribed' then d.unsubscribed_at when 'bounced' then d.bounced_at
        when 'complained' then case when (m.purpose = 'transactional') = (a.suppressed_at is null) then d.complained_at end
      end as at
    ) left_at
    where s.address_lane = a.lane and s.address_key = a.address_key and s.project_id = ${projectId}
    order by left_at.at is null, left_at.at > ${stoppedAtSql("a")}, abs(left_at.at - ${stoppedAtSql("a")}), s.campaign_id desc, s.occasion desc
    limit 1
  ) cause on true`;

/** SQL that follows `from email_addresses a`. */
function chosenOf(
  projectId: string,
  { q, reason, since, until, campaignId }: SuppressionFilter,
): RawBuilder<unknown> {
  const conditions = [
    sql`a.project_id = ${projectId} and ${stoppedAtSql("a")} is not null`,
    ...(q === undefined ? [] : [sql`strpos(lower(a.address), lower(${q})) > 0`]),
    ...(reason === undefined
      ? []
      : [sql`(a.suppressed_by = ${reason} or a.receipts_stopped_by = ${reason})`]),
    ...(since === undefined ? [] : [sql`${stoppedAtSql("a")} >= ${since}`]),
    ...(until === undefined ? [] : [sql`${stoppedAtSql("a")} <= ${until}`]),
  ];
  if (campaignId === undefined) return sql`where ${all(conditions)}`;
  return sql`${withCause(projectId)}
    where ${all([...conditions, leftAfter(projectId, campaignId)])} and cause.campaign_id = ${campaignId} and cause.at is not null`;
}

type Row = UserRef & {
  addressKey: string;
  address: string | null;
  reason: SuppressionReason | null;
  suppressedAt: number | null;
  receiptsStoppedBy: ReceiptsStop | null;
  receiptsStoppedAt: number | null;
  stoppedAt: number;
  by: string | null;
  campaignId: string | null;
  campaignName: string | null;
  externalId: string | null;
};

/** SQL of the rows of `a`, which names addresses in an order, with what is known around each. */
const described = (
  projectId: string,
  a: RawBuilder<unknown>,
  order: RawBuilder<unknown>,
): RawBuilder<Row> => sql<Row>`
  select a.lane, a.address_key as "addressKey", a.address, a.suppressed_by as reason, a.suppressed_at as "suppressedAt",
    a.receipts_stopped_by as "receiptsStoppedBy", a.receipts_stopped_at as "receiptsStoppedAt", ${stoppedAtSql("a")} as "stoppedAt",
    ${stopperOf(projectId)} as by, c.id as "campaignId", c.name as "campaignName", cause.user_key as "userKey",
    cause.external_id as "externalId"
  from ${a}
  ${withCause(projectId)}
  left join ${t.campaigns} c on c.id = cause.campaign_id and c.project_id = ${projectId} and cause.at is not null
  order by ${order}`;

const toSuppression = (row: Row): DecidedSuppression => ({
  address: row.address,
  reason: row.reason,
  suppressedAt: row.suppressedAt,
  receiptsStoppedBy: row.receiptsStoppedBy,
  receiptsStoppedAt: row.receiptsStoppedAt,
  by: row.by,
  campaign:
    row.campaignId === null ? null : { id: apiId("cmp", row.campaignId), name: row.campaignName ?? "" },
  user: row.externalId === null ? null : { id: apiId("eu", row.userKey), externalUserId: row.externalId },
});

/** Addresses that the project does not send campaigns or receipts to, newest first. Rows and their number are of one snapshot. */
export async function pageOfSuppressions(
  db: Db,
  projectId: string,
  filter: SuppressionFilter,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ rows: DecidedSuppression[]; total: number }> {
  const chosen = chosenOf(projectId, filter);
  const page = sql`(
      select a.* from ${t.emailAddresses} a ${chosen}
      order by ${stoppedAtSql("a")} desc, a.address_key offset ${offset} limit ${limit}
    ) a`;
  const { rows } = await described(projectId, page, sql`${stoppedAtSql("a")} desc, a.address_key`).execute(
    db,
  );
  const { rows: counted } = await sql<{ total: number }>`
    select count(*) as total from ${t.emailAddresses} a ${chosen}`.execute(db);
  return { rows: rows.map(toSuppression), total: counted[0]?.total ?? 0 };
}

/** Why an address gets no mail of campaigns, or no receipts; null where it gets both. */
export async function findSuppression(
  db: Db,
  projectId: string,
  { lane, addressKey }: AddressRef,
): Promise<DecidedSuppression | null> {
  const one = sql`(
      select a.* from ${t.emailAddresses} a
      where a.lane = ${lane} and a.address_key = ${addressKey} and a.project_id = ${projectId} and ${stoppedAtSql("a")} is not null
    ) a`;
  const { rows } = await described(projectId, one, sql`a.address_key`).execute(db);
  return rows.map(toSuppression)[0] ?? null;
}

/** Where a list of suppressed addresses goes on. */
export type SuppressionPlace = { stoppedAt: number; addressKey: string };

/** The next suppressed addresses behind a place (null: the first), oldest first, without those whose users were erased. `next`: null at the end. */
export async function nextSuppressions(
  db: Db,
  projectId: string,
  filter: SuppressionFilter,
  { after, limit }: { after: SuppressionPlace | null; limit: number },
): Promise<{ rows: DecidedSuppression[]; next: SuppressionPlace | null }> {
  const isBehind =
    after === null
      ? sql`true`
      : sql`${stoppedAtSql("a")} >= ${after.stoppedAt} and (${stoppedAtSql("a")}, a.address_key) > (${after.stoppedAt}::int8, ${after.addressKey}::uuid)`;
  const page = sql`(
      select a.* from ${t.emailAddresses} a ${chosenOf(projectId, filter)} and a.address is not null and ${isBehind}
      order by ${stoppedAtSql("a")}, a.address_key limit ${limit}
    ) a`;
  const { rows } = await described(projectId, page, sql`${stoppedAtSql("a")}, a.address_key`).execute(db);
  const last = rows.length < limit ? undefined : rows.at(-1);
  return { rows: rows.map(toSuppression), next: last ?? null };
}
