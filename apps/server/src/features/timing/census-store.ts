import { type RawBuilder, sql } from "kysely";
import { t } from "../../platform/db/statements/table-names.ts";
import { HOUR_MS } from "../../platform/time/clock.ts";
import { sameDelivery } from "../deliveries/public.ts";
import { channelsOf, type Limit } from "./pressure.pure.ts";

/** How many users of a census have this time zone (null: none in their traits), and whether a limit keeps more messages from them now. */
export type ReaderRow = { zone: string | null; isPressed: boolean; users: number };

/** By what messages of a campaign press, at an instant (epoch ms). */
export type Pressing = {
  projectId: string;
  limits: readonly Limit[];
  now: number;
};

/** SQL that follows `join`: the users for whom a limit is reached, by lane and key, as `x`. `ofThese`: SQL about the row `d` of deliveries that begins with `and`. */
export function pressedSql(
  { projectId, limits, now }: Pressing,
  ofThese: RawBuilder<unknown> = sql``,
): RawBuilder<unknown> {
  const hadLately = limits.map(({ max, hours, channels, topicId }) => {
    const within = sql`l.at > ${now - hours * HOUR_MS} and c.channel::text = any(${[...channels]}::text[])`;
    const which = topicId === null ? within : sql`${within} and c.topic_id = ${topicId}`;
    return sql`count(*) filter (where ${which}) >= ${max}`;
  });
  const longest = Math.max(0, ...limits.map(({ hours }) => hours));
  const none = sql`false`;
  return sql`(
    select d.lane, d.user_key from ${t.deliveries} d
    join ${t.campaigns} c on c.id = d.campaign_id and c.purpose = 'marketing' and c.channel::text = any(${channelsOf(limits)}::text[])
    cross join lateral (select case d.state when 'sending' then coalesce(
        (select max(a.started_at) from ${t.emailAttempts} a where ${sameDelivery("a", "d")}), ${now}
      ) else d.sent_at end as at offset 0) l
    where d.project_id = ${projectId} and (d.sent_at > ${now - longest * HOUR_MS} or d.state = 'sending') ${ofThese}
    group by d.lane, d.user_key having ${limits.length === 0 ? none : sql.join(hadLately, sql` or `)}
  ) x`;
}
