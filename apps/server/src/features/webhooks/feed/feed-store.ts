import { type RawBuilder, sql } from "kysely";
import { apiId, laneOf, type UserRef } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { type Fragment, type Relation, withValue } from "../../../platform/db/statements/fragment.ts";
import { sqlText } from "../../../platform/db/statements/sql-text.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { newUuid } from "../../../platform/uuid.ts";
import { ALL_OTHERS, TEST_TYPE, type WebhookType } from "../types.pure.ts";

// Each statement that changes something which webhooks are about writes their messages itself, so that both are one commit. Messages about one
// object get their ids while its row is locked, so that the ids follow each other as the changes did.

/** SQL: the webhook `w` wants messages of a type. */
const wants = (type: string): string =>
  `(${type}::text = any(w.types) or (${type}::text not like 'delivery.%' and '${ALL_OTHERS}' = any(w.types)))`;

/** SQL of the object that messages about something of `key` keep their order by. It begins as the key does, so that it has the same lane. */
const objectOf = (key: string, thing: string): string =>
  `(left(${key}::text, 2) || substr(md5(${key}::text || ${thing}), 3))::uuid`;

/** SQL of the object of messages about a delivery, of the columns of a row. */
const deliveryObject = (userKey: string, row = ""): string =>
  objectOf(userKey, `${row}campaign_id::text || ${row}occasion`);

/** A change of deliveries: its type, SQL of whether it happened to the row `m`, and of when (epoch ms). */
export type DeliveryChange = { type: WebhookType; happened: string; at: string };

/**
 * SQL that joins the webhooks `w` of the project of the row `m` which are on and meet a condition. They are looked up row by row, whatever
 * PostgreSQL knew of the table when it made the plan: mostly there are none, and never more than a few.
 */
const wanting = (condition = ""): string => `cross join lateral (
      select w.id, w.types from ${t.webhooks} w
      where w.project_id = m.project_id and w.state = 'on' ${condition}
      offset 0
    ) w`;

/** SQL, looked at once in a statement: some project of this server has a webhook that is on. Where none has, nothing is looked up row by row. */
const ANY_IS_ON = sqlText(`(select exists (select from ${t.webhooks} o where o.state = 'on'))`);

type DeliveryColumns = "lane" | "user_key" | "campaign_id" | "occasion" | "variant_id" | "project_id";

/** CTE that writes the messages about deliveries of `source`, which were changed just before, by the same statement. */
export const deliveryMessagesCte = (
  source: Relation<DeliveryColumns>,
  changes: readonly DeliveryChange[],
): Fragment => ({
  ctes: sqlText(`
  announced as (
    insert into ${t.webhookMessages} (webhook_id, project_id, type, happened_at, object, lane, user_key, campaign_id, occasion, variant_id)
    select w.id, m.project_id, c.type, c.at, ${deliveryObject("m.user_key", "m.")}, m.lane, m.user_key, m.campaign_id, m.occasion, m.variant_id
    from ${source} m
    ${wanting()}
    cross join lateral (
      values ${changes.map(({ type, happened, at }) => `('${type}', ${happened}, ${at}::int8)`).join(",\n        ")}
    ) c (type, happened, at)
    where ${ANY_IS_ON} and c.happened and c.type = any(w.types)
  )`),
});

/** CTE that writes the messages about users of `source`, whom the statement has changed and locked; `ts` is when (epoch ms). */
export const userMessagesCte = (
  source: Relation<"lane" | "user_key" | "project_id" | "ts">,
  type: WebhookType,
): Fragment => ({
  ctes: sqlText(`
  announced as (
    insert into ${t.webhookMessages} (webhook_id, project_id, type, happened_at, object, lane, user_key)
    select w.id, m.project_id, '${type}', m.ts, m.user_key, m.lane, m.user_key
    from ${source} m
    ${wanting(`and ${wants(`'${type}'`)}`)}
    where ${ANY_IS_ON}
  )`),
});

/**
 * CTE that writes the messages about mail addresses of `source`, which the statement has changed and locked. `reason` is why an address
 * gets no mail, or got none; `at` is when (epoch ms).
 */
export const addressMessagesCte = (
  source: Relation<"lane" | "address_key" | "project_id" | "reason" | "at">,
  type: WebhookType,
): Fragment => ({
  ctes: sqlText(`
  announced as (
    insert into ${t.webhookMessages} (webhook_id, project_id, type, happened_at, object, lane, address_key, data)
    select w.id, m.project_id, '${type}', m.at, m.address_key, m.lane, m.address_key, jsonb_build_object('reason', m.reason)
    from ${source} m
    ${wanting(`and ${wants(`'${type}'`)}`)}
    where ${ANY_IS_ON}
  )`),
});

/**
 * CTE that writes the messages about things of `source`, which the statement has changed and locked. `object` is the UUID of the thing,
 * `at` is when (epoch ms), and `data` what the messages say of it.
 */
export const thingMessagesCte = (
  source: Relation<"project_id" | "object" | "at" | "campaign_id" | "data">,
  type: string,
): Fragment => ({
  ctes: sqlText(`
  announced as (
    insert into ${t.webhookMessages} (webhook_id, project_id, type, happened_at, lane, object, campaign_id, data)
    select w.id, m.project_id, ${type}, m.at, (get_byte(uuid_send(m.object), 0) >> 2)::int2, m.object, m.campaign_id, m.data
    from ${source} m
    ${wanting(`and ${wants(type)}`)}
    where ${ANY_IS_ON}
  )`),
});

/**
 * Something that happened, to a thing that the transaction has locked or made. `object` is the thing's UUID, `campaignId` that of the campaign
 * which it is about; `at` is epoch milliseconds, `dueAt` before when its messages do not leave (at once, where it is left out).
 */
export type Announcement = {
  type: WebhookType;
  object: string;
  campaignId: string | null;
  at: number;
  data: Readonly<Record<string, unknown>>;
  dueAt?: number;
};

/** Writes the messages of webhooks that want to know of something. Needs the transaction in which it happens. */
export async function announce(
  tx: Db,
  projectId: string,
  { type, object, campaignId, at, data, dueAt = 0 }: Announcement,
): Promise<void> {
  const wanted = withValue(wants, type);
  await sql`
    insert into ${t.webhookMessages} (webhook_id, project_id, type, happened_at, lane, object, campaign_id, data, due_at)
    select w.id, w.project_id, ${type}, ${at}, ${laneOf(object)}, ${object}, ${campaignId}, ${JSON.stringify(data)}::jsonb, ${dueAt}
    from ${t.webhooks} w where w.project_id = ${projectId} and w.state = 'on' and ${wanted}`.execute(tx);
}

/** Writes the messages that a visitor has become a user, whom the transaction has locked. `at` is when (epoch ms). */
export async function announceMerged(
  tx: Db,
  projectId: string,
  { visitor, user, at }: { visitor: UserRef; user: UserRef; at: number },
): Promise<void> {
  const type: WebhookType = "user.merged";
  const wanted = withValue(wants, type);
  const data = JSON.stringify({ visitorId: apiId("eu", visitor.userKey) });
  await sql`
    insert into ${t.webhookMessages} (webhook_id, project_id, type, happened_at, object, lane, user_key, data)
    select w.id, w.project_id, ${type}, ${at}, ${user.userKey}, ${user.lane}, ${user.userKey}, ${data}::jsonb
    from ${t.webhooks} w where w.project_id = ${projectId} and w.state = 'on' and ${wanted}`.execute(tx);
}

/** Writes a message that is only there to be seen. Answers its id. */
export async function announceTest(
  tx: Db,
  projectId: string,
  webhookId: string,
  at: number,
): Promise<string | null> {
  const object = newUuid(at);
  const { rows } = await sql<{ id: string }>`
    insert into ${t.webhookMessages} (webhook_id, project_id, type, happened_at, lane, object)
    select id, project_id, ${TEST_TYPE}, ${at}, ${laneOf(object)}, ${object} from ${t.webhooks}
    where id = ${webhookId} and project_id = ${projectId} and state = 'on'
    returning id`.execute(tx);
  return rows[0]?.id ?? null;
}

/**
 * Takes a user, who is locked and about to be erased, out of the messages about them, and announces that they are erased. Messages that wait
 * still leave, in their order, and name no user. The one that announces it names the user until it is delivered or given up.
 * Locks the webhooks of the project, so that no message is leased or ended meanwhile.
 */
export async function eraseFromMessages(
  tx: Db,
  projectId: string,
  user: UserRef,
  { externalId, anonymised, addresses, announcedAt }: ErasedUser,
): Promise<void> {
  await sql`select from ${t.webhooks} where project_id = ${projectId} order by id for no key update`.execute(
    tx,
  );
  // The order of an object needs one value in all of its messages, and the old one could be computed again from the user's id. What waits
  // together with the announcement keeps it, as that does: a user who comes back under the same id is a new one, and is announced after it.
  const wanted = wants("'user.erased'");
  const ofDelivery = withValue((key) => deliveryObject(key), anonymised.userKey);
  const ofAddress = withValue((key) => objectOf("address_key", `${key}::text`), anonymised.userKey);
  const leftUntil = [
    await without(
      tx,
      sql`
      update ${t.webhookMessages}
      set user_key = null, data = case type when 'user.merged' then null else data end, object = case
        when campaign_id is not null then ${ofDelivery}
        when state in ('waiting', 'sending') and webhook_id = any(array(
          select w.id from ${t.webhooks} w where w.project_id = ${projectId} and w.state = 'on' and ${sql.raw(wanted)}
        )) then object
        else ${anonymised.userKey}::uuid end
      where project_id = ${projectId} and lane = ${user.lane} and user_key = ${user.userKey}
      returning lane, id, leased_until`,
    ),
  ];
  for (const { lane, addressKey } of addresses)
    leftUntil.push(
      await without(
        tx,
        sql`
        update ${t.webhookMessages} set address_key = null, object = ${ofAddress}
        where project_id = ${projectId} and lane = ${lane} and address_key = ${addressKey}
        returning lane, id, leased_until`,
      ),
    );
  if (announcedAt === null) return;
  await announce(tx, projectId, {
    type: "user.erased",
    object: user.userKey,
    campaignId: null,
    at: announcedAt,
    data: { userId: externalId },
    // Bodies that name the user may be on their way. A receiver that gets one after this message would not forget it.
    dueAt: Math.max(0, ...leftUntil),
  });
}

/** Changes messages, which `changing` returns, and forgets what was answered to them. Answers when the last body of before will have left (epoch ms). */
async function without(tx: Db, changing: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ until: number | null }>`
    with changed as (${changing}),
    answers as (
      update ${t.webhookAttempts} a set answer = null from changed c
      where a.lane = c.lane and a.message_id = c.id and a.answer is not null
    )
    select max(leased_until) as until from changed`.execute(tx);
  return rows[0]?.until ?? 0;
}

/**
 * A user who is erased: their id in the customer's product, the key that stands for them from now on, their mail addresses. `announcedAt`
 * is when (epoch ms), as it is announced; null for a visitor, of whom nothing is.
 */
type ErasedUser = {
  externalId: string;
  anonymised: UserRef;
  addresses: readonly { lane: number; addressKey: string }[];
  announcedAt: number | null;
};
