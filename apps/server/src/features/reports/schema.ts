import { z } from "zod";
import { count, epochMs } from "../../platform/http/contract/fields.ts";

const id = z.string().max(128);
const ActivityUser = z.object({ id, externalUserId: z.string().max(256) });
const Named = z.object({ id, name: z.string().max(80) });

/** How far back a report goes. */
export const range = z.enum(["7d", "30d", "90d"]).default("30d");

/** Something that happened in a project: a user got a delivery, or was seen for the first time. */
export const ActivityItem = z
  .discriminatedUnion("kind", [
    z.object({
      kind: z.literal("delivery"),
      id,
      occurredAt: epochMs,
      user: ActivityUser,
      campaign: Named,
      variant: Named,
    }),
    z.object({ kind: z.literal("user"), id, occurredAt: epochMs, user: ActivityUser }),
  ])
  .meta({ id: "ActivityItem" });
export type ActivityItem = z.infer<typeof ActivityItem>;

/** The counts of a period of time: steps of deliveries, each by its own instant, and events. */
export const MetricTotals = z
  .object({ impressions: count, clicks: count, conversions: count, events: count })
  .meta({ id: "MetricTotals" });
export type MetricTotals = z.infer<typeof MetricTotals>;

export const MetricDay = MetricTotals.extend({ startAt: epochMs }).meta({ id: "MetricDay" });
