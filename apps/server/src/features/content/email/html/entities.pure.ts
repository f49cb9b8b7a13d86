/** The named characters of HTML from 160 to 255, in order. */
const LATIN_1 =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para " +
  "middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave " +
  "Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc " +
  "Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc " +
  "iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml";

/** Other named characters that people write in texts: the name, then the character. */
const OTHERS =
  "amp & lt < gt > quot \" apos ' ensp \u2002 emsp \u2003 thinsp \u2009 zwnj \u200c zwj \u200d lrm \u200e rlm \u200f ndash – " +
  "mdash — lsquo ‘ rsquo ’ sbquo ‚ ldquo “ rdquo ” bdquo „ dagger † Dagger ‡ bull • hellip … permil ‰ prime ′ Prime ″ " +
  "lsaquo ‹ rsaquo › euro € trade ™ larr ← uarr ↑ rarr → darr ↓ harr ↔ minus − radic √ infin ∞ asymp ≈ ne ≠ le ≤ ge ≥ " +
  "OElig Œ oelig œ Scaron Š scaron š Yuml Ÿ fnof ƒ loz ◊ hearts ♥ check ✓ star ☆";

function namedCharacters(): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const [index, name] of LATIN_1.split(" ").entries()) names.set(name, String.fromCharCode(160 + index));
  const others = OTHERS.split(" ");
  for (let at = 0; at + 1 < others.length; at += 2) names.set(others[at] ?? "", others[at + 1] ?? "");
  return names;
}

const NAMED = namedCharacters();

/** A character by its number. NUL, surrogates and numbers beyond Unicode are replaced (CommonMark 2.5), and so is the range of our placeholders. */
function numbered(code: number): string {
  const isCharacter = code > 0 && code < 0x110000 && !(code >= 0xd800 && code < 0xe000);
  const isPlaceholder = code >= 0xf0000 && code < 0x100000;
  return isCharacter && !isPlaceholder ? String.fromCodePoint(code) : "\u{fffd}";
}

/** Text with the characters that Markdown lets an author write as `&copy;`, `&#169;` or `&#xA9;`; unknown names stay as they are. */
export const decodeEntities = (text: string): string =>
  text.includes("&")
    ? text.replace(
        /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([A-Za-z]\w{1,30}));/g,
        (whole, decimal, hex, name) => {
          if (decimal !== undefined) return numbered(Number.parseInt(decimal, 10));
          return hex === undefined ? (NAMED.get(name) ?? whole) : numbered(Number.parseInt(hex, 16));
        },
      )
    : text;
