import type { LookupAddress } from "node:dns";
import { lookup, Resolver } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { SECOND_MS } from "../time/clock.ts";
import { hostKind, isPublicAddress, plainHost } from "./public-host.pure.ts";

/** Addresses of a host, the one to try first at the beginning. */
export type Addresses = readonly [LookupAddress, ...LookupAddress[]];

/**
 * Where a host lies: `public` where all of its addresses are of the public internet, `private` where it is, or leads to, this machine or its
 * network; `nowhere` where no such name exists, `unasked` where DNS did not say.
 */
export type HostPlace =
  | { at: "public"; addresses: Addresses }
  | { at: "private" }
  | { at: "nowhere" }
  | { at: "unasked" };

/** How long DNS may take. */
const LOOKUP_MS = 5 * SECOND_MS;
const TRIES = 2;

/** What the system, or DNS, says of a name that has no address. */
const NONE: ReadonlySet<string> = new Set(["ENOTFOUND", "ENODATA"]);

const codeOf = (cause: unknown): string => (cause as NodeJS.ErrnoException).code ?? "";

/** Asks one DNS server for both kinds of addresses. @throws what it said, where it knows none */
async function askServer(server: string, name: string): Promise<LookupAddress[]> {
  const resolver = new Resolver({ timeout: LOOKUP_MS / TRIES / 2, tries: TRIES });
  resolver.setServers([server]);
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const found = answers.flatMap((answer, index): LookupAddress[] =>
    answer.status === "rejected"
      ? []
      : answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 })),
  );
  const failed = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason] : []));
  if (found.length === 0) throw failed.find((cause) => !NONE.has(codeOf(cause))) ?? failed[0];
  return found;
}

/** Asks for all addresses of a name, wherever they lie. @throws what the system, or the server, said, where there are none */
const addressesOfName = (name: string, { dnsServer }: Asking): Promise<LookupAddress[]> =>
  dnsServer === null ? lookup(name, { all: true }) : askServer(dnsServer, name);

async function placeOfName(name: string, asking: Asking): Promise<HostPlace> {
  try {
    const [first, ...more] = await addressesOfName(name, asking);
    if (first === undefined) return { at: "nowhere" };
    const isPublic = [first, ...more].every(({ address }) => isPublicAddress(address));
    return isPublic ? { at: "public", addresses: [first, ...more] } : { at: "private" };
  } catch (cause) {
    return { at: NONE.has(codeOf(cause)) ? "nowhere" : "unasked" };
  }
}

/** The server that answers for names: `dnsServer`, as in the configuration, or the system where that is null. */
export type Asking = { dnsServer: string | null };

/** Asks where a host lies, for at most five seconds. @param host a name or an address, also in brackets */
export async function placeOfHost(host: string, asking: Asking): Promise<HostPlace> {
  const kind = hostKind(host);
  const plain = plainHost(host);
  if (kind === "private" || plain === null) return { at: "private" };
  if (kind === "address") return { at: "public", addresses: [{ address: plain, family: isIP(plain) }] };
  const ended = new AbortController();
  const late = sleep<HostPlace>(LOOKUP_MS, { at: "unasked" }, { signal: ended.signal }).catch(
    (): HostPlace => ({ at: "unasked" }),
  );
  const place = await Promise.race([placeOfName(plain, asking), late]);
  ended.abort();
  return place;
}

/** Where a host may be reached. It throws an Error that says to people why not, where that is nowhere. */
export type FindAddresses = (host: string) => Promise<Addresses>;

/** Where a host is to be reached, if all of its addresses are of the public internet. @throws Error that says to people why not */
export async function publicAddresses(host: string, asking: Asking): Promise<Addresses> {
  const place = await placeOfHost(host, asking);
  switch (place.at) {
    case "public":
      return place.addresses;
    case "private":
      throw new Error(`${host} leads to this server or its network: an operator has to set it.`);
    case "nowhere":
      throw new Error(`There is no host ${host}.`);
    case "unasked":
      throw new Error(`DNS did not say where ${host} is.`);
  }
}

/** Where a host is, on this machine or its network, too. Names of these are the system's to know. @throws what it, or DNS, said of another name */
export async function anyAddresses(host: string, asking: Asking): Promise<Addresses> {
  const [first, ...more] = await addressesOfName(
    host,
    hostKind(host) === "private" ? { dnsServer: null } : asking,
  );
  if (first === undefined) throw Object.assign(new Error(`There is no host ${host}.`), { code: "ENOTFOUND" });
  return [first, ...more];
}

/** A connection that may go to addresses that were looked at alone, whatever DNS would answer by then. */
export const lookupOf =
  ([first, ...more]: Addresses): LookupFunction =>
  (_host, options, callback) => {
    if (options.all) callback(null, [first, ...more]);
    else callback(null, first.address, first.family);
  };
