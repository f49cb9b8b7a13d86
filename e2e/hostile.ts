import type { TestHouse, TestProject } from "../apps/server/test/harness.ts";

/** Puts a message into a campaign past every check of the API, as an older version or another hand may have. */
export async function smuggle(
  house: TestHouse,
  { projectId }: TestProject,
  campaignId: string,
  content: object,
): Promise<void> {
  const { pool } = house.database;
  await pool.query("update variants set content = $1 where campaign_id = $2", [
    JSON.stringify(content),
    campaignId.slice("cmp_".length),
  ]);
  await pool.query("update projects set config_version = config_version + 1 where id = $1", [projectId]);
}
