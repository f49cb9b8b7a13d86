import { domainToASCII } from "node:url";

/** A line of a header is at most 76 characters where it can be wrapped (RFC 2047, 2), and 998 in any case (RFC 5322, 2.1.1). */
const LINE = 76;
/** 60 characters of base64 and 12 of frame; an encoded word is at most 75. */
const WORD_BYTES = 45;
const LINE_BREAK = "\r\n ";
const NO_ONE = "undisclosed-recipients:;";

const ASCII = /^[ -~]*$/;
const CONTROLS = /[\p{Cc}\u2028\u2029]+/gu;
/** A mailbox that needs no quoting (RFC 5322, 3.2.3), with a domain in ASCII. */
const MAILBOX = /^[\w!#$%&'*+\-/=?^`{|}~.]{1,64}@[A-Za-z0-9.-]{1,255}$/;

/** Text that can neither end its header nor hide in it. */
const oneLine = (text: string): string => text.replace(CONTROLS, " ").trim();

/** RFC 2047: UTF-8 in base64, no character divided, one encoded word per line. */
function encodedWords(text: string): string {
  const words: string[] = [];
  let chunk = "";
  let size = 0;
  for (const character of text) {
    const bytes = Buffer.byteLength(character);
    if (size + bytes > WORD_BYTES) {
      words.push(chunk);
      chunk = "";
      size = 0;
    }
    chunk += character;
    size += bytes;
  }
  words.push(chunk);
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString("base64")}?=`).join(LINE_BREAK);
}

/** Words in lines, with a single blank between any two, so that joining the lines restores the text. Null where a word is too long. */
function wrappedWords(text: string, start: number): string | null {
  let lines = "";
  let length = start;
  for (const [index, word] of text.split(" ").entries()) {
    if (word === "" || word.length > LINE - 2) return null;
    const wraps = index > 0 && length + 1 + word.length > LINE;
    lines += index === 0 ? word : (wraps ? LINE_BREAK : " ") + word;
    length = wraps ? word.length + 1 : length + word.length + (index === 0 ? 0 : 1);
    if (length > LINE) return null;
  }
  return lines;
}

/** A header of free text, with its CRLF: control characters become blanks, the rest is read back exactly. */
export function textHeader(name: string, value: string): string {
  const text = oneLine(value);
  const start = name.length + 2;
  const isPlain = ASCII.test(text) && !text.includes("=?");
  if (isPlain && start + text.length <= LINE) return `${name}: ${text}\r\n`;
  const wrapped = isPlain ? wrappedWords(text, start) : null;
  if (wrapped !== null) return `${name}: ${wrapped}\r\n`;
  const words = encodedWords(text);
  const isShort = start + words.length <= LINE;
  return `${name}:${isShort ? " " : LINE_BREAK}${words}\r\n`;
}

/** A header that programs read: its value is wrapped at blanks where there are any, and never encoded. */
export function rawHeader(name: string, value: string): string {
  let line = `${name}:`;
  let lines = "";
  for (const word of oneLine(value).split(/ +/)) {
    if (line.length + 1 + word.length > LINE && line.trim() !== "") {
      lines += `${line}\r\n`;
      line = "";
    }
    line += ` ${word}`;
  }
  return `${lines}${line}\r\n`;
}

/** Any other header: encoded where it is not ASCII. */
export const header = (name: string, value: string): string =>
  ASCII.test(oneLine(value)) ? rawHeader(name, value) : textHeader(name, value);

function asciiMailbox(address: string): string | null {
  if (MAILBOX.test(address)) return address;
  const at = address.lastIndexOf("@");
  const mailbox = `${address.slice(0, at)}@${domainToASCII(address.slice(at + 1))}`;
  return at > 0 && MAILBOX.test(mailbox) ? mailbox : null;
}

/** A mailbox with the name that mail programs show. */
export type Mailbox = { name: string | null; address: string };

/** The name quoted or encoded, and the address; `start` is how much of the line is taken. */
function writtenMailbox(name: string, address: string, start: number): string {
  if (name === "") return address;
  const isShort = ASCII.test(name) && name.length < LINE - 10 && !name.includes("=?");
  const phrase = isShort ? `"${name.replace(/["\\]/g, "\\$&")}"` : encodedWords(name);
  const wraps = start + " <>".length + phrase.length + address.length > LINE;
  return `${phrase}${wraps ? LINE_BREAK : " "}<${address}>`;
}

/** The sender: its name quoted or encoded. Throws where the address is no mailbox in ASCII. */
export function fromHeader(from: Mailbox): string {
  const mailbox = asciiMailbox(from.address);
  if (mailbox === null) throw new Error("The address of the sender cannot stand in a mail.");
  const name = oneLine(from.name ?? "");
  return name === ""
    ? rawHeader("From", mailbox)
    : `From: ${writtenMailbox(name, mailbox, "From: ".length)}\r\n`;
}

/**
 * The recipient. An address that is not ASCII, or that tries to add more headers, is left out: the envelope says where the mail
 * goes, the header only shows it.
 */
export const toHeader = (address: string): string => `To: ${asciiMailbox(address) ?? NO_ONE}\r\n`;

/** Mailboxes that a header shows, each on a line of its own; one whose address is not ASCII is left out. Empty where none is left. */
export function mailboxesHeader(name: string, mailboxes: readonly Mailbox[]): string {
  const written = mailboxes.flatMap((mailbox) => {
    const address = asciiMailbox(mailbox.address);
    return address === null ? [] : [writtenMailbox(oneLine(mailbox.name ?? ""), address, name.length + 2)];
  });
  return written.length === 0 ? "" : `${name}: ${written.join(`,${LINE_BREAK}`)}\r\n`;
}

/** RFC 5322, 3.3, in UTC. */
export const dateHeader = (ms: number): string =>
  `Date: ${new Date(ms).toUTCString().replace("GMT", "+0000")}\r\n`;
