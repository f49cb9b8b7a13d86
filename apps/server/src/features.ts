import type { Feature } from "./domain/feature.ts";
import { houseTables, tablesOf } from "./domain/house-tables.ts";
import { platform } from "./domain/platform.ts";
import { byTopic } from "./domain/setting-topics.ts";
import { strayLanes } from "./domain/stray-lanes-store.ts";
import { access } from "./features/access/index.ts";
import { credits } from "./features/agent/credits/index.ts";
import { evaluations } from "./features/agent/evaluations/index.ts";
import { runner } from "./features/agent/runner/index.ts";
import { alerts } from "./features/alerts/index.ts";
import { approvals } from "./features/approvals/index.ts";
import { language } from "./features/audience/language/index.ts";
import { segments } from "./features/audience/segments/index.ts";
import { audit } from "./features/audit/index.ts";
import { backups } from "./features/backups/index.ts";
import { campaigns } from "./features/campaigns/authoring/index.ts";
import { goals } from "./features/campaigns/goals/index.ts";
import { media } from "./features/campaigns/media/index.ts";
import { topics } from "./features/campaigns/topics/index.ts";
import { choices } from "./features/consent/choices/index.ts";
import { subscribing } from "./features/consent/subscribing/index.ts";
import { emailContent } from "./features/content/email/index.ts";
import { pushContent } from "./features/content/push/index.ts";
import { template } from "./features/content/template/index.ts";
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
import { transport } from "./features/email/transport/index.ts";
import { erasure } from "./features/erasure/index.ts";
import { extracts } from "./features/extracts/index.ts";
import { guardrails } from "./features/guardrails/index.ts";
import { imports } from "./features/imports/index.ts";
import { observations } from "./features/ingest/observations/index.ts";
import { tracking } from "./features/ingest/tracking/index.ts";
import { intake } from "./features/intake/index.ts";
import { journeys } from "./features/journeys/authoring/index.ts";
import { journeyMoving } from "./features/journeys/moving/index.ts";
import { launch } from "./features/launch/index.ts";
import { mcp } from "./features/mcp/index.ts";
import { people } from "./features/people/index.ts";
import { portable } from "./features/portable/index.ts";
import { preview } from "./features/preview/index.ts";
import { pushCredentials } from "./features/push/credentials/index.ts";
import { providers } from "./features/push/providers/index.ts";
import { push } from "./features/push/sending/index.ts";
import { reports } from "./features/reports/index.ts";
import { runs } from "./features/runs/index.ts";
import { settings } from "./features/settings/index.ts";
import { houseSettings } from "./features/settings/public.ts";
import { setup } from "./features/setup/index.ts";
import { git } from "./features/sources/git/index.ts";
import { github } from "./features/sources/github/index.ts";
import { registry } from "./features/sources/registry/index.ts";
import { sourceWork } from "./features/sources/work/index.ts";
import { statistics } from "./features/statistics/index.ts";
import { syncs } from "./features/syncs/index.ts";
import { system } from "./features/system/index.ts";
import { timing } from "./features/timing/index.ts";
import { transactional } from "./features/transactional/index.ts";
import { devices } from "./features/users/devices/index.ts";
import { events } from "./features/users/events/index.ts";
import { identities } from "./features/users/identities/index.ts";
import { profiles } from "./features/users/profiles/index.ts";
import { visitors } from "./features/visitors/index.ts";
import { waiting } from "./features/waiting/index.ts";
import { web } from "./features/web/index.ts";
import { webhooks } from "./features/webhooks/index.ts";
import { houseChecks } from "./platform/checks.ts";
import { actsOf, auditedActs } from "./platform/http/audit.ts";
import { plug } from "./platform/runtime.ts";

/**
 * The rooms of the house as a staircase, from the ground up: a room imports from the steps below its own. This is the only list of them.
 * The arrows (`npm run check:arrows`), the staircase in ARCHITECTURE.md and everything below are derived from it.
 */
export const staircase: readonly (readonly Feature[])[] = [
  [access, audit, backups, dashboard],
  [settings, webhooks],
  [people],
  [git, runs, statistics, credits, template, usage, rollups, emailSender],
  [emailContent, pushContent, github],
  [identities],
  [profiles],
  [events],
  [devices],
  [language],
  [segments],
  [goals, media, topics],
  [campaigns],
  [deliveries, registry, journeys],
  [web, addresses, transport, providers, timing],
  [pushCredentials, choices],
  [email, push],
  [alerts, emailFeedback, eligibility, extracts, guardrails, setup, transactional, journeyMoving],
  [tracking, reports, syncs, subscribing],
  [observations, intake, evaluations, launch],
  [approvals, imports, preview, sourceWork],
  [erasure, system, waiting],
  [runner, visitors],
  [demo],
  [portable],
  [mcp],
];

/** Every feature, in the order in which a process begins their loops. */
const features: readonly Feature[] = [...staircase.flat(), platform];

/** Every table of the house, each after those that it refers to. */
export const tables = tablesOf(features);

const allEndpoints = features.flatMap((feature) => feature.endpoints ?? []);
/** The API: operations that programs call with a key. People call many of them, too. */
export const endpoints = allEndpoints.filter(({ spec }) => spec.keys.length > 0 && !spec.dialect);
/** Calls of other services, for code that keeps their libraries. */
export const foreignCalls = allEndpoints.filter(({ spec }) => spec.dialect);
/** Operations that only people call, who are signed in. */
export const peopleEndpoints = allEndpoints.filter(({ spec }) => spec.keys.length === 0);
/** What the groups of operations are about; each is described by one room. */
export const tags = features.flatMap((feature) =>
  Object.entries(feature.tags ?? {}).map(([name, description]) => ({ name, description })),
);
/** What the house sends to addresses of customers. */
export const outgoing = features.flatMap((feature) => feature.outgoing ?? []);
export const checks = [strayLanes(tables), ...features.flatMap((feature) => feature.checks ?? [])];
export const files = features.flatMap((feature) => feature.files ?? []);
export const routes = features.flatMap((feature) => feature.routes ?? []);
export const gateways = features.flatMap((feature) => feature.gateways ?? []);
export const loops = features.flatMap((feature) => feature.loops ?? []);
/** The settings that people own, of every room, as people read them. */
export const settingGroups = byTopic(features.flatMap((feature) => feature.settings ?? []));
export const plugs = [
  ...features.flatMap((feature) => feature.plugs ?? []),
  plug(houseTables, () => tables),
  plug(houseChecks, () => checks),
  plug(auditedActs, actsOf(allEndpoints)),
  plug(houseSettings, () => settingGroups),
];
export const commandGroups = features.flatMap((feature) => Object.entries(feature.commandGroups ?? {}));
export const commands = features.flatMap((feature) => feature.commands ?? []);
export const metrics = features.flatMap((feature) => feature.metrics ?? []);
