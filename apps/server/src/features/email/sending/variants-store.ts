import type { Db } from "../../../platform/db/db.ts";
import type { EmailMessage } from "../../content/email/message.pure.ts";

/** The email of a variant, the content version of its campaign, and whether that is about a topic. */
export type EmailContent = { message: EmailMessage; version: number; hasTopic: boolean };

/** The contents of campaigns' variants, by variant. One statement reads both, so that texts and versions belong together. */
export async function readVariants(
  db: Db,
  projectId: string,
  campaignIds: readonly string[],
): Promise<Map<string, EmailContent>> {
  const rows = await db
    .selectFrom("variants as v")
    .innerJoin("campaigns as c", "c.id", "v.campaignId")
    .select(["v.id", "v.content", "c.contentVersion as version", "c.topicId"])
    .where("v.projectId", "=", projectId)
    .where("v.campaignId", "in", campaignIds)
    .execute();
  // The content was checked against the schema when it was written.
  return new Map(
    rows.map(({ id, content, version, topicId }) => [
      id,
      { message: content as EmailMessage, version, hasTopic: topicId !== null },
    ]),
  );
}
