import { beginningOf, characterAt, cutAfter } from "@tidings/client/text";
import { Context, evalToken, type FilteredValueToken, Liquid, type LiquidOptions, TokenKind } from "liquidjs";
import { strftime } from "./strftime.pure.ts";
import { clockOf, isZone, readTime } from "./written-times.pure.ts";

/** The filters that a request may use: the time that each of them takes grows with the value alone. */
export const FIELD_FILTERS: readonly string[] = [
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
const MAX_FILTERS = 5;
const MAX_ARGUMENTS = 3;
const MAX_ARGUMENT = 200;
/** In minutes: a day, which no clock is ahead or behind. */
const MAX_OFFSET = 1_440;

/** Characters that the filters of one field may make on the way: enough for any text of a field, far too little to exhaust memory. */
const MEMORY_LIMIT = 1_000_000;

/** Under which name filters find the zone of the reader. It has a blank, so that no text can name it, nor hide it. */
export const READER_ZONE = "reader zone";

/** How a time is written where a template does not say it, as in Liquid. */
const TIME_FORMAT = "%A, %B %-e, %Y at %-l:%M %P %z";

/** Tokens whose value stands in the text itself. */
export const LITERALS: ReadonlySet<TokenKind> = new Set([
  TokenKind.Quoted,
  TokenKind.Number,
  TokenKind.Literal,
]);

/** Characters of a part of a template in a refusal. */
const MAX_QUOTED = 40;

/** Why a template is refused: the end of a sentence about it. */
export class TemplateFault extends Error {}

/** A part of a template as a refusal quotes it. */
export const quotedPart = (source: string): string =>
  cutAfter(source.replace(/\s+/g, " ").trim(), MAX_QUOTED);

/** The value as text; null for a value that a field cannot show: none, objects and lists. */
export function valueText(value: unknown): string | null {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : null;
}

/** The first or last entry of a list, or character of a text; Liquid's own would divide a character. */
const atEnd = (indexIn: (length: number) => number) => (value: unknown) => {
  if (typeof value === "string") return characterAt(value, indexIn(value.length));
  return Array.isArray(value) ? value.at(indexIn(value.length)) : "";
};

/** LiquidJS for texts of strangers, with the filters that are our own: no files, no properties of prototypes, little memory. */
export function createLiquid(options: Pick<LiquidOptions, "operators"> = {}): Liquid {
  const liquid = new Liquid({
    ...options,
    strictFilters: true,
    ownPropertyOnly: true,
    memoryLimit: MEMORY_LIMIT,
    // For the older filters of times; `date` is our own.
    timezoneOffset: 0,
    locale: "en-US",
    // With templates in memory, LiquidJS never looks for a file.
    templates: {},
  });

  // A value as a time in words; anything that is no time stays as it is. Liquid's own would cross days: see `clockOf`.
  liquid.registerFilter(
    "date",
    function (this: { context: Context }, value: unknown, format: unknown, zone: unknown) {
      const time = readTime(value, Date.now());
      if (time === null) return value;
      // LiquidJS counts an offset in minutes west of UTC, as JavaScript does.
      const chosen = typeof zone === "number" ? -zone : typeof zone === "string" ? zone : null;
      const reader = valueText(this.context.getSync([READER_ZONE]));
      return strftime(clockOf(time, { zone: chosen, reader }), valueText(format) ?? TIME_FORMAT);
    },
  );

  // The beginning of a text and an ending, together of so many characters; other values stay as they are.
  liquid.registerFilter("truncate", (value: unknown, length: unknown = 50, ending: unknown = "...") => {
    const text = valueText(value);
    const most = Number(length);
    if (text === null || beginningOf(text, most).length === text.length) return value;
    const end = valueText(ending) ?? "";
    return beginningOf(text, most - [...end].length) + end;
  });

  liquid.registerFilter(
    "first",
    atEnd(() => 0),
  );
  liquid.registerFilter(
    "last",
    atEnd((length) => length - 1),
  );
  return liquid;
}

/** The length of an argument's value as it is written, with its quotes. */
const writtenLength = ({ begin, end }: { begin: number; end: number }): number => end - begin;

/**
 * Refuses filters of a request that break the bounds. Comes before any filter runs: parsing itself runs them, for the fallback.
 * @throws TemplateFault
 */
export function assertBounded(source: string, token: FilteredValueToken, allowed = FIELD_FILTERS): void {
  const field = `{{ ${quotedPart(source)} }}`;
  if (token.filters.length > MAX_FILTERS)
    throw new TemplateFault(`must use at most ${MAX_FILTERS} filters in a field: ${field}`);
  for (const { name, args } of token.filters) {
    if (!allowed.includes(name))
      throw new TemplateFault(
        `must not use the filter ${quotedPart(name)} in ${field}: there are ${allowed.slice(0, -1).join(", ")} and ${allowed.at(-1)}`,
      );
    if (args.length > MAX_ARGUMENTS)
      throw new TemplateFault(`must give a filter at most ${MAX_ARGUMENTS} texts or numbers: ${field}`);
    for (const argument of args) {
      const value = Array.isArray(argument) ? argument[1] : argument;
      // The written length includes two quotes.
      if (value !== undefined && writtenLength(value) > MAX_ARGUMENT + 2)
        throw new TemplateFault(`must give a filter texts of at most ${MAX_ARGUMENT} characters: ${field}`);
    }
  }
}

/** @throws TemplateFault for a time zone that is not known, which would leave the time in another one without a word */
export function assertZones(source: string, { filters }: FilteredValueToken, liquid: Liquid): void {
  for (const { name, args } of filters) {
    const [, zone] = args.filter((argument) => !Array.isArray(argument));
    if (name !== "date" || zone === undefined || Array.isArray(zone)) continue;
    const value: unknown = evalToken(zone, new Context({}, liquid.options)).next().value;
    const isOffset = typeof value === "number" && Math.abs(value) <= MAX_OFFSET;
    if (!isOffset && !(typeof value === "string" && isZone(value)))
      throw new TemplateFault(
        `must not use the time zone ${quotedPart(LITERALS.has(zone.kind) ? String(value) : zone.getText())} in {{ ${quotedPart(source)} }}: write its name, such as "Europe/Vienna"`,
      );
  }
}
