import { userRef } from "../../../domain/ids.ts";

/** Where an address' row lives: a lane and key of its own, of project and address, whose case does not matter. */
export type AddressRef = { lane: number; addressKey: string };

export function addressRef(projectId: string, address: string): AddressRef {
  const { lane, userKey } = userRef(projectId, `mailto:${address.toLowerCase()}`);
  return { lane, addressKey: userKey };
}
