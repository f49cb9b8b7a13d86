import { Context, type FilteredValueToken, Liquid, Tokenizer, TokenKind, toValueSync, Value } from "liquidjs";

/** Whom a message is for. `id` is the external id; `traits` as they are stored. */
export type Person = { id: string; traits: Readonly<Record<string, unknown>> };

/** One personal field of a template, such as `{{ user.first_name | default: "there" }}`. */
export type Field = {
  /** What stands between the braces, for messages about it. */
  source: string;
  trait: string;
  /** What stands in for an empty value; null where the template says nothing. */
  fallback: string | null;
  /** The filters, where there are others than one `default`. */
  filters: ((value: unknown) => string) | null;
};

/** Static text and fields, in order; no two texts in a row, no empty text. */
export type Template = { parts: readonly (string | Field)[] };

const SUPPORTED = "only personal fields such as {{ user.first_name }} are";

/**
 * Where a text comes from. One that a request brings keeps to the bounds below. One that was stored before there were these is read
 * as it was then: what runs goes on.
 */
export type Origin = "request" | "stored";

/** What a field of a request may do with its value: each of these takes time that grows with the value alone. */
const FILTERS = [
  ...["append", "capitalize", "date", "default", "divided_by", "downcase", "first", "join", "last"],
  ...["prepend", "round", "strip", "times", "truncate", "upcase"],
];
const MAX_FIELDS = 500;
const MAX_FILTERS = 5;
const MAX_ARGUMENTS = 3;
const MAX_ARGUMENT = 200;
/** Characters of a value that filters see, and of what they make of it. */
const MAX_VALUE = 4_096;
/** Entries of a list that filters see. */
const MAX_ITEMS = 100;

/** Enough for any text that a field can hold, far below what would hurt: characters that the filters of one field make. */
const MEMORY_LIMIT = 1_000_000;

const liquid = new Liquid({
  strictFilters: true,
  ownPropertyOnly: true,
  memoryLimit: MEMORY_LIMIT,
  timezoneOffset: 0,
  locale: "en-US",
  // With templates in memory nothing is ever looked up in the file system.
  templates: {},
});

const LITERALS = new Set([TokenKind.Quoted, TokenKind.Number, TokenKind.Literal]);
const NAME = /^user\s*\.\s*([\p{L}_$][\p{L}\p{N}_$?-]*)\s*/u;
const QUOTED_NAME = /^user\s*\[\s*("(?:[^"\\]|\\.)*"|'[^'\\]*')\s*\]\s*/;
const NUL = String.fromCharCode(0);

class Fault extends Error {}

/** A part of a template as a message quotes it. */
const quote = (source: string): string => {
  const short = source.slice(0, 40).toWellFormed().replace(/\s+/g, " ").trim();
  return source.length > 40 ? `${short}…` : short;
};

const isList = (value: unknown): boolean => Array.isArray(value);

/** Text of a value that a field can show, or null: nothing, objects and lists. */
function asText(value: unknown): string | null {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : null;
}

function traitName(inner: string): { trait: string; rest: string } {
  const named = NAME.exec(inner);
  if (named?.[1] !== undefined) return { trait: named[1], rest: inner.slice(named[0].length) };
  const quoted = QUOTED_NAME.exec(inner);
  if (quoted?.[1] === undefined)
    throw new Fault(
      `must not use {{ ${quote(inner)} }}: a field starts with user and names one trait, as in {{ user.plan }}`,
    );
  const rest = inner.slice(quoted[0].length);
  if (quoted[1].startsWith("'")) return { trait: quoted[1].slice(1, -1), rest };
  try {
    return { trait: String(JSON.parse(quoted[1])), rest };
  } catch {
    throw new Fault(`must name the trait of {{ ${quote(inner)} }} as a JSON text`);
  }
}

/** The value of an argument as it is written, with its quotes. */
const writtenLength = ({ begin, end }: { begin: number; end: number }): number => end - begin;

/** What a filter of a request is refused for. Said before any filter runs: the first run is at parsing, for the fallback. */
function assertBounded(source: string, token: FilteredValueToken): void {
  const field = `{{ ${quote(source)} }}`;
  if (token.filters.length > MAX_FILTERS)
    throw new Fault(`must use at most ${MAX_FILTERS} filters in a field: ${field}`);
  for (const { name, args } of token.filters) {
    if (!FILTERS.includes(name))
      throw new Fault(
        `must not use the filter ${quote(name)} in ${field}: there are ${FILTERS.slice(0, -1).join(", ")} and ${FILTERS.at(-1)}`,
      );
    if (args.length > MAX_ARGUMENTS)
      throw new Fault(`must give a filter at most ${MAX_ARGUMENTS} texts or numbers: ${field}`);
    for (const argument of args) {
      const value = Array.isArray(argument) ? argument[1] : argument;
      // Two more for the quotes.
      if (value !== undefined && writtenLength(value) > MAX_ARGUMENT + 2)
        throw new Fault(`must give a filter texts of at most ${MAX_ARGUMENT} characters: ${field}`);
    }
  }
}

/** The filters of `| a: 1 | b`, checked; values that Liquid would look up somewhere are refused. */
function parseFilters(source: string, rest: string, origin: Origin): Value {
  const tokenizer = new Tokenizer(`value ${rest}`, liquid.options.operators);
  const token = tokenizer.readFilteredValue();
  tokenizer.skipBlank();
  if (tokenizer.p < tokenizer.N || token.filters.length === 0)
    throw new Fault(
      `must not use {{ ${quote(source)} }}: it cannot be read after "${quote(tokenizer.input.slice(6, tokenizer.p))}"`,
    );
  if (origin === "request") assertBounded(source, token);
  for (const { name, args } of token.filters) {
    if (liquid.filters[name] === undefined || name.endsWith("_exp"))
      throw new Fault(`must not use the filter ${quote(name)}: there is none of that name`);
    for (const argument of args) {
      const value = Array.isArray(argument) ? argument[1] : argument;
      if (value === undefined || !LITERALS.has(value.kind))
        throw new Fault(
          `must give the filter ${name} texts or numbers, as in {{ user.plan | default: "free" }}`,
        );
    }
  }
  return new Value(token, liquid);
}

/** What filters see of a value: objects count as nothing, so that no filter can print one; of the rest only so much. */
function inputOf(value: unknown): unknown {
  if (typeof value === "string") return value.slice(0, MAX_VALUE);
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS);
  return typeof value === "object" ? undefined : value;
}

/** A filter that fails gives nothing. */
function run(filters: Value, value: unknown): string {
  try {
    const context = new Context({ value: inputOf(value) }, liquid.options, { sync: true });
    const text = asText(toValueSync(filters.value(context, false))) ?? "";
    return text.slice(0, MAX_VALUE).toWellFormed().replaceAll(NUL, "");
  } catch {
    return "";
  }
}

function parseField(inner: string, origin: Origin): Field {
  const source = inner.trim();
  const { trait, rest } = traitName(source);
  if (rest === "") return { source, trait, fallback: null, filters: null };
  if (/^[.[]/.test(rest))
    throw new Fault(
      `must not use {{ ${quote(source)} }}: a field names one trait of the user, and nothing inside it`,
    );
  if (!rest.startsWith("|"))
    throw new Fault(`must not use {{ ${quote(source)} }}: after the trait only | and a filter may follow`);
  const filters = parseFilters(source, rest, origin);
  const defaults = filters.filters.some((filter) => filter.name === "default");
  const fallback = defaults ? run(filters, undefined) : null;
  const isPlain = filters.filters.length === 1 && filters.filters[0]?.args.length === 1 && defaults;
  return { source, trait, fallback, filters: isPlain ? null : (value) => run(filters, value) };
}

/** Where the output that begins at `start` ends: the index of its `}}`, which does not stand inside quotes; or -1. */
function endOfOutput(source: string, start: number): number {
  let quoteMark = "";
  for (let at = start + 2; at < source.length; at++) {
    const character = source[at] ?? "";
    if (quoteMark !== "") {
      if (character === "\\") at++;
      else if (character === quoteMark) quoteMark = "";
    } else if (character === '"' || character === "'") quoteMark = character;
    else if (character === "}" && source[at + 1] === "}") return at;
    else if (character === "{" && source[at + 1] === "{") return -1;
  }
  return -1;
}

function parseParts(source: string, origin: Origin): (string | Field)[] {
  const parts: (string | Field)[] = [];
  let fields = 0;
  let done = 0;
  for (;;) {
    const start = source.slice(done).search(/\{[{%]/) + done;
    if (start < done) break;
    if (source[start + 1] === "%") {
      const tag = /^\{%-?\s*([^\s%]*)/.exec(source.slice(start, start + 60))?.[1] ?? "";
      throw new Fault(`must not use {% ${quote(tag)} %}: tags are not supported, ${SUPPORTED}`);
    }
    const end = endOfOutput(source, start);
    if (end < 0) throw new Fault(`must close every {{ with }}: ${quote(source.slice(start))}`);
    const inner = source.slice(start + 2, end);
    if (/^-|-$/.test(inner))
      throw new Fault(`must not use {{- or -}}: ${quote(source.slice(start, end + 2))}`);
    if (start > done) parts.push(source.slice(done, start));
    if (++fields > MAX_FIELDS && origin === "request")
      throw new Fault(`must have at most ${MAX_FIELDS} personal fields`);
    parts.push(parseField(inner, origin));
    done = end + 2;
  }
  if (done < source.length) parts.push(source.slice(done));
  return parts;
}

/**
 * Parses a text with personal fields: LiquidJS outputs that begin with one trait of the user, `{{ user.plan }}` or
 * `{{ user["a b"] | capitalize | default: "you" }}`; `user.id` is the external id. The fault is the end of a sentence
 * about the text ("must not use {% if %}: …"). A text of a request has at most 500 fields of 5 filters, of those above.
 */
export function parseTemplate(source: string, origin: Origin = "request"): Template | { fault: string } {
  try {
    return { parts: parseParts(source, origin) };
  } catch (error) {
    if (error instanceof Fault) return { fault: error.message };
    // LiquidJS throws what it cannot read; its first line says what, without a place in a file.
    const reason = error instanceof Error ? (error.message.split("\n")[0] ?? "") : "";
    return { fault: `must have readable fields: ${quote(reason.replace(/, line:\d+.*$/, ""))}` };
  }
}

function lookUp(field: Field, person: Person): unknown {
  if (field.trait === "id") return person.id;
  return Object.hasOwn(person.traits, field.trait) ? person.traits[field.trait] : undefined;
}

/**
 * What the field says to this person. Without a value (no trait, null, an object, a list): the fallback, else nothing; as in
 * Liquid, a `default` also stands in for "" and false. Times in filters are UTC. Never throws.
 */
export function fillField(field: Field, person: Person): string {
  const value = lookUp(field, person);
  if (field.filters !== null) return field.filters(value);
  if (field.fallback !== null && (value === "" || value === false)) return field.fallback;
  return asText(value) ?? field.fallback ?? "";
}

/** Whether the person lacks what the field is about, and the template says nothing for that case. */
export function isMissing(field: Field, person: Person): boolean {
  if (field.fallback !== null) return false;
  const value = lookUp(field, person);
  return asText(value) === null && !(field.filters !== null && isList(value));
}

/** Whether everybody gets the same text. */
export const isStatic = (template: Template): boolean =>
  template.parts.every((part) => typeof part === "string");
