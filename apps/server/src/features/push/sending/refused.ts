import type { Ctx } from "../../../platform/http/contract/endpoint.ts";
import type { Diagnostic } from "../../audience/language/schema.ts";
import { listRefused, type UsableCredential } from "../credentials/public.ts";
import { refusedSinceWords } from "../credentials/standing.pure.ts";
import { readCampaignSpec } from "./definition-store.ts";
import { countDevices } from "./inspect/standing-store.ts";

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

/**
 * Of the credentials that pushes to the chosen devices of a user are sent with, the one that all of them wait for; null where one of them
 * may leave.
 */
export function barringAll(credentials: readonly (UsableCredential | null)[]): UsableCredential | null {
  const [first = null] = credentials;
  return credentials.every((credential) => credential?.isBarred === true) ? first : null;
}
