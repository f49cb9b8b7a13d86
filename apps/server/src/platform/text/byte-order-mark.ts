/** What some programs write before a text. */
export const BYTE_ORDER_MARK = "\ufeff";

/** A text without the mark before it. Only the first one goes: a second is a character of the text. */
export const withoutMark = (text: string): string =>
  text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
