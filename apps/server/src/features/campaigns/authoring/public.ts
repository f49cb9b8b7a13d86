export { type Allocation, readAllocation } from "./allocation-store.ts";
export { makeCampaign } from "./create-campaign.ts";
export { adoptEpochs, currentHoldout, hasHeldOut } from "./epoch-store.ts";
export { type LaunchGate, launchGates } from "./launch-gates.ts";
export { isOpen, isSentBy, ofRunningCampaignsCte } from "./open-store.ts";
export { requireCampaign } from "./require-campaign.ts";
export { type CampaignRow, listVariants } from "./store.ts";
export { readNewestCampaigns } from "./view.ts";
export { warningsOf, withWarnings } from "./warnings.ts";
