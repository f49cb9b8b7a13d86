import { z } from "zod";
import { parseIso } from "../http/contract/instants.ts";
import { cleanLine } from "../text/clean-line.ts";

/** How a person gives a value: what a field for it shows and takes. */
export type Control =
  | { kind: "flag" }
  | { kind: "number"; min: number; max: number }
  | { kind: "choice"; choices: readonly string[] }
  | { kind: "lines" }
  | { kind: "text" };

const controls = new WeakMap<object, Control>();

/** Says how the values of a parser are given, where it is not as a line of text. */
const givenAs = <Parser extends object>(control: Control, parser: Parser): Parser => {
  controls.set(parser, control);
  return parser;
};

/** How the values of a parser are given. */
export const controlOf = (parser: object): Control => controls.get(parser) ?? { kind: "text" };

/**
 * A parser of the text that a person types for a setting: `read` answers the value to store, or null when the text breaks the rule.
 * The rule is the end of the refusal, after the key: `must be …`.
 */
export const typed = <Value extends string | number | boolean>(
  rule: string,
  read: (text: string) => Value | null,
) =>
  z.string().transform((text, issues): Value => {
    const value = read(text);
    if (value !== null) return value;
    issues.addIssue(rule);
    return z.NEVER;
  });

/** One line of text of 1 to `max` characters (Unicode code points). */
export const line = (max: number) =>
  typed(`must be 1 to ${max} characters without line breaks or control characters`, (text) => {
    const clean = cleanLine(text);
    return clean === null || clean === "" || [...clean].length > max ? null : clean;
  });

/** Lines of text of 1 to `max` characters together; `\n` as two typed characters is a line break. */
export const lines = (max: number) =>
  givenAs(
    { kind: "lines" },
    typed(`must be 1 to ${max} characters without control characters; \\n is a line break`, (text) => {
      const clean = text
        .trim()
        .split(/\r\n|\n|\\n/)
        .map(cleanLine);
      const kept = clean.join("\n").trim();
      return clean.includes(null) || kept === "" || [...kept].length > max ? null : kept;
    }),
  );

/** A whole number from `min` to `max`. */
export const whole = (min: number, max: number) =>
  givenAs(
    { kind: "number", min, max },
    typed(`must be a whole number from ${min} to ${max}`, (text) => {
      const value = /^(0|[1-9]\d{0,8})$/.test(text.trim()) ? Number(text) : Number.NaN;
      return value >= min && value <= max ? value : null;
    }),
  );

const yesOrNo = () =>
  typed("must be true or false", (text) => {
    const word = text.trim();
    return word === "true" ? true : word === "false" ? false : null;
  });

export const flag = givenAs({ kind: "flag" }, yesOrNo());

/** A flag that follows from another setting until a person chooses: what it is then is none of the two. */
export const chosenFlag = givenAs({ kind: "choice", choices: ["true", "false"] }, yesOrNo());

export const choice = <Word extends string>(...words: readonly Word[]) =>
  givenAs(
    { kind: "choice", choices: words },
    typed(
      words.length === 1 ? `must be ${words[0]}` : `must be one of ${words.join(", ")}`,
      (text) => words.find((word) => word === text.trim()) ?? null,
    ),
  );

/** An amount of money in USD, to the cent. */
export const usd = (max: number) =>
  typed(`must be an amount in USD from 0 to ${max} with at most two decimals`, (text) => {
    const value = /^(0|[1-9]\d{0,9})(\.\d{1,2})?$/.test(text.trim()) ? Number(text) : Number.NaN;
    return value <= max ? value : null;
  });

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const EARLIEST_MS = Date.UTC(2001, 8, 9);

/** An instant, kept in UTC: a day stands for its start. */
export const typedInstant = typed(
  "must be a date such as 2026-01-15 (its start in UTC), or a date-time with an offset, not before 2001-09-09",
  (text) => {
    const given = text.trim();
    const ms = parseIso(DATE.test(given) ? `${given}T00:00Z` : given);
    return ms >= EARLIEST_MS ? new Date(ms).toISOString() : null;
  },
);
