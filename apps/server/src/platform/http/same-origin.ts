import type { IncomingHttpHeaders } from "node:http";

/**
 * Whether a page of this server asks, as far as the browser says: the host of its Origin is the one that was asked, or the public one. A name
 * that a page's owner points at this machine has another one. Programs send no Origin.
 */
export function isOurOrigin(
  { headers: { origin, host } }: { headers: IncomingHttpHeaders },
  publicUrl: string,
): boolean {
  if (origin === undefined) return false;
  const from = URL.canParse(origin) ? new URL(origin).host : null;
  return from !== null && (from === host || from === new URL(publicUrl).host);
}
