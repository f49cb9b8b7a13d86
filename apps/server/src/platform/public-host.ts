import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { SECOND_MS } from "./clock.ts";

/** Addresses that are not of the public internet (RFC 6890 and its successors). */
const PRIVATE = new BlockList();
for (const [net, bits] of [
  ...([
    ["0.0.0.0", 8],
    ["10.0.0.0", 8],
    ["100.64.0.0", 10],
    ["127.0.0.0", 8],
  ] as const),
  ...([
    ["169.254.0.0", 16],
    ["172.16.0.0", 12],
    ["192.0.0.0", 24],
    ["192.168.0.0", 16],
  ] as const),
  ...([
    ["198.18.0.0", 15],
    ["224.0.0.0", 4],
    ["240.0.0.0", 4],
  ] as const),
] as const)
  PRIVATE.addSubnet(net, bits, "ipv4");
for (const [net, bits] of [
  ["::", 127],
  ["fc00::", 7],
  ["fe80::", 10],
  ["ff00::", 8],
  ["64:ff9b::", 96],
] as const)
  PRIVATE.addSubnet(net, bits, "ipv6");

const isPrivate = (address: string): boolean =>
  PRIVATE.check(
    address.replace(/^::ffff:(?=\d+\.)/i, ""),
    isIP(address.replace(/^::ffff:/i, "")) === 4 ? "ipv4" : "ipv6",
  );

/** Where a host lies: `private` where one of its addresses is not of the public internet, `unknown` where it has none. */
export type HostPlace = { at: "public"; address: LookupAddress } | { at: "private" } | { at: "unknown" };

/** Asks where a host lies. @param host a name or an address, without brackets */
export async function placeOfHost(host: string): Promise<HostPlace> {
  const found = await lookup(host, { all: true }).catch(() => []);
  const [address] = found;
  if (address === undefined) return { at: "unknown" };
  return found.some((each) => isPrivate(each.address)) ? { at: "private" } : { at: "public", address };
}

/** How long a person waits for the address of a host that they name. */
const LOOKUP_MS = 3 * SECOND_MS;

/**
 * Whether a host is, or its name leads to, an address of this machine or its network. A name that is not known, or not within three
 * seconds, leads nowhere now.
 * @param host as it stands in an address, also in brackets
 */
export async function isPrivateHost(host: string): Promise<boolean> {
  const ended = new AbortController();
  const late = sleep(LOOKUP_MS, { at: "unknown" } as const, { signal: ended.signal }).catch(() => ({
    at: "unknown" as const,
  }));
  const place = await Promise.race([placeOfHost(host.replace(/^\[|\]$/g, "")), late]);
  ended.abort();
  return place.at === "private";
}
