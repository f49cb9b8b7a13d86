export { addressRef } from "./address-ref.ts";
export { decideSuppression } from "./decide.ts";
export { forgetAddresses } from "./erase-store.ts";
export {
  type AddressChange,
  type Addressee,
  acceptedSince,
  allowAddress,
  changeAddresses,
  findSuppressed,
  listSuppressions,
  lockAddresses,
  readAddress,
  suppressAddress,
  suppressAddresses,
} from "./store.ts";
