import { z } from "zod";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { count, epochMs } from "../../platform/http/contract/fields.ts";
import { readResultDays } from "../deliveries/public.ts";
import { dayOf, RANGE_DAYS, startOfDay } from "./rules.ts";
import { range } from "./schema.ts";

const figures = {
  reached: count.describe("Messages that users met: shown in a page, or delivered, and not come back."),
  converted: count.meta({
    description: "Users who did what a goal counts, within its window after they met a message.",
    example: 9,
  }),
};

export const getResultDays = endpoint(
  {
    id: "getResultDays",
    method: "GET",
    path: "/api/v1/metrics/results",
    tag: "Reports",
    summary: "Whom messages reached, and who converted within the window of the goal, day by day",
    description:
      "One entry per UTC day, without gaps; the last one is today. A user converts once for each campaign whose message they met, on the day on which they first did what its goal counts. Exact when read, by the goals as they are now, and as `listCampaignResults` counts.",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "reports",
    tool: "The dashboard draws it, and other tools answer the same questions.",
    oneInstant: true,
    cost: "heavy",
    query: z.object({ range: range.describe("How many days, today included.") }),
    result: z
      .object({
        evaluatedAt: epochMs,
        timezone: z.literal("UTC").describe("In which days are counted."),
        totals: z.object(figures).describe("Of all together."),
        days: z
          .array(z.object({ startAt: epochMs, ...figures }))
          .max(90)
          .describe("One entry for each day."),
      })
      .meta({ id: "ResultDays" }),
  },
  async ({ db, projectId, now }, { query }) => {
    const since = dayOf(now) - RANGE_DAYS[query.range] + 1;
    const { reached, converted } = await readResultDays(db, projectId, { since, evaluatedAt: now });
    const days = Array.from({ length: RANGE_DAYS[query.range] }, (_, index) => ({
      startAt: startOfDay(since + index),
      reached: reached.get(since + index) ?? 0,
      converted: converted.get(since + index) ?? 0,
    }));
    const total = (figure: keyof typeof figures): number => days.reduce((sum, day) => sum + day[figure], 0);
    return {
      evaluatedAt: now,
      timezone: "UTC" as const,
      totals: { reached: total("reached"), converted: total("converted") },
      days,
    };
  },
);
