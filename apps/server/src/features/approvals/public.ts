export { approvalPage } from "./commands/page.ts";
export { type CampaignVerdict, decideCampaign } from "./decide-campaign.ts";
export { listWaitingDrafts } from "./store.ts";
export { censusOfProposal } from "./take-proposal-census.ts";
