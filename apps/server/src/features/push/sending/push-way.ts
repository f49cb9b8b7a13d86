import type { Platform } from "../../../domain/fields.ts";
import { type Config, isLoopback } from "../../../platform/config.ts";
import type { Db } from "../../../platform/db/db.ts";
import { nameInList } from "../../../platform/net/host-list.ts";
import type { App } from "../../../platform/runtime.ts";
import { listCredentialWays } from "./inspect/standing-store.ts";
import { localPushes } from "./local.ts";

/** How a project's pushes leave: to a push provider, to something on this machine that stands in for one, or in no way. */
export type PushWay = "provider" | "stand_in" | "none";

/** Whether pushes of a platform go to this machine, where no push provider is. */
function isStandIn({ apnsUrl, fcmUrl, webpushHosts }: Config, platform: Platform): boolean {
  if (platform === "web") return webpushHosts.every((host) => isLoopback(nameInList(host)));
  const url = platform === "ios" ? apnsUrl : fcmUrl;
  return url !== null && isLoopback(new URL(url).hostname);
}

/** How a project's pushes leave, or those of one app. Of several platforms one is enough that goes to its provider. */
export async function readPushWay(
  app: App,
  db: Db,
  projectId: string,
  appId: string | null = null,
): Promise<PushWay> {
  if ((await app.ask(localPushes)(app, projectId)) !== null) return "stand_in";
  const ways = await listCredentialWays(db, projectId, appId);
  if (ways.length === 0) return "none";
  return ways.every(({ platform }) => isStandIn(app.config, platform)) ? "stand_in" : "provider";
}
