import { beginningOf } from "@tidings/client/text";

/** Where links lead: hosts as browsers read them, and the schemes of apps. People list them: `acme.example, *.acme.example, acmeapp:`. */

const MAX_HOSTS = 100;
const MAX_HOST = 253;

export const HOSTS_RULE = `must be at most ${MAX_HOSTS} hosts with commas between, each a host such as acme.example, *.acme.example for all below it, or the scheme of an app such as acmeapp:, without a port and without a path`;

/** Schemes whose addresses have a host that a browser or an app asks. */
const WITH_HOST = new Set(["http:", "https:", "ws:", "wss:", "ftp:"]);
/** A host that there is not, to read what is no whole address. */
const NOWHERE = "https://own.invalid/";
const TRAILING_DOTS = /(?<!\.)\.+$/;
const WEB_ADDRESS = /https?:[\\/]{2,}[^\s<>"'`\\/?#;&,]+/gi;
const MAX_SHOWN = 200;

const hostOf = ({ hostname }: URL): string => hostname.replace(TRAILING_DOTS, "");

/** What cannot be read as an address stands for itself: no list has it. */
const unread = (address: string): string => beginningOf(address.trim(), MAX_SHOWN);

/** The domains that a mailto address writes to, with those in copy. */
function mailDomains({ pathname, searchParams }: URL): string[] {
  const others = ["to", "cc", "bcc"].flatMap((name) => searchParams.getAll(name));
  return [decoded(pathname), ...others]
    .flatMap((each) => each.split(/[,;]/))
    .flatMap((each) =>
      each.includes("@") ? placesOf(`https://${each.slice(each.lastIndexOf("@") + 1)}/`) : [],
    );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function parse(address: string): URL | null {
  if (URL.canParse(address)) return new URL(address);
  return URL.canParse(address, NOWHERE) ? new URL(address, NOWHERE) : null;
}

/**
 * Where an address leads, as a browser reads it (WHATWG): its host, the domains that a mail goes to, or the scheme of an app with a colon
 * and the hosts that are written out in its address. Nothing for a path of the page; what cannot be read stands for itself.
 */
export function placesOf(address: string): string[] {
  const url = parse(address);
  if (url === null) return [unread(address)];
  if (url.href.startsWith(NOWHERE)) return [];
  if (WITH_HOST.has(url.protocol)) return [hostOf(url)];
  if (url.protocol === "mailto:") return mailDomains(url);
  const inside = [...decoded(url.href).matchAll(WEB_ADDRESS)].flatMap(([found]) => placesOf(found));
  return [url.protocol, ...inside];
}

const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu;
/**
 * A whole address up to the end of some characters, after what cannot begin a scheme. It is looked for where a word begins alone, so that a
 * long word is read once.
 */
const addressOf = (characters: string): RegExp =>
  new RegExp(String.raw`(?<![a-z0-9+.-])([0-9+.-]*)([a-z][a-z0-9+.-]*:[\\/]{2,}${characters}+)`, "gi");
/** As programs that show a text make links of it: up to what no address has. */
const ADDRESS = addressOf(String.raw`[^\s<>"'\x60|]`);
/** With all that follows up to a blank: a program that is given a text as a value may end an address where it likes. */
const WORD_WITH_ADDRESS = addressOf(String.raw`\S`);
/** What names with dots are made of. `\ue000` is a personal field. */
const NAME_CHARACTERS = /[\p{L}\p{N}\p{M}\ue000_.-]+/gu;
/** The last part of a name, as programs that show mail make links of it: letters alone. */
const LAST_PART = /^(?:xn--[a-z0-9-]+|[\p{L}\p{M}]{2,})$/iu;
const BEGINS_A_PART = /^[\p{L}\p{N}]/u;
const AT_ITS_END = /(?<![)\]}.,;:!?*_~])[)\]}.,;:!?*_~]+$/;

/** Stands for a value that only a user's traits say, in a text that `placesIn` or `placesOf` reads. */
export const ANY_VALUE = "\ue000";

/** The name at the beginning of some parts, up to the last one with which a name may end; null where there is none. */
function nameIn(parts: readonly string[], isBeforeAt: boolean): string | null {
  for (let end = parts.length - 1; end > 0; end--) {
    const [part = "", value] = (parts[end] ?? "").split(ANY_VALUE, 2);
    const next = parts[end + 1];
    // A field after a name may have any value, also one that ends the name.
    const mayEnd = value !== undefined || (next === undefined ? !isBeforeAt : !BEGINS_A_PART.test(next));
    if (mayEnd && LAST_PART.test(part)) return [...parts.slice(0, end), part].join(".");
  }
  return null;
}

/** Bare names of hosts in a text. It is read once from the beginning to the end, however long its words are. */
function namesIn(text: string): string[] {
  return [...text.matchAll(NAME_CHARACTERS)].flatMap(({ 0: run, index }) => {
    const isBeforeAt = text[index + run.length] === "@";
    // Two dots end a name.
    return run.split("..").flatMap((chain, at, chains) => {
      const isLast = at === chains.length - 1;
      const parts = chain.split(".").filter((part) => part !== "");
      return nameIn(parts, isLast && isBeforeAt && !chain.endsWith(".")) ?? [];
    });
  });
}

/** Where a text leads whose addresses become links where it is shown: whole ones, and bare names of hosts such as `acme.example`. */
export function placesIn(text: string): string[] {
  const seen = text.normalize("NFKC").replaceAll("。", ".").replace(UNSEEN, "");
  const places: string[] = [];
  const rest = seen.replace(ADDRESS, (_, before: string, found: string) => {
    places.push(...placesOf(found.replace(AT_ITS_END, "")));
    return `${before} `;
  });
  return [...places, ...namesIn(rest).flatMap((name) => placesOf(`https://${name}/`))];
}

/** Where the words lead that have a whole address, of a text that is not shown but given to a program. */
export const placesInWords = (text: string): string[] =>
  [...text.matchAll(WORD_WITH_ADDRESS)].flatMap(([, , word = ""]) => placesIn(word));

/** A host, a host with `*.` before it, or a scheme with a colon, in the spelling of browsers; null for anything else. */
function parseHost(typed: string): string | null {
  if (/^[a-z][a-z0-9+.-]*:$/i.test(typed)) {
    const scheme = typed.toLowerCase();
    return WITH_HOST.has(scheme) || ["mailto:", "javascript:", "data:", "vbscript:"].includes(scheme)
      ? null
      : scheme;
  }
  const wildcard = typed.startsWith("*.") ? "*." : "";
  const host = typed.slice(wildcard.length);
  const isHost = /^[^\s/\\?#@%*,:]+$/.test(host) || /^\[[\da-f:.]+\]$/i.test(host);
  if (!isHost || !URL.canParse(`https://${host}/`)) return null;
  const name = hostOf(new URL(`https://${host}/`));
  const hasBelow = wildcard === "" || (/[^.]\.[^.]/.test(name) && !/\.\d+$|\]$/.test(name));
  return name === "" || name.length > MAX_HOST || !hasBelow ? null : wildcard + name;
}

/** The hosts of a list with commas or spaces between, each once; null when one of them is none, or there are too many. */
export function parseHosts(typed: string): readonly string[] | null {
  const hosts = new Set<string>();
  for (const word of typed.split(/[\s,]+/).filter((each) => each !== "")) {
    const host = parseHost(word);
    if (host === null) return null;
    hosts.add(host);
  }
  return hosts.size === 0 || hosts.size > MAX_HOSTS ? null : [...hosts];
}

/** A list as it is stored and shown; `parseHosts` reads it. */
export const hostsText = (hosts: readonly string[]): string => hosts.join(", ");

/** Whether a place is in a list that `parseHosts` returned. `*.` is any host below, however deep, and not the host itself. */
export const isListed = (hosts: readonly string[], place: string): boolean =>
  hosts.some((each) =>
    each.startsWith("*.") ? place.endsWith(each.slice(1)) && place.length > each.length - 1 : each === place,
  );
