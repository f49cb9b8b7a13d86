import type pg from "pg";
import { valuesStatement } from "../../../../platform/db/statements/statement.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";
import type { DeliveryWindow } from "../../../campaigns/authoring/rules.ts";

/** The state of a campaign that decides whether a reserved push may still leave. */
export type CampaignGate = DeliveryWindow & { isRunning: boolean; contentVersion: number };

const readGateRow = valuesStatement<{ projectId: string; campaignId: string }, CampaignGate>(
  { name: "read_push_gate", reach: "config" },
  { projectId: "uuid", campaignId: "uuid" },
  ({ projectId, campaignId }) => `
  select status = 'running' as "isRunning", deliver_from as "deliverFrom", deliver_until as "deliverUntil",
    content_version as "contentVersion"
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
