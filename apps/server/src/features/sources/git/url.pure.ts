import { withoutMark } from "../../../platform/text/byte-order-mark.ts";

/** How a repository is read: nothing for a public one. A key of ssh comes with the keys of its host. */
export type RepositoryCredential =
  | { kind: "basic"; user: string; password: string }
  | { kind: "ssh"; privateKey: string; knownHosts: string };

const MOST_CHARACTERS = 2_048;

/** `git@host:path`, as people copy it. */
const SCP_LIKE = /^[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:(?!\/\/)[^\s]+$/;

/** Whether the address is one of ssh. */
export const isSsh = (url: string): boolean => /^ssh:/i.test(url) || SCP_LIKE.test(url);

/** Why a repository cannot have this address, or null. `allowPrivate`: whether files and plain HTTP may be read. */
export function urlFault(url: string, { allowPrivate }: { allowPrivate: boolean }): string | null {
  if (url.length === 0 || url.length > MOST_CHARACTERS) return `must be 1 to ${MOST_CHARACTERS} characters`;
  if (/[\p{Cc}\s]/u.test(url) || url.startsWith("-")) return "must be an address without spaces";
  // URL reads a backslash as a slash, git as part of the user's name: they would see two different hosts.
  if (url.includes("\\")) return "must be an address without backslashes";
  if (SCP_LIKE.test(url)) return null;
  if (!URL.canParse(url)) return "must be an address such as https://git.example.com/acme/web.git";
  const { protocol, username, password } = new URL(url);
  const allowed = ["https:", "ssh:", ...(allowPrivate ? ["http:", "file:"] : [])];
  if (!allowed.includes(protocol)) return `must begin with ${allowed.map((each) => `${each}//`).join(", ")}`;
  if (password !== "" || (username !== "" && protocol !== "ssh:"))
    return "must not contain a credential: it is given apart";
  return null;
}

/** Why a branch cannot be called so, or null: the rules of git for the names of refs. */
export function branchFault(branch: string): string | null {
  const isBad =
    branch.length === 0 ||
    branch.length > 255 ||
    /[\p{Cc}\s~^:?*[\\]/u.test(branch) ||
    /\.\.|@\{|\/\/|\/\.|^[-./]|[./]$|\.lock(\/|$)|^@$/.test(branch);
  return isBad ? "must be the name of a branch, such as main" : null;
}

/** The credential in a text: `user:token`, or a private key of ssh with the known hosts beside it; or why there is none. */
export function parseCredential(
  given: string,
  knownHosts: string | null,
): { credential: RepositoryCredential } | { fault: string } {
  const text = given.trim();
  if (/^-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)) {
    if (knownHosts === null || knownHosts.trim() === "")
      return { fault: "is a key of ssh, which needs the keys of the host as well (known hosts)" };
    return { credential: { kind: "ssh", privateKey: `${text}\n`, knownHosts: withoutMark(knownHosts) } };
  }
  const [, user, password] = /^([^:\p{Cc}]{1,200}):(\P{Cc}{1,4000})$/u.exec(text) ?? [];
  if (user === undefined || password === undefined)
    return { fault: "must contain user:token on one line, or a private key of ssh" };
  return { credential: { kind: "basic", user, password } };
}

/** Why a mapping cannot follow a ref, as the end of a sentence about it; null where it can. */
export const refFault = (ref: string): string | null =>
  /^refs\/(heads|tags)\/[^\s\p{Cc}~^:?*[\\]{1,200}$/u.test(ref) && !ref.includes("..")
    ? null
    : "must be a ref such as refs/heads/production";

/** The host of a repository's address, also of one of ssh such as `git@host:path`; the address itself where it names none. */
export function hostOf(url: string): string {
  if (URL.canParse(url)) return new URL(url).host || url;
  return /^[^@/]+@([^:/]+):/.exec(url)?.[1] ?? url;
}

/** An address of HTTP or ssh whose host is in plain sight: what decides where git goes must not be read in two ways. */
const PLAIN =
  /^(?:https?|ssh):\/\/(?:[A-Za-z0-9._~-]+@)?([A-Za-z0-9][A-Za-z0-9._-]*|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?(?:\/|$)/i;
const PLAIN_SCP = /^[A-Za-z0-9._-]+@([A-Za-z0-9][A-Za-z0-9.-]*):/;

/** The host of a repository's address as it stands there, an IPv6 address in brackets; null where it is not plain to see. */
export function statedHostOf(url: string): string | null {
  const form = PLAIN_SCP.test(url) && !URL.canParse(url) ? PLAIN_SCP : PLAIN;
  return form.exec(url)?.[1] ?? null;
}
