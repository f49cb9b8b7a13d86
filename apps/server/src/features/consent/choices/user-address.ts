import { type AddressRef, addressRef, parseAddress } from "../../email/addresses/public.ts";

/** The address in the traits of a user, which may be any JSON object, with its key; null where they have none. */
export function addressOfUser(
  projectId: string,
  { traits }: { traits: unknown },
): (AddressRef & { address: string }) | null {
  const found = parseAddress((traits as Record<string, unknown>).email);
  return found === null ? null : { ...addressRef(projectId, found.address), address: found.address };
}
