import { sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";

/** The keys of what messages are about. */
export type Subject = {
  lane: number;
  userKey: string | null;
  campaignId: string | null;
  variantId: string | null;
  addressKey: string | null;
};

/** What is so of the subject of a message now; null where there is none of it any more, or never was. Instants are epoch milliseconds. */
export type SubjectFacts = {
  externalId: string | null;
  /** The key of the delivery now: that of the user, where a visitor got it who has become one and it was moved. */
  deliveryKey: string | null;
  traits: Record<string, unknown> | null;
  firstSeenAt: number | null;
  lastSeenAt: number | null;
  campaignName: string | null;
  channel: string | null;
  variantName: string | null;
  address: string | null;
};

/** The facts of subjects of a project, in their order. A visitor who has become a user meanwhile is called as the user. */
export async function readSubjects(
  db: Db,
  projectId: string,
  subjects: readonly Subject[],
): Promise<SubjectFacts[]> {
  const column = (key: keyof Subject) => subjects.map((each) => each[key]);
  const { rows } = await sql<SubjectFacts>`
    select coalesce(u.external_id, became.external_id) as "externalId", u.traits, u.first_seen_at as "firstSeenAt", u.last_seen_at as "lastSeenAt",
      case when l.user_key is null or i.campaign_id in (
        -- Campaigns of which the visitor left a delivery.
        select d.campaign_id from ${t.deliveries} d
        where l.units > 0 and d.lane = l.lane and d.user_key = l.user_key and d.project_id = ${projectId}
      ) then i.user_key else l.to_user_key end as "deliveryKey",
      c.name as "campaignName", c.channel, v.name as "variantName", a.address
    from unnest(
      ${column("lane")}::int2[], ${column("userKey")}::uuid[], ${column("variantId")}::uuid[], ${column("campaignId")}::uuid[],
      ${column("addressKey")}::uuid[]
    ) with ordinality as i (lane, user_key, variant_id, campaign_id, address_key, ord)
    left join ${t.users} u on u.lane = i.lane and u.user_key = i.user_key and u.project_id = ${projectId}
    left join ${t.identities} l on l.lane = i.lane and l.user_key = i.user_key and l.project_id = ${projectId}
    left join ${t.users} became on became.lane = l.to_lane and became.user_key = l.to_user_key and became.project_id = ${projectId}
    left join ${t.campaigns} c on c.id = i.campaign_id and c.project_id = ${projectId}
    left join ${t.variants} v on v.id = i.variant_id and v.project_id = ${projectId}
    left join ${t.emailAddresses} a on a.lane = i.lane and a.address_key = i.address_key and a.project_id = ${projectId}
    order by i.ord`.execute(db);
  return rows;
}
