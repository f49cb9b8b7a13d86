/** A line without its line break: 76 at most (RFC 2045, 6.7), of which one is the `=` of a soft line break. */
const LINE = 75;
const SOFT_BREAK = "=\r\n";

/** A value that may stand on a line of its own without being encoded. */
const PLAIN_LINE = /^(?!\.|From )[!-<>-~ ]{1,75}$/;

const HEX = Array.from({ length: 256 }, (_, byte) => `=${byte.toString(16).toUpperCase().padStart(2, "0")}`);

const utf8 = new TextEncoder();

function escapeBytes(character: string): string {
  let escaped = "";
  for (const byte of utf8.encode(character)) escaped += HEX[byte];
  return escaped;
}

const isPrintable = (code: number): boolean => code >= 0x20 && code <= 0x7e && code !== 0x3d;

/**
 * Encodes text that begins at the start of a line. Line breaks become CRLF, a soft line break divides no character. A dot or a
 * `From ` at the start of a line is escaped, because not every transport leaves them alone.
 */
function encode(source: string): string {
  const text = source.includes("\r") ? source.replace(/\r\n?/g, "\n") : source;
  let done = "";
  let line = "";
  for (let at = 0; at < text.length; ) {
    const code = text.codePointAt(at) ?? 0;
    const character = String.fromCodePoint(code);
    const next = at + character.length;
    if (character === "\n") {
      done += `${line}\r\n`;
      line = "";
      at = next;
      continue;
    }
    const stays = isPrintable(code) && !(character === " " && text[next] === "\n");
    let piece = stays ? character : escapeBytes(character);
    if (line.length + piece.length > LINE) {
      done += line + SOFT_BREAK;
      line = "";
    }
    if (line === "" && (character === "." || (character === "F" && text.startsWith("From ", at))))
      piece = escapeBytes(character);
    line += piece;
    at = next;
  }
  return done + line;
}

/** Ends the line with a soft line break, so that what follows begins at the start of a line and the decoded text stays the same. */
const endLine = (encoded: string): string =>
  encoded === "" || encoded.endsWith("\r\n") ? encoded : encoded + SOFT_BREAK;

/** A value that is put between static pieces: it begins and ends at the start of a line. */
export const encodeValue = (value: string): string =>
  PLAIN_LINE.test(value) ? value + SOFT_BREAK : endLine(encode(value));

/** Static text that a value follows, or that nothing follows. */
export const encodeStatic = (text: string, isLast: boolean): string =>
  isLast ? encode(text) : endLine(encode(text));
