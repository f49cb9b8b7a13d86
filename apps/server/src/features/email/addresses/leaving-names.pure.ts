import type { SuppressionReason } from "./rules.ts";

export const wordsOf = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** What tools call the column or trait that says yes, or since when, of an address that gets no mail: without case, blanks and signs. */
export const LEAVING_NAMES: readonly (readonly [SuppressionReason, ReadonlySet<string>])[] = [
  [
    "unsubscribed",
    wordsOf(
      "unsubscribed isunsubscribed unsubscribe unsubscribedat unsubscribedate unsubscribetime unsubtime unsubscribedfromemails unsubscribedfromemailsat optedout isoptedout optout emailoptout emailoptedout hasoptedout hasoptedoutofemail optedoutat optoutdate optouttime donotemail noemail blacklisted emailblacklisted blocklisted globallyunsubscribed",
    ),
  ],
  [
    "bounced",
    wordsOf(
      "bounced isbounced hardbounced hardbounce emailbounced bouncedat bouncetime hardbouncedat cleantime",
    ),
  ],
  [
    "complained",
    wordsOf("complained markedspam markedasspam spamcomplaint complaint complainedat spamcomplaintat"),
  ],
  ["manual", wordsOf("suppressed issuppressed emailsuppressed suppressedat")],
];

/** A name without what writers differ in: case, blanks and signs. */
export const withoutSigns = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");

/** Whether a trait of the name says of its user that they get no mail. */
export function saysLeft(name: string): boolean {
  const plain = withoutSigns(name);
  return LEAVING_NAMES.some(([, names]) => names.has(plain));
}
