import type { Ctx } from "../../../platform/http/contract/endpoint.ts";
import type { Diagnostic } from "../../audience/language/schema.ts";
import { listRefused, type UsableCredential } from "../credentials/public.ts";
import { refusedSinceWords } from "../credentials/standing.pure.ts";
import type { Usable } from "./credentials.ts";
import { readCampaignSpec } from "./definition-store.ts";
import { countDevices } from "./inspect/standing-store.ts";
import type { PushReach } from "./reach.ts";

/** What the credentials of a push campaign's app that their provider refuses cost it; none for a campaign of another channel. */
export async function refusalWarnings(
  { db, projectId }: Pick<Ctx, "db" | "projectId">,
  campaignUuid: string,
): Promise<Diagnostic[]> {
  const spec = await readCampaignSpec(db, projectId, campaignUuid);
  if (spec === null) return [];
  const { appId } = spec.settings;
  const refused = await listRefused(db, projectId, appId);
  if (refused.length === 0) return [];
  const devices = await countDevices(db, projectId, appId);
  return refused.map((credential): Diagnostic => {
    const { platform, environment } = credential;
    const way = devices.find((each) => each.platform === platform && each.environment === environment);
    return {
      severity: "warning",
      code: "credential_refused",
      path: "/push/appId",
      message: refusedSinceWords(credential, way?.ready ?? 0),
    };
  });
}

/** The credential that all chosen devices of a user wait for, because its provider refuses it; null where one of them may be sent to. */
export function barringOf(
  { devices }: Pick<PushReach, "devices">,
  credentials: Usable,
): UsableCredential | null {
  if ("reason" in devices) return null;
  const used = devices.chosen.map(credentials.get);
  return used.every((credential) => credential?.isBarred === true) ? (used[0] ?? null) : null;
}
