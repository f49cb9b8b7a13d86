import type { Mail, MailPart } from "./parse.pure.ts";

/** Characters that are read of a header and of each part: a report says all that matters long before. */
const MAX_BLOCK = 65_536;
const MAX_HEADER_LINES = 1_000;
const MAX_PARTS = 50;
const MAX_DEPTH = 5;
/** Characters that are read of a field's value; a boundary has 70 at most (RFC 2046, 5.1.1). */
const MAX_VALUE = 2_048;

/** A mail, or a part of one. `boundary`: the line between its parts, null where its header names none. */
type Entity = { type: string; header: string; boundary: string | null; encoding: string; body: string };

const unquote = (text: string): string => text.replace(/\\(.)/g, "$1");

/** The end of a header, just before the line break that ends its last line; -1 where it does not end in time. */
function headerEnd(text: string): number {
  if (/^\r?\n/.test(text)) return 0;
  return text.slice(0, MAX_BLOCK).search(/\r?\n\r?\n/);
}

/** Reads the header of a mail or a part, as far as it describes the body; null for a header that no mail server writes. */
function readEntity(text: string): Entity | null {
  const end = headerEnd(text);
  if (end < 0) return null;
  const lines = text
    .slice(0, end)
    .replace(/\r?\n[ \t]+/g, " ")
    .split(/\r?\n/);
  if (lines.length > MAX_HEADER_LINES) return null;
  const fieldOf = (name: string): string =>
    (lines.find((line) => line.toLowerCase().startsWith(`${name}:`)) ?? "").slice(name.length + 1, MAX_VALUE);
  const contentType = fieldOf("content-type");
  const [, type = "text/plain"] = /^\s*([^\s;]+)/.exec(contentType) ?? [];
  const [, quoted, bare] = /;\s*boundary\s*=\s*(?:"((?:[^"\\]|\\.)+)"|([^\s;"]+))/i.exec(contentType) ?? [];
  return {
    type: type.toLowerCase(),
    header: text.slice(0, end),
    boundary: quoted === undefined ? (bare ?? null) : unquote(quoted),
    encoding: fieldOf("content-transfer-encoding").trim().toLowerCase(),
    // The body keeps the line break before it, so that `split` finds a boundary in its first line as well.
    body: text.slice(end),
  };
}

/** The texts between the lines of a boundary, at most `most`; the last may be cut off (RFC 2046, 5.1.1). */
function split(body: string, boundary: string, most: number): string[] {
  const found: string[] = [];
  const mark = `\n--${boundary}`;
  let start = -1;
  for (let at = body.indexOf(mark); at >= 0; at = body.indexOf(mark, at + 1)) {
    const after = at + mark.length;
    const [line, closes] = /^(--)?[ \t]*(?:\r?\n|$)/.exec(body.slice(after, after + 100)) ?? [];
    if (line === undefined) continue;
    if (start >= 0) found.push(body.slice(start, at));
    if (closes !== undefined || found.length === most) return found;
    start = after + line.length;
    // The next boundary may follow at once: the line break at the end of this one is then its beginning.
    at = start - 2;
  }
  if (start >= 0) found.push(body.slice(start));
  return found;
}

function decode({ encoding, body }: Entity): string {
  const text = body.slice(0, MAX_BLOCK).replace(/^\r?\n(?:\r?\n)?/, "");
  if (encoding === "base64") return Buffer.from(text, "base64").toString("utf8");
  const bytes =
    encoding === "quoted-printable"
      ? text
          .replace(/=[ \t]*\r?\n/g, "")
          .replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
      : text;
  return Buffer.from(bytes, "latin1").toString("utf8");
}

/**
 * Reads the structure of a mail: its header, and the first 64 KiB of its parts at every depth. Without type and parts for a mail that has
 * a header that no mail server writes. Takes time in proportion to the mail's size, since addresses and other fields are not parsed.
 */
export function readMailStructure(mail: Buffer): Mail {
  const parts: MailPart[] = [];
  let left = MAX_PARTS;
  const walk = (entity: Entity | null, depth: number): void => {
    if (entity === null) return;
    const { type, boundary } = entity;
    if (!type.startsWith("multipart/")) {
      parts.push({ contentType: type, text: decode(entity) });
      return;
    }
    if (boundary === null || depth === MAX_DEPTH) return;
    const children = split(entity.body, boundary, left);
    left -= children.length;
    for (const child of children) walk(readEntity(child), depth + 1);
  };
  const whole = readEntity(mail.toString("latin1").replace(/^\s+/, ""));
  walk(whole, 0);
  return { contentType: whole?.type ?? "", header: whole?.header ?? "", parts };
}
