import type { Ctx } from "../../platform/http/contract/endpoint.ts";
import type { CampaignRow } from "../campaigns/authoring/public.ts";
import { PushSettings } from "../content/push/message.pure.ts";
import { findUnknownTraits } from "../counting/rollups/public.ts";
import { readMailWay } from "../email/sending/public.ts";
import { listRefused } from "../push/credentials/public.ts";
import { readPushWay } from "../push/sending/public.ts";
import { channelReach } from "./rules.ts";
import type { ReachRemark, Setup } from "./schema.ts";
import { readFound } from "./store.ts";

type At = Pick<Ctx, "app" | "db" | "projectId">;
type Aimed = Pick<CampaignRow, "channel" | "push" | "visitors">;

/** The trait with the address that mail goes to. */
const ADDRESS = "email";

/** How far a project is put up, by a few rows however large it is. Push is looked at for one app, or for all (null). */
export async function readSetup(at: At, appId: string | null = null): Promise<Omit<Setup, "evaluatedAt">> {
  const { app, db, projectId } = at;
  const { hasDevice, ...found } = await readFound(db, projectId, appId);
  const mail = await readMailWay(app, db, projectId);
  const { unknown } = await findUnknownTraits(db, projectId, [ADDRESS]);
  const reach = channelReach({
    hasPageView: found.hasPageView,
    hasUser: found.hasUser,
    hasDevice,
    hasAddress: !unknown.has(ADDRESS),
    mail: mail?.way ?? null,
    push: await readPushWay(app, db, projectId, appId),
    isRefused: (await listRefused(db, projectId, appId)).length > 0,
  });
  return { ...found, hasSender: mail?.isReady === true, reach };
}

/** What keeps users from a campaign, by what its project lacks, or for a push its app. */
export async function readReach(at: At, { channel, push, visitors }: Aimed): Promise<ReachRemark[]> {
  const appId = channel === "push" ? PushSettings.parse(push).appId : null;
  const remarks = (await readSetup(at, appId)).reach[channel];
  // Everybody who comes to a page is a visitor at least.
  return visitors === "none" ? remarks : remarks.filter((remark) => remark !== "no_user");
}
