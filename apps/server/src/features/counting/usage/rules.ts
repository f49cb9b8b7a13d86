import type { BillingSettings } from "./settings.pure.ts";
import { type PriceTier, parsePriceTiers } from "./tiers.pure.ts";

/** The calendar month of an instant, UTC, as year and month: 202611. */
export function calendarPeriod(atMs: number): number {
  const date = new Date(atMs);
  return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
}

/** The time in which active users are counted, from `start` (included) to `end` (excluded), epoch milliseconds. */
export type Period = {
  /** Identifies the period in tables: the calendar month, or for a subscription its start in minutes of the epoch. */
  key: number;
  start: number;
  end: number;
  boundary: "subscription" | "calendar_month";
};

/** One period of a subscription, epoch milliseconds; the others follow and precede it, equally long. */
export type Subscription = { start: number; end: number };

/** The same day and time some months later, or the last day of a month that is too short. */
function addMonths(atMs: number, months: number): number {
  const at = new Date(atMs);
  const day = at.getUTCDate();
  at.setUTCDate(1);
  at.setUTCMonth(at.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 0)).getUTCDate();
  return at.setUTCDate(Math.min(day, lastDay));
}

/** The start of the n-th period after the known one: whole months later where the known one lasts whole months, else by its length. */
function startsOf({ start, end }: Subscription): (n: number) => number {
  const [from, to] = [new Date(start), new Date(end)];
  const months = (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth();
  if (months > 0 && addMonths(start, months) === end) return (n) => addMonths(start, n * months);
  // From February 28 to March 31, the end tells which day of the month is meant.
  if (months > 0 && addMonths(end, -months) === start) return (n) => addMonths(end, (n - 1) * months);
  return (n) => start + n * (end - start);
}

/** The period of an instant: of the subscription, or without one the UTC calendar month. */
export function periodAt(subscription: Subscription | null, atMs: number): Period {
  if (subscription === null) {
    const date = new Date(atMs);
    const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
    return {
      key: calendarPeriod(atMs),
      start: Date.UTC(year, month),
      end: Date.UTC(year, month + 1),
      boundary: "calendar_month",
    };
  }
  const startOf = startsOf(subscription);
  let n = Math.floor((atMs - subscription.start) / (subscription.end - subscription.start));
  while (startOf(n) > atMs) n--;
  while (startOf(n + 1) <= atMs) n++;
  const start = startOf(n);
  return { key: Math.floor(start / 60_000), start, end: startOf(n + 1), boundary: "subscription" };
}

/** The subscription of an organization; null without a payment method, or while its period is not known. */
export function subscriptionOf(settings: BillingSettings): Subscription | null {
  const { "org.periodStart": start, "org.periodEnd": end, "org.billingStatus": status } = settings;
  if (status === "none" || start === null || end === null) return null;
  return { start: Date.parse(start), end: Date.parse(end) };
}

const MANAGED_TIERS = "0.02 to 10000, 0.012";
const FREE: readonly PriceTier[] = [{ micros: 0, upTo: null }];

/** The price of active users; without the setting they are free, except in managed mode. */
export const pricesOf = (settings: BillingSettings, mode: "self_hosted" | "managed"): readonly PriceTier[] =>
  parsePriceTiers(settings["org.priceTiers"] ?? (mode === "managed" ? MANAGED_TIERS : "0")) ?? FREE;

/** The price of so many active users in a period, in micro-USD. */
export function spendOf(tiers: readonly PriceTier[], activeUsers: number): number {
  let micros = 0;
  let counted = 0;
  for (const tier of tiers) {
    const upTo = Math.min(tier.upTo ?? activeUsers, activeUsers);
    micros += Math.max(upTo - counted, 0) * tier.micros;
    counted = Math.max(upTo, counted);
  }
  return micros;
}

/** Whether messages are served, and whether campaign email leaves. */
export type Serving = {
  serving: "ok" | "payment_required" | "cap_reached";
  emailServing: "ok" | "paused";
};

/** Decides whether channels may serve. A spend that equals the cap reaches it, so a cap of 0 serves no user. */
export function judgeServing(
  status: BillingSettings["org.billingStatus"],
  spendMicros: number,
  spendCapUsd: number | null,
): Serving {
  const isCapped = spendCapUsd !== null && spendMicros >= Math.round(spendCapUsd * 1e6);
  const serving = status === "restore_needed" ? "payment_required" : isCapped ? "cap_reached" : "ok";
  return { serving, emailServing: serving === "ok" && status !== "past_due" ? "ok" : "paused" };
}

/** Why a channel sends nothing, in a sentence that says what to do; null where it sends. `leaves` says what would leave. */
function pausedBecause(serving: Serving["serving"], leaves: string): string | null {
  if (serving === "payment_required")
    return `Nothing is served before billing is restored: ${leaves} once org.billingStatus is ok.`;
  if (serving === "cap_reached")
    return `The spend cap is reached: ${leaves} once org.spendCapUsd is raised, or in the next period.`;
  return null;
}

/** Why no campaign email leaves, in a sentence that says what to do; null where it does. */
export function emailPausedBecause({ serving, emailServing }: Serving): string | null {
  if (emailServing === "ok") return null;
  return (
    pausedBecause(serving, "email leaves") ??
    "Billing is past due: email leaves once org.billingStatus is ok."
  );
}

/** Why no campaign push leaves, in a sentence that says what to do; null where it does. */
export const pushPausedBecause = ({ serving }: Serving): string | null =>
  pausedBecause(serving, "pushes leave");
