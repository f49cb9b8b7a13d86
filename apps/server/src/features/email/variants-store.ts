import type { Db } from "../../platform/db/db.ts";
import type { EmailMessage } from "../mail/message.ts";

/** What the variants of campaigns say. */
export async function readVariants(
  db: Db,
  projectId: string,
  campaignIds: readonly string[],
): Promise<Map<string, EmailMessage>> {
  const rows = await db
    .selectFrom("variants")
    .select(["id", "content"])
    .where("projectId", "=", projectId)
    .where("campaignId", "in", campaignIds)
    .execute();
  // Checked when it was written.
  return new Map(rows.map(({ id, content }) => [id, content as EmailMessage]));
}

/** The variants of a campaign with their weights, in order. */
export async function readWeights(
  db: Db,
  projectId: string,
  campaignId: string,
): Promise<{ id: string; weight: number }[]> {
  return db
    .selectFrom("variants")
    .select(["id", "weight"])
    .where("projectId", "=", projectId)
    .where("campaignId", "=", campaignId)
    .orderBy("position")
    .execute();
}
