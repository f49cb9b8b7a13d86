import { BlockList, isIP, isIPv6, SocketAddress } from "node:net";

/** The proxies whose word about a visitor's address is taken. */
export type TrustedProxies = {
  /** @param hop how many proxies stand between this address and the server; 0 is the one that connects */
  trusts(address: string, hop: number): boolean;
};

export const TRUSTED_PROXIES_RULE =
  "must be how many proxies stand in front (1 to 16), or their addresses and networks, such as 127.0.0.1,10.0.0.0/8";

const HOPS = /^(?:[1-9]|1[0-6])$/;
const MAPPED = /^::ffff:(?=\d+\.)/i;

const familyOf = (address: string): "ipv4" | "ipv6" => (isIPv6(address) ? "ipv6" : "ipv4");

/** An address in its one spelling: IPv4 also where a socket for both kinds writes it as IPv6. Null for what is no address. */
export function plainAddress(text: string): string | null {
  const [bare = ""] = text.split("%");
  if (isIP(bare) === 0) return null;
  return new SocketAddress({ address: bare, family: familyOf(bare) }).address.replace(MAPPED, "");
}

/** Adds an address or a network to a list; false where it is neither, or is every address that there is. */
function add(list: BlockList, text: string): boolean {
  const [network = "", bits, more] = text.split("/");
  const address = plainAddress(network);
  if (address === null || network.includes("%") || more !== undefined) return false;
  const family = familyOf(address);
  if (bits === undefined) {
    list.addAddress(address, family);
    return true;
  }
  const most = family === "ipv6" ? 128 : 32;
  if (!/^[1-9]\d{0,2}$/.test(bits) || Number(bits) > most) return false;
  list.addSubnet(address, Number(bits), family);
  return true;
}

/** Reads a count of proxies, or a list of addresses and networks; null for anything else. */
export function parseTrustedProxies(text: string): TrustedProxies | null {
  if (HOPS.test(text)) return { trusts: (_address, hop) => hop < Number(text) };
  const list = new BlockList();
  if (!text.split(",").every((each) => add(list, each.trim()))) return null;
  return { trusts: (address) => list.check(address, familyOf(address)) };
}
