/** So many significant digits every double keeps, where it is neither huge nor next to nothing. */
const ALWAYS_KEPT_DIGITS = 15;
/** Far above the least double that has all of its digits. */
const LEAST_WHOLE = 1e-290;
/** `toPrecision` writes no more. */
const MOST_DIGITS = 100;
/** No double has a longer text, zeros included. What is longer is not looked at further, so that its length costs nothing. */
const LONGEST_TEXT = 1_100;
/** Writers of JSON write whole numbers out below this, as the ids of other products are written. */
const WRITTEN_OUT_BELOW = 1e21;

/**
 * Matches JSON in which a number may be lost: with 16 digits or more, or an exponent of three digits. It may stand within a text. Every
 * repetition has a bound, because millions of digits or blanks would fill the stack of the search: of a longer number it matches the
 * beginning, and of longer blanks, behind which any number may stand, the blanks alone.
 */
const MAY_BE_LOST =
  /(?:^|[:[,])\s{0,64}(-?(?:[\d.]{16,1101}(?:[eE][+-]?\d{1,1101})?|[\d.]{1,15}[eE][+-]?\d{3,1101}))|\s{65}/;
const ALL_THAT_MAY_BE_LOST = new RegExp(MAY_BE_LOST, "g");
type Decimal = { digits: string; exponent: number };

/** The significant digits of a number as JSON writes it, and the power of ten of the last one. */
function decimalOf(source: string): Decimal {
  const [, whole = "", fraction = "", power = "0"] =
    /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? [];
  const significant = (whole + fraction).replace(/^0+/, "");
  const digits = significant.replace(/0+$/, "");
  return { digits, exponent: Number(power) - fraction.length + significant.length - digits.length };
}

const isSame = (one: Decimal, other: Decimal): boolean =>
  one.digits === other.digits && one.exponent === other.exponent;

/** Whether JavaScript, which reads a number as a double, writes that same number again. */
export function readsBack(source: string): boolean {
  if (source.length > LONGEST_TEXT) return false;
  const written = String(Number(source));
  return written === source || isSame(decimalOf(source), decimalOf(written));
}

/**
 * Whether a number of JSON is kept as it is written: the double nearest to it, written with as many digits, is that number. So other
 * spellings (`1.0`, `1e3`) and the 17 digits with which some languages write a double are kept. Whole numbers beyond 2^53 - 1 with more
 * than 15 digits are not, even if one of them happens to be a double: they are ids, and a sender in JavaScript has rounded it already.
 */
export function keepsNumber(source: string): boolean {
  if (source.length > LONGEST_TEXT) return false;
  const value = Number(source);
  if (!Number.isFinite(value)) return false;
  const size = Math.abs(value);
  const isId = Number.isInteger(value) && size > Number.MAX_SAFE_INTEGER && size < WRITTEN_OUT_BELOW;
  if (!isId && String(value) === source) return true;
  if (source.search(/[eE]|$/) <= ALWAYS_KEPT_DIGITS && size > LEAST_WHOLE) return true;
  const given = decimalOf(source);
  const { length } = given.digits;
  if (value === 0) return length === 0;
  if (length > (isId ? ALWAYS_KEPT_DIGITS : MOST_DIGITS)) return false;
  // Where a double lies halfway between two decimals, the two texts differ in the last digit, and either one means that double.
  return readsBack(source) || isSame(given, decimalOf(value.toPrecision(length)));
}

/** The keys and places that lead to a value. */
export type Steps = readonly (string | number)[];

/** A list or an object that a scan is in: where in it the scan is, for an object as JSON of the key. */
type Within = { isList: boolean; index: number; key: string };

const stepsTo = (within: readonly Within[]): Steps =>
  within.map(({ isList, index, key }) => (isList ? index : (JSON.parse(key) as string)));

const [QUOTE, BACKSLASH] = [34, 92];

/** Index of the quote that ends the text of JSON which begins at `from`; the end of the JSON where none does. */
export function endOfText(json: string, from: number): number {
  const end = json.indexOf('"', from + 1);
  // Most texts have no escape at their end, so that the next quote ends them.
  if (end < 0 || json.charCodeAt(end - 1) !== BACKSLASH) return end < 0 ? json.length : end;
  let at = from + 1;
  while (at < json.length && json.charCodeAt(at) !== QUOTE) at += json.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}

const OF_NUMBER = new Set("-+.0123456789eE");

/** The number of valid JSON which begins at `from`. */
function numberAt(json: string, from: number): string {
  let end = from + 1;
  while (OF_NUMBER.has(json.charAt(end))) end++;
  return json.slice(from, end);
}

/** Where the numbers of valid JSON stand that cannot be kept. */
function* findLost(json: string): Generator<Steps> {
  const outside: Within[] = [];
  let within: Within = { isList: true, index: 0, key: '""' };
  for (let at = 0; at < json.length; at++) {
    const from = at;
    switch (json[at]) {
      case '"':
        at = endOfText(json, from);
        // The text of a value is taken for a key until the next key comes, which no number stands before.
        within.key = json.slice(from, at + 1);
        break;
      case "{":
      case "[":
        outside.push(within);
        within = { isList: json[at] === "[", index: 0, key: '""' };
        break;
      case "}":
      case "]":
        within = outside.pop() ?? within;
        break;
      case ",":
        within.index++;
        break;
      case "-":
      case "0":
      case "1":
      case "2":
      case "3":
      case "4":
      case "5":
      case "6":
      case "7":
      case "8":
      case "9": {
        const source = numberAt(json, from);
        at += source.length - 1;
        if (!keepsNumber(source)) yield stepsTo([...outside, within].slice(1));
        break;
      }
    }
  }
}

function mayBeLost(json: string): boolean {
  if (!MAY_BE_LOST.test(json)) return false;
  for (const [, source] of json.matchAll(ALL_THAT_MAY_BE_LOST))
    if (source === undefined || !keepsNumber(source)) return true;
  return false;
}

/** Where the numbers of valid JSON stand that cannot be kept. The usual JSON, in which there is none, costs one search. */
export const lostNumbers = (json: string): Iterable<Steps> => (mayBeLost(json) ? findLost(json) : []);
