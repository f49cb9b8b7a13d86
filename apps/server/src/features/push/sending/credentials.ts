import type { Db } from "../../../platform/db/db.ts";
import type { App } from "../../../platform/runtime.ts";
import { listUsableCredentials, type UsableCredential } from "../credentials/public.ts";

/** Where a device's pushes go. */
type Way = { platform: "ios" | "android"; environment: "development" | "production" };

/** The credentials of an app that can be used now. */
export type Usable = {
  has(way: Way): boolean;
  of(way: Way): UsableCredential | null;
};

const keyOf = ({ platform, environment }: Way): string => `${platform} ${environment}`;

/** What an app's pushes leave with, as it stands now. One that cannot be opened is as good as none. */
export async function readCampaignCredentials(
  app: App,
  db: Db,
  projectId: string,
  appId: string,
): Promise<Usable> {
  const usable = await listUsableCredentials(db, app.secrets, projectId, appId);
  const byWay = new Map(usable.map((credential) => [keyOf(credential), credential]));
  return { has: (way) => byWay.has(keyOf(way)), of: (way) => byWay.get(keyOf(way)) ?? null };
}
