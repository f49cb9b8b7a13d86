import { cleanLine } from "../../../platform/text/clean-line.ts";
import { parseMailbox } from "../../email/sender/mailbox.pure.ts";
import type { NamedAddress } from "../request.pure.ts";

const MAX_NAME = 100;
/** Characters of one mailbox: a name, an address, and what stands around them. */
const MAX_MAILBOX = 1_000;

/** The name before an address, without its quotes; null for one that is not written as RFC 5322 has it, or is too long. */
function readName(written: string): string | null {
  const isQuoted = written.length > 1 && written.startsWith('"') && written.endsWith('"');
  const name = isQuoted ? written.slice(1, -1).replaceAll(/\\(.)/g, "$1").trim() : written;
  const isPlain = isQuoted || !/["<>]/.test(name);
  return isPlain && [...name].length <= MAX_NAME ? name : null;
}

/** `Ada <ada@example.com>`, the name in quotes or not, or the address alone; null for anything else. */
export function readMailbox(typed: string): NamedAddress | null {
  const line = cleanLine(typed);
  if (line === null || line.length > MAX_MAILBOX) return null;
  const open = line.endsWith(">") ? line.lastIndexOf("<") : -1;
  const mailbox = parseMailbox(open < 0 ? line : line.slice(open + 1, -1));
  const name = open < 0 ? "" : readName(line.slice(0, open).trim());
  if (mailbox === null || name === null) return null;
  return { name: name === "" ? null : name, address: mailbox.address };
}

/** The mailboxes of a list with commas, as texts. A comma in a quoted name, or between angle brackets, parts nothing. */
export function splitMailboxes(typed: string): string[] {
  const parts: string[] = [];
  let from = 0;
  let isQuoted = false;
  let isInBrackets = false;
  for (let at = 0; at < typed.length; at++) {
    const character = typed[at];
    if (isQuoted && character === "\\") at++;
    else if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (character === "<" || character === ">") isInBrackets = character === "<";
    else if (character === "," && !isInBrackets) {
      parts.push(typed.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, typed.slice(from)].map((part) => part.trim()).filter((part) => part !== "");
}
