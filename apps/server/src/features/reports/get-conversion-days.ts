import { z } from "zod";
import { endpoint } from "../../platform/http/endpoint.ts";
import { count, epochMs } from "../../platform/http/fields.ts";
import { readConvertedByDay } from "../deliveries/public.ts";
import { DAYS, dayOf, startOfDay } from "./rules.ts";
import { range } from "./schema.ts";

export const getConversionDays = endpoint(
  {
    id: "getConversionDays",
    method: "GET",
    path: "/api/v1/metrics/conversions",
    tag: "Reports",
    summary: "Conversions within the windows of goals, day by day",
    description:
      "One entry per UTC day, without gaps; the last one is today. A user counts once for each campaign whose message they met, on the day on which they first did what its goal counts, if that was within the goal's window. Exact when read, by the goals as they are now.",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "reports",
    oneInstant: true,
    cost: "heavy",
    query: z.object({ range }),
    result: z
      .object({
        evaluatedAt: epochMs,
        timezone: z.literal("UTC"),
        total: count,
        days: z.array(z.object({ startAt: epochMs, conversions: count })).max(90),
      })
      .meta({ id: "ConversionDays" }),
  },
  async ({ db, projectId, now }, { query }) => {
    const since = dayOf(now) - DAYS[query.range] + 1;
    const byDay = await readConvertedByDay(db, projectId, { since, evaluatedAt: now });
    const days = Array.from({ length: DAYS[query.range] }, (_, index) => ({
      startAt: startOfDay(since + index),
      conversions: byDay.get(since + index) ?? 0,
    }));
    const total = days.reduce((sum, { conversions }) => sum + conversions, 0);
    return { evaluatedAt: now, timezone: "UTC" as const, total, days };
  },
);
