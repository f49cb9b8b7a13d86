import { asDrawn } from "./look-alikes.pure.ts";

/** What is not seen: zero-width characters, soft hyphens, direction marks, control characters and the like. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}|\p{Cf}|(?!\p{White_Space})\p{Cc}/gu;
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

/** `isLatin`: whether its letters are from a to z alone, so that it is also looked for as it is drawn. */
type Phrase = { words: string; isPrefix: boolean; isLatin: boolean };

const hasMoreThanAToZ = /[^a-z]/;
const OF_NO_WORD = /[^\p{L}\p{M}]+/gu;

/** A phrase as it is looked for; one that ends in `*` also finds words that only begin so. */
function readPhrase(phrase: string): Phrase {
  const plain = plainly(phrase).trim();
  const isPrefix = plain.endsWith("*");
  const words = isPrefix ? plain.slice(0, -1).trim() : plain;
  const script = words.replace(OF_NO_WORD, "");
  return { words, isPrefix, isLatin: script !== "" && !hasMoreThanAToZ.test(script) };
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
  const read = phrases.map((phrase) => ({ phrase, sought: readPhrase(phrase) }));
  const plain = texts.map(plainly);
  const drawn = read.some(({ sought }) => sought.isLatin)
    ? texts.map((text) => plainly(asDrawn(text.replace(UNSEEN, ""))))
    : [];
  const found = read.find(({ sought }) =>
    [...plain, ...(sought.isLatin ? drawn : [])].some((text) => contains(text, sought)),
  );
  return found?.phrase ?? null;
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
