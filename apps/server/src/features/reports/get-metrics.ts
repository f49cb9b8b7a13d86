import { z } from "zod";
import { atOneInstant } from "../../platform/db/transactions/at-one-instant.ts";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { count, epochMs } from "../../platform/http/contract/fields.ts";
import { bringUpToDate, type DayCounts, readDays, readTopEvents } from "../counting/rollups/public.ts";
import { countedThrough } from "../counting/rollups/schema.ts";
import { dayOf, NOTHING, RANGE_DAYS, startOfDay, sumOf } from "./rules.ts";
import { MetricDay, MetricTotals, range } from "./schema.ts";
import { hasDeliveries } from "./store.ts";

const TOP_EVENTS = 8;

const totalsOf = ({ shown, clicked, converted, events }: DayCounts): MetricTotals => ({
  impressions: shown,
  clicks: clicked,
  conversions: converted,
  events,
});

export const getMetrics = endpoint(
  {
    id: "getMetrics",
    method: "GET",
    path: "/api/v1/metrics",
    tag: "Reports",
    summary: "What happened, day by day",
    description:
      "One entry per UTC day, without gaps; the last one is today. Exact when read, or it says up to when everything is counted. `topEvents` leaves out names beyond the number that is counted apart.",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "reports",
    tool: "The dashboard draws it, and other tools answer the same questions.",
    oneInstant: "It opens its instant after applying deltas of the rollups.",
    cost: "heavy",
    query: z.object({ range: range.describe("How many days, today included.") }),
    result: z
      .object({
        evaluatedAt: epochMs,
        timezone: z.literal("UTC").describe("In which days are counted."),
        totals: MetricTotals.describe("Of all together."),
        days: z.array(MetricDay).max(90).describe("One entry for each day."),
        topEvents: z
          .array(
            z.object({
              name: z.string().max(80).describe("Name of the event."),
              count: count.describe("How often it happened."),
            }),
          )
          .max(TOP_EVENTS)
          .describe("The names that were tracked most."),
        hasAnyActivity: z.boolean().describe("Whether anything happened at all."),
        ...countedThrough,
      })
      .meta({ id: "ProjectMetrics" }),
  },
  async ({ app, db, projectId, now }, { query }) => {
    const today = dayOf(now);
    const since = today - RANGE_DAYS[query.range] + 1;
    const behind = await bringUpToDate(app, projectId, now);
    const { counted, topEvents, haveDeliveries } = await atOneInstant(db, async (tx) => ({
      counted: await readDays(tx, projectId, since, today),
      topEvents: await readTopEvents(tx, projectId, { since, until: today, limit: TOP_EVENTS }),
      haveDeliveries: await hasDeliveries(tx, projectId),
    }));
    const byDay = new Map(counted.map((each) => [each.day, totalsOf(each)]));
    const days = Array.from({ length: RANGE_DAYS[query.range] }, (_, index) => ({
      ...(byDay.get(since + index) ?? NOTHING),
      startAt: startOfDay(since + index),
    }));
    const totals = sumOf(days);
    return {
      evaluatedAt: now,
      timezone: "UTC" as const,
      totals,
      days,
      topEvents,
      hasAnyActivity: haveDeliveries || totals.events + totals.impressions > 0,
      ...behind,
    };
  },
);
