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
export { emailSettingGroup } from "./settings.ts";
