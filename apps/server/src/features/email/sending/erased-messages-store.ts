import type { Connection, Db } from "../../../platform/db/db.ts";
import { rowsStatement } from "../../../platform/db/statements/statement.ts";
import { t } from "../../../platform/db/statements/table-names.ts";

/** The key under which a message is found once its user was erased; `lane` is 0..63, of that key. */
export type MessageKey = { lane: number; messageKey: string };

type ErasedMessage = MessageKey & { addressLane: number; addressKey: string };

/** Keeps where messages went, for reports and links that come after their user was erased. */
export async function insertErasedMessages(
  tx: Db,
  projectId: string,
  messages: readonly ErasedMessage[],
): Promise<void> {
  if (messages.length === 0) return;
  await tx
    .insertInto("erasedMessages")
    .values(messages.map((message) => ({ ...message, projectId })))
    .onConflict((conflict) => conflict.columns(["lane", "messageKey"]).doNothing())
    .execute();
}

/** A report of a message of a campaign. `isRecipient`: the recipient's own, which counts every time. */
type ErasedReport = MessageKey & {
  projectId: string;
  campaignId: string;
  event: string;
  isRecipient: boolean;
};

/** The address that a message of an erased user went to; `stops`: the report is new, and stops mail to the address. */
export type ErasedAddress = {
  ord: number;
  addressLane: number;
  addressKey: string;
  stops: boolean;
  /** Whether the campaign is transactional. */
  isReceipt: boolean;
  /** The topic of the campaign (UUID); null where it has none. */
  topicId: string | null;
};

const recordReported = rowsStatement<ErasedReport, ErasedAddress>(
  { name: "report_erased_messages", reach: "key" },
  {
    lane: "int2",
    messageKey: "uuid",
    projectId: "uuid",
    campaignId: "uuid",
    event: "text",
    isRecipient: "bool",
  },
  `,
  locked as (
    select i.ord, i.project_id, i.campaign_id, i.event, i.is_recipient, m.lane, m.message_key, m.address_lane, m.address_key, m.reported
    from input i
    join ${t.erasedMessages} m on m.lane = i.lane and m.message_key = i.message_key and m.project_id = i.project_id
    order by m.lane, m.message_key for no key update of m
  ),
  recorded as (
    update ${t.erasedMessages} m
    set reported = m.reported || array(
      select distinct h.event from locked h
      where h.lane = m.lane and h.message_key = m.message_key and h.event <> all(m.reported)
    )
    where (m.lane, m.message_key) in (select lane, message_key from locked where event <> all(reported))
  )
  select l.ord::int as ord, l.address_lane as "addressLane", l.address_key as "addressKey",
    l.is_recipient or l.event <> all(l.reported) as stops, coalesce(c.purpose = 'transactional', false) as "isReceipt", c.topic_id as "topicId"
  from locked l
  left join ${t.campaigns} c on c.id = l.campaign_id and c.project_id = l.project_id
  order by l.ord`,
);

/** Records reports of messages of erased users. Answers where the messages went, by the position of each report (from 1). */
export const reportErasedMessages = (
  client: Connection,
  reports: readonly ErasedReport[],
): Promise<ErasedAddress[]> => recordReported(client, reports);

/** Where a message of an erased user went, and whether the project sends campaigns to that address now; null for a message that is not recorded. */
export async function findErasedMessage(
  db: Db,
  projectId: string,
  { lane, messageKey }: MessageKey,
): Promise<{ addressLane: number; addressKey: string; isSuppressed: boolean } | null> {
  const row = await db
    .selectFrom("erasedMessages as m")
    .innerJoin("emailAddresses as a", (join) =>
      join.onRef("a.lane", "=", "m.addressLane").onRef("a.addressKey", "=", "m.addressKey"),
    )
    .select(["a.lane", "a.addressKey", "a.suppressedAt"])
    .where("m.lane", "=", lane)
    .where("m.messageKey", "=", messageKey)
    .where("m.projectId", "=", projectId)
    .where("a.projectId", "=", projectId)
    .executeTakeFirst();
  if (row === undefined) return null;
  return { addressLane: row.lane, addressKey: row.addressKey, isSuppressed: row.suppressedAt !== null };
}
