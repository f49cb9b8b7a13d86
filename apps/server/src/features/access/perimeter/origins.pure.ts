/** Origins of pages, as people list them: `https://shop.example`, `https://*.shop.example`, `http://localhost:3000`. */

const MAX_ORIGINS = 100;
const MAX_ORIGIN = 300;

export const ORIGINS_RULE =
  "must be at most 100 origins with commas between, each a scheme and a host such as https://shop.example, https://*.shop.example or http://localhost:3000, without a path and without a slash at its end";

const PARTS = /^([a-z][a-z0-9+.-]*):\/\/(\*\.)?([^\s/\\?#@%*,]+)$/i;
/** The host of an app that consists of pages: `capacitor://localhost`, `chrome-extension://<id>`. */
const APP_HOST = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::\d{1,5})?$/;
/** Schemes that no page's origin has: they are typing errors. */
const NO_PAGES = ["ws", "wss", "ftp", "file", "data", "blob", "about", "javascript", "mailto"];

/** A host name that can have subdomains: two labels or more, or `localhost`; no IP address. */
const hasSubdomains = (hostname: string): boolean =>
  hostname === "localhost" || (/[^.]\.[^.]/.test(hostname) && !/\.\d+\.?$|\]$/.test(hostname));

/** An origin in the spelling of browsers (RFC 6454, 6.2), `*.` before its host where that was typed; null for anything else. */
function parseOrigin(typed: string): string | null {
  const [, given = "", wildcard = "", host = ""] = PARTS.exec(typed) ?? [];
  const scheme = given.toLowerCase();
  if (scheme === "" || typed.length > MAX_ORIGIN || NO_PAGES.includes(scheme)) return null;
  if (scheme !== "http" && scheme !== "https") {
    const name = host.toLowerCase();
    return wildcard === "" && APP_HOST.test(name) ? `${scheme}://${name}` : null;
  }
  const url = `${scheme}://${host}`;
  if (!URL.canParse(url)) return null;
  const { host: spelled, hostname } = new URL(url);
  return wildcard === "" || hasSubdomains(hostname) ? `${scheme}://${wildcard}${spelled}` : null;
}

/** The origins of a list with commas or spaces between, each once; null when one of them is no origin, or there are too many. */
export function parseOrigins(typed: string): readonly string[] | null {
  const origins = new Set<string>();
  for (const word of typed.split(/[\s,]+/).filter((each) => each !== "")) {
    const origin = parseOrigin(word);
    if (origin === null) return null;
    origins.add(origin);
  }
  return origins.size === 0 || origins.size > MAX_ORIGINS ? null : [...origins];
}

/** A list as it is stored and shown; `parseOrigins` reads it. */
export const originsText = (origins: readonly string[]): string => origins.join(", ");

const SUBDOMAIN = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;

/** Whether an origin, as browsers spell it, is in a list. `*.` is any subdomain, however deep, and not the domain itself. */
export function originJudge(origins: readonly string[]): (origin: string) => boolean {
  const exact = new Set(origins.filter((each) => !each.includes("*")));
  const wild = origins.flatMap((each) => {
    const [head, tail] = each.split("*");
    return head === undefined || tail === undefined ? [] : [{ head, tail }];
  });
  return (origin) =>
    exact.has(origin) ||
    wild.some(
      ({ head, tail }) =>
        origin.startsWith(head) &&
        origin.endsWith(tail) &&
        SUBDOMAIN.test(origin.slice(head.length, -tail.length)),
    );
}
