/** Unicode's plane 15 (private use): letters to Markdown, HTML and URLs alike, and in no one's way. */
const FIRST = 0xf0000;
const MARK = /[\u{f0000}-\u{fffff}]/u;
const MARKS = /[\u{f0000}-\u{fffff}]/gu;

/** The most things that one text can hold places for. */
const MAX_MARKS = 65_536;

/**
 * Keeps places for things in a text that is still worked on: each becomes one character. Characters of that range that come
 * from outside are given a place as well, so that what is read back is exact.
 */
export type Marks<Thing> = {
  /** The character that stands for it; the same thing gets the same one. */
  put(thing: Thing): string;
  /** Text from outside, made safe to stand among the marks. */
  text(text: string): string;
  /** The text and its things in order; no two texts in a row, no empty text. */
  read(marked: string): (string | Thing)[];
};

export function createMarks<Thing extends object>(): Marks<Thing> {
  const things: (Thing | string)[] = [];
  const known = new Map<Thing | string, string>();

  const put = (thing: Thing | string): string => {
    const before = known.get(thing);
    if (before !== undefined) return before;
    if (things.length === MAX_MARKS)
      throw new Error("A text has more marks than there are characters for them.");
    const mark = String.fromCodePoint(FIRST + things.length);
    things.push(thing);
    known.set(thing, mark);
    return mark;
  };

  return {
    put,
    text: (text) => (MARK.test(text) ? text.replace(MARKS, put) : text),
    read(marked) {
      const parts: (string | Thing)[] = [];
      const add = (part: string | Thing): void => {
        const last = parts.length - 1;
        const before = parts[last];
        if (typeof part !== "string" || typeof before !== "string") parts.push(part);
        else parts[last] = before + part;
      };
      for (const piece of marked.split(/([\u{f0000}-\u{fffff}])/u)) {
        if (piece === "") continue;
        add((MARK.test(piece) ? things[(piece.codePointAt(0) ?? 0) - FIRST] : piece) ?? "\u{fffd}");
      }
      return parts;
    },
  };
}
