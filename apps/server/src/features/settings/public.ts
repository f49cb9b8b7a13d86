export { changeSettings } from "./change.ts";
export { LastChange } from "./contract.ts";
export {
  type CheckedRecord,
  checkSenderDomain,
  domainKeyBinding as dkimSealedAs,
  findSenderDomain,
  markSenderDomainVerified,
  prepareSenderDomain,
  readDkimKey,
  type SenderDomain,
  wantedRecords,
} from "./domain.ts";
export { identitySecret } from "./identity-secret.ts";
export { changesOfPerson } from "./people-changes.ts";
export {
  assertMayReachUsers,
  isBelowLaunchRole,
  LaunchRoleRefusal,
  readLaunchRules,
  roleOf,
} from "./reaching-users.ts";
export {
  listSettingChanges,
  listSettings,
  readLastChange,
  readNumber,
  readOrganizationSettings,
  readSettings,
  readSome,
  SettingError,
  type ShownChange,
  type ShownSetting,
  settingBinding as settingSealedAs,
} from "./read.ts";
export { isByOperator } from "./store.ts";
