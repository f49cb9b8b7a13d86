import { userRef } from "../../../domain/ids.ts";

/** The key of an address' row, computed from the project and the address in lower case. */
export type AddressRef = { lane: number; addressKey: string };

export function addressRef(projectId: string, address: string): AddressRef {
  const { lane, userKey } = userRef(projectId, `mailto:${address.toLowerCase()}`);
  return { lane, addressKey: userKey };
}
