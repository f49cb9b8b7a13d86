/** A header that the sender of a mail chose. */
export type CustomHeader = readonly [name: string, value: string];

/** Headers that a mail may have besides those that begin with X-. All others are ours, or those of mail servers. */
const ALLOWED = new Set([
  "feedback-id",
  "importance",
  "in-reply-to",
  "list-help",
  "list-id",
  "list-unsubscribe",
  "list-unsubscribe-post",
  "organization",
  "precedence",
  "priority",
  "references",
]);
/** Ours: a second one would contradict it, or name another delivery in the report of a provider. */
const OURS =
  /^x-(?:auto-response-suppress|tidings-.*|ses-message-tags|pm-metadata-.*|smtpapi|mailgun-variables)$/;
const NAME = /^[A-Za-z][A-Za-z0-9-]{0,75}$/;
const CONTROLS = /[\p{Cc}\u2028\u2029]/u;
const ASCII = /^[ -~]*$/;
const MAX_VALUE = 2_000;
/** No line of a header may be longer than 998 characters (RFC 5322, 2.1.1), and it is wrapped between words. */
const MAX_WORD = 900;

/**
 * Why a header may not be sent, or null: the end of a sentence about it. Names are X-… and some others, never one that says whom a mail
 * is from or for, nor one of its body; a value is a single line, in ASCII where programs read it.
 */
export function headerFault(name: string, value: string): string | null {
  const lower = name.toLowerCase();
  if (!NAME.test(name)) return "must have a name of letters, digits and hyphens";
  if (OURS.test(lower) || !(lower.startsWith("x-") || ALLOWED.has(lower)))
    return `must not be ${name}: there are X-… but for ours, and ${[...ALLOWED].join(", ")}`;
  if (value.trim() === "" || value.length > MAX_VALUE)
    return `must have a value of at most ${MAX_VALUE} characters`;
  if (CONTROLS.test(value)) return "must not have line breaks or other control characters";
  if (!lower.startsWith("x-") && lower !== "organization" && !ASCII.test(value))
    return "must have a value in ASCII";
  return ASCII.test(value) && value.split(" ").some((word) => word.length > MAX_WORD)
    ? `must have words of at most ${MAX_WORD} characters`
    : null;
}
