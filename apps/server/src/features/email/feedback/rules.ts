/**
 * Why a visitor is no person. `early`: sooner than anyone reads; `trap`: about when the link that nobody sees was followed;
 * `burst`: different links at once.
 */
export type Machine =
  | "head"
  | "no_agent"
  | "robot"
  | "prefetch"
  | "privacy_proxy"
  | "early"
  | "trap"
  | "burst";

/** A request of a link in a mail, as far as it tells who asks. `purposes`: what prefetching headers say. */
export type Visit = { method: string; userAgent: string | undefined; purposes: readonly string[] };

// Google's and Yahoo's proxies fetch pictures when a person opens the mail. CUBOT is a telephone.
const PEOPLES_PROXY = /GoogleImageProxy|YahooMailProxy/i;
const ROBOT =
  /(?<!cu)bot\b|crawl|spider|slurp|scan|probe|monitor|preview|prefetch|headless|phantomjs|\b(curl|wget|libwww|python|ruby|perl|java\/|go-http|okhttp|axios|node|undici|guzzle|winhttp)|http-?client|facebookexternalhit|whatsapp|barracuda|mimecast|proofpoint|ironport|fortinet|sophos|symantec|safelinks|existence discovery|feedfetcher|link ?check/i;
const PREFETCH = /prefetch|prerender|preview/i;
// Apple's Mail Privacy Protection fetches pictures by itself, under this name alone.
const PRIVACY_PROXY = "Mozilla/5.0";

/** Why a request by itself is a machine's, or null. */
export function machineOfVisit({ method, userAgent, purposes }: Visit): Machine | null {
  if (method === "HEAD") return "head";
  if (purposes.some((purpose) => PREFETCH.test(purpose))) return "prefetch";
  const agent = userAgent?.trim() ?? "";
  if (agent === "") return "no_agent";
  if (agent === PRIVACY_PROXY) return "privacy_proxy";
  return !PEOPLES_PROXY.test(agent) && ROBOT.test(agent) ? "robot" : null;
}

export type TouchKind = "open" | "click" | "trap";

/** A link of a message that was followed. `machine`: what the request alone says; `at` is epoch milliseconds. */
export type Touch = { kind: TouchKind; at: number; url: string | null; machine: Machine | null };

/** What earlier touches of the same message left behind, as far as it matters. */
export type TouchHead = {
  touches: number;
  trapAt: number | null;
  link: string | null;
  linkAt: number | null;
  otherLinkAt: number | null;
};

export const NO_TOUCHES: TouchHead = {
  touches: 0,
  trapAt: null,
  link: null,
  linkAt: null,
  otherLinkAt: null,
};

/** What the delivery says so far. `isAway`: the message left, even where nobody knows when. */
export type TouchedDelivery = {
  sentAt: number | null;
  openedAt: number | null;
  clickedAt: number | null;
  isAway: boolean;
};

export type TouchVerdict = {
  machine: Machine | null;
  /** Instants that were a person's and turn out to be a machine's. */
  takesBack: { opened: boolean; clicked: boolean };
  /** Earlier touches since then were machines'; `burstSince` only those of other links. */
  trapSince: number | null;
  burstSince: number | null;
  head: TouchHead;
};

export const EARLY_MS = 3_000;
export const TRAP_MS = 60_000;
export const BURST_MS = 1_000;
/** Touches of one message that are kept; more are only counted. */
export const MAX_TOUCHES = 200;

const isNear = (at: number, other: number | null, within: number): boolean =>
  other !== null && Math.abs(at - other) <= within;

/**
 * Judges a touch by itself and by what came before, and what came before by it. The first instant of a person is all that has
 * to be looked at: where it falls to a machine, every later one was within reach too.
 */
export function judgeTouch(touch: Touch, before: TouchHead, delivery: TouchedDelivery): TouchVerdict {
  const { kind, at, url } = touch;
  const { sentAt, openedAt, clickedAt } = delivery;
  const isClick = kind === "click";
  const isTrap = kind === "trap";
  const isSameLink = url === before.link;
  const isEarly = isClick && (sentAt === null ? !delivery.isAway : at - sentAt < EARLY_MS);
  const isBurst = isClick && isNear(at, isSameLink ? before.otherLinkAt : before.linkAt, BURST_MS);
  const machine =
    touch.machine ??
    (isTrap || isNear(at, before.trapAt, TRAP_MS) ? "trap" : isEarly ? "early" : isBurst ? "burst" : null);
  const isTaken = (instant: number | null): boolean => isTrap && isNear(at, instant, TRAP_MS);
  const clicks = isClick
    ? { link: url, linkAt: at, otherLinkAt: isSameLink ? before.otherLinkAt : before.linkAt }
    : {};
  return {
    machine,
    takesBack: {
      opened: isTaken(openedAt),
      // A click that still stands within this time was of the other link: one of this link would have fallen with that.
      clicked: isTaken(clickedAt) || (isBurst && isNear(at, clickedAt, BURST_MS)),
    },
    trapSince: isTrap ? at - TRAP_MS : null,
    burstSince: isBurst ? at - BURST_MS : null,
    head: {
      ...before,
      ...clicks,
      touches: before.touches + 1,
      trapAt: isTrap ? Math.max(at, before.trapAt ?? 0) : before.trapAt,
    },
  };
}

/** What others report of a message. */
export type ReportedEvent = "delivered" | "bounced" | "complained" | "unsubscribed";
