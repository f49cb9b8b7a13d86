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

/**
 * marked looks for an underlined heading at every line of a list, and reads all lines after it each time: twice as many lines took four
 * times as long. This one reads 20 lines at most.
 */
class BoundedTokenizer extends Tokenizer {
  override lheading(src: string): Tokens.Heading | undefined {
    return super.lheading(firstLines(src, MAX_HEADING_LINES));
  }
}

/** The tokens of a Markdown text whose sizes were checked. @throws RangeError where nesting overflows the stack */
export const lexMarkdown = (text: string): readonly Token[] =>
  new Lexer({ ...OPTIONS, tokenizer: new BoundedTokenizer(OPTIONS) }).lex(text);
