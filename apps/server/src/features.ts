import { campaigns } from "./features/campaigns/index.ts";
import { deliveries } from "./features/deliveries/index.ts";
import { demo } from "./features/demo/index.ts";
import { erasure } from "./features/erasure/index.ts";
import { events } from "./features/events/index.ts";
import { goals } from "./features/goals/index.ts";
import { inapp } from "./features/inapp/index.ts";
import { insights } from "./features/insights/index.ts";
import { media } from "./features/media/index.ts";
import { rollups } from "./features/rollups/index.ts";
import { runs } from "./features/runs/index.ts";
import { segments } from "./features/segments/index.ts";
import { tracking } from "./features/tracking/index.ts";
import { usage } from "./features/usage/index.ts";
import { users } from "./features/users/index.ts";
import type { Feature } from "./platform/feature.ts";
import { housekeeping } from "./platform/housekeeping.ts";

/** Every feature of the house, in the order that the reference shows them. */
const features: readonly Feature[] = [
  users,
  erasure,
  tracking,
  inapp,
  goals,
  runs,
  segments,
  campaigns,
  deliveries,
  media,
  events,
  insights,
  usage,
  rollups,
  demo,
  housekeeping,
];

export const endpoints = features.flatMap((feature) => feature.endpoints ?? []);
export const jobs = features.flatMap((feature) => feature.jobs ?? []);
export const checks = features.flatMap((feature) => feature.checks ?? []);
export const files = features.flatMap((feature) => feature.files ?? []);
