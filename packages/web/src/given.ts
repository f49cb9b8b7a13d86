import { warn } from "./warn.ts";

/** What programs write where there is no user. A user of such an id would be everybody at once. */
const NO_USER =
  /^\s*(|undefined|[(<]?null[)>]?|nil|nan|none|0|true|false|anonymous|guest|\[object .*\])\s*$/i;

/** The id of a user as a page gives it, where numbers are ids as well; null for what is none. */
export function userIdOf(given: unknown): string | null {
  const isId = typeof given === "string" || typeof given === "bigint" || Number.isSafeInteger(given);
  return isId && !NO_USER.test(`${given}`) ? `${given}` : null;
}

/**
 * Traits or props of the page beside those that are known by themselves. Anything but an object stays what it is, so that the server says
 * what is wrong with it.
 */
export const beside = (known: object, given: unknown): unknown =>
  typeof (given ?? known) === "object" && !Array.isArray(given) ? { ...known, ...(given as object) } : given;

/**
 * What a page gives, as JSON. JSON has no number for NaN and no text for a date that is none, and would write null, which takes a trait
 * away: they are left out, with a warning. A BigInt becomes a text, which keeps it exactly.
 */
export const jsonOf = (given: unknown): string =>
  JSON.stringify(given, function (this: Record<string, unknown>, name, value: unknown) {
    if (typeof value === "bigint") return `${value}`;
    const isLost =
      typeof value === "number" ? !Number.isFinite(value) : value === null && this[name] !== null;
    if (!isLost) return value;
    warn(`${name} is ${this[name]}`);
    return undefined;
  });
