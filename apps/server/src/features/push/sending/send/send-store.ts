import { sql } from "kysely";
import type { Db } from "../../../../platform/db/db.ts";
import { withValue } from "../../../../platform/db/fragment.ts";
import { valuesStatement } from "../../../../platform/db/rows-statement.ts";
import { t } from "../../../../platform/db/table-names.ts";
import { dueSql } from "../../../../platform/far-ahead.ts";
import type { DueQueue } from "../../../../platform/outbound/channel.ts";
import { isOpen, isSentBy } from "../../../campaigns/authoring/public.ts";
import { REEVALUATE_MS } from "../rules.ts";

/** Whether a slot `s` that is ready or waits is due. */
export const isSlotDue = (now: string): string => dueSql("s.at", now, REEVALUATE_MS);

/** The platforms and environments of devices of a campaign that are due. */
export const findDueWays = valuesStatement<
  { projectId: string; campaignId: string; now: number },
  { platform: "ios" | "android"; environment: "development" | "production" }
>(
  "find_due_push_ways",
  { projectId: "uuid", campaignId: "uuid", now: "int8" },
  ({ projectId, campaignId, now }) => `
  select distinct i.platform, i.environment from ${t.pushSlots} s
  join ${t.installations} i on i.lane = s.installation_lane and i.installation_key = s.installation_key
  where s.campaign_id = ${campaignId} and s.project_id = ${projectId} and not s.is_test
    and s.state in ('ready', 'waiting') and ${isSlotDue(now)}`,
);

/** A campaign with slots that are due, or with tests that are. */
export type DueCampaign = DueQueue & { tests: boolean };

/** Campaigns that run now and have slots that are due; and those with tests that are due, which need not run. */
export async function findDueAcrossProjects(db: Db, now: number): Promise<DueCampaign[]> {
  const due = withValue(isSlotDue, now);
  const { rows } = await sql<DueCampaign>`
    select c.project_id as "projectId", c.id as "queueId", false as tests from campaigns c
    where ${sql.raw(isSentBy("c", "push"))} and ${withValue((at) => isOpen("c", at), now)}
      and exists (
        select from push_slots s
        where s.campaign_id = c.id and s.state in ('ready', 'waiting') and not s.is_test and ${due}
      )
    union all
    select distinct s.project_id, s.campaign_id, true from push_slots s
    where s.state in ('ready', 'waiting') and s.is_test and ${due}
    order by 2`.execute(db);
  return rows;
}
