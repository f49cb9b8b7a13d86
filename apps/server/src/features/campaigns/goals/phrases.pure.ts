/** What is not seen: zero-width characters, soft hyphens, direction marks and the like. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu;
const WHITE_SPACE = /\p{White_Space}+/gu;
/** Scripts without blanks between words: their characters are words of their own. */
const JOINED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const OF_A_WORD = /[\p{L}\p{N}\p{M}_]/u;

/** A text so that what looks alike is alike: compatible forms, cases, what is not seen, and white space make no difference. */
export const plainly = (text: string): string =>
  text
    .normalize("NFKC")
    .replace(UNSEEN, "")
    .toUpperCase()
    .toLowerCase()
    // A sigma has another form at the end of a word.
    .replaceAll("ς", "σ")
    .normalize("NFKC")
    .replace(UNSEEN, "")
    .replace(WHITE_SPACE, " ");

type Phrase = { words: string; isPrefix: boolean };

/** A phrase as it is looked for; one that ends in `*` also finds words that only begin so. */
function readPhrase(phrase: string): Phrase {
  const words = plainly(phrase).trim();
  return words.endsWith("*")
    ? { words: words.slice(0, -1).trim(), isPrefix: true }
    : { words, isPrefix: false };
}

/** Whether a phrase says anything that can be seen. */
export const isPhrase = (phrase: string): boolean => readPhrase(phrase).words !== "";

const joins = (character: string | undefined): boolean =>
  character !== undefined && OF_A_WORD.test(character) && !JOINED.test(character);

/** Whether a word of `text` goes on from before `at` to after it. */
function isInsideWord(text: string, at: number): boolean {
  const before = [...text.slice(Math.max(0, at - 2), at)].at(-1);
  const [after] = text.slice(at, at + 2);
  return joins(before) && joins(after);
}

/** Whether a text that `plainly` returned contains a phrase, as whole words. */
function contains(text: string, { words, isPrefix }: Phrase): boolean {
  if (words === "") return false;
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
    if (isInsideWord(text, at)) continue;
    if (isPrefix || !isInsideWord(text, at + words.length)) return true;
  }
  return false;
}

/** The first of the phrases that one of the texts contains, or null. `texts` are readings of the same text. */
export function phraseIn(texts: readonly string[], phrases: readonly string[]): string | null {
  const looked = texts.map(plainly);
  return phrases.find((phrase) => looked.some((text) => contains(text, readPhrase(phrase)))) ?? null;
}

/** Whether every text that contains a phrase contains one of some others as well. */
export function isCoveredBy(phrase: string, others: readonly string[]): boolean {
  const { words, isPrefix } = readPhrase(phrase);
  return others.some((other) => {
    const wider = readPhrase(other);
    // A prefix is found where words only begin so, which a whole phrase is not.
    return wider.isPrefix ? contains(words, wider) : !isPrefix && contains(words, wider);
  });
}
