import { sql } from "kysely";
import type { Db } from "../../../../platform/db/db.ts";
import { censusFrom, joiningByHash } from "../../../deliveries/public.ts";

/**
 * Users whom a campaign is for at an instant (epoch ms), those of them without a delivery of it, and all users with one, also those whom it
 * is not for any more. Needs a transaction.
 */
export async function countAudience(
  db: Db,
  question: { projectId: string; now: number; campaign: { id: string; audience: unknown } },
): Promise<{ matched: number; delivered: number; left: number }> {
  const { campaign, projectId } = question;
  const from = censusFrom(question, false, sql`true`);
  const { rows } = await joiningByHash(db, () =>
    sql<{ matched: number; delivered: number; left: number }>`
      select count(*) as matched, count(*) filter (where d.user_key is null) as left,
        (select count(*) from deliveries where campaign_id = ${campaign.id} and project_id = ${projectId}) as delivered
      from ${from}`.execute(db),
  );
  return rows[0] ?? { matched: 0, delivered: 0, left: 0 };
}
