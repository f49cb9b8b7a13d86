/**
 * Refuses a text that would keep the Markdown parser busy for long. Only counts, so that refusing is cheap. Each fault is the end of a
 * sentence about the text.
 */

export const MAX_MARKDOWN_DEPTH = 16;
export const TOO_DEEP = `must not nest more than ${MAX_MARKDOWN_DEPTH} levels of Markdown`;
const MAX_LINES = 1_500;
const MAX_INDENT = 100;
const MAX_EMPHASIS = 2_000;
/** The most that matching `* _ ~` may cost: within a passage, 20 for each pair of them and 1 for each character that each one reads. */
const MAX_EMPHASIS_WORK = 20_000_000;
const MAX_LINK = 2_048;
/** The parser finds the end of a bare link by taking off one punctuation mark after the other, and reads the link again each time. */
const MAX_LINK_PUNCTUATION = 200;
/** The parser fills short rows up to the table's width, so that a few characters can make very many cells. */
export const MAX_CELLS = 2_000;
export const TOO_MANY_CELLS = `must have at most ${MAX_CELLS} cells in its tables`;
const MAX_CELLS_TO_PARSE = 20_000;
const MAYBE_DELIMITER_ROW = /^(?=.*-)[|:\-\s>*+\d.)]+$/;

const RULE = /^[ \t>]*([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
const MARKERS = /^(?:[ \t]*(?:>|[-+*](?=[ \t]|$)|\d{1,9}[.)](?=[ \t]|$)))+/;
const NEW_ITEM = /^ {0,3}[-+*] +\S/;
const BARE_LINK = /(?:(?:https?|ftp):\/\/|www\.)[^\s<]*/gi;

const count = (text: string, what: RegExp): number => text.match(what)?.length ?? 0;
const emphasisIn = (text: string): number => count(text, /[*_~]/g);

/** How deep the list and quote markers at the beginning of a line nest; a horizontal rule has none. */
const markersOf = (line: string): number =>
  RULE.test(line) ? 0 : count(MARKERS.exec(line)?.[0] ?? "", />|[-+*]|\d+[.)]/g);

const indentOf = (line: string): number => {
  const [space = ""] = /^[ \t]*/.exec(line) ?? [];
  return space.length + 3 * count(space, /\t/g);
};

/** The cost of matching emphasis: within each passage, which ends with an empty line or a new entry of a list. */
function emphasisWork(lines: readonly string[]): number {
  let [work, delimiters, length] = [0, 0, 0];
  const close = (): void => {
    work += 20 * delimiters * delimiters + delimiters * length;
    [delimiters, length] = [0, 0];
  };
  for (const line of lines) {
    if (line.trim() === "" || NEW_ITEM.test(line)) close();
    delimiters += emphasisIn(line);
    length += line.length + 1;
  }
  close();
  return work;
}

function cellsFault(lines: readonly string[]): string | null {
  const widths = lines.map((line) => (MAYBE_DELIMITER_ROW.test(line) ? line.split("|").length : 0));
  const widest = widths.reduce((most, width) => Math.max(most, width), 0);
  return widest > 1 && widest * lines.length > MAX_CELLS_TO_PARSE ? TOO_MANY_CELLS : null;
}

function linkFault(text: string): string | null {
  for (const [link] of text.matchAll(BARE_LINK)) {
    if (link.length > MAX_LINK) return `must have links of at most ${MAX_LINK} characters`;
    if (count(link, /[?!.,:;*_'"~()&]/g) > MAX_LINK_PUNCTUATION)
      return `must have links of at most ${MAX_LINK_PUNCTUATION} punctuation marks`;
  }
  return null;
}

const linesOf = (text: string): string[] => text.split(/\r\n?|\n/);
const isFull = (line: string): boolean => line.trim() !== "";
const tooMuchEmphasis = (text: string): boolean => emphasisIn(text) > MAX_EMPHASIS;
const TOO_MUCH_EMPHASIS = `must have at most ${MAX_EMPHASIS} of the characters * _ and ~`;

/** Why a Markdown text of a request is too much for the parser, or null. Linear in its length. */
export function sizeFault(text: string): string | null {
  const lines = linesOf(text);
  const full = lines.filter(isFull);
  const cells = cellsFault(full);
  if (cells !== null) return cells;
  if (full.length > MAX_LINES) return `must have at most ${MAX_LINES} lines that are not empty`;
  if (full.some((line) => indentOf(line) > MAX_INDENT))
    return `must not indent a line by more than ${MAX_INDENT} spaces`;
  if (full.some((line) => markersOf(line) > MAX_MARKDOWN_DEPTH)) return TOO_DEEP;
  if (tooMuchEmphasis(text)) return TOO_MUCH_EMPHASIS;
  if (emphasisWork(lines) > MAX_EMPHASIS_WORK)
    return "must have fewer of the characters * _ and ~ in one passage: put empty lines between passages";
  return linkFault(text);
}

/** The same for a stored text: it may be older than most of the bounds, so only the first bounds apply to it. */
export const storedSizeFault = (text: string): string | null =>
  tooMuchEmphasis(text) ? TOO_MUCH_EMPHASIS : cellsFault(linesOf(text).filter(isFull));
