import { isIP } from "node:net";
import type { Config } from "../../../platform/config.ts";

const LOCAL_HOSTS = ["127.0.0.1", "[::1]", "0.0.0.0", "[::]"];

/**
 * Where people open the dashboard, without a trailing slash: the public address, else this machine by its name, because browsers bind
 * passkeys to names and not to numbers.
 * @param address where the server is reached
 */
export function personOrigin(address: string, { publicUrl }: Pick<Config, "publicUrl">): string {
  const url = new URL(address);
  if (publicUrl === null && LOCAL_HOSTS.includes(url.hostname)) url.hostname = "localhost";
  return url.origin;
}

/** Whether browsers make passkeys for an address: it is a name, and what it answers cannot be altered on the way. */
export function takesPasskeys(origin: string): boolean {
  const { protocol, hostname } = new URL(origin);
  return isIP(hostname.replace(/^\[|\]$/g, "")) === 0 && (protocol === "https:" || hostname === "localhost");
}
