export { type CampaignAllocation, readAllocation } from "./audience/allocation-store.ts";
export { adoptEpochs, type CurrentEpoch, contentDigest, currentEpochSql } from "./audience/epoch-store.ts";
export {
  ENDLESS,
  findPass,
  isBehind,
  isBehindSql,
  isPassOver,
  lockPassed,
  type Pass,
} from "./audience/pass-store.ts";
export { changeCampaign } from "./change-campaign.ts";
export { changesDeclared, declarationOf, declareChanges } from "./changes/declaration.ts";
export { type DeclaredChange, listDeclared } from "./changes/declaration-store.ts";
export { makeCampaign } from "./create-campaign.ts";
export { readMessage } from "./message/messages.ts";
export {
  type MessageOfKind,
  type MessageRemarks,
  messageRemarks,
  parseContents,
  warningsOf,
  warningsOfKinds,
  warningsOfRead,
  withWarnings,
} from "./message/warnings.ts";
export { pathOfMessage, resolveAudience, resolveGoal } from "./references.ts";
export { requireCampaign } from "./require-campaign.ts";
export { assertRevision } from "./revision.ts";
export { changeStatus, endByItself, pauseRunning } from "./status/change-status.ts";
export {
  assertLaunchAllowed,
  assertVariantsAllowed,
  type FoundHost,
  type FoundPhrase,
  findForbiddenHost,
  findHost,
  findPhrase,
  patchedVariants,
} from "./status/guardrails.ts";
export {
  assertReady,
  byRequest,
  coverageGate,
  LAUNCH_REASONS,
  type Launch,
  type Launched,
  type LaunchGate,
  type Launching,
  launchGates,
  launchRefusalFields,
  recordLaunch,
  STATUS_REASONS,
} from "./status/launch-gates.ts";
export { readLaunchRules } from "./status/launch-rules.ts";
export { isOpen, isSentBy, knowsHoldout, mailsFor, ofRunningCampaignsCte } from "./status/open-store.ts";
export { authorOf } from "./status/pause.pure.ts";
export {
  adoptPauses,
  type CampaignRow,
  countActive,
  findCampaign,
  findTemplate,
  listTitles,
  listUnderGoal,
  listVariants,
  sumStats,
  timingOfSql,
} from "./store.ts";
export { readNewestCampaigns, viewCampaignDetail } from "./view.ts";
