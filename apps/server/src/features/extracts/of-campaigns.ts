import { parseDeliveryId, uuidFor } from "../../domain/ids.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import {
  type ExtractedCampaign,
  findPlace,
  listExtractedCampaigns,
  type Queued,
} from "./deliveries-store.ts";
import type { ListReading } from "./list.ts";
import type { RowPage } from "./walk.ts";

type Place = NonNullable<Awaited<ReturnType<typeof findPlace>>>;
type Narrowed = {
  since?: number | undefined;
  until?: number | undefined;
  campaignId?: string | undefined;
};

/** Behind which delivery of which campaign (UUID) a list goes on; null where it goes on with the first one of the campaign. */
export type CampaignPlace = { campaignId: string; place: Place | null };

/** The place of a row that a list has, by the id of its delivery. @throws ApiError invalid_request where it has no such row */
export async function placeBehind({ db, projectId }: ListReading, id: string): Promise<CampaignPlace> {
  const key = parseDeliveryId(id);
  const place = key === null ? null : await findPlace(db, projectId, key);
  if (key === null || place === null)
    throw new ApiError("invalid_request", "query.after must be the id of a delivery that the list has");
  return { campaignId: key.campaignId, place };
}

/**
 * Reads a list campaign after campaign, in the order in which they were made: answers what reads its next page. `read` answers a page of one.
 * @throws ApiError not_found for a campaign that the project does not have
 */
export async function openByCampaign<Row>(
  { db, projectId, now }: ListReading,
  { since, until, campaignId }: Narrowed,
  read: (campaign: ExtractedCampaign, queued: Queued, after: Place | null) => Promise<RowPage<Row, Place>>,
): Promise<(after: CampaignPlace | null) => Promise<RowPage<Row, CampaignPlace>>> {
  const wanted = campaignId === undefined ? undefined : uuidFor("cmp", campaignId);
  const campaigns = await listExtractedCampaigns(db, projectId, wanted);
  if (wanted !== undefined && campaigns.length === 0) throw new ApiError("not_found", "Campaign not found");
  const queued: Queued = { since, until: Math.min(until ?? now, now) };
  return async (after) => {
    const index = after === null ? 0 : campaigns.findIndex(({ id }) => id === after.campaignId);
    const campaign = campaigns[index];
    if (campaign === undefined) return { rows: [], next: null };
    const { rows, next } = await read(campaign, queued, after?.place ?? null);
    if (next !== null) return { rows, next: { campaignId: campaign.id, place: next } };
    const following = campaigns[index + 1];
    return { rows, next: following === undefined ? null : { campaignId: following.id, place: null } };
  };
}
