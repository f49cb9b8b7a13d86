import type { Feature } from "../../domain/feature.ts";
import { getMetrics } from "./get-metrics.ts";
import { getOverview } from "./get-overview.ts";
import { getResultDays } from "./get-result-days.ts";
import { listActivity } from "./list-activity.ts";

export const reports: Feature = {
  room: "reports",
  endpoints: [getOverview, listActivity, getMetrics, getResultDays],
  tags: { Reports: "A project in numbers." },
};
