import type { UserRef } from "../../../../domain/ids.ts";
import type { Connection, Db } from "../../../../platform/db/db.ts";
import { rowsStatement } from "../../../../platform/db/statements/statement.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";

/** A test push. `id` is the `send_id` of its recipient and slot. */
export type PushTest = UserRef & {
  id: string;
  campaignId: string;
  projectId: string;
  requestId: string;
  slotKey: string;
  installationId: string;
};

const insertTests = rowsStatement<PushTest & { now: number }, { id: string }>(
  { name: "insert_push_test", reach: "config" },
  {
    id: "uuid",
    lane: "int2",
    userKey: "uuid",
    campaignId: "uuid",
    projectId: "uuid",
    requestId: "text",
    slotKey: "uuid",
    installationId: "text",
    now: "int8",
  },
  `
  insert into ${t.pushTests} (campaign_id, request_id, project_id, id, lane, user_key, slot_key, installation_id, created_at)
  select campaign_id, request_id, project_id, id, lane, user_key, slot_key, installation_id, now from input
  on conflict do nothing returning id`,
);

/** Inserts a test. False where the campaign has one with this request id, so that of simultaneous requests one inserts it. */
export const insertTest = async (client: Connection, test: PushTest, now: number): Promise<boolean> =>
  (await insertTests(client, [{ ...test, now }])).length === 1;

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
