import { endpointFault } from "./endpoint-url.ts";

/** What can be sent in a header and found again in JSON: printable ASCII without blanks, quotes and backslashes. */
const KEY = /^[!#-[\]-~]+$/;

/** @throws TypeError for an address or key that cannot be used, without the key */
export function assertUsable({ url, key }: { url: string; key: string | null }): void {
  const fault = endpointFault(url);
  if (fault !== null) throw new TypeError(`agent.modelUrl ${fault}.`);
  if (key !== null && !KEY.test(key))
    throw new TypeError("agent.modelKey must be printable ASCII, without blanks, quotes and backslashes.");
}
