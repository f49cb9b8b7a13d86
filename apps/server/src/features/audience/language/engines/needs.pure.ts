import { parseIso } from "../../../../platform/http/contract/instants.ts";
import {
  type CountingNode,
  type EventNode,
  MESSAGE_DEEDS,
  type MessageChannel,
  type MessageDeed,
  type MessageNode,
  type OperatorComparison,
  type TraitValue,
  type WhereNode,
} from "../schema.ts";
import { stretchOf, valueTest, windowMs } from "./conditions.pure.ts";

/**
 * A condition on a property whose value is a time: at or after `from`, at or before `until` (epoch milliseconds), or from `ago`
 * milliseconds before the instant of evaluation to `ahead` milliseconds after it; `outside` negates it. A property that is no time
 * meets neither form.
 */
export type TimeNeed = {
  key: string;
  from: number | null;
  until: number | null;
  ago: number | null;
  ahead: number | null;
  outside: boolean;
};

/**
 * What one event node needs counted of a user's events, as data, so that one prepared statement counts the needs of all projects
 * (`facts-store.ts`). `path` is a PostgreSQL jsonpath predicate over the properties; `times` are conditions that a jsonpath cannot
 * express exactly. An event counts when it meets both.
 */
export type EventNeed = {
  event: string;
  windowMs: number | null;
  path: string | null;
  times: TimeNeed[] | null;
};

/** What one message node needs counted of a user's messages. `campaigns` are ids of the API; null means any. */
export type MessageNeed = {
  did: MessageDeed;
  campaigns: string[] | null;
  channel: MessageChannel | null;
  windowMs: number | null;
};

/** What one condition needs counted of a user. */
export type Need = EventNeed | MessageNeed;

function timeNeed({ field, ...comparison }: WhereNode): TimeNeed | null {
  const always = { key: field.key, from: null, until: null, ago: null, ahead: null, outside: false };
  switch (comparison.op) {
    case "before":
      return { ...always, until: parseIso(comparison.value) - 1 };
    case "after":
      return { ...always, from: parseIso(comparison.value) + 1 };
    default: {
      const stretch = stretchOf(comparison);
      return stretch === null ? null : { ...always, ...stretch };
    }
  }
}

const SYMBOLS = { eq: "==", neq: "!=", gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;

/** A jsonpath literal: JSON strings and numbers are written the same. */
const literal = (value: TraitValue): string => JSON.stringify(value);
/** A text for a regular expression, with every ASCII punctuation character escaped. */
const escaped = (value: string): string => value.replaceAll(/[!-/:-@[-`{-~]/g, "\\$&");

/**
 * A condition as a jsonpath predicate. In strict mode an absent key makes a comparison unknown, which is not true, and
 * arrays are not searched for a member that matches.
 */
function pathCondition(subject: string, comparison: OperatorComparison): string | null {
  const isOfType = (value: unknown) => `${subject}.type() == "${typeof value}"`;
  switch (comparison.op) {
    case "gt":
    case "gte":
    case "lt":
    case "lte":
    case "eq":
      return `${subject} ${SYMBOLS[comparison.op]} ${literal(comparison.value)}`;
    case "neq":
      // In jsonpath, null differs from every value, so the type is checked as well.
      return `(${isOfType(comparison.value)} && ${subject} != ${literal(comparison.value)})`;
    case "in":
      return `(${comparison.value.map((value) => `${subject} == ${literal(value)}`).join(" || ")})`;
    case "not_in": {
      const others = comparison.value.map((value) => `${subject} != ${literal(value)}`);
      return `(${[isOfType(comparison.value[0]), ...others].join(" && ")})`;
    }
    case "contains":
      // An empty pattern is no regular expression.
      if (comparison.value === "") return isOfType("");
      return `${subject} like_regex ${literal(comparison.value)} flag "q"`;
    case "starts_with":
      return `${subject} starts with ${literal(comparison.value)}`;
    case "ends_with":
      return `${subject} like_regex ${literal(`${escaped(comparison.value)}$`)}`;
    case "exists":
      return `${subject}.type() != "null"`;
    case "not_exists":
      return `((${subject}.type() == "null") is unknown || ${subject} == null)`;
    default:
      return null;
  }
}

const messageNeed = ({ did, campaigns, channel, window }: MessageNode): MessageNeed => ({
  did,
  campaigns: campaigns ?? null,
  channel: channel ?? null,
  windowMs: window === undefined ? null : windowMs(window),
});

function eventNeed({ event, window, where = [] }: EventNode): EventNeed | null {
  if (window === undefined && where.length === 0) return null;
  const paths = where
    .map(({ field, ...comparison }) => pathCondition(`$.${literal(field.key)}`, comparison))
    .filter((condition) => condition !== null);
  const times = where.map(timeNeed).filter((need) => need !== null);
  return {
    event,
    windowMs: window === undefined ? null : windowMs(window),
    path: paths.length === 0 ? null : `strict ${paths.join(" && ")}`,
    times: times.length === 0 ? null : times,
  };
}

/** The need of a node, or null where the stored count per user and event name is enough. */
export const needOf = (node: CountingNode): Need | null =>
  node.kind === "message" ? messageNeed(node) : eventNeed(node);

/** An event of a user as the feed reads it: its name, its time, and its properties where a need has conditions on them. */
export type RecentEvent = readonly [
  name: string,
  ts: number,
  props?: Readonly<Record<string, unknown>> | null,
];

/** A message of a user as the feed reads it: id and channel of its campaign, and when the user did each of `MESSAGE_DEEDS`, null for never. */
export type RecentMessage = readonly [
  campaign: string,
  channel: MessageChannel,
  ...instants: readonly (number | null)[],
];

/** What was read of a user for needs. */
export type ReadOfUser = { events: readonly RecentEvent[]; messages: readonly RecentMessage[] };

/** What there is of a user whom the project does not have. */
export const NOTHING_READ: ReadOfUser = { events: [], messages: [] };

/** How often a need is met. */
type Count = (read: ReadOfUser, evaluatedAt: number) => number;

const countOf = (node: CountingNode): Count =>
  node.kind === "message" ? messageCount(node) : eventCount(node);

function messageCount({ did, campaigns, channel, window }: MessageNode): Count {
  const reach = window === undefined ? Number.POSITIVE_INFINITY : windowMs(window);
  const named = campaigns === undefined ? null : new Set(campaigns);
  const place = MESSAGE_DEEDS.indexOf(did);
  return ({ messages }, evaluatedAt) => {
    let met = 0;
    for (const [campaign, by, ...instants] of messages) {
      const at = instants[place] ?? Number.NaN;
      if (!(at <= evaluatedAt && at >= evaluatedAt - reach)) continue;
      if ((named === null || named.has(campaign)) && (channel === undefined || channel === by)) met++;
    }
    return met;
  };
}

/** Counts the events that meet a need: the same as its jsonpath and times, in memory. */
function eventCount(node: EventNode): Count {
  const meets = meetsOf(node);
  return ({ events }, evaluatedAt) => {
    let met = 0;
    for (const event of events) if (meets(event, evaluatedAt)) met++;
    return met;
  };
}

type Meets = (event: RecentEvent, evaluatedAt: number) => boolean;

/** Whether an event is one that a node counts, at an instant (epoch milliseconds). */
export const eventTest = (node: EventNode): Meets => meetsOf(node);

function meetsOf({ event, window, where = [] }: EventNode): Meets {
  const reach = window === undefined ? Number.POSITIVE_INFINITY : windowMs(window);
  const tests = where.map((condition) => ({ key: condition.field.key, test: valueTest(condition) }));
  return ([name, ts, props], evaluatedAt) => {
    if (name !== event || ts > evaluatedAt || ts < evaluatedAt - reach) return false;
    for (const { key, test } of tests) {
      if (!test(props && Object.hasOwn(props, key) ? props[key] : undefined, evaluatedAt)) return false;
    }
    return true;
  };
}

/** Needs with the same key are the same, and counted once. */
export const needKey = (need: Need): string => JSON.stringify(need);

/** What is read of a user to count needs: lists of names as JSON, null for none. */
export type NeedsReading = {
  /** Events that are read with name and time only. */
  timely: string | null;
  /** Events that are read with their properties. */
  propertied: string | null;
  /** How far back events are read, in milliseconds. */
  reachMs: number;
  /** Campaigns whose messages are read: their ids as JSON, or `true` for all. */
  messages: string | null;
};

/** The campaigns whose messages are read for needs, in the form of `NeedsReading`. */
function campaignsJson(needs: readonly MessageNeed[]): string | null {
  if (needs.length === 0) return null;
  const named = needs.flatMap(({ campaigns }) => campaigns ?? []);
  return JSON.stringify(needs.some(({ campaigns }) => campaigns === null) || [...new Set(named)]);
}

const namesJson = (needs: readonly EventNeed[]): string | null =>
  needs.length === 0 ? null : JSON.stringify([...new Set(needs.map(({ event }) => event))]);

/** The needs of one expression, or of all that are evaluated together: equal ones are counted once. */
export class Needs {
  readonly list: Need[] = [];
  readonly #counts: Count[] = [];
  readonly #positions = new Map<string, number>();

  /** Position of a node's count among the occurrences, or null where the stored counts are enough. */
  positionOf(node: CountingNode): number | null {
    const need = needOf(node);
    if (need === null) return null;
    const key = needKey(need);
    const known = this.#positions.get(key);
    if (known !== undefined) return known;
    this.#positions.set(key, this.list.length);
    this.#counts.push(countOf(node));
    return this.list.push(need) - 1;
  }

  /** For the column `needs` of the statement that counts; null, which costs nothing, when there are none. */
  json(): string | null {
    return this.list.length === 0 ? null : JSON.stringify(this.list);
  }

  /** What `count` needs. */
  reading(): NeedsReading {
    const events = this.list.filter((need) => "event" in need);
    const withProps = events.filter(({ path, times }) => path !== null || times !== null);
    const named = new Set(withProps.map(({ event }) => event));
    const reaches = events.map((need) => need.windowMs ?? Number.POSITIVE_INFINITY);
    return {
      timely: namesJson(events.filter(({ event }) => !named.has(event))),
      propertied: namesJson(withProps),
      reachMs: Math.max(0, ...reaches),
      messages: campaignsJson(this.list.filter((need) => "did" in need)),
    };
  }

  /** How often one user meets each need, in the order of the needs. */
  count(read: ReadOfUser, evaluatedAt: number): number[] {
    return this.#counts.map((count) => count(read, evaluatedAt));
  }
}
