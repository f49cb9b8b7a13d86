import type { Answer } from "@tidings/client";

export type EmailSender = Answer<"getEmailSender">;
export type SenderNeed = EmailSender["missing"][number];
export type SenderRecord = NonNullable<EmailSender["domain"]>["records"][number];
export type CheckedSender = Answer<"checkEmailSender">;
export type CheckedRecord = CheckedSender["records"][number];
export type Health = Answer<"getEmailHealth">;
export type UnknownSend = Answer<"listUnknownSends">["sends"][number];
export type RefusedDecision = Answer<"decideUnknownSends">["refused"][number];
export type Suppressed = Answer<"listSuppressedAddresses">["addresses"][number];
export type StopReason = NonNullable<Suppressed["reason"]>;

/** Why an address is in the list: why it gets no mail of campaigns, or else why no receipts, and since when (epoch ms). */
export const shownStop = ({ reason, suppressedAt, receiptsStoppedBy, receiptsStoppedAt }: Suppressed) =>
  ({
    reason: reason ?? receiptsStoppedBy ?? "manual",
    since: suppressedAt ?? receiptsStoppedAt ?? 0,
    stream: reason === null ? "receipts" : receiptsStoppedBy === null ? "campaigns" : "both",
  }) as const;

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DAYS_OF_WEEK = 7;

/** The first instant (epoch ms) of a day in the zone of the reader, and of the day so many days later. */
const dayAfter = (day: Date, days: number): number =>
  new Date(day.getFullYear(), day.getMonth(), day.getDate() + days).getTime();

/** The day that a field for a date has; null for none. */
const dateIn = (typed: string): Date | null => {
  const day = DATE.test(typed) ? new Date(`${typed}T00:00`) : null;
  return day === null || Number.isNaN(day.getTime()) ? null : day;
};

/** The instants (epoch ms, both included) of the days that a page shows, in the zone of the reader. Nothing for any time. */
export function dayRange(
  { when = "", from = "", to = "" }: Readonly<Record<string, string>>,
  now: Date,
): { since?: number; until?: number } {
  if (when === "today") return { since: dayAfter(now, 0) };
  if (when === "yesterday") return { since: dayAfter(now, -1), until: dayAfter(now, 0) - 1 };
  if (when === "week") return { since: dayAfter(now, 1 - DAYS_OF_WEEK) };
  if (when !== "range") return {};
  const [first, last] = [dateIn(from), dateIn(to)];
  return {
    ...(first !== null && { since: dayAfter(first, 0) }),
    ...(last !== null && { until: dayAfter(last, 1) - 1 }),
  };
}

/** How far a step of the sender is. `unneeded`: nothing has to be done while mail is caught. */
export type StepState = "done" | "todo" | "unneeded";

/** How far the steps are: the sender, the mail server, and the domain. */
export function senderSteps({
  missing,
  mailServer,
  domain,
  from,
}: EmailSender): Record<"sender" | "server" | "domain", StepState> {
  const lacks = (...needs: readonly SenderNeed[]): boolean => needs.some((need) => missing.includes(need));
  const domainState = domain?.maySend ? "done" : mailServer === "outbox" ? "unneeded" : "todo";
  return {
    sender: lacks("from", "postalAddress") ? "todo" : "done",
    server: lacks("mailServer", "publicUrl") ? "todo" : mailServer === "outbox" ? "unneeded" : "done",
    domain: from === null ? "todo" : domainState,
  };
}

/** What a check found of a record; null where it was not asked for, or another value is wanted by now. */
export const recordFinding = (
  record: SenderRecord,
  checked: CheckedSender | undefined,
): CheckedRecord | null =>
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
export const shareOfSent = (count: number, sent: number): number | null => (sent === 0 ? null : count / sent);

/** The HTML of a mail without the picture that counts an opening: who looks at it here is not its reader. */
export const withoutPixel = (html: string): string => html.replace(/<img src="[^"]*\/open\.gif"[^>]*>/g, "");

/** The chosen ids that are still in the list: others were decided about meanwhile. */
export const stillThere = (chosen: readonly string[], sends: readonly UnknownSend[]): string[] =>
  sends.map(({ deliveryId }) => deliveryId).filter((id) => chosen.includes(id));
