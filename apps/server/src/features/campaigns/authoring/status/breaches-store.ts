import type { Db } from "../../../../platform/db/db.ts";
import type { Share } from "../../goals/rates.pure.ts";

/** The breaches of a campaign that are not cleared, newest first. Counts are those by which a rate was judged. */
export async function openBreaches(
  db: Db,
  projectId: string,
  campaignId: string,
): Promise<{ guardrail: string; counts: Share }[]> {
  const rows = await db
    .selectFrom("guardrailBreaches")
    .select(["guardrail", "counts"])
    .where("projectId", "=", projectId)
    .where("campaignId", "=", campaignId)
    .where("clearedAt", "is", null)
    .orderBy("breachedAt", "desc")
    .execute();
  // Written by the loop alone; those of phrases have other counts, and are not asked for them.
  return rows.map(({ guardrail, counts }) => ({ guardrail, counts: counts as Share }));
}
