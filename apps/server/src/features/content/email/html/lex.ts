import { Lexer, type Token, Tokenizer, type Tokens } from "marked";

const OPTIONS = { gfm: true, breaks: false, pedantic: false };
/** Lines that an underlined heading (`Title` above `===`) may have. */
const MAX_HEADING_LINES = 20;

/** The beginning of a text: at most so many lines. */
function firstLines(text: string, most: number): string {
  let end = -1;
  for (let count = 0; count < most; count++) {
    end = text.indexOf("\n", end + 1);
    if (end < 0) return text;
  }
  return text.slice(0, end + 1);
}

/** Characters ahead that are read in order to find a link: more than a link may have (`MAX_LINK`). */
const MAX_AHEAD = 2_500;
/** Those that are read in order to find the end of a text, and how many of them the beginning of an address may have (`https://`). */
const SOME_WORDS = 300;
const SCHEME = 8;

/** The beginning of a text, up to the end of a word where one ends soon. Called for each piece of a text, so it looks for little. */
function nextWords(text: string): string {
  if (text.length <= SOME_WORDS) return text;
  let end = text.lastIndexOf(" ", SOME_WORDS);
  // Two blanks at the end of a line are a break, and stay together.
  while (end > 0 && text[end - 1] === " ") end--;
  if (end > 0) return text.slice(0, end);
  // An address that begins within a long word stays whole.
  for (end = SOME_WORDS; end > SOME_WORDS / 2; end -= 2 * SCHEME)
    if (!/:\/\/|www\./i.test(text.slice(end - SCHEME, end + SCHEME))) return text.slice(0, end);
  return text.slice(0, MAX_AHEAD);
}

/**
 * marked looks for an underlined heading at every line of a list, and reads all lines after it each time: twice as many lines took four
 * times as long. It looks for an address of mail at every `!` and `http`, and reads the rest of the word each time. This one reads 20 lines,
 * or 300 characters, at most.
 */
class BoundedTokenizer extends Tokenizer {
  override url(src: string): Tokens.Link | undefined {
    return super.url(src.slice(0, MAX_AHEAD));
  }

  override inlineText(src: string): Tokens.Text | undefined {
    return super.inlineText(nextWords(src));
  }

  override lheading(src: string): Tokens.Heading | undefined {
    return super.lheading(firstLines(src, MAX_HEADING_LINES));
  }
}

/** The tokens of a Markdown text whose sizes were checked. @throws RangeError where nesting overflows the stack */
export const lexMarkdown = (text: string): readonly Token[] =>
  new Lexer({ ...OPTIONS, tokenizer: new BoundedTokenizer(OPTIONS) }).lex(text);
