import { byTopic } from "./domain/setting-topics.ts";
import { access } from "./features/access/index.ts";
import { credits } from "./features/agent/credits/index.ts";
import { evaluations } from "./features/agent/evaluations/index.ts";
import { runner } from "./features/agent/runner/index.ts";
import { approvals } from "./features/approvals/index.ts";
import { segments } from "./features/audience/segments/index.ts";
import { audit } from "./features/audit/index.ts";
import { campaigns } from "./features/campaigns/authoring/index.ts";
import { goals } from "./features/campaigns/goals/index.ts";
import { media } from "./features/campaigns/media/index.ts";
import { rollups } from "./features/counting/rollups/index.ts";
import { usage } from "./features/counting/usage/index.ts";
import { dashboard } from "./features/dashboard/index.ts";
import { deliveries } from "./features/deliveries/index.ts";
import { demo } from "./features/demo/index.ts";
import { eligibility } from "./features/eligibility/index.ts";
import { addresses } from "./features/email/addresses/index.ts";
import { emailFeedback } from "./features/email/feedback/index.ts";
import { emailSender } from "./features/email/sender/index.ts";
import { email } from "./features/email/sending/index.ts";
import { mailCatcher } from "./features/email/transport/index.ts";
import { erasure } from "./features/erasure/index.ts";
import { extracts } from "./features/extracts/index.ts";
import { guardrails } from "./features/guardrails/index.ts";
import { observations } from "./features/ingest/observations/index.ts";
import { tracking } from "./features/ingest/tracking/index.ts";
import { launch } from "./features/launch/index.ts";
import { mcp } from "./features/mcp/index.ts";
import { people } from "./features/people/index.ts";
import { portable } from "./features/portable/index.ts";
import { preview } from "./features/preview/index.ts";
import { pushCredentials } from "./features/push/credentials/index.ts";
import { push } from "./features/push/sending/index.ts";
import { insights } from "./features/reports/index.ts";
import { runs } from "./features/runs/index.ts";
import { settings } from "./features/settings/index.ts";
import { houseSettings } from "./features/settings/public.ts";
import { setup } from "./features/setup/index.ts";
import { registry } from "./features/sources/registry/index.ts";
import { sourceWork } from "./features/sources/work/index.ts";
import { system } from "./features/system/index.ts";
import { tables } from "./features/tables/index.ts";
import { installations } from "./features/users/devices/index.ts";
import { events } from "./features/users/events/index.ts";
import { users } from "./features/users/profiles/index.ts";
import { waiting } from "./features/waiting/index.ts";
import { inapp } from "./features/web/index.ts";
import type { Feature } from "./platform/feature.ts";
import { housekeeping } from "./platform/housekeeping.ts";
import { plug } from "./platform/runtime.ts";

/** Every feature, in the order in which the API reference shows them. */
const features: readonly Feature[] = [
  access,
  people,
  audit,
  dashboard,
  settings,
  users,
  erasure,
  tracking,
  inapp,
  goals,
  runs,
  credits,
  segments,
  campaigns,
  registry,
  launch,
  approvals,
  sourceWork,
  installations,
  pushCredentials,
  deliveries,
  guardrails,
  email,
  emailSender,
  addresses,
  mailCatcher,
  push,
  eligibility,
  evaluations,
  preview,
  observations,
  media,
  events,
  emailFeedback,
  insights,
  usage,
  waiting,
  setup,
  system,
  rollups,
  runner,
  demo,
  tables,
  extracts,
  portable,
  mcp,
  housekeeping,
];

const allEndpoints = features.flatMap((feature) => feature.endpoints ?? []);
/** The API: operations that programs call with a key. People call many of them, too. */
export const endpoints = allEndpoints.filter(({ spec }) => spec.keys.length > 0);
/** Operations that only people call, who are signed in. */
export const peopleEndpoints = allEndpoints.filter(({ spec }) => spec.keys.length === 0);
export const checks = features.flatMap((feature) => feature.checks ?? []);
export const files = features.flatMap((feature) => feature.files ?? []);
export const routes = features.flatMap((feature) => feature.routes ?? []);
export const gateways = features.flatMap((feature) => feature.gateways ?? []);
export const loops = features.flatMap((feature) => feature.loops ?? []);
export const plugs = [
  ...features.flatMap((feature) => feature.plugs ?? []),
  plug(houseSettings, () => settingGroups),
];
export const commands = features.flatMap((feature) => feature.commands ?? []);
/** The settings that people own, of every room, as people read them. */
export const settingGroups = byTopic(features.flatMap((feature) => feature.settings ?? []));
export const metrics = features.flatMap((feature) => feature.metrics ?? []);
