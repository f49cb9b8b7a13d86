export { type AddressRef, addressRef } from "./address-ref.ts";
export { decideSuppression } from "./decide.ts";
export { readStopper } from "./decide-store.ts";
export { forgetAddresses } from "./erase-store.ts";
export { leaverWarnings } from "./leavers.ts";
export { nextSuppressions, type SuppressionPlace } from "./list-store.ts";
export { parseAddress } from "./rules.ts";
export {
  type AddressChange,
  type Addressee,
  acceptedSince,
  allowAddress,
  type BroughtStop,
  bringStops,
  changeAddresses,
  findBroughtStops,
  findSuppressed,
  isSuppressedSql,
  type KnownAddress,
  listSuppressions,
  lockAddresses,
  readAddress,
  type Stop,
  suppressAddress,
  suppressAddresses,
  suppressKnownAddresses,
} from "./store.ts";
