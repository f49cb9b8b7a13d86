/** Halves of surrogate pairs. `toWellFormed` does the same, and is newer than browsers of people are. */
const HALVES = /\p{Cs}/gu;

const whole = (text: string): string => text.replace(HALVES, "\ufffd");

let graphemes: Intl.Segmenter | undefined;

/** Made with the first text that is cut, because some old browsers have none, and making it takes a while. */
const segmenter = (): Intl.Segmenter => {
  graphemes ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return graphemes;
};

/** Code units of the first `count` code points of a text. */
function unitsOf(text: string, count: number): number {
  let end = 0;
  for (let taken = 0; taken < count && end < text.length; taken++)
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return end;
}

/** Where a text ends that ended at `end`, without characters of a kind. A regular expression would read each run of them again and again. */
function lastOf(text: string, end: number, without: RegExp): number {
  let last = end;
  while (last > 0 && without.test(text.charAt(last - 1))) last--;
  return last;
}

/** A text up to a code unit of it, or up to the beginning of the character that is divided there. */
function upTo(text: string, end: number): string {
  if (end >= text.length) return whole(text);
  // Whether a character ends here depends on the code point that follows, and on none behind it.
  const known = segmenter().segment(text.slice(0, end + 2));
  return whole(text.slice(0, lastOf(text, known.containing(end)?.index ?? end, /\u200d/)));
}

/**
 * The beginning of a text: at most `max` Unicode code points, which is how the limits of fields count. It ends between characters as
 * people see them (grapheme clusters), so an emoji of several code points is there or it is not, and no joiner is left without what it
 * joins. A character that alone is longer than `max` is left out. Takes time for `max` characters, however long the text is.
 */
export const beginningOf = (text: string, max: number): string =>
  upTo(text, text.length <= max ? text.length : unitsOf(text, max));

/** The same for a limit in UTF-16 code units, as JavaScript counts the length of a text. */
export const beginningInUnits = (text: string, max: number): string => upTo(text, max);

/** The character, as people see it, that a code unit of a text belongs to; empty beyond its end. */
export const characterAt = (text: string, unit: number): string =>
  whole(segmenter().segment(text).containing(unit)?.segment ?? "");

/** The word for so many of a thing, without the number: `user` for 1, `users` for any other. */
export const wordFor = (count: number, one: string, more = `${one}s`): string => (count === 1 ? one : more);

/** So many of a thing: `1 mail`, `2 mails`. */
export const counted = (count: number, one: string, more?: string): string =>
  `${count} ${wordFor(count, one, more)}`;

/** A text of up to `max` code points as it is; of a longer one the beginning, and "…" behind it. */
export function cutAfter(text: string, max: number): string {
  const begun = beginningOf(text, max);
  if (begun.length === text.length) return begun;
  return `${begun.slice(0, lastOf(begun, begun.length, /[\s\u200d]/))}…`;
}

/** The same, of at most `max` code points with the "…". */
export const cutText = (text: string, max: number): string =>
  beginningOf(text, max).length === text.length ? whole(text) : cutAfter(text, max - 1);
