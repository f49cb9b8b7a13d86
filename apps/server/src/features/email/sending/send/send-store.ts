import { sql } from "kysely";
import type { Db } from "../../../../platform/db/db.ts";
import { inIndexOrder } from "../../../../platform/db/in-index-order.ts";
import { rowFilter, withValue } from "../../../../platform/db/statements/fragment.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";
import type { DueQueue, Queue } from "../../../../platform/outbound/channel.ts";
import { HOUR_MS } from "../../../../platform/time/clock.ts";
import { farAheadSql, type Look } from "../../../../platform/time/far-ahead.ts";
import { isOpen, isSentBy, mailsFor } from "../../../campaigns/authoring/public.ts";
import type { Purpose } from "../../../campaigns/authoring/rules.ts";
import { deliveryKey, sameDelivery } from "../../../deliveries/public.ts";
import { hoursOfWaitSql } from "../../../timing/waiting.pure.ts";
import { LONGEST_WAITS_MS } from "../rules.ts";

/**
 * Campaigns for a purpose that run and have sends that are due, or come due soon. The first launched come first: where sends of several became due at
 * once, because an address may have mail again, theirs leaves.
 */
export async function findDueAcrossProjects(
  db: Db,
  { now, until }: Look,
  purpose: Purpose = "marketing",
): Promise<DueQueue[]> {
  const { rows } = await sql<DueQueue>`
    select c.project_id as "projectId", c.id as "queueId", first.due_at as "dueAt"
    from ${t.campaigns} c cross join lateral (
      -- A question of its own for each campaign, in the order of an index: otherwise mail of one that has none is looked for among all mail.
      select greatest(s.due_at, c.deliver_from) as due_at from ${t.emailSends} s
      where s.campaign_id = c.id and s.status = 'waiting' and s.due_at <= ${until}
      order by s.due_at limit 1
    ) first
    where first.due_at <= ${until} and ${mailsFor("c", purpose)} and ${withValue((at) => isOpen("c", `greatest(first.due_at, ${at})`), now)}
    order by c.started_at, c.id`.execute(db);
  return rows;
}

/** The furthest ahead that a send `s` may be due: by the hours of what it waits for, or else by its deferrals. */
const LONGEST_WAIT = `case when s.postponed_by is not null then ${hoursOfWaitSql("s.postponed_by")} * ${HOUR_MS}
  else (array[${LONGEST_WAITS_MS.join(",")}]::int8[])[least(s.deferrals, ${LONGEST_WAITS_MS.length - 1}) + 1] end`;

/**
 * Makes sends of running campaigns due now that wait for an instant further ahead than a send may be due. Sends are many, so this is
 * looked for now and then, and not with each look for those that are due. Answers how many there were, at most `limit`.
 */
export async function hastenSendsAcrossProjects(db: Db, now: number, limit: number): Promise<number> {
  const isFar = (most: number | string) => withValue((at) => farAheadSql("s.due_at", at, most), now);
  const moving = sql`
    with far as (
      select ${deliveryKey("s")} from ${t.campaigns} c join ${t.emailSends} s on s.campaign_id = c.id
      -- The first condition is there for the index.
      where ${isSentBy("c", "email")} and s.status = 'waiting' and ${isFar(Math.min(...LONGEST_WAITS_MS))}
        and ${isFar(LONGEST_WAIT)}
        -- A mail that was requested for an instant may wait for that one, and after a deferral for no longer than others.
        and (s.deferrals > 0 or not exists (
          select from ${t.sendData} r where ${sameDelivery("r", "s")} and r.send_at >= s.due_at
        ))
      order by s.due_at limit ${limit} for update of s skip locked
    )
    update ${t.emailSends} s
    set due_at = greatest(${now}::int8, case s.deferrals when 0 then (
      select r.send_at from ${t.sendData} r where ${sameDelivery("r", "s")}
    ) end)
    from far f
    where ${sameDelivery("s", "f")} and ${rowFilter("s.status = 'waiting'")}
    returning 1`;
  const { rows } = await inIndexOrder(db, (tx) => moving.execute(tx));
  return rows.length;
}

/** Makes messages of a campaign due now that wait for these words. Answers how many there were, at most `limit`. */
export async function releasePostponed(
  db: Db,
  { projectId, queueId }: Queue,
  { words, now, limit }: { words: string; now: number; limit: number },
): Promise<number> {
  const moving = sql`
    with other as (
      select ${deliveryKey("s")} from ${t.emailSends} s
      where s.campaign_id = ${queueId} and s.project_id = ${projectId} and s.postponed_by = ${words}
        and ${rowFilter("s.status = 'waiting'")}
      limit ${limit} for update of s skip locked
    )
    update ${t.emailSends} s set due_at = least(s.due_at, ${now}), postponed_by = null from other o
    where ${sameDelivery("s", "o")} and ${rowFilter("s.status = 'waiting'")}
    returning 1`;
  const { rows } = await inIndexOrder(db, (tx) => moving.execute(tx));
  return rows.length;
}
