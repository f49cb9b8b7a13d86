/** Random users, events and expressions for the test of the engines, full of what tells sloppy engines apart. */
import type { SomeEvent, SomeMessage, SomeUser } from "./meaning.ts";
import {
  EVENTS,
  idsOf,
  KEYS,
  NEARLY_TIMES,
  NUMBERS,
  STRUCTURES,
  TEXTS,
  TRAIT_KEYS,
  WINDOW_LENGTHS,
  WINDOWS,
} from "./values.ts";

/** Numbers from 0 to 1, 1 excluded. */
export type Random = () => number;

/** A generator of numbers (mulberry32), so that a failure can be had again by its seed. */
export function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

type Json = Record<string, unknown>;

const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
const int = (random: Random, min: number, max: number): number =>
  min + Math.floor(random() * (max - min + 1));
const some = <T>(random: Random, min: number, max: number, make: () => T): T[] =>
  Array.from({ length: int(random, min, max) }, make);

const DAY = 86_400_000;
/** An instant at, just before or just after the edge of a window, or anywhere. */
function instant(random: Random, now: number): number {
  const edge = now + pick(random, [1, -1, -1]) * pick(random, [0, 0, ...WINDOW_LENGTHS]);
  const near = edge + pick(random, [0, 0, -1, 1, -1_000, 60_000]);
  return random() < 0.8 ? near : now - int(random, -400, 400) * DAY;
}

const padded = (value: number, length = 2): string => String(value).padStart(length, "0");

/** The same instant as some clock on earth writes it. */
function isoOf(random: Random, ms: number): string {
  const offset = pick(random, [0, 0, 60, -60, 330, -570, 840, 1_439, -1_439]);
  const local = new Date(ms + offset * 60_000).toISOString();
  const zone = `${padded(Math.floor(Math.abs(offset) / 60))}:${padded(Math.abs(offset) % 60)}`;
  const suffix = offset === 0 ? pick(random, ["Z", "+00:00", "-00:00"]) : `${offset < 0 ? "-" : "+"}${zone}`;
  const cut = local.slice(0, -1);
  const fine = pick(random, [
    cut,
    cut,
    `${cut}999`,
    `${cut}000001`,
    cut.slice(0, 19),
    cut.slice(0, 16),
    cut.slice(0, 21),
  ]);
  return fine + suffix;
}

function value(random: Random, now: number): unknown {
  const roll = random();
  if (roll < 0.3) return pick(random, TEXTS);
  if (roll < 0.5) return pick(random, NUMBERS);
  if (roll < 0.58) return random() < 0.5;
  if (roll < 0.64) return null;
  if (roll < 0.7) return pick(random, STRUCTURES);
  if (roll < 0.78) return pick(random, NEARLY_TIMES);
  return isoOf(random, instant(random, now));
}

/** Own keys only, `__proto__` too, as JSON makes them. */
const objectOf = (entries: readonly [string, unknown][]): Json =>
  JSON.parse(
    `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${JSON.stringify(each)}`).join(",")}}`,
  ) as Json;

const bag = (random: Random, keys: readonly string[], now: number): Json =>
  objectOf(
    some(random, 0, 9, (): [string, unknown] => [
      random() < 0.5 ? "plan" : pick(random, keys),
      value(random, now),
    ]),
  );

export function randomUser(random: Random, id: string, now: number): SomeUser {
  const [a, b] = [instant(random, now), instant(random, now)];
  return {
    id,
    traits: bag(random, TRAIT_KEYS, now),
    firstSeenAt: Math.min(a, b),
    lastSeenAt: Math.max(a, b),
  };
}

export const randomEvents = (random: Random, now: number): SomeEvent[] =>
  some(random, 0, 12, () => ({
    name: pick(random, EVENTS),
    props: random() < 0.15 ? null : bag(random, KEYS, now),
    ts: now - Math.abs(instant(random, now) - now),
  }));

/** Campaigns of each channel, whose messages random users have. */
export type SomeCampaigns = readonly Pick<SomeMessage, "campaign" | "channel">[];

const DEEDS = {
  web_inapp: ["received", "clicked", "dismissed"],
  email: ["received", "opened", "clicked"],
  push: ["received", "opened", "clicked"],
};

export function randomMessages(random: Random, campaigns: SomeCampaigns, now: number): SomeMessage[] {
  return some(random, 0, 6, () => {
    const { campaign, channel } = pick(random, campaigns);
    const perhaps = (share: number): number | null =>
      random() < share ? Math.max(1, instant(random, now)) : null;
    const isWeb = channel === "web_inapp";
    return {
      campaign,
      channel,
      sentAt: isWeb ? null : perhaps(0.8),
      shownAt: isWeb ? perhaps(0.8) : null,
      openedAt: isWeb ? null : perhaps(0.5),
      clickedAt: perhaps(0.4),
      dismissedAt: isWeb ? perhaps(0.4) : null,
      bouncedAt: isWeb ? null : perhaps(0.15),
    };
  });
}

const TIME = ["before", "after", "within_last", "not_within_last", "within_next", "not_within_next"];
const OF_IDS = ["eq", "neq", "in", "not_in", "contains", "starts_with", "ends_with"];
const EVERY = [
  "eq",
  "neq",
  "in",
  "not_in",
  "contains",
  "starts_with",
  "ends_with",
  "gt",
  "gte",
  "lt",
  "lte",
  "exists",
  "not_exists",
  ...TIME,
];

function comparison(random: Random, op: string, now: number): Json {
  if (op === "exists" || op === "not_exists") return { op };
  if (op === "before" || op === "after") return { op, value: isoOf(random, instant(random, now)) };
  if (op.includes("within_")) return { op, value: pick(random, WINDOWS) };
  if (op === "eq" || op === "neq")
    return { op, value: pick<unknown>(random, [pick(random, TEXTS), pick(random, NUMBERS), true, false]) };
  if (op === "in" || op === "not_in") {
    const members = random() < 0.6 ? TEXTS : NUMBERS;
    return {
      op,
      value: some<unknown>(random, 1, random() < 0.1 ? 50 : 6, () => pick<unknown>(random, members)),
    };
  }
  if (["gt", "gte", "lt", "lte"].includes(op)) return { op, value: pick(random, NUMBERS) };
  return { op, value: pick(random, TEXTS) };
}

const key = (random: Random, keys: readonly string[]): string =>
  random() < 0.6 ? "plan" : pick(random, keys);

/** A comparison of ids with those of some users, and with parts of them. */
function idComparison(random: Random): Json {
  const op = pick(random, OF_IDS);
  const id = (): string => pick(random, random() < 0.5 ? TEXTS : idsOf(100));
  if (op === "in" || op === "not_in") return { op, value: some(random, 1, 50, id) };
  return { op, value: id() };
}

function fieldNode(random: Random, now: number): Json {
  if (random() < 0.1) return { kind: "field", field: { kind: "user", field: "id" }, ...idComparison(random) };
  if (random() < 0.2) {
    const field = { kind: "user", field: pick(random, ["firstSeenAt", "lastSeenAt"]) };
    return {
      kind: "field",
      field,
      ...comparison(random, pick(random, [...TIME, "exists", "not_exists"]), now),
    };
  }
  const field = { kind: "trait", key: key(random, TRAIT_KEYS) };
  return { kind: "field", field, ...comparison(random, pick(random, EVERY), now) };
}

const condition = (random: Random, now: number): Json => ({
  kind: "field",
  field: { kind: "event_property", key: key(random, TRAIT_KEYS) },
  ...comparison(random, pick(random, EVERY), now),
});

const countOf = (random: Random): Json => ({
  op: pick(random, ["eq", "neq", "gt", "gte", "lt", "lte"]),
  value: pick(random, [0, 0, 1, 1, 2, 3, 10_000]),
});

function messageNode(random: Random, campaigns: SomeCampaigns): Json {
  const channel = pick(random, ["web_inapp", "email", "push"] as const);
  const isNamed = random() < 0.6;
  return {
    kind: "message",
    did: pick(random, isNamed ? DEEDS[channel] : ["received", "opened", "clicked", "dismissed"]),
    ...(random() < 0.6
      ? { campaigns: some(random, 1, random() < 0.1 ? 20 : 3, () => pick(random, campaigns).campaign) }
      : {}),
    ...(isNamed ? { channel } : {}),
    ...(random() < 0.6 ? { count: countOf(random) } : {}),
    ...(random() < 0.5 ? { window: pick(random, WINDOWS) } : {}),
  };
}

function eventNode(random: Random, now: number): Json {
  const count = countOf(random);
  return {
    kind: "event",
    event: random() < 0.9 ? pick(random, EVENTS) : "never",
    ...(random() < 0.7 ? { count } : {}),
    ...(random() < 0.5 ? { window: pick(random, WINDOWS) } : {}),
    ...(random() < 0.5
      ? { where: some(random, 1, random() < 0.8 ? 1 : 3, () => condition(random, now)) }
      : {}),
  };
}

/** @param campaigns whose messages are asked about; none where the project has none */
function node(random: Random, now: number, campaigns: SomeCampaigns, depth: number): Json {
  const roll = random();
  if (depth >= 5 || roll < 0.2) {
    if (campaigns.length > 0 && random() < 0.35) return messageNode(random, campaigns);
    return random() < 0.5 ? fieldNode(random, now) : eventNode(random, now);
  }
  if (roll < 0.4) return { kind: "not", child: node(random, now, campaigns, depth + 1) };
  const children = some(random, 1, depth < 2 ? 3 : 2, () => node(random, now, campaigns, depth + 1));
  return { kind: roll < 0.7 ? "all" : "any", children };
}

/** An expression as someone might send it: valid, not yet canonical. */
export const randomExpression = (random: Random, now: number, campaigns: SomeCampaigns = []): Json => ({
  version: 1,
  root: node(random, now, campaigns, 1),
});
