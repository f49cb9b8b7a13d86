export type TextDirection = "ltr" | "rtl";

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Direction of a text by its first letter (UAX #9, P2), or null where it has none. */
export function directionOf(text: string): TextDirection | null {
  const character = /\p{L}/u.exec(text)?.[0];
  if (character === undefined) return null;
  return RIGHT_TO_LEFT.test(character) ? "rtl" : "ltr";
}

/** Scripts that mostly belong to one language, and the share of a text's letters from which on the text counts as that language. */
const SCRIPTS: readonly [language: string, script: RegExp, share: number][] = [
  ["ja", /[\p{Script=Hiragana}\p{Script=Katakana}]/gu, 0.1],
  ["zh", /\p{Script=Han}/gu, 0.5],
  ["ko", /\p{Script=Hangul}/gu, 0.5],
  ["ar", /\p{Script=Arabic}/gu, 0.5],
  ["he", /\p{Script=Hebrew}/gu, 0.5],
  ["el", /\p{Script=Greek}/gu, 0.5],
  ["th", /\p{Script=Thai}/gu, 0.5],
];

const countOf = (text: string, script: RegExp): number => text.match(script)?.length ?? 0;

/** A guess for `lang`, so that a screen reader takes the right voice; English where the script does not tell. */
export function languageOf(text: string): string {
  const all = countOf(text, /\p{L}/gu);
  const found = SCRIPTS.find(([, script, share]) => countOf(text, script) > all * share);
  return found?.[0] ?? "en";
}
