export { type CampaignAllocation, readAllocation } from "./allocation-store.ts";
export { changeCampaign } from "./change-campaign.ts";
export { changeStatus, endByItself, pauseRunning } from "./change-status.ts";
export { makeCampaign } from "./create-campaign.ts";
export { changesDeclared, declarationOf, declareChanges } from "./declaration.ts";
export { type DeclaredChange, listDeclared } from "./declaration-store.ts";
export { adoptEpochs, contentDigest, currentHoldout, hasHeldOut } from "./epoch-store.ts";
export {
  assertLaunchAllowed,
  assertVariantsAllowed,
  type FoundHost,
  type FoundPhrase,
  findForbiddenHost,
  findHost,
  findPhrase,
  patchedVariants,
} from "./guardrails.ts";
export {
  assertReady,
  byRequest,
  coverageGate,
  type Launch,
  type Launched,
  type LaunchGate,
  type Launching,
  launchGates,
  launchRefusalFields,
  recordLaunch,
} from "./launch-gates.ts";
export { readMessage } from "./messages.ts";
export { isOpen, isSentBy, ofRunningCampaignsCte } from "./open-store.ts";
export { findPass, isBehind, isBehindSql, isPassOver, lockPassed, type Pass } from "./pass-store.ts";
export { requireCampaign } from "./require-campaign.ts";
export { assertRevision } from "./revision.ts";
export {
  adoptPauses,
  type CampaignRow,
  countActive,
  findCampaign,
  listTitles,
  listUnderGoal,
  listVariants,
  sumStats,
} from "./store.ts";
export { readNewestCampaigns, viewCampaignDetail } from "./view.ts";
export {
  type MessageRemarks,
  messageRemarks,
  parseContents,
  warningsOf,
  warningsOfRead,
  withWarnings,
} from "./warnings.ts";
