import type { Answer } from "@tidings/client";

export type Sender = Answer<"getEmailSender">;
export type SenderNeed = Sender["missing"][number];
export type SenderRecord = NonNullable<Sender["domain"]>["records"][number];
export type Checked = Answer<"checkEmailSender">;
export type CheckedRecord = Checked["records"][number];
export type Health = Answer<"getEmailHealth">;
export type UnknownSend = Answer<"listUnknownSends">["sends"][number];
export type Refused = Answer<"decideUnknownSends">["refused"][number];
export type Suppressed = Answer<"listSuppressedAddresses">["addresses"][number];

/** How far a step of the sender is. `unneeded`: nothing has to be done while mail is caught. */
export type StepState = "done" | "todo" | "unneeded";

/** How far the steps are: who writes, the mail server, and the domain. */
export function stepsOf({
  missing,
  mailServer,
  domain,
  from,
}: Sender): Record<"who" | "server" | "domain", StepState> {
  const lacks = (...needs: readonly SenderNeed[]): boolean => needs.some((need) => missing.includes(need));
  const domainState = domain?.maySend ? "done" : mailServer === "outbox" ? "unneeded" : "todo";
  return {
    who: lacks("from", "postalAddress") ? "todo" : "done",
    server: lacks("mailServer", "publicUrl") ? "todo" : mailServer === "outbox" ? "unneeded" : "done",
    domain: from === null ? "todo" : domainState,
  };
}

/** What a check found of a record; null where it was not asked for, or another value is wanted by now. */
export const findingOf = (record: SenderRecord, checked: Checked | undefined): CheckedRecord | null =>
  checked?.records.find(({ name, value }) => name === record.name && value === record.value) ?? null;

/** The advice that a message of unknown fate comes with. */
export type Advice = "erased" | "ended" | "suppressed" | "resent" | "look";

export function adviceOf({ canResend, userId, isSuppressed, resentBy }: UnknownSend): Advice {
  if (!canResend) return userId === null ? "erased" : "ended";
  if (isSuppressed) return "suppressed";
  return resentBy === null ? "look" : "resent";
}

/** All mail that waits, and may still leave: not that of campaigns that have ended. */
export const waitingOf = (queue: Health["queue"]): number => {
  const { due, paced, postponed, retrying, unconfirmed, notRunning } = queue;
  return due + paced + postponed + retrying + unconfirmed + notRunning;
};

/** A part of what was sent, from 0 to 1; null where nothing was. */
export const shareOf = (count: number, sent: number): number | null => (sent === 0 ? null : count / sent);

/** The HTML of a mail without the picture that counts an opening: who looks at it here is not its reader. */
export const withoutPixel = (html: string): string => html.replace(/<img src="[^"]*\/open\.gif"[^>]*>/g, "");

/** The chosen ids that are still in the list: others were decided about meanwhile. */
export const stillThere = (chosen: readonly string[], sends: readonly UnknownSend[]): string[] =>
  sends.map(({ deliveryId }) => deliveryId).filter((id) => chosen.includes(id));
