export { makeCampaign } from "./create-campaign.ts";
export { requireCampaign } from "./require-campaign.ts";
