const JOINER = 0x200d;

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

/**
 * The beginning of a text: at most `max` Unicode code points, which is how the limits of fields count. It ends between characters as
 * people see them (grapheme clusters), so an emoji of several code points is there or it is not. One that is longer than `max` is left out.
 * Takes time for `max` characters, however long the text is.
 */
export function beginningOf(text: string, max: number): string {
  let end = text.length <= max ? text.length : unitsOf(text, max);
  if (end < text.length) {
    // Whether a character ends here depends on the code point that follows, and on none behind it.
    end =
      segmenter()
        .segment(text.slice(0, end + 2))
        .containing(end)?.index ?? end;
    // A joiner is there for the character behind it.
    while (text.charCodeAt(end - 1) === JOINER) end--;
  }
  return text.slice(0, end).toWellFormed();
}

/** A text as it is, or its beginning and "…": at most `max` code points. It is cut as `beginningOf` cuts. */
export function cutText(text: string, max: number): string {
  const whole = beginningOf(text, max);
  return whole.length === text.length ? whole : `${beginningOf(text, max - 1).trimEnd()}…`;
}
