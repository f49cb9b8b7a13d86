import type { Platform, PushEnvironment } from "../../../domain/fields.ts";
import type { Db } from "../../../platform/db/db.ts";

/** The platforms and environments for which an app has credentials, including credentials that cannot be opened. */
export async function listWays(
  db: Db,
  projectId: string,
  appId: string,
): Promise<{ platform: Platform; environment: PushEnvironment }[]> {
  return db
    .selectFrom("pushCredentials")
    .select(["platform", "environment"])
    .where("projectId", "=", projectId)
    .where("appId", "=", appId)
    .orderBy("platform")
    .orderBy("environment")
    .execute();
}
