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

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const isUuid = (value: unknown): value is string => typeof value === "string" && UUID.test(value);

const isOccasion = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value < 2 ** 31;

export const cursorOf = (position: Position): string => JSON.stringify(Object.values(position));

/** The position in a cursor's JSON, or null when the text is not a cursor of this operation. */
export function positionOf(json: string): Position | null {
  try {
    const parts: unknown = JSON.parse(json);
    if (!Array.isArray(parts)) return null;
    // A cursor of before there were occasions names none.
    const [kind, at, userKey, campaignId, occasion = 0] = parts as unknown[];
    if (typeof at !== "number" || !Number.isSafeInteger(at) || !isUuid(userKey)) return null;
    if (kind === "user") return { kind, at, userKey };
    return kind === "delivery" && isUuid(campaignId) && isOccasion(occasion)
      ? { kind, at, userKey, campaignId, occasion }
      : null;
  } catch {
    return null;
  }
}
