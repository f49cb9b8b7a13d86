const FEATURES = "apps/server/src/features/";
const DASHBOARD = "apps/dashboard/src/";
const TEST = "apps/server/test/";
const SDK = ["packages/web", `${FEATURES}web`, `${FEATURES}ingest/tracking`];
const SENDING = ["deliveries", "email/", "push/", "campaigns/authoring"].map((room) => FEATURES + room);
const USERS = ["users/", "ingest/", "web"].map((room) => FEATURES + room);
const AGENT = [`${FEATURES}agent/`, "packages/agent"];

/**
 * Areas of the product that tests outside of the rooms look at through HTTP or a browser, which no import shows: how the paths of the
 * tests begin, and how those of the areas do. A file takes the first line that fits.
 */
export const LOOKS_AT: readonly (readonly [files: string, areas: readonly string[]])[] = [
  // These walk through every operation, and every table.
  [`${TEST}every-endpoint`, [FEATURES]],
  [`${TEST}contracts/`, [FEATURES]],
  [`${TEST}budget-groups`, [FEATURES]],
  [`${TEST}unknown-fields`, [FEATURES]],
  [`${TEST}contracts/`, [FEATURES]],
  [`${TEST}doctor/`, [FEATURES]],
  [`${TEST}cost/`, [FEATURES]],
  [`${TEST}faults/`, [...USERS, ...SENDING]],
  [`${TEST}crash/crash`, [...USERS, `${FEATURES}deliveries`]],
  [`${TEST}crash/intake`, [...USERS, `${FEATURES}intake`]],
  [`${TEST}crash/webhooks`, [...USERS, `${FEATURES}deliveries`, `${FEATURES}webhooks`]],
  [`${TEST}crash/`, SENDING],
  [
    `${TEST}model/`,
    [...USERS, `${FEATURES}intake`, `${FEATURES}deliveries`, `${FEATURES}campaigns/`, `${FEATURES}counting/`],
  ],
  [`${TEST}agent-`, AGENT],
  [`${TEST}launches/`, [`${FEATURES}launch`, `${FEATURES}campaigns/authoring`]],
  [`${TEST}from-code`, [`${FEATURES}sources/`, `${FEATURES}launch`]],
  [`${TEST}email-tls`, [`${FEATURES}email/`]],
  [`${TEST}grants`, [`${FEATURES}people`, `${FEATURES}access`]],
  [`${TEST}clocks/`, SENDING],
  [`${TEST}neighbours/`, [`${FEATURES}access`, ...USERS]],
  [`${TEST}security-headers`, SDK],
  [`${TEST}shared-budgets`, [`${FEATURES}access`]],
  [`${TEST}idempotency-processes`, [`${FEATURES}access`, `${FEATURES}campaigns/`]],
  [`${TEST}upgrade`, [...USERS, ...SENDING]],
  [`${TEST}commands/agent`, AGENT],
  [`${TEST}commands/approvals`, [`${FEATURES}approvals`, `${FEATURES}agent/evaluations`]],
  [`${TEST}commands/email`, [`${FEATURES}email/`]],
  [`${TEST}commands/export-import`, [`${FEATURES}portable`]],
  [`${TEST}commands/guardrails`, [`${FEATURES}guardrails`]],
  [`${TEST}commands/identity`, [`${FEATURES}access`]],
  [`${TEST}commands/launch`, [`${FEATURES}launch`, `${FEATURES}sources/`]],
  [`${TEST}commands/people`, [`${FEATURES}people`]],
  [`${TEST}commands/project`, [`${FEATURES}access`, `${FEATURES}erasure`]],
  [`${TEST}commands/settings`, [`${FEATURES}settings`]],
  [`${TEST}commands/demo`, [`${FEATURES}demo`]],
  [`${TEST}commands/`, ["apps/server/src/cli", `${FEATURES}access`]],
  [`${TEST}docs/agent`, AGENT],
  [`${TEST}docs/connections`, [`${FEATURES}intake`]],
  [`${TEST}docs/drafts`, [...AGENT, `${FEATURES}sources/`, `${FEATURES}launch`]],
  [`${TEST}docs/email`, [`${FEATURES}email/`, `${FEATURES}content/`]],
  [`${TEST}docs/import`, [`${FEATURES}imports`, "apps/server/src/cli"]],
  [`${TEST}docs/launch`, [`${FEATURES}launch`, `${FEATURES}sources/`]],
  [`${TEST}docs/limits`, [FEATURES]],
  [`${TEST}docs/measuring`, [`${FEATURES}reports`, `${FEATURES}deliveries`, `${FEATURES}statistics`]],
  [`${TEST}docs/push`, [`${FEATURES}push/`]],
  [`${TEST}docs/quickstart`, SDK],
  [`${TEST}docs/sdk`, SDK],
  [`${TEST}docs/webhooks`, [`${FEATURES}webhooks`]],
  [`${TEST}docs/web`, SDK],
  ["e2e/dashboard-editor", [`${DASHBOARD}features/campaigns`, `${DASHBOARD}ui`]],
  ["e2e/dashboard-launch", [`${DASHBOARD}features/campaigns`]],
  ["e2e/dashboard-results", [`${DASHBOARD}features/campaigns`]],
  ["e2e/dashboard-keys", [`${DASHBOARD}features/account`, `${DASHBOARD}features/people`]],
  ["e2e/dashboard-lists", [`${DASHBOARD}features/users`, `${DASHBOARD}features/segments`]],
  ["e2e/dashboard-month", [`${DASHBOARD}features/overview`, `${FEATURES}demo`]],
  ["e2e/dashboard-palette", [`${DASHBOARD}shell`]],
  ["e2e/dashboard-why", [`${DASHBOARD}ui`]],
  ["e2e/dashboard-by-finger", [`${DASHBOARD}features/settings`, `${DASHBOARD}features/users`]],
  ["e2e/dashboard-connections", [`${DASHBOARD}features/connections`, `${FEATURES}intake`]],
  ["e2e/dashboard-webhooks", [`${DASHBOARD}features/webhooks`, `${FEATURES}webhooks`]],
  ["e2e/dashboard-figures", [DASHBOARD]],
  ["e2e/dashboard-pages", [DASHBOARD]],
  ...["agent", "approvals", "campaigns", "email", "events", "goals", "overview", "push"].map(
    (page) => [`e2e/dashboard-${page}`, [`${DASHBOARD}features/${page}`]] as const,
  ),
  ...["segments", "settings", "sources", "system", "users"].map(
    (page) => [`e2e/dashboard-${page}`, [`${DASHBOARD}features/${page}`]] as const,
  ),
  ["e2e/dashboard", [`${DASHBOARD}shell`, `${DASHBOARD}platform`, `${DASHBOARD}ui`]],
  ["e2e/demo", [`${FEATURES}demo`, ...SDK]],
  ["e2e/experiment", [`${FEATURES}demo`]],
  ["e2e/phone", [`${FEATURES}demo`, `${FEATURES}push/`]],
  ["e2e/mail", [`${FEATURES}email/`, `${FEATURES}content/`]],
  ["e2e/unsubscribe", [`${FEATURES}email/`]],
  ["e2e/perimeter", [...SDK, `${FEATURES}access`]],
  ["e2e/", SDK],
];
