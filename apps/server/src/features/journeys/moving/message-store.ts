import { sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import { rowsStatement } from "../../../platform/db/statements/statement.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { sameCampaign, sameDelivery } from "../../deliveries/public.ts";
import type { EntryKey, FoundPlace } from "./entry-store.ts";

/** Which messages of steps were made, or withheld: whose entry and campaign (UUID) are given. */
export const findMade = rowsStatement<
  Pick<FoundPlace, keyof EntryKey | "projectId"> & { campaignId: string },
  EntryKey
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
  select i.lane, i.user_key as "userKey", i.journey_id as "journeyId", i.occasion from input i
  where exists (select from ${t.deliveries} d where ${sameDelivery("d", "i")} and d.project_id = i.project_id)
    or exists (select from ${t.withheldDeliveries} w where ${sameCampaign("w", "i")} and w.project_id = i.project_id)
  order by i.ord`,
);

/** What became of the message of a step for some entries: its state, or that it was withheld; none where it was not made. */
export type Sent = EntryKey & {
  state: string | null;
  sentAt: number | null;
  isWithheld: boolean;
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
      w.user_key is not null as "isWithheld", s.due_at as "dueAt"
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) n (lane int2, user_key uuid, journey_id uuid, occasion int4, campaign_id uuid)
    left join ${t.deliveries} d on ${sameDelivery("d", "n")} and d.project_id = ${projectId}
    left join ${t.withheldDeliveries} w on ${sameCampaign("w", "n")} and w.project_id = ${projectId}
    left join ${t.emailSends} s on ${sameDelivery("s", "n")} and s.project_id = ${projectId}`.execute(db);
  return found;
}

/** Whether the campaign of a step (UUID) sends pushes. */
export async function isPushStep(db: Db, projectId: string, campaignId: string): Promise<boolean> {
  const found = await db
    .selectFrom("campaigns")
    .select("channel")
    .where("projectId", "=", projectId)
    .where("id", "=", campaignId)
    .executeTakeFirst();
  return found?.channel === "push";
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
