import { sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { sameDelivery } from "../../deliveries/public.ts";
import { isSuppressedSql } from "../addresses/public.ts";

/** An address that was written to, and whose reader did nothing with it. Instants are epoch milliseconds. */
export type UnreadAddress = {
  address: string;
  mails: number;
  firstAt: number;
  lastAt: number;
  /** The user who had the address when the last mail went there. */
  userKey: string;
  externalId: string;
};

/**
 * Addresses that got at least `mails` mails of campaigns since an instant (epoch ms), none of which a person opened or clicked, the most mails first.
 * What came back is not among them, nor are addresses that get no mail any more.
 */
export async function pageOfUnread(
  db: Db,
  projectId: string,
  { mails, since }: { mails: number; since: number },
  { offset, limit }: { offset: number; limit: number },
): Promise<{ rows: UnreadAddress[]; total: number }> {
  const { rows } = await sql<UnreadAddress & { total: number }>`
    with mailed as materialized (
      select s.address_lane as lane, s.address_key, count(*)::int8 as mails, min(d.sent_at) as first_at, max(d.sent_at) as last_at,
        (array_agg(d.user_key order by d.sent_at desc))[1] as user_key, (array_agg(d.lane order by d.sent_at desc))[1] as user_lane
      from ${t.campaigns} c
      join ${t.deliveries} d on d.campaign_id = c.id
      join ${t.emailSends} s on ${sameDelivery("s", "d")}
      where c.project_id = ${projectId} and c.channel = 'email' and c.purpose = 'marketing'
        and d.sent_at > ${since} and d.bounced_at is null and s.address_key is not null
      group by s.address_lane, s.address_key
      having count(*) >= ${mails} and bool_and(d.opened_at is null and d.clicked_at is null)
    ),
    unread as materialized (
      select m.*, a.address, u.external_id from mailed m
      join ${t.emailAddresses} a on a.lane = m.lane and a.address_key = m.address_key and a.project_id = ${projectId}
      join ${t.users} u on u.lane = m.user_lane and u.user_key = m.user_key and u.project_id = ${projectId}
      where a.address is not null and not ${isSuppressedSql("a")}
    )
    select address, mails, first_at as "firstAt", last_at as "lastAt", user_key as "userKey", external_id as "externalId",
      (select count(*) from unread)::int8 as total
    from unread order by mails desc, address offset ${offset} limit ${limit}`.execute(db);
  if (rows.length > 0 || offset === 0)
    return { rows: rows.map(({ total: _, ...row }) => row), total: rows[0]?.total ?? 0 };
  // Behind the last page the rows say nothing of their number.
  const { total } = await pageOfUnread(db, projectId, { mails, since }, { offset: 0, limit: 1 });
  return { rows: [], total };
}
