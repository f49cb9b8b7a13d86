import { isInstant, isKey } from "../../platform/http/contract/cursor.pure.ts";
import { isOccasion } from "../deliveries/rules.ts";
import type { MetricTotals } from "./schema.ts";

const DAY_MS = 86_400_000;

/** How many days a report has, today among them, by its range. */
export const RANGE_DAYS = { "7d": 7, "30d": 30, "90d": 90 } as const;

/** Days since 1970, UTC, of an instant in epoch milliseconds. */
export const dayOf = (ms: number): number => Math.floor(ms / DAY_MS);

/** Epoch milliseconds at which a day begins. */
export const startOfDay = (day: number): number => day * DAY_MS;

export const NOTHING: MetricTotals = { impressions: 0, clicks: 0, conversions: 0, events: 0 };

export const sumOf = (parts: readonly MetricTotals[]): MetricTotals =>
  parts.reduce(
    (sum, part) => ({
      impressions: sum.impressions + part.impressions,
      clicks: sum.clicks + part.clicks,
      conversions: sum.conversions + part.conversions,
      events: sum.events + part.events,
    }),
    NOTHING,
  );

/** The last item of a page of the activity. Items are in order of time, newest first, then deliveries before users, then by key. */
export type Position =
  | { kind: "delivery"; at: number; userKey: string; campaignId: string; occasion: number }
  | { kind: "user"; at: number; userKey: string };

/** The position in the parts of a cursor; null when they are none of this list. A cursor of before there were occasions names none. */
export function positionOf([
  kind,
  at,
  userKey,
  campaignId,
  occasion = 0,
]: readonly unknown[]): Position | null {
  if (!isInstant(at) || !isKey(userKey)) return null;
  if (kind === "user") return { kind, at, userKey };
  return kind === "delivery" && isKey(campaignId) && isOccasion(occasion)
    ? { kind, at, userKey, campaignId, occasion }
    : null;
}
