import type { Db } from "../../../platform/db/db.ts";

/** Where an app's pushes could go: the platforms and environments that it has credentials for, whether these open or not. */
export async function listWays(
  db: Db,
  projectId: string,
  appId: string,
): Promise<{ platform: "ios" | "android"; environment: "development" | "production" }[]> {
  return db
    .selectFrom("pushCredentials")
    .select(["platform", "environment"])
    .where("projectId", "=", projectId)
    .where("appId", "=", appId)
    .orderBy("platform")
    .orderBy("environment")
    .execute();
}
