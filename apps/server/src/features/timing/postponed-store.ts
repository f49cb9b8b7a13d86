import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../platform/db/db.ts";
import { withValue } from "../../platform/db/statements/fragment.ts";
import type { SqlText } from "../../platform/db/statements/sql-text.ts";
import { t } from "../../platform/db/statements/table-names.ts";
import type { Queue } from "../../platform/outbound/channel.ts";
import { isOpen, isSentBy, timingOfSql } from "../campaigns/authoring/public.ts";
import type { CampaignTiming } from "../campaigns/authoring/timing.pure.ts";
import { type CampaignTopic, topicOfSql } from "../campaigns/topics/public.ts";
import type { PressingChannel } from "./settings.pure.ts";

/** A campaign that runs now and has postponed messages, and all that any of them wait for. */
export type PostponedQueue = Queue & {
  words: string[];
  timing: CampaignTiming;
  topic: CampaignTopic | null;
};

/** SQL: all that messages of the campaign `c` wait for. An entry of an index is read for each, however many messages wait for it. */
const wordsSql = (messages: SqlText): RawBuilder<string[]> => {
  const next = (after: string) => `(
    select s.postponed_by from ${messages} s where s.campaign_id = c.id and s.postponed_by is not null ${after}
    order by s.postponed_by limit 1
  )`;
  return sql`array(
    with recursive w as (
      ${sql.raw(next(""))}
      union all
      select ${sql.raw(next("and s.postponed_by > w.postponed_by"))} from w where w.postponed_by is not null
    )
    select postponed_by from w where postponed_by is not null
  )`;
};

const MESSAGES: Readonly<Record<PressingChannel, SqlText>> = { email: t.emailSends, push: t.pushSlots };

/** Campaigns of a channel that run now and have postponed messages. */
export async function findPostponedAcrossProjects(
  db: Db,
  channel: PressingChannel,
  now: number,
): Promise<PostponedQueue[]> {
  const { rows } = await sql<PostponedQueue>`
    select c.project_id as "projectId", c.id as "queueId", p.words, ${timingOfSql("c")} as timing, ${topicOfSql("c")} as topic
    from ${t.campaigns} c cross join lateral (select ${wordsSql(MESSAGES[channel])} as words offset 0) p
    where ${isSentBy("c", channel)} and ${withValue((at) => isOpen("c", at), now)} and p.words <> '{}'
    order by c.id`.execute(db);
  return rows;
}
