import type { Platform, PushEnvironment } from "../../../domain/fields.ts";
import type { Db } from "../../../platform/db/db.ts";
import type { App } from "../../../platform/runtime.ts";
import { listUsableCredentials, type UsableCredential } from "../credentials/public.ts";

/** The platform and environment of a device, for which there is one credential. */
type Way = { platform: Platform; environment: PushEnvironment };

/** The credentials of an app that can be used now. */
export type Usable = {
  has(way: Way): boolean;
  get(way: Way): UsableCredential | null;
  all: readonly UsableCredential[];
};

const keyOf = ({ platform, environment }: Way): string => `${platform} ${environment}`;

/** The current credentials of an app. One that was sealed with another SECRET_KEY counts as missing. */
export async function readCampaignCredentials(
  app: App,
  db: Db,
  projectId: string,
  appId: string,
): Promise<Usable> {
  const usable = await listUsableCredentials(db, app.secrets, projectId, appId);
  const byWay = new Map(usable.map((credential) => [keyOf(credential), credential]));
  return {
    has: (way) => byWay.has(keyOf(way)),
    get: (way) => byWay.get(keyOf(way)) ?? null,
    all: usable,
  };
}
