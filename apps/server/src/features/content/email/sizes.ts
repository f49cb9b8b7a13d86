/**
 * What would take the Markdown parser long is refused before it begins, by counting: each fault is the end of a sentence about the text.
 */

export const MAX_DEPTH = 16;
export const TOO_DEEP = `must not nest more than ${MAX_DEPTH} levels of Markdown`;
const MAX_LINES = 1_500;
const MAX_INDENT = 100;
const MAX_EMPHASIS = 2_000;
/** What matching `* _ ~` may cost within passages: 20 for each two of them, 1 for each character that one of them looks at. */
const MAX_EMPHASIS_WORK = 20_000_000;
const MAX_LINK = 2_048;
/** Where a bare link ends is found by taking one of these off after the other. */
const MAX_LINK_PUNCTUATION = 200;
/** Short rows of a table are filled up to its width, so that a few characters can stand for very many cells. */
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

/** How deep the marks at the beginning of a line nest; a line across the page is none. */
const markersOf = (line: string): number =>
  RULE.test(line) ? 0 : count(MARKERS.exec(line)?.[0] ?? "", />|[-+*]|\d+[.)]/g);

const indentOf = (line: string): number => {
  const [space = ""] = /^[ \t]*/.exec(line) ?? [];
  return space.length + 3 * count(space, /\t/g);
};

/** The cost of matching emphasis: within each passage, which ends with an empty line or a new entry of a list. */
function emphasisWork(lines: readonly string[]): number {
  let [work, marks, length] = [0, 0, 0];
  const close = (): void => {
    work += 20 * marks * marks + marks * length;
    [marks, length] = [0, 0];
  };
  for (const line of lines) {
    if (line.trim() === "" || NEW_ITEM.test(line)) close();
    marks += emphasisIn(line);
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

/** What is too much of a Markdown text that a request brings, or null. Linear in its length. */
export function sizeFault(text: string): string | null {
  const lines = linesOf(text);
  const full = lines.filter(isFull);
  const cells = cellsFault(full);
  if (cells !== null) return cells;
  if (full.length > MAX_LINES) return `must have at most ${MAX_LINES} lines that are not empty`;
  if (full.some((line) => indentOf(line) > MAX_INDENT))
    return `must not indent a line by more than ${MAX_INDENT} spaces`;
  if (full.some((line) => markersOf(line) > MAX_DEPTH)) return TOO_DEEP;
  if (tooMuchEmphasis(text)) return TOO_MUCH_EMPHASIS;
  if (emphasisWork(lines) > MAX_EMPHASIS_WORK)
    return "must have fewer of the characters * _ and ~ in one passage: put empty lines between passages";
  return linkFault(text);
}

/** The same of a text that was stored before there were the other bounds. */
export const storedSizeFault = (text: string): string | null =>
  tooMuchEmphasis(text) ? TOO_MUCH_EMPHASIS : cellsFault(linesOf(text).filter(isFull));
