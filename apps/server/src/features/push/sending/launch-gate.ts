import type { Ctx } from "../../../platform/http/contract/endpoint.ts";
import type { LaunchGate } from "../../campaigns/authoring/public.ts";
import { readCampaignCredentials } from "./credentials.ts";
import { readCampaignSpec } from "./definition-store.ts";
import { listWays } from "./readiness-store.ts";

/** Why a campaign's pushes could not be sent, in a sentence that says what to do; null where they can. */
async function pushFault(
  { app, db, projectId }: Pick<Ctx, "app" | "db" | "projectId">,
  campaignUuid: string,
): Promise<string | null> {
  const spec = await readCampaignSpec(db, projectId, campaignUuid);
  if (spec === null) return null;
  const { appId } = spec.settings;
  const ways = await listWays(db, projectId, appId);
  if (ways.length === 0)
    return `Put a push credential for ${appId} (PUT /api/v1/push/credentials): without one nothing can be sent.`;
  const usable = await readCampaignCredentials(app, db, projectId, appId);
  const sealed = ways.find((way) => !usable.has(way));
  return sealed === undefined
    ? null
    : `Put the push credential of ${appId} for ${sealed.platform}, ${sealed.environment} again: it was sealed with another SECRET_KEY.`;
}

/** A push campaign launches once there is a credential for its app that opens. */
export const pushGate: LaunchGate = async (ctx, { id, channel }) => {
  const message = channel === "push" ? await pushFault(ctx, id) : null;
  return message === null ? null : { reason: "channel_not_ready", message };
};
