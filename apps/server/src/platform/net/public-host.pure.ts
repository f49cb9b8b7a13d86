import { BlockList, isIPv4, isIPv6 } from "node:net";

/**
 * Addresses that are of no use on the public internet, or lead back into this machine or its network: the special-purpose registries of
 * IANA for IPv4. Documentation and benchmarking are among them, and the former relays of 6to4.
 */
const NOT_PUBLIC_IPV4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
];

/** Of IPv6 only these addresses are given out for the internet. What carries an IPv4 address (`::/96`, `64:ff9b::/96`) lies outside of them. */
const UNICAST_IPV6 = "2000::/3";

/** What of them is for something else: protocols (Teredo, ORCHID, benchmarking), documentation, 6to4, the sinks of AS112. */
const NOT_PUBLIC_IPV6 = ["2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"];

function listOf(nets: readonly string[], family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const net of nets) {
    const [address = "", bits] = net.split("/");
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}

const notPublic4 = listOf(NOT_PUBLIC_IPV4, "ipv4");
const unicast6 = listOf([UNICAST_IPV6], "ipv6");
const notPublic6 = listOf(NOT_PUBLIC_IPV6, "ipv6");

/** Whether an address, without brackets, is one of the public internet. An address with a zone (`fe80::1%eth0`) never is. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !notPublic4.check(address, "ipv4");
  return (
    isIPv6(address) &&
    !address.includes("%") &&
    unicast6.check(address, "ipv6") &&
    !notPublic6.check(address, "ipv6")
  );
}

/** Names under which machines and their networks have names of their own; DNS of the internet has none of them. */
const LOCAL_NAMES: ReadonlySet<string> = new Set([
  "localhost",
  "localdomain",
  "local",
  "internal",
  "intranet",
  "private",
  "corp",
  "home",
  "lan",
  "test",
]);

const isLocalName = (name: string): boolean => {
  const labels = name.split(".");
  return labels.length === 1 || LOCAL_NAMES.has(labels.at(-1) ?? "") || /(^|\.)home\.arpa$/.test(name);
};

/**
 * A host as all programs read it: in lower case and ASCII, without brackets and dots at the end, an IPv4 address in four parts however it
 * was spelled; null where it cannot be read so.
 */
export function plainHost(host: string): string | null {
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  if (bare.includes(":")) return isIPv6(bare) ? bare.toLowerCase() : null;
  // URL reads numbers as programs do: 127.1, 0x7f.1 and 2130706433 are one address.
  const url = URL.parse(`http://${bare.replace(/[.\u3002\uff0e\uff61]+$/, "")}/`);
  return url === null || `${url.username}${url.port}${url.search}${url.hash}` !== "" || url.pathname !== "/"
    ? null
    : url.hostname;
}

/** What can be said of a host without asking anybody; `name`: DNS has to say where it lies. */
export type HostKind = "private" | "address" | "name";

/** Tells hosts of this machine and its network from others, by how they are written. What cannot be read counts as such a host. */
export function hostKind(host: string): HostKind {
  const plain = plainHost(host);
  if (plain === null) return "private";
  if (isIPv4(plain) || isIPv6(plain)) return isPublicAddress(plain) ? "address" : "private";
  return isLocalName(plain) ? "private" : "name";
}
