import { type RawBuilder, sql } from "kysely";
import { apiId, uuidFor } from "../../../../domain/ids.ts";
import { type SqlText, sqlText } from "../../../../platform/db/statements/sql-text.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";
import { MESSAGE_DEEDS, type MessageDeed, type MessageNode } from "../schema.ts";
import { windowMs } from "./conditions.pure.ts";
import type { AudienceScope } from "./conditions-store.ts";

/** SQL: when the user of a delivery `d` did something with it first, epoch milliseconds; null for never. */
const INSTANTS: Readonly<Record<MessageDeed, string>> = {
  received: "case when d.bounced_at is null then coalesce(d.sent_at, d.shown_at) end",
  opened: "d.opened_at",
  clicked: "d.clicked_at",
  dismissed: "d.dismissed_at",
};

const PREFIX = apiId("cmp", "");
/** SQL: the id in the API of the campaign of a delivery `d`. */
const CAMPAIGN = `'${PREFIX}' || d.campaign_id`;

/** SQL: the rows `d` of a user's deliveries and `c` of their campaigns. The user's key is enough: it is derived from the project too. */
const messagesOf = (
  source: string,
): string => `${t.deliveries} d join ${t.campaigns} c on c.id = d.campaign_id
  where d.lane = ${source}.lane and d.user_key = ${source}.user_key`;

/** SQL: deliveries of a user in `source` that count for the need `n` of messages. */
export const messagesOfNeed = (source: string): SqlText =>
  sqlText(`${messagesOf(source)}
    and (n.campaigns is null or n.campaigns ? (${CAMPAIGN}))
    and (n.channel is null or n.channel = c.channel::text)
    and case n.did ${MESSAGE_DEEDS.map((deed) => `when '${deed}' then ${INSTANTS[deed]}`).join(" ")} end
      between coalesce(${source}.evaluated_at - n.window_ms, 0) and ${source}.evaluated_at`);

/**
 * SQL: reads the messages that are counted for needs, in the statement that it is joined into: `m.messages` is a JSON list of
 * `RecentMessage`, null for none. `source` has lane, user_key and messages: a JSON list of ids of campaigns, or `true` for all, or null,
 * which costs nothing.
 */
export const recentMessagesJoin = (source: string, most: number): SqlText =>
  sqlText(`
  left join lateral (
    select json_agg(json_build_array(m.campaign, m.channel, ${MESSAGE_DEEDS.map((deed) => `m.${deed}`).join(", ")})) as messages
    from (
      select ${CAMPAIGN} as campaign, c.channel, ${MESSAGE_DEEDS.map((deed) => `${INSTANTS[deed]} as ${deed}`).join(", ")}
      from ${messagesOf(source)} and (${source}.messages = 'true' or ${source}.messages ? (${CAMPAIGN}))
      limit ${most}
    ) m
    where ${source}.messages is not null
  ) m on true`);

/** SQL: a user did something with a delivery `d` between two instants (epoch milliseconds), both included. */
function isDone(did: MessageDeed, from: number, until: number): RawBuilder<boolean> {
  const isIn = (column: string) =>
    sql<boolean>`${sql.ref(`d.${column}`)} between ${from}::int8 and ${until}::int8`;
  // The same as `INSTANTS` in plain comparisons: PostgreSQL has no statistics about an expression, and would take one row in 200 for enough.
  if (did === "received")
    return sql`(d.bounced_at is null and (${isIn("sent_at")} or (d.sent_at is null and ${isIn("shown_at")})))`;
  return isIn(`${did}_at`);
}

/** The condition on a row `d` of deliveries that a message node counts. */
export function messageSql(
  { did, campaigns, channel, window }: MessageNode,
  { projectId, evaluatedAt }: AudienceScope,
): RawBuilder<unknown> {
  const from = window === undefined ? 0 : evaluatedAt - windowMs(window);
  const keys = campaigns?.map((id) => uuidFor("cmp", id));
  const named = keys === undefined ? sql`` : sql`and c.id = any(${keys}::uuid[])`;
  const inChannel = channel === undefined ? sql`` : sql`and c.channel = ${channel}::channel`;
  // Campaigns are few, and deliveries have an index by them: without them the deliveries of all projects would be read.
  return sql`d.campaign_id in (select c.id from ${t.campaigns} c where c.project_id = ${projectId} ${named} ${inChannel})
    and ${isDone(did, from, evaluatedAt)}`;
}
