import { parseIso } from "../../platform/http/fields.ts";
import { windowMs } from "./conditions.ts";
import type { Comparison, EventNode, TraitValue, WhereNode } from "./schema.ts";

/**
 * A condition on the time that a property holds: at or after `from`, at or before `until` (epoch milliseconds), or within
 * the last `ago` milliseconds; `outside` turns it round. A property that is no such time meets neither.
 */
export type TimeNeed = {
  key: string;
  from: number | null;
  until: number | null;
  ago: number | null;
  outside: boolean;
};

/**
 * What has to be counted of a user's events for one event node, as data: any project's needs are counted by one prepared
 * statement (`facts-store.ts`). `path` is a PostgreSQL jsonpath predicate over the properties, `times` what a jsonpath
 * cannot say exactly. An event counts when it meets both.
 */
export type EventNeed = {
  event: string;
  windowMs: number | null;
  path: string | null;
  times: TimeNeed[] | null;
};

function timeNeed({ field, ...comparison }: WhereNode): TimeNeed | null {
  const always = { key: field.key, from: null, until: null, ago: null, outside: false };
  switch (comparison.op) {
    case "before":
      return { ...always, until: parseIso(comparison.value) - 1 };
    case "after":
      return { ...always, from: parseIso(comparison.value) + 1 };
    case "within_last":
      return { ...always, ago: windowMs(comparison.value) };
    case "not_within_last":
      return { ...always, ago: windowMs(comparison.value), outside: true };
    default:
      return null;
  }
}

const SYMBOLS = { eq: "==", neq: "!=", gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;

/** A JSON string or number is a jsonpath literal as it stands. */
const literal = (value: TraitValue): string => JSON.stringify(value);
/** Every ASCII sign that could mean something in a regular expression, taken literally. */
const escaped = (value: string): string => value.replaceAll(/[!-/:-@[-`{-~]/g, "\\$&");

/**
 * A condition as a jsonpath predicate. In strict mode an absent key makes a comparison unknown, which is not true, and
 * arrays are not searched for a member that matches.
 */
function pathCondition(subject: string, comparison: Comparison): string | null {
  const isOfType = (value: unknown) => `${subject}.type() == "${typeof value}"`;
  switch (comparison.op) {
    case "gt":
    case "gte":
    case "lt":
    case "lte":
    case "eq":
      return `${subject} ${SYMBOLS[comparison.op]} ${literal(comparison.value)}`;
    case "neq":
      // Null differs from everything in jsonpath; it has no type that anything is compared with.
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

/** What has to be counted for a node, or null where the count kept per user and event name says it. */
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

/** Two needs of the same key are counted once. */
export const needKey = (need: EventNeed): string => JSON.stringify(need);

/** The needs of one expression, or of all that are evaluated together: equal ones are counted once. */
export class Needs {
  readonly list: EventNeed[] = [];
  readonly #positions = new Map<string, number>();

  /** Position of a node's count among the occurrences, or null where the kept counts say it. */
  positionOf(node: EventNode): number | null {
    const need = needOf(node);
    if (need === null) return null;
    const key = needKey(need);
    const known = this.#positions.get(key);
    if (known !== undefined) return known;
    this.#positions.set(key, this.list.length);
    return this.list.push(need) - 1;
  }

  /** For the column `needs` of the statement that counts; null, which costs nothing, when there are none. */
  json(): string | null {
    return this.list.length === 0 ? null : JSON.stringify(this.list);
  }
}
