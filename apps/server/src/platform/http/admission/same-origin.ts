import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import { ApiError } from "../contract/errors.ts";

type Received = { readonly headers: IncomingHttpHeaders };

const hostOf = (origin: string | undefined): string | null =>
  origin !== undefined && URL.canParse(origin) ? new URL(origin).host : null;

/**
 * Whether a host can only be this server, if a browser came here by it: a number or a name of this machine, or the public address. Any other
 * name may be a stranger's who lets it lead here (DNS rebinding), so that their page and this server have one origin.
 */
function isOwnHost(host: string, publicUrl: string): boolean {
  if (host === new URL(publicUrl).host) return true;
  const { hostname } = new URL(`http://${host}`);
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    isIP(hostname.replace(/^\[|\]$/g, "")) !== 0
  );
}

/**
 * Whether a page of this server asks, as far as the browser says: the host of its Origin is the public one, or the one that was asked, where
 * that is a number or a name of this machine. Programs send no Origin.
 */
export function isOurOrigin({ headers: { origin, host } }: Received, publicUrl: string): boolean {
  const from = hostOf(origin);
  if (from === null) return false;
  return from === new URL(publicUrl).host || (from === host && isOwnHost(from, publicUrl));
}

/** The answer to a page that was opened under a name that this server does not know. */
const UNKNOWN_NAME =
  "The server does not know the name that it was opened by. Set PUBLIC_URL to that address, or open it by its IP address.";

/** The refusal of a page that is not ours. @param message why, where it is simply another one */
export function otherPage(
  { headers: { origin, host } }: Received,
  publicUrl: string,
  message: string,
): ApiError {
  const from = hostOf(origin);
  const isByUnknownName = from !== null && from === host && !isOwnHost(from, publicUrl);
  return new ApiError("forbidden", isByUnknownName ? UNKNOWN_NAME : message);
}
