export { type CampaignVerdict, decideCampaign } from "./decide-campaign.ts";
