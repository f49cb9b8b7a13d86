import type { Db } from "../../../platform/db/db.ts";

/** Projects that have a policy and an evaluation whose instant has come, but for those that are at work. */
export async function findDueProjectsAcrossProjects(
  db: Db,
  now: number,
  busy: readonly string[],
): Promise<{ projectId: string }[]> {
  return db
    .selectFrom("settings as s")
    .select("s.projectId")
    .where("s.key", "=", "agent.policy")
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("evaluations as e")
          .select("e.campaignId")
          .whereRef("e.projectId", "=", "s.projectId")
          .where("e.evaluationAt", "<=", now)
          .where((where) =>
            where.or([where("e.leaseExpiresAt", "is", null), where("e.leaseExpiresAt", "<=", now)]),
          ),
      ),
    )
    .$if(busy.length > 0, (query) => query.where("s.projectId", "not in", busy))
    .execute();
}
