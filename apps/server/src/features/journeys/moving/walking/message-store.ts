import { sql } from "kysely";
import type { Db } from "../../../../platform/db/db.ts";
import { rowsStatement } from "../../../../platform/db/statements/statement.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";
import { sameCampaign, sameDelivery } from "../../../deliveries/public.ts";
import type { EntryKey, FoundPlace } from "../entry-store.ts";

/** Whose message was made, or withheld. `isThere`: it needs not leave first, as one of the web does not. */
export type Made = Pick<EntryKey, "userKey"> & { isWithheld: boolean; isThere: boolean };

/**
 * Which messages of steps were made, or withheld: whose entry and campaign (UUID) are given. At a step that is paused users wait, also those from
 * whom its message was withheld before.
 */
export const findMade = rowsStatement<
  Pick<FoundPlace, keyof EntryKey | "projectId"> & { campaignId: string },
  Made
>(
  { name: "find_made_journey_messages", reach: "key" },
  {
    lane: "int2",
    userKey: "uuid",
    journeyId: "uuid",
    occasion: "int4",
    projectId: "uuid",
    campaignId: "uuid",
  },
  `
  select i.user_key as "userKey", w.user_key is not null as "isWithheld", c.channel = 'web_inapp' as "isThere" from input i
  join ${t.campaigns} c on c.id = i.campaign_id
  left join ${t.deliveries} d on ${sameDelivery("d", "i")} and d.project_id = i.project_id
  left join ${t.withheldDeliveries} w on ${sameCampaign("w", "i")} and w.project_id = i.project_id and c.status = 'running'
  where d.user_key is not null or w.user_key is not null
  order by i.ord`,
);

/** What became of the message of a step for some entries: its state, or that it was withheld; none where it was not made. */
export type Sent = EntryKey & {
  state: string | null;
  sentAt: number | null;
  isWithheld: boolean;
  /** Whether it needs not leave first, as one of the web does not. */
  isThere: boolean;
  /** When the message is due, where it is mail that waits. */
  dueAt: number | null;
};

/** What became of the messages of the steps where entries are. `campaignId`: the campaign of the step (UUID). */
export async function readSent(
  db: Db,
  projectId: string,
  entries: readonly (EntryKey & { campaignId: string })[],
): Promise<Sent[]> {
  if (entries.length === 0) return [];
  const rows = entries.map(({ lane, userKey, journeyId, occasion, campaignId }) => ({
    lane,
    user_key: userKey,
    journey_id: journeyId,
    occasion,
    campaign_id: campaignId,
  }));
  const { rows: found } = await sql<Sent>`
    select n.lane, n.user_key as "userKey", n.journey_id as "journeyId", n.occasion, d.state, d.sent_at as "sentAt",
      w.user_key is not null as "isWithheld", d.user_key is not null and c.channel = 'web_inapp' as "isThere", s.due_at as "dueAt"
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) n (lane int2, user_key uuid, journey_id uuid, occasion int4, campaign_id uuid)
    join ${t.campaigns} c on c.id = n.campaign_id and c.project_id = ${projectId}
    left join ${t.deliveries} d on ${sameDelivery("d", "n")} and d.project_id = ${projectId}
    left join ${t.withheldDeliveries} w on ${sameCampaign("w", "n")} and w.project_id = ${projectId}
    left join ${t.emailSends} s on ${sameDelivery("s", "n")} and s.project_id = ${projectId}`.execute(db);
  return found;
}

/** The channel of the campaign of a step (UUID); null where it is gone. */
export async function readStepChannel(
  db: Db,
  projectId: string,
  campaignId: string,
): Promise<"web_inapp" | "email" | "push" | null> {
  const found = await db
    .selectFrom("campaigns")
    .select("channel")
    .where("projectId", "=", projectId)
    .where("id", "=", campaignId)
    .executeTakeFirst();
  return found?.channel ?? null;
}

/** The push of a step for an entry: until when it is postponed (epoch ms), and whether it was sent and no answer will ever say more. */
export type StepPush = Pick<EntryKey, "userKey"> & { dueAt: number | null; isUncertain: boolean };

/** The pushes of the steps where entries are; none where a message is no push. `campaignId`: the campaign of the step (UUID). */
export async function readStepPushes(
  db: Db,
  projectId: string,
  entries: readonly (EntryKey & { campaignId: string })[],
): Promise<StepPush[]> {
  if (entries.length === 0) return [];
  const rows = entries.map(({ lane, userKey, occasion, campaignId }) => ({
    lane,
    user_key: userKey,
    occasion,
    campaign_id: campaignId,
  }));
  const { rows: found } = await sql<StepPush>`
    select n.user_key as "userKey", min(s.at) filter (where s.state = 'waiting' and s.postponed_by is not null) as "dueAt",
      bool_and(s.state = 'closed') and bool_or(s.uncertain) as "isUncertain"
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) n (lane int2, user_key uuid, occasion int4, campaign_id uuid)
    join ${t.pushSlots} s on ${sameDelivery("s", "n")} and s.project_id = ${projectId} and not s.is_test
    group by n.user_key`.execute(db);
  return found;
}
