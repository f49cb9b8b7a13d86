import type { UserRef } from "../../../../domain/ids.ts";
import type { Connection, Db } from "../../../../platform/db/db.ts";

/** A test push. `id` is the `send_id` of its recipient and slot. */
export type PushTest = UserRef & {
  id: string;
  campaignId: string;
  projectId: string;
  requestId: string;
  slotKey: string;
  installationId: string;
};

/** Inserts a test. False where the campaign has one with this request id, so that of simultaneous requests one inserts it. */
export async function insertTest(client: Connection, test: PushTest, now: number): Promise<boolean> {
  const { campaignId, requestId, projectId, id, lane, userKey, slotKey, installationId } = test;
  const { rowCount } = await client.query({
    name: "insert_push_test",
    text: `
      insert into push_tests (campaign_id, request_id, project_id, id, lane, user_key, slot_key, installation_id, created_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing`,
    values: [campaignId, requestId, projectId, id, lane, userKey, slotKey, installationId, now],
  });
  return rowCount === 1;
}

export async function findTest(
  db: Db,
  projectId: string,
  campaignId: string,
  requestId: string,
): Promise<PushTest | null> {
  const row = await db
    .selectFrom("pushTests")
    .select(["id", "campaignId", "projectId", "requestId", "lane", "userKey", "slotKey", "installationId"])
    .where("projectId", "=", projectId)
    .where("campaignId", "=", campaignId)
    .where("requestId", "=", requestId)
    .executeTakeFirst();
  return row ?? null;
}
