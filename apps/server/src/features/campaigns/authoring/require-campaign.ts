import { uuidOf } from "../../../domain/ids.ts";
import type { Ctx } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { type CampaignRow, findCampaign } from "./store.ts";

/** The campaign that a path names. @throws ApiError not_found when the project has none of that id. */
export async function requireCampaign(
  ctx: Ctx,
  id: string,
  lock: "read" | "for update" = "read",
): Promise<CampaignRow> {
  const uuid = uuidOf("cmp", id);
  const campaign = uuid === null ? null : await findCampaign(ctx.db, ctx.projectId, uuid, lock);
  if (campaign === null) throw new ApiError("not_found", "Campaign not found");
  return campaign;
}
