export { type AddressRef, addressRef } from "./address-ref.ts";
export { adoptStops, type BroughtStop, bringStops, findBroughtStops } from "./bring-store.ts";
export { decideSuppression } from "./decide.ts";
export { readStopper } from "./decide-store.ts";
export { forgetAddresses } from "./erase-store.ts";
export { countFailures, type MailFailure } from "./failing-store.ts";
export { keepAddress } from "./keep-store.ts";
export { leaverWarnings } from "./leavers.ts";
export { nextSuppressions, type SuppressionPlace } from "./list-store.ts";
export { parseAddress, type Stream } from "./rules.ts";
export {
  allowAddress,
  type Stop,
  suppressAddress,
  suppressAddresses,
  suppressKnownAddresses,
} from "./stop-store.ts";
export {
  type AddressChange,
  type Addressee,
  acceptedSince,
  changeAddresses,
  findReceiptsStopped,
  findSuppressed,
  type KnownAddress,
  listSuppressions,
  lockAddresses,
  readAddress,
} from "./store.ts";
export { isReceiptsStoppedSql, isSuppressedSql } from "./streams-store.ts";
