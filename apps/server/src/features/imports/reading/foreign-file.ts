import { isUtf8 } from "node:buffer";
import { isWide } from "../../../platform/text/text.ts";

const UNPACK = "unpack it, and upload the file in it, as it is or as gzip";

/** What files begin with that are no CSV, NDJSON or Parquet, and what is to be done with them. The first that fits counts. */
const BEGINNINGS: readonly (readonly [bytes: string, sentence: string])[] = [
  [
    "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    "This is an old Excel workbook (.xls): save the sheet as CSV (CSV UTF-8).",
  ],
  ["%PDF-", "This is a PDF: export the data as CSV."],
  ["{\\rtf", "This is a text document (RTF): export the data as CSV."],
  ["SQLite format 3\0", "This is a SQLite database: export the table as CSV."],
  ["ORC", "This is an ORC file: export the data as CSV, NDJSON or Parquet."],
  ["Obj\x01", "This is an Avro file: export the data as CSV, NDJSON or Parquet."],
  ["ARROW1\0\0", "This is an Arrow file: export the data as CSV, NDJSON or Parquet."],
  ["PARE", "This is an encrypted Parquet file: export the data without encryption."],
  ["BZh", `This file is packed with bzip2: ${UNPACK}.`],
  ["\xfd7zXZ\0", `This file is packed with xz: ${UNPACK}.`],
  ["\x28\xb5\x2f\xfd", `This file is packed with zstd: ${UNPACK}.`],
  ["\x04\x22\x4d\x18", `This file is packed with LZ4: ${UNPACK}.`],
  ["7z\xbc\xaf\x27\x1c", `This is a 7z archive: ${UNPACK}.`],
  ["Rar!\x1a\x07", `This is a RAR archive: ${UNPACK}.`],
  ["\x1f\x8b", `This file is packed with gzip twice: unpack it once.`],
  ["\x89PNG", "This is an image: upload a file of text, such as CSV."],
  ["\xff\xd8\xff", "This is an image: upload a file of text, such as CSV."],
  ["GIF8", "This is an image: upload a file of text, such as CSV."],
];

/** What zip archives begin with, empty ones too. */
const ZIP = ["PK\x03\x04", "PK\x05\x06"];
const [BZIP2_AT, BZIP2_BLOCK] = [4, "1AY&SY"];
const [TAR_AT, TAR] = [257, "ustar"];

/** What a zip archive is: the formats of spreadsheets are such archives. */
function zipSentence(head: string): string {
  if (head.includes("xl/") || head.includes("[Content_Types].xml"))
    return "This is an Excel workbook: save the sheet as CSV (CSV UTF-8).";
  if (head.includes("opendocument.spreadsheet")) return "This is an OpenDocument sheet: save it as CSV.";
  if (head.includes("Index/Document.iwa")) return "This is a Numbers sheet: export it as CSV.";
  return `This is a zip archive: ${UNPACK}.`;
}

/** What a text in angle brackets is; some tools call a page .xls. */
function markupSentence(head: string): string | null {
  const start = head
    .replace(/^\xef\xbb\xbf/, "")
    .trimStart()
    .slice(0, 16)
    .toLowerCase();
  if (/^<(?:!doctype html|html|head|body|table|meta)\b/.test(start))
    return "This is a web page (HTML), whatever its name says: save the sheet as CSV.";
  return /^<\?xml/.test(start) ? "This is XML: export the data as CSV or NDJSON." : null;
}

/** Why a file cannot be read whose first bytes are those of another kind of file, as a sentence for people; else null. */
export function foreignFault(head: Buffer): string | null {
  const text = head.toString("latin1");
  if (ZIP.some((beginning) => text.startsWith(beginning))) return zipSentence(text);
  if (text.startsWith(TAR, TAR_AT)) return `This is a tar archive: ${UNPACK}.`;
  const [bytes, sentence] = BEGINNINGS.find(([beginning]) => text.startsWith(beginning)) ?? [];
  // BZh, ORC and the like could begin a line of names too, so that a second sign is needed where there is one.
  if (bytes === "BZh" && !text.startsWith(BZIP2_BLOCK, BZIP2_AT)) return null;
  if (bytes === "ORC" && controlShare(head.subarray(0, 64)) === 0) return null;
  return sentence ?? markupSentence(text);
}

/** The share of NUL bytes at even or at odd places from which on a text counts as UTF-16, and that which the other places may have. */
const [WIDE_SHARE, OTHER_SHARE] = [0.3, 0.02];

function hasNulBetween(head: Buffer): boolean {
  let [even, odd] = [0, 0];
  for (let index = head.indexOf(0); index >= 0; index = head.indexOf(0, index + 1)) {
    if (index % 2 === 0) even++;
    else odd++;
  }
  const half = head.length / 2;
  return Math.max(even, odd) > half * WIDE_SHARE && Math.min(even, odd) <= half * OTHER_SHARE;
}

/** More control characters than this are in no text. */
const MAX_CONTROL_SHARE = 0.05;
const [FIRST_BLANK, LAST_BLANK, SPACE] = [0x09, 0x0d, 0x20];

function controlShare(head: Buffer): number {
  let count = 0;
  for (const byte of head) if (byte < SPACE && (byte < FIRST_BLANK || byte > LAST_BLANK)) count++;
  return count / Math.max(1, head.length);
}

/** The bytes without a character that is cut off at their end. */
function wholeCharacters(head: Buffer): Buffer {
  for (let at = head.length - 1; at >= Math.max(0, head.length - 4); at--)
    if ((head.readUInt8(at) & 0xc0) !== 0x80) return head.readUInt8(at) < 0x80 ? head : head.subarray(0, at);
  return head;
}

const countOf = (text: string, pattern: RegExp): number => {
  let count = 0;
  for (const _ of text.matchAll(pattern)) count++;
  return count;
};

/**
 * Why the text of a file cannot be read whose first bytes are in another encoding than UTF-8, as a sentence for people; else null. A file
 * of UTF-8 with some broken lines is none: it has more characters beyond ASCII that are right.
 */
export function encodingFault(head: Buffer, isWhole: boolean): string | null {
  const again = 'save the file as UTF-8 (in Excel: "CSV UTF-8") and upload it anew';
  if (isWide(head.subarray(0, 4)) || hasNulBetween(head)) return `This text is UTF-16, or UTF-32: ${again}.`;
  const whole = isWhole ? head : wholeCharacters(head);
  if (isUtf8(whole)) return null;
  const text = whole.toString("utf8");
  const broken = countOf(text, /\ufffd/g);
  const right = countOf(text, /[\u0080-\ufffc]/g);
  if (right > broken) return null;
  return controlShare(whole) > MAX_CONTROL_SHARE
    ? "This is no file of text: upload CSV, NDJSON or Parquet."
    : `This text is not UTF-8, but probably Latin-1 (Windows-1252): ${again}.`;
}
