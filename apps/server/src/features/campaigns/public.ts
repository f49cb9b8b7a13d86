export { requireCampaign } from "./require-campaign.ts";
