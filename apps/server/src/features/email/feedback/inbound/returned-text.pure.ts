/** What a mail server wrote in words about a message that it could not deliver. */
export type ReturnedText = {
  /** Why, for each recipient; none where the server still tries. */
  reasons: readonly string[];
  /** The header of the message, and perhaps the message, where the same text has it. */
  copy: string | null;
};

/**
 * A form in which a mail server writes. `opening`: how the text begins; `givesUp`: what it says only after the last try; `reasons`: where
 * they begin, where that is not at the first one; `each`: what they are divided by; `copy`: the line before the returned message, where that may be in the text.
 */
type Form = { opening: RegExp; givesUp: RegExp; reasons: RegExp | null; each: RegExp; copy: RegExp | null };

/** Recipients as qmail and Postfix name them, at the beginning of a line. */
const AT_RECIPIENT = /^(?=<[^>\n]*>(?::| \())/m;

/**
 * The forms of servers that do not (always) add a report for machines. A person who forwards such a text, and a vacation
 * answer that quotes one, begin with words of their own: so a text has to begin as the server begins it.
 */
const FORMS: readonly Form[] = [
  // qmail, and what was made of it.
  {
    opening: /^Hi\. This is the qmail-send program at /,
    givesUp: /This is a permanent error; I've given up/,
    reasons: null,
    each: AT_RECIPIENT,
    copy: /^--- (?:Below (?:this|the next) line|Enclosed) is a copy of the (?:message|mail header)\b.*$/m,
  },
  // Exim. What it writes of a delay is that the message "has not yet been delivered".
  {
    opening: /^This message was created automatically by (?:mail delivery software|the SMTP relay on )/,
    givesUp: /could not be delivered to (?:one or more|all) of its\s+recipients/,
    reasons: /address\(es\) failed:/,
    each: /^ {2}(?=\S)/m,
    // A long message is cut off, which further lines of this kind say.
    copy: /^-{5,6} This is a copy of (?:the|your) message\b.*(?:\n-{5,6} .*)*$/m,
  },
  // Postfix. What it writes of a delay is that the message "could not be delivered for more than 4 hours".
  {
    opening: /^This is the (?:mail system|Postfix program) at host /,
    givesUp: /could not\s+be delivered to one or more/,
    reasons: null,
    each: AT_RECIPIENT,
    // It returns the message as a part.
    copy: null,
  },
  // Exchange and Microsoft 365.
  {
    opening:
      /^(?:\[[^\]\n]*\]\s*)?(?:Delivery has failed to these recipients or (?:groups|distribution lists):|Your message to \S+ couldn.t be delivered\.)/,
    givesUp: /^(?:Diagnostic information for administrators:|Error Details)[ \t]*$/m,
    reasons: /^(?:Diagnostic information for administrators:|Error Details)[ \t]*$/m,
    each: /\n[ \t]*\n/,
    copy: /^(?:Original message headers|Message headers):?[ \t]*$/im,
  },
];

/** The text before and after the first match; all of it before where there is none. */
function divide(text: string, mark: RegExp | null): { before: string; after: string | null } {
  const found = mark?.exec(text) ?? null;
  if (found === null) return { before: text, after: null };
  return { before: text.slice(0, found.index), after: text.slice(found.index + found[0].length) };
}

/** Reads what a mail server wrote in one of the forms that are known; null for any other text. */
export function readReturnedText(text: string): ReturnedText | null {
  const plain = text.replaceAll("\r\n", "\n").trimStart();
  const form = FORMS.find(({ opening }) => opening.test(plain));
  if (form === undefined) return null;
  const { before, after: copy } = divide(plain, form.copy);
  if (!form.givesUp.test(before)) return { reasons: [], copy };
  const section = form.reasons === null ? before : (divide(before, form.reasons).after ?? "");
  // What stands before the first recipient is about none.
  const reasons = section.split(form.each).slice(1);
  return { reasons, copy };
}
