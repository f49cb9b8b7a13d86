export { changeSettings } from "./change.ts";
export {
  markSenderDomainVerified,
  prepareSenderDomain,
  readDkimKey,
  sealedAs as dkimSealedAs,
} from "./domain.ts";
export { identitySecret } from "./identity-secret.ts";
export {
  listSettingChanges,
  listSettings,
  readNumber,
  readOrganizationSettings,
  readSettings,
  readSome,
  SettingError,
  type ShownChange,
  type ShownSetting,
  sealedAs as settingSealedAs,
} from "./read.ts";
