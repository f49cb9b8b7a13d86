import { canonicalHash } from "../../platform/canonical.ts";
import type { Db } from "../../platform/db/db.ts";
import { viewCampaignDetail } from "../campaigns/authoring/public.ts";
import type { CampaignDetail } from "../campaigns/authoring/schema.ts";

/** SHA-256 of the canonical JSON (RFC 8785) of what users read and who gets it: `{name, channel, audience, pages, variants}`. */
export function contentHashOf(campaign: CampaignDetail): string {
  const { name, channel, audience, pages } = campaign;
  const variants = campaign.variants.map(({ id, name: called, weight, isControl, content }) => ({
    ...{ id, name: called, weight, isControl, content },
  }));
  return canonicalHash({ name, channel, audience, pages, variants });
}

/** What a person sees before they allow a campaign to launch by itself: it changes with the content and with the declaration. */
export const approvalRevisionOf = (campaign: CampaignDetail): string =>
  canonicalHash({ contentHash: contentHashOf(campaign), declaration: campaign.sourceChanges.revision });

/** A campaign (UUID) that is there, as the API shows it. */
export async function readDetail(
  db: Db,
  projectId: string,
  campaignId: string,
  now: number,
): Promise<CampaignDetail> {
  const detail = await viewCampaignDetail(db, projectId, campaignId, now);
  if (detail === null) throw new Error("A campaign that was just read is not there.");
  return detail;
}
