import { beginningOf } from "@tidings/client/text";
import { Context, Tokenizer, toValueSync, Value } from "liquidjs";
import {
  assertBounded,
  assertZones,
  createLiquid,
  LITERALS,
  quotedPart,
  READER_ZONE,
  TemplateFault,
  valueText,
} from "./filters.pure.ts";
import { isZone } from "./written-times.pure.ts";

const liquid = createLiquid();

/**
 * The user for whom a message is filled in. `id` is the external id; `traits` are as they are stored. `event`: the properties of the event that
 * let them into the journey whose message it is; absent where that is not known, as for a message that belongs to none.
 */
export type TemplateUser = {
  id: string;
  traits: Readonly<Record<string, unknown>>;
  event?: Readonly<Record<string, unknown>>;
};

/** In characters. A longer text that came with a publishable key is not shown: this is enough for names and places, too little for spam. */
export const MAX_PAGE_TEXT = 100;

/** What filters know of the user who reads: the name of their time zone, where it is known. */
type Reader = { zone: string | null };
const ANYBODY: Reader = { zone: null };

/** One personal field of a template, such as `{{ user.first_name | default: "there" }}`. */
export type Field = {
  /** The text between the braces, which refusals quote. */
  source: string;
  /** Whether it is a trait of the user, or a property of the event that let them into a journey. */
  from: "user" | "event";
  /** The name of the trait or property. */
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

const MAX_FIELDS = 500;
/** Characters of a value that filters read, and of their result. */
const MAX_VALUE = 4_096;
/** Entries of a list that filters read. */
const MAX_ITEMS = 100;

const NAME = /^(user|event)\s*\.\s*([\p{L}_$][\p{L}\p{N}_$?-]*)\s*/u;
const QUOTED_NAME = /^(user|event)\s*\[\s*("(?:[^"\\]|\\.)*"|'[^'\\]*')\s*\]\s*/;
const NUL = String.fromCharCode(0);

const isList = (value: unknown): boolean => Array.isArray(value);

function traitName(inner: string): Pick<Field, "from" | "trait"> & { rest: string } {
  const found = NAME.exec(inner);
  const quoted = found === null ? QUOTED_NAME.exec(inner) : null;
  const [all, source, name] = found ?? quoted ?? [];
  const from = source === "event" ? "event" : "user";
  if (found !== null && name !== undefined) return { from, trait: name, rest: inner.slice(found[0].length) };
  if (all === undefined || name === undefined)
    throw new TemplateFault(
      `must not use {{ ${quotedPart(inner)} }}: a field starts with user and names one trait, as in {{ user.plan }}`,
    );
  const rest = inner.slice(all.length);
  if (name.startsWith("'")) return { from, trait: name.slice(1, -1), rest };
  try {
    return { from, trait: String(JSON.parse(name)), rest };
  } catch {
    throw new TemplateFault(`must name the trait of {{ ${quotedPart(inner)} }} as a JSON text`);
  }
}

/** The filters of `| a: 1 | b`, checked; values that Liquid would look up somewhere are refused. */
function parseFilters(source: string, rest: string, origin: Origin): Value {
  const tokenizer = new Tokenizer(`value ${rest}`, liquid.options.operators);
  const token = tokenizer.readFilteredValue();
  tokenizer.skipBlank();
  if (tokenizer.p < tokenizer.N || token.filters.length === 0)
    throw new TemplateFault(
      `must not use {{ ${quotedPart(source)} }}: it cannot be read after "${quotedPart(tokenizer.input.slice(6, tokenizer.p))}"`,
    );
  if (origin === "request") assertBounded(source, token);
  for (const { name, args } of token.filters) {
    if (liquid.filters[name] === undefined || name.endsWith("_exp"))
      throw new TemplateFault(`must not use the filter ${quotedPart(name)}: there is none of that name`);
    for (const argument of args) {
      const value = Array.isArray(argument) ? argument[1] : argument;
      if (value === undefined || !LITERALS.has(value.kind))
        throw new TemplateFault(
          `must give the filter ${name} texts or numbers, as in {{ user.plan | default: "free" }}`,
        );
    }
  }
  if (origin === "request") assertZones(source, token, liquid);
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
    const context = new Context({ value: inputOf(value), [READER_ZONE]: zone }, liquid.options, {
      sync: true,
    });
    const text = valueText(toValueSync(filters.value(context, false))) ?? "";
    return beginningOf(text, MAX_VALUE).replaceAll(NUL, "");
  } catch {
    return "";
  }
}

function parseField(inner: string, origin: Origin): Field {
  const source = inner.trim();
  const { from, trait, rest } = traitName(source);
  if (rest === "") return { source, from, trait, fallback: null, filters: null };
  if (/^[.[]/.test(rest))
    throw new TemplateFault(
      `must not use {{ ${quotedPart(source)} }}: a field names one trait of the user, and nothing inside it`,
    );
  if (!rest.startsWith("|"))
    throw new TemplateFault(
      `must not use {{ ${quotedPart(source)} }}: after the trait only | and a filter may follow`,
    );
  const filters = parseFilters(source, rest, origin);
  const defaults = filters.filters.some((filter) => filter.name === "default");
  const fallback = defaults ? run(filters, undefined, ANYBODY) : null;
  const isPlain = filters.filters.length === 1 && filters.filters[0]?.args.length === 1 && defaults;
  const filled = (value: unknown, reader = ANYBODY) => run(filters, value, reader);
  return { source, from, trait, fallback, filters: isPlain ? null : filled };
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
      throw new TemplateFault(`must not use {% ${quotedPart(tag)} %}: tags are not supported, ${SUPPORTED}`);
    }
    const end = endOfOutput(source, start);
    if (end < 0) throw new TemplateFault(`must close every {{ with }}: ${quotedPart(source.slice(start))}`);
    const inner = source.slice(start + 2, end);
    if (/^-|-$/.test(inner))
      throw new TemplateFault(`must not use {{- or -}}: ${quotedPart(source.slice(start, end + 2))}`);
    if (start > done) parts.push(source.slice(done, start));
    if (++fields > MAX_FIELDS && origin === "request")
      throw new TemplateFault(`must have at most ${MAX_FIELDS} personal fields`);
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
    if (error instanceof TemplateFault) return { fault: error.message };
    // LiquidJS throws on a text that it cannot read. The first line of its message, without "line:…", says why.
    const reason = error instanceof Error ? (error.message.split("\n")[0] ?? "") : "";
    return { fault: `must have readable fields: ${quotedPart(reason.replace(/, line:\d+.*$/, ""))}` };
  }
}

/** The trait that the SDK for pages collects, and in which a server may write the zone that it knows. */
export const ZONE_TRAIT = "$timezone";

/** The user's own time zone; null where it is not known, or is none. */
export function zoneOf({ traits }: TemplateUser): string | null {
  const zone = Object.hasOwn(traits, ZONE_TRAIT) ? traits[ZONE_TRAIT] : null;
  return typeof zone === "string" && isZone(zone) ? zone : null;
}

function lookUp({ from, trait }: Pick<Field, "from" | "trait">, person: TemplateUser): unknown {
  if (from === "user" && trait === "id") return person.id;
  const values = from === "user" ? person.traits : (person.event ?? {});
  return Object.hasOwn(values, trait) ? values[trait] : undefined;
}

/**
 * The field's text for this person. Without a value (no trait, null, an object, a list) it is the fallback, else empty; as in
 * Liquid, a `default` also replaces "" and false. Times in filters are in the zone of the reader: see `clockOf`. Never throws.
 */
export function fillField(field: Field, person: TemplateUser): string {
  const value = lookUp(field, person);
  if (field.filters !== null) return field.filters(value, { zone: zoneOf(person) });
  if (field.fallback !== null && (value === "" || value === false)) return field.fallback;
  return valueText(value) ?? field.fallback ?? "";
}

/** Whether the person has no value for the field, and the template has no fallback. An event that is not known lacks nothing. */
export function isMissing(field: Field, person: TemplateUser): boolean {
  if (field.fallback !== null || (field.from === "event" && person.event === undefined)) return false;
  const value = lookUp(field, person);
  return valueText(value) === null && !(field.filters !== null && isList(value));
}

/**
 * Whether the person has nothing to show at a field without a fallback: no value as in `isMissing`, a blank text, or an empty list. Push
 * sends with a blank text, so this is for people who look at a message before it goes out. `readsLists`: whether filters read the value.
 */
export function leavesGap(
  field: Pick<Field, "from" | "trait"> & { readsLists: boolean },
  person: TemplateUser,
): boolean {
  if (field.from === "event" && person.event === undefined) return false;
  const value = lookUp(field, person);
  if (Array.isArray(value)) return !field.readsLists || value.length === 0;
  return (valueText(value) ?? "").trim() === "";
}

/** Whether every user gets the same text. */
export const isStatic = (template: Template): boolean =>
  template.parts.every((part) => typeof part === "string");
