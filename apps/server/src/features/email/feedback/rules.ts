import { isFarAhead } from "../../../platform/time/far-ahead.ts";

/**
 * Why a visitor counts as a bot. `early`: it clicked sooner than anyone reads; `trap`: it came within a minute of a hit on the
 * honeypot; `burst`: it followed different links at once.
 */
export type BotReason =
  | "head"
  | "no_agent"
  | "robot"
  | "prefetch"
  | "privacy_proxy"
  | "early"
  | "trap"
  | "burst";

/** What a request of a link in a mail tells about the visitor. `purposes`: what prefetching headers say. */
export type LinkVisit = { method: string; userAgent: string | undefined; purposes: readonly string[] };

// Google's and Yahoo's proxies fetch pictures when a person opens the mail. CUBOT is a telephone.
const PEOPLES_PROXY = /GoogleImageProxy|YahooMailProxy/i;
const ROBOT =
  /(?<!cu)bot\b|crawl|spider|slurp|scan|probe|monitor|preview|prefetch|headless|phantomjs|\b(curl|wget|libwww|python|ruby|perl|java\/|go-http|okhttp|axios|node|undici|guzzle|winhttp)|http-?client|facebookexternalhit|whatsapp|barracuda|mimecast|proofpoint|ironport|fortinet|sophos|symantec|safelinks|existence discovery|feedfetcher|link ?check/i;
const PREFETCH = /prefetch|prerender|preview/i;
// Apple's Mail Privacy Protection fetches pictures by itself, under this name alone.
const PRIVACY_PROXY = "Mozilla/5.0";

/** Why a request shows by itself that the visitor is a bot, or null. */
export function botOfVisit({ method, userAgent, purposes }: LinkVisit): BotReason | null {
  if (method === "HEAD") return "head";
  if (purposes.some((purpose) => PREFETCH.test(purpose))) return "prefetch";
  const agent = userAgent?.trim() ?? "";
  if (agent === "") return "no_agent";
  if (agent === PRIVACY_PROXY) return "privacy_proxy";
  return !PEOPLES_PROXY.test(agent) && ROBOT.test(agent) ? "robot" : null;
}

export type HitKind = "open" | "click" | "trap";

/** A hit on a link or image of a message. `bot`: what the request alone shows; `at` is epoch milliseconds. */
export type Hit = { kind: HitKind; at: number; url: string | null; bot: BotReason | null };

/** What is kept of the earlier hits on a message in order to judge the next one: their number, and the latest instants. */
export type HitHead = {
  hits: number;
  honeypotAt: number | null;
  link: string | null;
  linkAt: number | null;
  otherLinkAt: number | null;
};

export const NO_HITS: HitHead = {
  hits: 0,
  honeypotAt: null,
  link: null,
  linkAt: null,
  otherLinkAt: null,
};

/** What is recorded of the delivery. `hasLeft`: the message was handed over, although no reply says when. */
export type HitDelivery = {
  sentAt: number | null;
  openedAt: number | null;
  clickedAt: number | null;
  hasLeft: boolean;
};

export type HitVerdict = {
  bot: BotReason | null;
  /** Which recorded instants turn out to be a bot's and are reverted. */
  reverts: { opened: boolean; clicked: boolean };
  /** Earlier hits since this instant were a bot's; with `burstSince` only clicks on other links. */
  honeypotSince: number | null;
  burstSince: number | null;
  head: HitHead;
};

export const EARLY_MS = 3_000;
export const HONEYPOT_MS = 60_000;
export const BURST_MS = 1_000;
/** Hits on one message that are kept; further ones are only counted. */
export const MAX_HITS = 200;

/** The later of this hit and the one before, unless that was recorded by a clock that was ahead. */
const laterOf = (at: number, before: number | null): number =>
  before === null || isFarAhead(before, at, 0) ? at : Math.max(at, before);

const isNear = (at: number, other: number | null, within: number): boolean =>
  other !== null && Math.abs(at - other) <= within;

/**
 * Judges whether a hit is a bot's, and whether it shows that earlier hits were. Only the first open and click of a person have to
 * be compared: where the first lies close enough to be a bot's, so does every later one.
 */
export function judgeHit(hit: Hit, before: HitHead, delivery: HitDelivery): HitVerdict {
  const { kind, at, url } = hit;
  const { sentAt, openedAt, clickedAt } = delivery;
  const isClick = kind === "click";
  const isHoneypot = kind === "trap";
  const isSameLink = url === before.link;
  // A message that was sent by a clock that was ahead would make every person early.
  const isSentKnown = sentAt !== null && !isFarAhead(sentAt, at, 0);
  const isEarly = isClick && (isSentKnown ? at - sentAt < EARLY_MS : sentAt === null && !delivery.hasLeft);
  const isBurst = isClick && isNear(at, isSameLink ? before.otherLinkAt : before.linkAt, BURST_MS);
  const bot =
    hit.bot ??
    (isHoneypot || isNear(at, before.honeypotAt, HONEYPOT_MS)
      ? "trap"
      : isEarly
        ? "early"
        : isBurst
          ? "burst"
          : null);
  const isTaken = (instant: number | null): boolean => isHoneypot && isNear(at, instant, HONEYPOT_MS);
  const clicks = isClick
    ? { link: url, linkAt: at, otherLinkAt: isSameLink ? before.otherLinkAt : before.linkAt }
    : {};
  return {
    bot,
    reverts: {
      opened: isTaken(openedAt),
      // A recorded click within this time was on the other link: one on this link would have been reverted together with it.
      clicked: isTaken(clickedAt) || (isBurst && isNear(at, clickedAt, BURST_MS)),
    },
    honeypotSince: isHoneypot ? at - HONEYPOT_MS : null,
    burstSince: isBurst ? at - BURST_MS : null,
    head: {
      ...before,
      ...clicks,
      hits: before.hits + 1,
      honeypotAt: isHoneypot ? laterOf(at, before.honeypotAt) : before.honeypotAt,
    },
  };
}
