import type { Feature } from "../../domain/feature.ts";
import { previewMessage } from "./preview-message.ts";
import { reviewCampaign } from "./review-campaign.ts";

/** What people look at before they change anything: a message as a user gets it, and what a change of a campaign would do. */
export const preview: Feature = { room: "preview", endpoints: [previewMessage, reviewCampaign] };
