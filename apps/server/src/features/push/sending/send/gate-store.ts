import type pg from "pg";
import type { DeliveryWindow } from "../../../campaigns/authoring/rules.ts";

/** The state of a campaign that decides whether a reserved push may still leave. */
export type CampaignGate = DeliveryWindow & { isRunning: boolean; contentVersion: number };

/** The gate of a campaign; null where the campaign is gone. */
export async function readCampaignGate(
  pool: pg.Pool,
  projectId: string,
  campaignId: string,
): Promise<CampaignGate | null> {
  const { rows } = await pool.query<CampaignGate>({
    name: "read_push_gate",
    text: `
      select status = 'running' as "isRunning", deliver_from as "deliverFrom", deliver_until as "deliverUntil",
        content_version as "contentVersion"
      from campaigns where id = $2 and project_id = $1`,
    values: [projectId, campaignId],
  });
  return rows[0] ?? null;
}
