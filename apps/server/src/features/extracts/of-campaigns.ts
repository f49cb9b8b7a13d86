import { parseDeliveryId, uuidFor } from "../../domain/ids.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import {
  type ExtractedCampaign,
  findPlace,
  listExtractedCampaigns,
  type Queued,
} from "./deliveries-store.ts";
import type { ListReading } from "./list.ts";
import { type RowPage, walk } from "./walk.ts";

type Place = NonNullable<Awaited<ReturnType<typeof findPlace>>>;
type Narrowed = {
  since?: number | undefined;
  until?: number | undefined;
  campaignId?: string | undefined;
  after?: string | undefined;
};

/** Where to begin: at which campaign, and behind which of its deliveries. */
type Start = { index: number; place: Place | null };

async function startBehind(
  { db, projectId }: ListReading,
  campaigns: readonly ExtractedCampaign[],
  id: string,
): Promise<Start> {
  const key = parseDeliveryId(id);
  const index = campaigns.findIndex((campaign) => campaign.id === key?.campaignId);
  const place = key === null || index < 0 ? null : await findPlace(db, projectId, key);
  if (place === null)
    throw new ApiError("invalid_request", "query.after must be the id of a delivery that the list has");
  return { index, place };
}

/**
 * The pages of a list by campaign, the campaigns in the order in which they were made. `read` answers a page of one.
 * @throws ApiError not_found for a campaign that the project does not have, invalid_request for an `after` that is no row
 */
export async function pagesOfCampaigns<Row>(
  reading: ListReading,
  { since, until, campaignId, after }: Narrowed,
  read: (campaign: ExtractedCampaign, queued: Queued, after: Place | null) => Promise<RowPage<Row, Place>>,
): Promise<AsyncGenerator<readonly Row[]>> {
  const { db, projectId, now } = reading;
  const wanted = campaignId === undefined ? undefined : uuidFor("cmp", campaignId);
  const campaigns = await listExtractedCampaigns(db, projectId, wanted);
  if (wanted !== undefined && campaigns.length === 0) throw new ApiError("not_found", "Campaign not found");
  const start: Start =
    after === undefined ? { index: 0, place: null } : await startBehind(reading, campaigns, after);
  const queued: Queued = { since, until: Math.min(until ?? now, now) };
  async function* pages() {
    for (const [index, campaign] of campaigns.entries()) {
      if (index < start.index) continue;
      yield* walk(
        (place: Place | null) => read(campaign, queued, place),
        index === start.index ? start.place : null,
      );
    }
  }
  return pages();
}
