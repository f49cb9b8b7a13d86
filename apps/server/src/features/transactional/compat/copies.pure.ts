import type { NamedAddress } from "../request.pure.ts";
import type { SendRequest } from "../send/request-sends.ts";

/** A mail as other services take it: once, for all its recipients. */
export type SharedMail = Omit<SendRequest, "to" | "shownTo" | "shownCc"> & {
  to: readonly NamedAddress[];
  cc: readonly NamedAddress[];
  bcc: readonly NamedAddress[];
};

/** What a template is filled with, of the JSON that a schema has checked to be an object. */
export const dataOf = (json: string | null | undefined): Record<string, unknown> =>
  JSON.parse(json ?? "{}") as Record<string, unknown>;

/** What all programs take for one address: nearly all mail servers do not look at case. */
const comparable = ({ address }: NamedAddress): string => address.toLowerCase();

/** The recipients of a mail, those in `to` first. An address that is listed twice is one of them. */
export function recipientsOf({ to, cc, bcc }: SharedMail): NamedAddress[] {
  const seen = new Set<string>();
  return [...to, ...cc, ...bcc].filter((recipient) => {
    const isNew = !seen.has(comparable(recipient));
    seen.add(comparable(recipient));
    return isNew;
  });
}

/** A mail as one send for each of its recipients. Each copy shows the whole lists of To and Cc, and none shows who got a blind copy. */
export function copiesOf(mail: SharedMail): SendRequest[] {
  const { to, cc, bcc: _, ...shared } = mail;
  return recipientsOf(mail).map(({ name, address: email }) => ({
    ...shared,
    to: { email, name },
    shownTo: to,
    shownCc: cc,
  }));
}

/** Copies that one request makes at most, and bytes of all of them: each copy is stored by itself. */
export const MOST_COPIES = 1_000;
export const MOST_COPIED_BYTES = 50_000_000;

/** About how many bytes a copy takes. */
function bytesOf({ content, attachments }: SendRequest): number {
  const written = "own" in content ? (content.own.html ?? "").length + (content.own.text ?? "").length : 0;
  return attachments.reduce((sum, file) => sum + file.content.length, written);
}

/** Why a request makes too many copies, or too large ones; null where it does not. */
export function faultOfCopies(copies: readonly SendRequest[]): string | null {
  if (copies.length > MOST_COPIES)
    return `A request must have at most ${MOST_COPIES} recipients: send fewer mails at once`;
  const bytes = copies.reduce((sum, copy) => sum + bytesOf(copy), 0);
  return bytes > MOST_COPIED_BYTES
    ? `Each recipient gets a copy, and these must be at most ${MOST_COPIED_BYTES} bytes together: send smaller files, or fewer mails at once`
    : null;
}
