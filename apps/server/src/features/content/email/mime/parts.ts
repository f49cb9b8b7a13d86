import { type Attachment, attachmentFormFault } from "./attachment.pure.ts";
import { encodeStatic } from "./quoted-printable.ts";

/** A part of a mail (RFC 2045): its headers, each with its CRLF, and its body, in ASCII. */
export type MimePart = { headers: string; body: string };

/** Characters of a file name's piece, so that no line is longer than 76 (RFC 2231, 3). */
const NAME_PIECE = 54;

const PLAIN_NAME = /^[\w()+-][\w ().+-]{0,48}$/;

/** RFC 8187: everything but letters, digits and a few marks as %XX. */
const percentEncoded = (name: string): string =>
  encodeURIComponent(name.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Pieces that divide no %XX. */
function piecesOf(encoded: string): string[] {
  const pieces: string[] = [];
  let piece = "";
  for (const [unit] of encoded.matchAll(/%[\dA-F]{2}|[^%]/g)) {
    if (piece.length + unit.length > NAME_PIECE) {
      pieces.push(piece);
      piece = "";
    }
    piece += unit;
  }
  return [...pieces, piece];
}

/** The name of a file as parameters of a header (RFC 2231): in pieces where it is long, and with its language's characters. */
function nameParameters(name: string): string {
  if (PLAIN_NAME.test(name)) return `;\r\n filename="${name}"`;
  const pieces = piecesOf(percentEncoded(name));
  const [only, ...others] = pieces;
  if (others.length === 0) return `;\r\n filename*=UTF-8''${only}`;
  return pieces
    .map((piece, index) => `;\r\n filename*${index}*=${index === 0 ? "UTF-8''" : ""}${piece}`)
    .join("");
}

/** A text in quoted-printable: no line over 76 characters, whatever lines it has. */
export const textPart = (type: "text/plain" | "text/html", text: string): MimePart => ({
  headers: `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n`,
  // The line break at the end belongs to the boundary behind it (RFC 2046, 5.1.1).
  body: encodeStatic(`${text}\n`, true),
});

/** A file in base64. @throws Error where its name, type or content id cannot stand in a header */
export function attachmentPart(attachment: Attachment): MimePart {
  const fault = attachmentFormFault(attachment);
  if (fault !== null) throw new Error(`An attachment that was never checked: it ${fault}`);
  const { name, contentType, content, contentId } = attachment;
  const type = contentType
    .split(";")
    .map((piece) => piece.trim())
    .join(";\r\n ");
  const id = contentId === null ? "" : `Content-ID: <${contentId}>\r\n`;
  const disposition = contentId === null ? "attachment" : "inline";
  return {
    headers: `Content-Type: ${type}\r\n${id}Content-Disposition: ${disposition}${nameParameters(name)}\r\nContent-Transfer-Encoding: base64\r\n`,
    body: `${content.toString("base64").replace(/.{76}/g, "$&\r\n").trimEnd()}\r\n`,
  };
}

/**
 * Parts as one. The boundary is in none of them: in quoted-printable "=" is followed by a hexadecimal digit or the end of the line, and base64
 * has no "_". One part stays as it is.
 */
export function multipart(kind: "alternative" | "mixed" | "related", parts: readonly MimePart[]): MimePart {
  const [only, ...others] = parts;
  if (only !== undefined && others.length === 0) return only;
  const boundary = `=_${kind}`;
  return {
    headers: `Content-Type: multipart/${kind}; boundary="${boundary}"\r\n`,
    body: `${parts.map(({ headers, body }) => `--${boundary}\r\n${headers}\r\n${body}`).join("")}--${boundary}--\r\n`,
  };
}
