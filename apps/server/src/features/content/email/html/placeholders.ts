/** Unicode's plane 15 (private use). Markdown, HTML and URLs treat its characters as letters, and texts hardly ever use them. */
const FIRST = 0xf0000;
const PLACEHOLDER = /[\u{f0000}-\u{fffff}]/u;
const PLACEHOLDERS = /[\u{f0000}-\u{fffff}]/gu;

/** The most things for which one text can have placeholders: plane 15 has no more characters. */
const MAX_PLACEHOLDERS = 65_536;

/**
 * Puts one character into a text for each thing that is filled in later, so that the text can be parsed and escaped first. Characters
 * of that range that are part of the text itself get placeholders as well, so that `read` restores them exactly.
 */
export type Placeholders<Thing> = {
  /** The character that stands for the thing; the same thing gets the same one. */
  put(thing: Thing): string;
  /** Replaces characters of the text that look like placeholders by placeholders for themselves. */
  text(text: string): string;
  /** The text and its things in order; no two texts in a row, no empty text. */
  read(text: string): (string | Thing)[];
};

export function createPlaceholders<Thing extends object>(): Placeholders<Thing> {
  const things: (Thing | string)[] = [];
  const known = new Map<Thing | string, string>();

  const put = (thing: Thing | string): string => {
    const before = known.get(thing);
    if (before !== undefined) return before;
    if (things.length === MAX_PLACEHOLDERS)
      throw new Error("A text has more marks than there are characters for them.");
    const placeholder = String.fromCodePoint(FIRST + things.length);
    things.push(thing);
    known.set(thing, placeholder);
    return placeholder;
  };

  return {
    put,
    text: (text) => (PLACEHOLDER.test(text) ? text.replace(PLACEHOLDERS, put) : text),
    read(text) {
      const parts: (string | Thing)[] = [];
      const add = (part: string | Thing): void => {
        const last = parts.length - 1;
        const before = parts[last];
        if (typeof part !== "string" || typeof before !== "string") parts.push(part);
        else parts[last] = before + part;
      };
      for (const piece of text.split(/([\u{f0000}-\u{fffff}])/u)) {
        if (piece === "") continue;
        add((PLACEHOLDER.test(piece) ? things[(piece.codePointAt(0) ?? 0) - FIRST] : piece) ?? "\u{fffd}");
      }
      return parts;
    },
  };
}
