/**
 * Characters that look like letters from a to z, by the letter: facts of how they are drawn, in both cases. Letters of other writing
 * systems are only read so in words that are no words of their own language.
 */
const OF_OTHER_SCRIPTS: Readonly<Record<string, string>> = {
  a: "аАαΑᎪ",
  b: "вВЬьΒᏴ",
  c: "сСϲϹᏟ",
  d: "ԁᎠ",
  e: "еЕєεΕᎬҽ",
  f: "ϝ",
  g: "ԍԌցᏀ",
  h: "нНһҺΗհᎻ",
  i: "іІιΙᎥ",
  j: "јЈϳᎫ",
  k: "кКκΚᏦ",
  l: "ӏӀᏞ",
  m: "мМΜϺᎷ",
  n: "ηΝпոռᏁ",
  o: "оОοΟσօՕ",
  p: "рРρΡᏢ",
  q: "ԛԚգզ",
  r: "гᎡᏒ",
  s: "ѕЅՏᏚ",
  t: "тТτΤᎢ",
  u: "υսцՍ",
  v: "νѵѴᏙ",
  w: "ωԝԜшѡᏔա",
  x: "хХχΧ",
  y: "уУүҮγΥ",
  z: "ΖᏃ",
};

/** Letters of the Latin script that are drawn as one from a to z: small capitals, letters with a stroke, those of phonetics. */
const OF_LATIN: Readonly<Record<string, string>> = {
  a: "ᴀɑɐ",
  b: "ʙƀɓƃ",
  c: "ᴄƈ",
  d: "ᴅđɖɗ",
  e: "ᴇɇə",
  f: "ꜰƒ",
  g: "ɢɡǥɠ",
  h: "ʜħɦ",
  i: "ɪıɩɨ",
  j: "ᴊȷɉ",
  k: "ᴋƙ",
  l: "ʟłƚɫ",
  m: "ᴍɱ",
  n: "ɴɲƞŋ",
  o: "ᴏøɵ",
  p: "ᴘƥ",
  q: "ꞯɋ",
  r: "ʀɍɼɾ",
  s: "ꜱʂ",
  t: "ᴛŧƭʈ",
  u: "ᴜʉ",
  v: "ᴠʋ",
  w: "ᴡ",
  x: "ⅹ",
  y: "ʏɏƴ",
  z: "ᴢƶʐ",
};

const byCharacter = (table: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(table).flatMap(([drawnAs, looks]) =>
      [...looks].flatMap((each) => [
        [each, drawnAs] as const,
        // Most letters of the Latin script have capitals that are drawn alike; that of a dotless i is the usual one.
        ...(table === OF_LATIN && each.toUpperCase() > "z" ? [[each.toUpperCase(), drawnAs] as const] : []),
      ]),
    ),
  );

const OTHERS = byCharacter(OF_OTHER_SCRIPTS);
const LATIN = byCharacter(OF_LATIN);

/** Letters in circles, squares and flags, which no normal form makes letters: where 26 of them begin. */
const ENCLOSED = [0x1f150, 0x1f170, 0x1f1e6];
const ALPHABET = 26;

function enclosed(character: string): string | undefined {
  const code = character.codePointAt(0) ?? 0;
  const first = ENCLOSED.find((each) => code >= each && code < each + ALPHABET);
  return first === undefined ? undefined : String.fromCharCode(97 + code - first);
}

const SCRIPTS = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u, /\p{Script=Armenian}/u];
const OF_ANOTHER_SCRIPT = /(?!\p{Script=Latin})\p{L}/u;
const WORD = /[\p{L}\p{N}\u{1f150}-\u{1f169}\u{1f170}-\u{1f189}\u{1f1e6}-\u{1f1ff}]+/gu;

const isMixed = (word: string): boolean => SCRIPTS.filter((script) => script.test(word)).length > 1;

/** Whether a word has a letter that is drawn as none from a to z, in one writing system: it is what it says. */
const isForeign = (word: string): boolean =>
  !isMixed(word) && [...word].some((each) => OF_ANOTHER_SCRIPT.test(each) && !OTHERS.has(each));

/**
 * A text with each letter that is drawn as one from a to z as that letter, and without accents. Letters of another writing system count as
 * drawn in words that mix systems; and in words wholly of such letters where nothing else in the text is written in that system.
 */
export function asDrawn(text: string): string {
  const bare = text.normalize("NFKD").replace(/\p{M}+/gu, "");
  const isOfOthers = (bare.match(WORD) ?? []).some(isForeign);
  return (
    bare
      .replace(WORD, (word) => {
        const readsOthers = isMixed(word) || !isOfOthers;
        return [...word]
          .map((each) => LATIN.get(each) ?? enclosed(each) ?? (readsOthers ? OTHERS.get(each) : null) ?? each)
          .join("");
      })
      // A capital I after a small letter is drawn as an l.
      .replace(/(?<=\p{Ll})I/gu, "l")
  );
}
