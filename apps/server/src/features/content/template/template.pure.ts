import { beginningOf, characterAt, cutAfter } from "@tidings/client/text";
import {
  Context,
  evalToken,
  type FilteredValueToken,
  Liquid,
  Tokenizer,
  TokenKind,
  toValueSync,
  Value,
} from "liquidjs";
import { strftime } from "./strftime.pure.ts";
import { clockOf, isZone, readTime } from "./written-times.pure.ts";

/** The user for whom a message is filled in. `id` is the external id; `traits` are as they are stored. */
export type TemplateUser = { id: string; traits: Readonly<Record<string, unknown>> };

/** In characters. A longer text that came with a publishable key is not shown: this is enough for names and places, too little for spam. */
export const MAX_PAGE_TEXT = 100;

/** What filters know of the user who reads: the name of their time zone, where it is known. */
type Reader = { zone: string | null };
const ANYBODY: Reader = { zone: null };

/** One personal field of a template, such as `{{ user.first_name | default: "there" }}`. */
export type Field = {
  /** The text between the braces, which refusals quote. */
  source: string;
  trait: string;
  /** The text that replaces an empty value; null where the template has none. */
  fallback: string | null;
  /** Runs the filters for a reader; null where there is at most one `default`, which `fallback` covers. */
  filters: ((value: unknown, reader?: Reader) => string) | null;
};

/** Static text and fields, in order; no two texts in a row, no empty text. */
export type Template = { parts: readonly (string | Field)[] };

const SUPPORTED = "only personal fields such as {{ user.first_name }} are";

/**
 * Where a text comes from. A text of a request must keep the bounds below. A stored text may be older than they are, and is read without
 * them, so that running campaigns go on.
 */
export type Origin = "request" | "stored";

/** The filters that a request may use: the time that each of them takes grows with the value alone. */
const FILTERS = [
  "append",
  "capitalize",
  "date",
  "default",
  "divided_by",
  "downcase",
  "first",
  "join",
  "last",
  "prepend",
  "round",
  "strip",
  "times",
  "truncate",
  "upcase",
];
const MAX_FIELDS = 500;
const MAX_FILTERS = 5;
const MAX_ARGUMENTS = 3;
const MAX_ARGUMENT = 200;
/** In minutes: a day, which no clock is ahead or behind. */
const MAX_OFFSET = 1_440;
/** Characters of a value that filters read, and of their result. */
const MAX_VALUE = 4_096;
/** Entries of a list that filters read. */
const MAX_ITEMS = 100;

/** Characters that the filters of one field may make on the way: enough for any text of a field, far too little to exhaust memory. */
const MEMORY_LIMIT = 1_000_000;

const liquid = new Liquid({
  strictFilters: true,
  ownPropertyOnly: true,
  memoryLimit: MEMORY_LIMIT,
  // For the older filters of times; `date` is our own.
  timezoneOffset: 0,
  locale: "en-US",
  // With templates in memory, LiquidJS never looks for a file.
  templates: {},
});

/** How a time is written where a template does not say it, as in Liquid. */
const TIME_FORMAT = "%A, %B %-e, %Y at %-l:%M %P %z";

/** A value as a time in words; anything that is no time stays as it is. Liquid's own would cross days: see `clockOf`. */
liquid.registerFilter(
  "date",
  function (this: { context: Context }, value: unknown, format: unknown, zone: unknown) {
    const time = readTime(value, Date.now());
    if (time === null) return value;
    // LiquidJS counts an offset in minutes west of UTC, as JavaScript does.
    const chosen = typeof zone === "number" ? -zone : typeof zone === "string" ? zone : null;
    const clock = clockOf(time, { zone: chosen, reader: asText(this.context.getSync(["zone"])) });
    return strftime(clock, asText(format) ?? TIME_FORMAT);
  },
);

/** The beginning of a text and an ending, together of so many characters; other values stay as they are. */
liquid.registerFilter("truncate", (value: unknown, length: unknown = 50, ending: unknown = "...") => {
  const text = asText(value);
  const most = Number(length);
  if (text === null || beginningOf(text, most).length === text.length) return value;
  const end = asText(ending) ?? "";
  return beginningOf(text, most - [...end].length) + end;
});

/** The first or last entry of a list, or character of a text; Liquid's own would divide a character. */
const atEnd = (indexIn: (length: number) => number) => (value: unknown) => {
  if (typeof value === "string") return characterAt(value, indexIn(value.length));
  return Array.isArray(value) ? value.at(indexIn(value.length)) : "";
};
liquid.registerFilter(
  "first",
  atEnd(() => 0),
);
liquid.registerFilter(
  "last",
  atEnd((length) => length - 1),
);

const LITERALS = new Set([TokenKind.Quoted, TokenKind.Number, TokenKind.Literal]);
const NAME = /^user\s*\.\s*([\p{L}_$][\p{L}\p{N}_$?-]*)\s*/u;
const QUOTED_NAME = /^user\s*\[\s*("(?:[^"\\]|\\.)*"|'[^'\\]*')\s*\]\s*/;
/** Characters of a part of a template in a refusal. */
const MAX_QUOTED = 40;
const NUL = String.fromCharCode(0);

class Fault extends Error {}

/** A part of a template as a refusal quotes it. */
const quote = (source: string): string => cutAfter(source.replace(/\s+/g, " ").trim(), MAX_QUOTED);

const isList = (value: unknown): boolean => Array.isArray(value);

/** The value as text; null for a value that a field cannot show: none, objects and lists. */
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

/** The length of an argument's value as it is written, with its quotes. */
const writtenLength = ({ begin, end }: { begin: number; end: number }): number => end - begin;

/** Refuses filters of a request that break the bounds. Comes before any filter runs: parsing itself runs them, for the fallback. */
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
      // The written length includes two quotes.
      if (value !== undefined && writtenLength(value) > MAX_ARGUMENT + 2)
        throw new Fault(`must give a filter texts of at most ${MAX_ARGUMENT} characters: ${field}`);
    }
  }
}

/** @throws Fault for a time zone that is not known, which would leave the time in another one without a word */
function assertZones(source: string, { filters }: FilteredValueToken): void {
  for (const { name, args } of filters) {
    const [, zone] = args.filter((argument) => !Array.isArray(argument));
    if (name !== "date" || zone === undefined || Array.isArray(zone)) continue;
    const value: unknown = evalToken(zone, new Context({}, liquid.options)).next().value;
    const isOffset = typeof value === "number" && Math.abs(value) <= MAX_OFFSET;
    if (!isOffset && !(typeof value === "string" && isZone(value)))
      throw new Fault(
        `must not use the time zone ${quote(String(value))} in {{ ${quote(source)} }}: write its name, such as "Europe/Vienna"`,
      );
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
  if (origin === "request") assertZones(source, token);
  return new Value(token, liquid);
}

/** The part of a value that filters read. An object becomes undefined, so that no filter can print it; texts and lists are cut. */
function inputOf(value: unknown): unknown {
  if (typeof value === "string") return beginningOf(value, MAX_VALUE);
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS);
  return typeof value === "object" ? undefined : value;
}

/** The filters' result as text; empty where a filter fails. */
function run(filters: Value, value: unknown, { zone }: Reader): string {
  try {
    const context = new Context({ value: inputOf(value), zone }, liquid.options, { sync: true });
    const text = asText(toValueSync(filters.value(context, false))) ?? "";
    return beginningOf(text, MAX_VALUE).replaceAll(NUL, "");
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
  const fallback = defaults ? run(filters, undefined, ANYBODY) : null;
  const isPlain = filters.filters.length === 1 && filters.filters[0]?.args.length === 1 && defaults;
  const filled = (value: unknown, reader = ANYBODY) => run(filters, value, reader);
  return { source, trait, fallback, filters: isPlain ? null : filled };
}

/** The index of the `}}` that ends the output beginning at `start`; a `}}` inside quotes does not count. -1 where there is none. */
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
    // LiquidJS throws on a text that it cannot read. The first line of its message, without "line:…", says why.
    const reason = error instanceof Error ? (error.message.split("\n")[0] ?? "") : "";
    return { fault: `must have readable fields: ${quote(reason.replace(/, line:\d+.*$/, ""))}` };
  }
}

/** The trait that the SDK for pages collects, and in which a server may write the zone that it knows. */
const ZONE_TRAIT = "$timezone";

/** The user's own time zone; null where it is not known, or is none. */
function zoneOf({ traits }: TemplateUser): string | null {
  const zone = Object.hasOwn(traits, ZONE_TRAIT) ? traits[ZONE_TRAIT] : null;
  return typeof zone === "string" && isZone(zone) ? zone : null;
}

function lookUp({ trait }: Pick<Field, "trait">, person: TemplateUser): unknown {
  if (trait === "id") return person.id;
  return Object.hasOwn(person.traits, trait) ? person.traits[trait] : undefined;
}

/**
 * The field's text for this person. Without a value (no trait, null, an object, a list) it is the fallback, else empty; as in
 * Liquid, a `default` also replaces "" and false. Times in filters are in the zone of the reader: see `clockOf`. Never throws.
 */
export function fillField(field: Field, person: TemplateUser): string {
  const value = lookUp(field, person);
  if (field.filters !== null) return field.filters(value, { zone: zoneOf(person) });
  if (field.fallback !== null && (value === "" || value === false)) return field.fallback;
  return asText(value) ?? field.fallback ?? "";
}

/** Whether the person has no value for the field, and the template has no fallback. */
export function isMissing(field: Field, person: TemplateUser): boolean {
  if (field.fallback !== null) return false;
  const value = lookUp(field, person);
  return asText(value) === null && !(field.filters !== null && isList(value));
}

/**
 * Whether the person has nothing to show at a field without a fallback: no value as in `isMissing`, a blank text, or an empty list. Push
 * sends with a blank text, so this is for people who look at a message before it goes out. `readsLists`: whether filters read the value.
 */
export function leavesGap(
  field: Pick<Field, "trait"> & { readsLists: boolean },
  person: TemplateUser,
): boolean {
  const value = lookUp(field, person);
  if (Array.isArray(value)) return !field.readsLists || value.length === 0;
  return (asText(value) ?? "").trim() === "";
}

/** Whether every user gets the same text. */
export const isStatic = (template: Template): boolean =>
  template.parts.every((part) => typeof part === "string");
