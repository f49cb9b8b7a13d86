/** A host that may be sent to: `*.` before it means all below it, and without a port it is reached at 443 alone. */
const ENTRY = /^(\*\.)?([a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::(\d{1,5}))?$/;

/** What a list of hosts that cannot be read is answered with: the end of a sentence. */
export const HOST_LIST_RULE =
  "must be hosts, separated by commas, such as push.example.com, *.push.example.com, 127.0.0.1:8443 or [::1]:8443";

type Entry = { isBelow: boolean; name: string; port: string };

function entryOf(host: string): Entry | null {
  const [, star, name = "", port = "443"] = ENTRY.exec(host) ?? [];
  const url = URL.parse(`https://${name}:${port}`);
  // An entry in another spelling than addresses have would match none of them; and all of a top-level domain is no host.
  const isSpelledSo = url?.hostname === name && (url.port || "443") === port && port !== "0";
  const isNarrow = star === undefined || name.includes(".");
  return isSpelledSo && isNarrow && !name.includes("..") ? { isBelow: star !== undefined, name, port } : null;
}

/** The hosts of a list that is separated by commas; null where an entry is none. */
export function parseHostList(text: string): readonly string[] | null {
  const hosts = text.split(",").map((host) => host.trim().toLowerCase());
  return hosts.every((host) => entryOf(host) !== null) ? hosts : null;
}

/** The name of a host in a list, without its `*.` and port. */
export const nameInList = (host: string): string => entryOf(host)?.name ?? "";

/** Whether an https address is at one of these hosts. */
export function isInHostList({ protocol, hostname, port }: URL, hosts: readonly string[]): boolean {
  if (protocol !== "https:") return false;
  return hosts.some((host) => {
    const entry = entryOf(host);
    if (entry === null || entry.port !== (port || "443")) return false;
    return entry.isBelow ? hostname.endsWith(`.${entry.name}`) : hostname === entry.name;
  });
}
