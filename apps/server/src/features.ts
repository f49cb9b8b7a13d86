import { addresses } from "./features/addresses/index.ts";
import { campaigns } from "./features/campaigns/index.ts";
import { deliveries } from "./features/deliveries/index.ts";
import { demo } from "./features/demo/index.ts";
import { email } from "./features/email/index.ts";
import { emailFeedback } from "./features/email-feedback/index.ts";
import { erasure } from "./features/erasure/index.ts";
import { events } from "./features/events/index.ts";
import { goals } from "./features/goals/index.ts";
import { inapp } from "./features/inapp/index.ts";
import { insights } from "./features/insights/index.ts";
import { installations } from "./features/installations/index.ts";
import { media } from "./features/media/index.ts";
import { observations } from "./features/observations/index.ts";
import { push } from "./features/push/index.ts";
import { pushCredentials } from "./features/push-credentials/index.ts";
import { rollups } from "./features/rollups/index.ts";
import { runs } from "./features/runs/index.ts";
import { segments } from "./features/segments/index.ts";
import { settings } from "./features/settings/index.ts";
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
  installations,
  pushCredentials,
  deliveries,
  email,
  addresses,
  push,
  observations,
  media,
  events,
  emailFeedback,
  insights,
  usage,
  rollups,
  settings,
  demo,
  housekeeping,
];

export const endpoints = features.flatMap((feature) => feature.endpoints ?? []);
export const checks = features.flatMap((feature) => feature.checks ?? []);
export const files = features.flatMap((feature) => feature.files ?? []);
export const routes = features.flatMap((feature) => feature.routes ?? []);
export const loops = features.flatMap((feature) => feature.loops ?? []);
export const plugs = features.flatMap((feature) => feature.plugs ?? []);
export const metrics = features.flatMap((feature) => feature.metrics ?? []);
