import { cleanLine } from "../../../platform/text/clean-line.ts";

/** A mailbox as the envelope of a mail has it, and its domain, both in ASCII. */
export type Mailbox = { address: string; domain: string };

/** The sender of mail. */
export type Sender = Mailbox & { name: string | null };

const MAX_NAME = 100;
/** A path of 256 characters (RFC 5321, 4.5.3.1.3) without its angle brackets. */
const MAX_ADDRESS = 254;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
// Names that only DNS sees begin with an underscore where nothing else may (RFC 8552).
const RECORD_LABEL = /^_?[a-z0-9](?:[a-z0-9-]{0,60}[a-z0-9])?$/;
// Dot-atom (RFC 5322, 3.2.3) of at most 64 characters (RFC 5321, 4.5.3.1.1).
const LOCAL = /^(?=.{1,64}$)[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;

/** A domain name of two labels or more, in lower case and ASCII (`bücher.example` is `xn--bcher-kva.example`), or null. */
export const parseDomain = (typed: string): string | null => parseName(typed, LABEL);

/** The name of a DNS record, as `parseDomain` takes it, where labels may begin with an underscore. */
export const parseRecordName = (typed: string): string | null => parseName(typed, RECORD_LABEL);

function parseName(typed: string, form: RegExp): string | null {
  const line = cleanLine(typed);
  if (line === null || line.length > 253 || /[\s/\\:@?#%[\]]/.test(line)) return null;
  const url = `http://${line}`;
  const domain = URL.canParse(url) ? new URL(url).hostname : "";
  const labels = domain.split(".");
  const isName = labels.length > 1 && labels.every((label) => form.test(label));
  // A last label of digits is an address, not a name.
  return isName && domain.length <= 253 && !/^\d+$/.test(labels.at(-1) ?? "") ? domain : null;
}

/**
 * A mailbox as RFC 5321, 4.1.2 has it, without quoted local parts and address literals, which are not supported: surrounding space goes,
 * the domain in its ASCII form. Null for anything else.
 */
export function parseMailbox(typed: string): Mailbox | null {
  const text = typed.trim();
  const at = text.lastIndexOf("@");
  const [local, rest] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
  if (!LOCAL.test(local) || /\s/.test(rest)) return null;
  const domain = parseDomain(rest);
  const address = `${local}@${domain ?? ""}`;
  return domain === null || address.length > MAX_ADDRESS ? null : { address, domain };
}

/** `Acme News <news@acme.example>`, the name in quotes or not, or the address alone (RFC 5322, 3.4); null for anything else. */
export function parseSender(typed: string): Sender | null {
  const line = cleanLine(typed);
  if (line === null || line.length > 1_000) return null;
  const [, quotedOrPlain, inBrackets] = /^([^<>]*)<([^<>]*)>$/.exec(line) ?? [];
  const name = (quotedOrPlain ?? "")
    .trim()
    .replace(/^"([^"]*)"$/, "$1")
    .trim();
  if (/["\\]/.test(name) || [...name].length > MAX_NAME) return null;
  const mailbox = parseMailbox(inBrackets ?? line);
  return mailbox && { name: name === "" ? null : name, ...mailbox };
}

/** A sender as it is stored and shown; `parseSender` reads it. */
export const senderText = ({ name, address }: Sender): string =>
  name === null ? address : `${name} <${address}>`;
