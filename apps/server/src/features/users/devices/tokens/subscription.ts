import { ECDH } from "node:crypto";
import { z } from "zod";
import { isInHostList } from "../../../../platform/net/host-list.ts";

/** A browser's subscription at its push service, as the Push API gives it (W3C, "Push API", 8). */
export type BrowserSubscription = {
  /** The address of the push service at which this browser is reached. */
  endpoint: string;
  /** What is sent is encrypted for: a point of P-256 (65 bytes), and a secret (16 bytes); base64url. */
  p256dh: string;
  auth: string;
  /** The public key that the browser subscribed with, 65 bytes in base64url; null where the app does not say. */
  applicationServerKey: string | null;
};

const MAX_ENDPOINT = 2_048;

const Given = z.object({
  endpoint: z.string().max(MAX_ENDPOINT),
  keys: z.object({ p256dh: z.string(), auth: z.string() }),
  applicationServerKey: z.string().nullish(),
});

/** The bytes of base64url, or of base64, in base64url; null where these are not as many. */
function base64urlOf(text: string, bytes: number): string | null {
  if (!/^[A-Za-z0-9+/_-]{1,100}={0,2}$/.test(text)) return null;
  const read = Buffer.from(text, "base64url");
  return read.length === bytes ? read.toString("base64url") : null;
}

/** An uncompressed point of P-256 in base64url; null where the text is none. */
function pointOf(text: string): string | null {
  const point = base64urlOf(text, 65);
  if (point === null) return null;
  try {
    ECDH.convertKey(point, "prime256v1", "base64url");
    return point;
  } catch {
    return null;
  }
}

function parsed(token: string): unknown {
  try {
    return JSON.parse(token);
  } catch {
    return undefined;
  }
}

/** The address in a subscription as it is stored; the text itself where it is none. */
export function endpointIn(token: string): string {
  const given = Given.safeParse(parsed(token));
  return given.success ? given.data.endpoint : token;
}

/** The address of a subscription; null where it is none that anything may be sent to. */
function addressOf(endpoint: string, hosts: readonly string[]): string | null {
  const url = URL.parse(endpoint);
  if (url === null || url.username !== "" || url.password !== "" || endpoint.includes("#")) return null;
  // Written out, an address is longer than it was given where it had signs that addresses do not have.
  return url.href.length <= MAX_ENDPOINT && isInHostList(url, hosts) ? url.href : null;
}

/**
 * The subscription of a browser, from the text that its app puts as its token. `hosts`: the push services that may be sent to
 * (`WEBPUSH_HOSTS`), as anybody can make up a subscription. The fault is the end of a sentence about the token.
 */
export function readSubscription(
  token: string,
  hosts: readonly string[],
): { subscription: BrowserSubscription } | { fault: string } {
  const given = Given.safeParse(parsed(token));
  if (!given.success)
    return { fault: "must be the subscription of a browser as JSON: endpoint, keys.p256dh and keys.auth" };
  const { endpoint, keys, applicationServerKey = null } = given.data;
  const address = addressOf(endpoint, hosts);
  if (address === null)
    return { fault: "must have the https address of a browser's push service as endpoint (WEBPUSH_HOSTS)" };
  const p256dh = pointOf(keys.p256dh);
  if (p256dh === null) return { fault: "must have a point of P-256 as keys.p256dh, 65 bytes in base64url" };
  const auth = base64urlOf(keys.auth, 16);
  if (auth === null) return { fault: "must have 16 bytes in base64url as keys.auth" };
  const key = applicationServerKey === null ? null : pointOf(applicationServerKey);
  if (applicationServerKey !== null && key === null)
    return { fault: "must have a point of P-256 as applicationServerKey, 65 bytes in base64url" };
  return { subscription: { endpoint: address, p256dh, auth, applicationServerKey: key } };
}

/** A subscription as it is stored: the same one is always the same text, whatever its app wrote. */
export const subscriptionText = ({
  endpoint,
  p256dh,
  auth,
  applicationServerKey,
}: BrowserSubscription): string =>
  JSON.stringify({
    endpoint,
    keys: { p256dh, auth },
    ...(applicationServerKey !== null && { applicationServerKey }),
  });
