import type pg from "pg";
import type { DeliveryRef } from "../../../../domain/ids.ts";
import { rowsStatement, valuesStatement } from "../../../../platform/db/statements/statement.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";
import type { DeliveryWindow } from "../../../campaigns/authoring/rules.ts";
import { DELIVERY_COLUMNS } from "../../../deliveries/public.ts";
import { isInsideSql, mayEndSql } from "../../../journeys/authoring/public.ts";

/** The state of a campaign that decides whether a reserved push may still leave. `isStep`: it is the message of a step of a journey. */
export type CampaignGate = DeliveryWindow & { isRunning: boolean; contentVersion: number; isStep: boolean };

const readGateRow = valuesStatement<{ projectId: string; campaignId: string }, CampaignGate>(
  { name: "read_push_gate", reach: "config" },
  { projectId: "uuid", campaignId: "uuid" },
  ({ projectId, campaignId }) => `
  select status = 'running' as "isRunning", deliver_from as "deliverFrom", deliver_until as "deliverUntil",
    content_version as "contentVersion", journey_id is not null as "isStep"
  from ${t.campaigns} where id = ${campaignId} and project_id = ${projectId}`,
);

/** The gate of a campaign; null where the campaign is gone. */
export async function readCampaignGate(
  pool: pg.Pool,
  projectId: string,
  campaignId: string,
): Promise<CampaignGate | null> {
  const [gate] = await readGateRow(pool, { projectId, campaignId });
  return gate ?? null;
}

/** Whether the users of pushes of steps are inside their journeys, and did nothing since that may end them. One row for each push, in order. */
export const readInside = rowsStatement<DeliveryRef, { isInside: boolean }>(
  { name: "read_push_inside", reach: "key" },
  DELIVERY_COLUMNS,
  `
  select c.id is not null and ${isInsideSql("i", "c")} and not ${mayEndSql("i", "c")} as "isInside"
  from input i
  left join ${t.campaigns} c on c.id = i.campaign_id and c.project_id = i.project_id
  order by i.ord`,
);
