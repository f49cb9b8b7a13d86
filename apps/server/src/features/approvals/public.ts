export { approvalPage } from "./commands/page.ts";
export { type CampaignVerdict, decideCampaign } from "./decide-campaign.ts";
export { listWaiting } from "./store.ts";
export { censusOfProposal } from "./take-proposal-census.ts";
