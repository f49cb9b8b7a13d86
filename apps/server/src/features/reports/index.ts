import type { Feature } from "../../platform/feature.ts";
import { getConversionDays } from "./get-conversion-days.ts";
import { getMetrics } from "./get-metrics.ts";
import { getOverview } from "./get-overview.ts";
import { listActivity } from "./list-activity.ts";

export const insights: Feature = { endpoints: [getOverview, listActivity, getMetrics, getConversionDays] };
