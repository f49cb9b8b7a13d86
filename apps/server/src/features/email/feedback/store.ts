import { sql } from "kysely";
import type { DeliveryKey, DeliveryRef } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { rowsStatement } from "../../../platform/db/statements/statement.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import {
  DELIVERY_COLUMNS,
  type DeliveryRow,
  deliveryRow,
  isDelivery,
  lockedInOrder,
  onDelivery,
  sameDelivery,
} from "../../deliveries/public.ts";

/**
 * `sender`: the From of the project's mail, from its settings; null where they have none. `topic`: what the campaign is about, as readers read it; null
 * for everything.
 */
export type MessageProject = {
  projectId: string;
  projectName: string;
  sender: string | null;
  topic: { id: string; name: string } | null;
};

/** The project of the campaign that a link belongs to. It is found even after the user was erased. */
export async function findMessageProjectAcrossProjects(
  db: Db,
  campaignId: string,
): Promise<MessageProject | null> {
  const row = await db
    .selectFrom("campaigns")
    .innerJoin("projects", "projects.id", "campaigns.projectId")
    .leftJoin("settings", (join) =>
      join.onRef("settings.projectId", "=", "projects.id").on("settings.key", "=", "email.from"),
    )
    .leftJoin("topics", "topics.id", "campaigns.topicId")
    .select([
      "projects.id as projectId",
      "projects.name as projectName",
      "topics.id as topicId",
      "topics.name as topicName",
      sql<string | null>`${t.settings}.value #>> '{}'`.as("sender"),
    ])
    .where("campaigns.id", "=", campaignId)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { topicId, topicName, ...project } = row;
  return { ...project, topic: topicId === null ? null : { id: topicId, name: topicName ?? "" } };
}

/**
 * Whether a campaign's mail may have links whose signature does not name the campaign. True for a campaign that was deleted with its
 * project: its mail is still in mailboxes, and no new token is signed for it.
 */
export async function acceptsUnboundLinksAcrossProjects(db: Db, campaignId: string): Promise<boolean> {
  const row = await db
    .selectFrom("campaigns")
    .select("hasUnboundLinks")
    .where("id", "=", campaignId)
    .executeTakeFirst();
  return row?.hasUnboundLinks ?? true;
}

/** What is recorded of a message that a report is about. Instants are epoch milliseconds. */
export type LockedSend = DeliveryRow & {
  address_lane: number | null;
  address_key: string | null;
  is_unknown: boolean;
  /** Whether its campaign is transactional. */
  is_receipt: boolean;
  /** The topic of its campaign (UUID); null where it has none. */
  topic_id: string | null;
  /** When it left, as far as that is known. */
  left_at: number;
  delivered_at: number | null;
  bounced_at: number | null;
  complained_at: number | null;
  unsubscribed_at: number | null;
};

/** Locks the sends of messages, each given once. A report locks these rows before all others that it changes. */
export const lockSends = rowsStatement<DeliveryRef, LockedSend>(
  { name: "lock_sends", reach: "key" },
  DELIVERY_COLUMNS,
  ` select ${deliveryRow("s")}, s.address_lane, s.address_key, s.status = 'unknown' as is_unknown, c.purpose = 'transactional' as is_receipt, c.topic_id,
    coalesce(d.sent_at, (
      select max(a.started_at) from ${t.emailAttempts} a
      where ${sameDelivery("a", "s")}
    ), d.queued_at, 0) as left_at, d.delivered_at, d.bounced_at, d.complained_at, d.unsubscribed_at
  from input i
  join ${t.emailSends} s on ${onDelivery("s", "i")}
  join ${t.campaigns} c on c.id = s.campaign_id and c.project_id = s.project_id
  left join ${t.deliveries} d on ${sameDelivery("d", "s")}
  ${lockedInOrder("s")}`,
);

/** Where a message went, and whether the project sends campaigns to that address now. */
export async function findRecipient(
  db: Db,
  projectId: string,
  delivery: DeliveryKey,
): Promise<{ addressLane: number; addressKey: string; isSuppressed: boolean } | null> {
  const row = await db
    .selectFrom("emailSends as s")
    .innerJoin("emailAddresses as a", (join) =>
      join.onRef("a.lane", "=", "s.addressLane").onRef("a.addressKey", "=", "s.addressKey"),
    )
    .select(["a.lane", "a.addressKey", "a.suppressedAt"])
    .where(isDelivery("s", projectId, delivery))
    .where("a.projectId", "=", projectId)
    .executeTakeFirst();
  if (row === undefined) return null;
  return { addressLane: row.lane, addressKey: row.addressKey, isSuppressed: row.suppressedAt !== null };
}
