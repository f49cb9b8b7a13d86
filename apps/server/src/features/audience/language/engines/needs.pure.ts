import { parseIso } from "../../../../platform/http/contract/instants.ts";
import type { EventNode, OperatorComparison, TraitValue, WhereNode } from "../schema.ts";
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

/** The need of a node, or null where the stored count per user and event name is enough. */
export function needOf({ event, window, where = [] }: EventNode): EventNeed | null {
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

/** An event of a user as the feed reads it: its name, its time, and its properties where a need has conditions on them. */
export type RecentEvent = readonly [
  name: string,
  ts: number,
  props?: Readonly<Record<string, unknown>> | null,
];

/** Whether an event counts for a need: the same as its jsonpath and times, in memory. */
type Meets = (event: RecentEvent, evaluatedAt: number) => boolean;

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
export const needKey = (need: EventNeed): string => JSON.stringify(need);

/** The events of a user that are read to count needs: lists of names as JSON, null for none. */
export type EventReading = {
  /** Events that are read with name and time only. */
  timely: string | null;
  /** Events that are read with their properties. */
  propertied: string | null;
  /** How far back, in milliseconds. */
  reachMs: number;
};

const namesJson = (needs: readonly EventNeed[]): string | null =>
  needs.length === 0 ? null : JSON.stringify([...new Set(needs.map(({ event }) => event))]);

/** The needs of one expression, or of all that are evaluated together: equal ones are counted once. */
export class Needs {
  readonly list: EventNeed[] = [];
  readonly #meets: Meets[] = [];
  readonly #positions = new Map<string, number>();

  /** Position of a node's count among the occurrences, or null where the stored counts are enough. */
  positionOf(node: EventNode): number | null {
    const need = needOf(node);
    if (need === null) return null;
    const key = needKey(need);
    const known = this.#positions.get(key);
    if (known !== undefined) return known;
    this.#positions.set(key, this.list.length);
    this.#meets.push(meetsOf(node));
    return this.list.push(need) - 1;
  }

  /** For the column `needs` of the statement that counts; null, which costs nothing, when there are none. */
  json(): string | null {
    return this.list.length === 0 ? null : JSON.stringify(this.list);
  }

  /** The events that `count` needs. */
  reading(): EventReading {
    const withProps = this.list.filter(({ path, times }) => path !== null || times !== null);
    const named = new Set(withProps.map(({ event }) => event));
    const reaches = this.list.map((need) => need.windowMs ?? Number.POSITIVE_INFINITY);
    return {
      timely: namesJson(this.list.filter(({ event }) => !named.has(event))),
      propertied: namesJson(withProps),
      reachMs: Math.max(0, ...reaches),
    };
  }

  /** How often the events of one user meet each need, in the order of the needs. */
  count(events: readonly RecentEvent[], evaluatedAt: number): number[] {
    return this.#meets.map((meets) => {
      let met = 0;
      for (const event of events) if (meets(event, evaluatedAt)) met++;
      return met;
    });
  }
}
