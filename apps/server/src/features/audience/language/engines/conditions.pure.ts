import { parseIso } from "../../../../platform/http/contract/instants.ts";
import { type EventCount, type OperatorComparison, WINDOW_UNITS, type Window } from "../schema.ts";

/** Whether an observed value (undefined: absent) meets a condition at an instant. */
export type ValueTest = (observed: unknown, evaluatedAt: number) => boolean;
/** Whether an instant, epoch milliseconds, meets a condition at an instant. */
type TimeTest = (instant: number, evaluatedAt: number) => boolean;

export const windowMs = (window: Window): number => window.amount * WINDOW_UNITS[window.unit];

/** Instants by their distance from the one of evaluation, in milliseconds, both ends included; with `outside`, all others. */
export type Stretch = { ago: number; ahead: number; outside: boolean };

/** The instants that an operator with a window means; null for any other operator. */
export function stretchOf(comparison: OperatorComparison): Stretch | null {
  switch (comparison.op) {
    case "within_last":
    case "not_within_last":
      return { ago: windowMs(comparison.value), ahead: 0, outside: comparison.op === "not_within_last" };
    case "within_next":
    case "not_within_next":
      return { ago: 0, ahead: windowMs(comparison.value), outside: comparison.op === "not_within_next" };
    default:
      return null;
  }
}

/** The test of an operator that compares times, such as `before`; null for any other operator. */
function timeTest(comparison: OperatorComparison): TimeTest | null {
  switch (comparison.op) {
    case "before": {
      const limit = parseIso(comparison.value);
      return (instant) => instant < limit;
    }
    case "after": {
      const limit = parseIso(comparison.value);
      return (instant) => instant > limit;
    }
    default: {
      const stretch = stretchOf(comparison);
      if (stretch === null) return null;
      const { ago, ahead, outside } = stretch;
      return (instant, evaluatedAt) =>
        (instant >= evaluatedAt - ago && instant <= evaluatedAt + ahead) !== outside;
    }
  }
}

const numberTest =
  (test: (observed: number) => boolean): ValueTest =>
  (observed) =>
    typeof observed === "number" && test(observed);

const stringTest =
  (test: (observed: string) => boolean): ValueTest =>
  (observed) =>
    typeof observed === "string" && test(observed);

const isThere: ValueTest = (observed) => observed !== undefined && observed !== null;

/** A condition on a stored time, epoch milliseconds or null, as a function. */
export function instantTest(comparison: OperatorComparison): ValueTest {
  if (comparison.op === "exists") return isThere;
  if (comparison.op === "not_exists") return (observed) => !isThere(observed, 0);
  const test = timeTest(comparison);
  return (observed, evaluatedAt) =>
    // A text that is no time is not a number here, and lies neither inside nor outside of a stretch.
    test !== null && typeof observed === "number" && !Number.isNaN(observed) && test(observed, evaluatedAt);
}

/**
 * A condition on a JSON value as a function. Nothing is coerced: an absent, null or otherwise typed value meets no
 * condition but `not_exists`, the negative ones neither.
 */
export function valueTest(comparison: OperatorComparison): ValueTest {
  switch (comparison.op) {
    case "eq": {
      const { value } = comparison;
      return (observed) => observed === value;
    }
    case "neq": {
      const { value } = comparison;
      const type = typeof value;
      return (observed) => typeof observed === type && observed !== value;
    }
    case "in": {
      const members = new Set<unknown>(comparison.value);
      return (observed) => members.has(observed);
    }
    case "not_in": {
      const members = new Set<unknown>(comparison.value);
      const type = typeof comparison.value[0];
      return (observed) => typeof observed === type && !members.has(observed);
    }
    case "contains": {
      const { value } = comparison;
      return stringTest((observed) => observed.includes(value));
    }
    case "starts_with": {
      const { value } = comparison;
      return stringTest((observed) => observed.startsWith(value));
    }
    case "ends_with": {
      const { value } = comparison;
      return stringTest((observed) => observed.endsWith(value));
    }
    case "gt":
    case "gte":
    case "lt":
    case "lte": {
      const test = comparing(comparison.op, comparison.value);
      return numberTest(test);
    }
    case "exists":
    case "not_exists":
      return instantTest(comparison);
    default: {
      const test = instantTest(comparison);
      return (observed, evaluatedAt) => typeof observed === "string" && test(parseIso(observed), evaluatedAt);
    }
  }
}

/** A comparison with a number as a function. */
function comparing(op: EventCount["op"], value: number): (given: number) => boolean {
  switch (op) {
    case "eq":
      return (given) => given === value;
    case "neq":
      return (given) => given !== value;
    case "gt":
      return (given) => given > value;
    case "gte":
      return (given) => given >= value;
    case "lt":
      return (given) => given < value;
    case "lte":
      return (given) => given <= value;
  }
}

/** A count as a function of the number of occurrences. */
export const countTest = (count: EventCount): ((occurrences: number) => boolean) =>
  comparing(count.op, count.value);
