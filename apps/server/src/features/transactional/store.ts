import { type RawBuilder, sql } from "kysely";
import type { DeliveryKey, DeliveryRef, UserRef } from "../../domain/ids.ts";
import type { Db } from "../../platform/db/db.ts";
import { t } from "../../platform/db/statements/table-names.ts";
import type { DeliveryState } from "../deliveries/lifecycle/rules.ts";
import { deliveryKey, isDelivery, sameDelivery } from "../deliveries/public.ts";
import type { StoredFile, StoredRequest } from "./request.pure.ts";
import type { SendState, SendStatus } from "./rules.ts";

/** SQL: the row `a` is of this user of the project. */
const isOfUser = (a: string, projectId: string, { lane, userKey }: UserRef): RawBuilder<boolean> =>
  sql`(${sql.ref(`${a}.lane`)} = ${lane} and ${sql.ref(`${a}.user_key`)} = ${userKey} and ${sql.ref(`${a}.project_id`)} = ${projectId})`;

/** What a user has had of a template: the next occasion, and the variant of the first mail (UUID); null where they had none. */
export async function nextOccasion(
  db: Db,
  projectId: string,
  user: UserRef,
  campaignId: string,
): Promise<{ occasion: number; variantId: string | null }> {
  const { rows } = await sql<{ occasion: number; variantId: string | null }>`
    select coalesce(max(d.occasion) + 1, 0) as occasion, (array_agg(d.variant_id order by d.occasion))[1] as "variantId"
    from ${t.deliveries} d
    where ${isOfUser("d", projectId, user)} and d.campaign_id = ${campaignId}`.execute(db);
  return rows[0] ?? { occasion: 0, variantId: null };
}

/** What is stored of a request. Either `request` or `sealed` has what the mail is filled with. */
export type SendData = DeliveryRef & {
  requestedAt: number;
  sendAt: number | null;
  address: string;
  request: StoredRequest | null;
  sealed: Buffer | null;
};

export async function insertSendData(db: Db, data: SendData, files: readonly StoredFile[]): Promise<void> {
  const { request, ...row } = data;
  await db
    .insertInto("sendData")
    .values({ ...row, request: request === null ? null : JSON.stringify(request) })
    .execute();
  if (files.length === 0) return;
  const { lane, userKey, campaignId, occasion, projectId } = data;
  const key = { lane, userKey, campaignId, occasion, projectId };
  await db
    .insertInto("sendFiles")
    .values(files.map((file, ordinal) => ({ ...key, ...file, ordinal })))
    .execute();
}

/** What mails are filled with, by their keys; those whose data is not kept any more are missing. */
export async function readSendData(
  db: Db,
  projectId: string,
  keys: readonly DeliveryKey[],
): Promise<(DeliveryKey & Pick<SendData, "address" | "request" | "sealed">)[]> {
  if (keys.length === 0) return [];
  const { rows } = await sql<DeliveryKey & Pick<SendData, "address" | "request" | "sealed">>`
    select ${deliveryKey("r")}, r.address, r.request, r.sealed
    from unnest(
      ${keys.map(({ lane }) => lane)}::int2[], ${keys.map(({ userKey }) => userKey)}::uuid[],
      ${keys.map(({ campaignId }) => campaignId)}::uuid[], ${keys.map(({ occasion }) => occasion)}::int4[]
    ) k (lane, user_key, campaign_id, occasion)
    join ${t.sendData} r on ${sameDelivery("r", "k")} and r.project_id = ${projectId}`.execute(db);
  return rows;
}

/** The files of a mail, in their order. */
export async function readSendFiles(db: Db, projectId: string, key: DeliveryKey): Promise<StoredFile[]> {
  const { rows } = await sql<StoredFile>`
    select f.name, f.content_type as "contentType", f.content_id as "contentId", f.content
    from ${t.sendFiles} f where ${isDelivery("f", projectId, key)} order by f.ordinal`.execute(db);
  return rows;
}

/** Names, types and sizes of the files of a mail. */
export async function listSendFiles(
  db: Db,
  projectId: string,
  key: DeliveryKey,
): Promise<{ name: string; contentType: string; bytes: number }[]> {
  const { rows } = await sql<{ name: string; contentType: string; bytes: number }>`
    select f.name, f.content_type as "contentType", length(f.content) as bytes
    from ${t.sendFiles} f where ${isDelivery("f", projectId, key)} order by f.ordinal`.execute(db);
  return rows;
}

/** A mail as lists read it. */
export type SendRow = DeliveryKey & {
  templateKey: string;
  isSensitive: boolean;
  campaignStatus: string;
  externalId: string | null;
  status: SendStatus;
  state: DeliveryState;
  statusReason: string | null;
  requestedAt: number;
  sendAt: number | null;
  address: string | null;
  request: StoredRequest | null;
  sentAt: number | null;
  deliveredAt: number | null;
  openedAt: number | null;
  clickedAt: number | null;
  bouncedAt: number | null;
  complainedAt: number | null;
};

const COLUMNS = sql`d.lane, d.user_key as "userKey", d.campaign_id as "campaignId", d.occasion,
  c.key as "templateKey", c.is_sensitive as "isSensitive", c.status as "campaignStatus", u.external_id as "externalId",
  s.status, d.state, s.reason as "statusReason", coalesce(r.requested_at, d.queued_at) as "requestedAt", r.send_at as "sendAt",
  r.address, r.request, d.sent_at as "sentAt", d.delivered_at as "deliveredAt", d.opened_at as "openedAt", d.clicked_at as "clickedAt",
  d.bounced_at as "bouncedAt", d.complained_at as "complainedAt"`;

/** A mail by its delivery; null where the project has no such mail. */
export async function findSendRow(db: Db, projectId: string, key: DeliveryKey): Promise<SendRow | null> {
  const { rows } = await sql<SendRow>`
    select ${COLUMNS}
    from ${t.deliveries} d
    join ${t.campaigns} c on c.id = d.campaign_id and c.purpose = 'transactional'
    join ${t.emailSends} s on ${sameDelivery("s", "d")}
    left join ${t.sendData} r on ${sameDelivery("r", "d")}
    left join ${t.users} u on u.lane = d.lane and u.user_key = d.user_key
    where ${isDelivery("d", projectId, key)}`.execute(db);
  return rows[0] ?? null;
}

/** SQL of `sendStateOf`, of the row `s` of the queue and the delivery `d`. */
export const STATE = sql`case
    when d.state in ('bounced', 'complained') then d.state::text
    when s.status in ('capped', 'withdrawn') then 'failed'
    when s.status <> 'accepted' then s.status::text
    when d.state in ('sent', 'sending') then 'sent'
    else 'delivered'
  end`;

export type SendFilter = {
  campaignId: string | null;
  user: UserRef | null;
  state: SendState | null;
  before: (DeliveryKey & { requestedAt: number }) | null;
};

/** The mails that were requested lately and whose data is kept, the newest first. */
export async function listSendRows(
  db: Db,
  projectId: string,
  { campaignId, user, state, before }: SendFilter,
  limit: number,
): Promise<SendRow[]> {
  const conditions: RawBuilder<unknown>[] = [sql`r.project_id = ${projectId}`];
  if (campaignId !== null) conditions.push(sql`r.campaign_id = ${campaignId}`);
  if (user !== null) conditions.push(isOfUser("r", projectId, user));
  if (state !== null) conditions.push(sql`${STATE} = ${state}`);
  if (before !== null)
    conditions.push(
      sql`(r.requested_at, r.lane, r.user_key, r.campaign_id, r.occasion)
        < (${before.requestedAt}::int8, ${before.lane}::int2, ${before.userKey}::uuid, ${before.campaignId}::uuid, ${before.occasion}::int4)`,
    );
  const { rows } = await sql<SendRow>`
    select ${COLUMNS}
    from ${t.sendData} r
    join ${t.deliveries} d on ${sameDelivery("d", "r")}
    join ${t.campaigns} c on c.id = r.campaign_id
    join ${t.emailSends} s on ${sameDelivery("s", "r")}
    left join ${t.users} u on u.lane = r.lane and u.user_key = r.user_key
    where ${sql.join(conditions, sql` and `)}
    order by r.requested_at desc, r.lane desc, r.user_key desc, r.campaign_id desc, r.occasion desc
    limit ${limit}`.execute(db);
  return rows;
}

export type AttemptRow = {
  number: number;
  startedAt: number;
  outcome: string | null;
  endedAt: number | null;
  code: number | null;
  response: string | null;
};

/** The attempts to hand a mail over, the first one first. */
export async function listMailAttempts(db: Db, projectId: string, key: DeliveryKey): Promise<AttemptRow[]> {
  const { rows } = await sql<AttemptRow>`
    select a.ordinal as number, a.started_at as "startedAt", o.kind as outcome, o.at as "endedAt", o.code, o.response
    from ${t.emailAttempts} a
    left join ${t.emailOutcomes} o on ${sameDelivery("o", "a")} and o.ordinal = a.ordinal
    where ${isDelivery("a", projectId, key)} order by a.ordinal limit 100`.execute(db);
  return rows;
}

/** Deletes what the mails of a user who is being erased were filled with, and their files; answers the addresses that they were for. */
export async function eraseSendData(
  tx: Db,
  projectId: string,
  { lane, userKey }: UserRef,
): Promise<string[]> {
  const theirs = (table: "sendFiles" | "sendData") =>
    tx
      .deleteFrom(table)
      .where("lane", "=", lane)
      .where("userKey", "=", userKey)
      .where("projectId", "=", projectId);
  await theirs("sendFiles").execute();
  const rows = await theirs("sendData").returning("address").execute();
  return [...new Set(rows.map(({ address }) => address))];
}
