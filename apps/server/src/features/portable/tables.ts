/** What a key stands for. It follows from the project, so that an import makes another one. */
export type KeyKind = "user" | "address" | "installation" | "observer" | "slot" | "token";

/**
 * What becomes of the values of a column. Those of `project_id` become the new project's, and what is not named here is carried
 * over as it is; a uuid, bytes, JSON or a lane has to be named.
 *
 * - `id`: another id follows from it, the same one wherever it stands
 * - `<kind> key`: the key of the same user, address … in the new project; `lane of <column>`: the lane of such a key, not in the file
 * - `ids within`: JSON or text in which ids of the API, and addresses of the project's own images, are replaced
 * - `slot ids within`: JSON of a device in which the slot of the row is replaced
 * - `bytes`: base64 in the file; `secret`: sealed bytes, in clear in the file, or not there
 * - `fingerprint`: follows from what the row says
 * - `order`: a number of a sequence, which goes on above it
 * - `numbered anew`: a number that the rows get in the order of the file, not in it
 * - `cleared`: not in the file, begins as in a new project
 * - `opaque`: a uuid that nothing is found by; `data`: JSON of the customer's own, or a number of no importance
 */
type Treatment =
  | "id"
  | `${KeyKind} key`
  | `lane of ${string}`
  | "ids within"
  | "slot ids within"
  | "bytes"
  | "secret"
  | "fingerprint"
  | "order"
  | "numbered anew"
  | "cleared"
  | "opaque"
  | "data";

/** How the rows of a table travel. `t` is the table in every piece of SQL of an export, `i` the row of the file in those of an import. */
export type Table = {
  name: string;
  /** By column, of those that are not simply carried over. */
  columns: Readonly<Record<string, Treatment>>;
  /** Which rows are the project's; by default those with its id. `$1` is that id. */
  where?: string;
  /** Which of the project's rows are written, where not all are. */
  only?: string;
  /** Further fields of a record, for what follows from them: SQL by name. */
  beside?: Readonly<Record<string, string>>;
  /** The order of its records, where that says something. */
  orderBy?: string;
  /** Rows that are read at once, where they are large. */
  page?: number;
  /** Columns that an import does not take as they are: SQL by name. */
  set?: Readonly<Record<string, string>>;
};

const USER = { user_key: "user key", lane: "lane of user_key" } as const;
const SENT = { ...USER, campaign_id: "id" } as const;
const SLOT = { ...USER, slot_key: "slot key", campaign_id: "id" } as const;
const LARGE = 20;

/** What an export holds, in the order in which it is imported: what is referred to comes first. */
export const TABLES: readonly Table[] = [
  { name: "goals", columns: { id: "id", guardrails: "ids within" } },
  {
    name: "campaigns",
    columns: { id: "id", goal_id: "id", audience: "ids within", push: "ids within" },
    page: LARGE,
    set: {
      // Nobody is messaged from two places.
      status: "case i.status when 'running' then 'paused' else i.status end",
      // Mail that left under another id has tokens of that id.
      has_unbound_links: "false",
    },
  },
  { name: "variants", columns: { id: "id", campaign_id: "id", content: "ids within" }, page: LARGE },
  {
    name: "campaign_sweeps",
    columns: {
      campaign_id: "id",
      after_lane: "cleared",
      after_user: "cleared",
      unconfirmed_so_far: "cleared",
    },
  },
  {
    name: "agent_runs",
    columns: {
      id: "id",
      goal_id: "id",
      campaign_id: "id",
      input: "ids within",
      output: "ids within",
      rationale: "ids within",
    },
    page: LARGE,
  },
  { name: "segments", columns: { id: "id" } },
  {
    name: "audience_versions",
    columns: { id: "id", segment_id: "id", agent_run_id: "id", expression: "ids within" },
    page: LARGE,
  },
  { name: "media", columns: { bytes: "bytes" }, page: 4 },
  { name: "settings", columns: { value: "data", sealed: "secret" } },
  {
    name: "setting_changes",
    columns: { id: "numbered anew", organization_id: "cleared", before: "data", after: "data" },
    orderBy: "t.id",
  },
  { name: "identity_secrets", columns: { id: "id", sealed: "secret" } },
  { name: "dkim_keys", columns: { sealed_private_key: "secret" } },
  { name: "push_credentials", columns: { id: "id", sealed: "secret" } },

  { name: "users", columns: { ...USER, traits: "data" } },
  { name: "erased_users", columns: USER },
  { name: "events", columns: { ...USER, props: "data" } },
  { name: "event_counts", columns: USER },
  { name: "frozen_events", columns: USER },
  { name: "active_users", columns: USER },
  { name: "deliveries", columns: { ...SENT, variant_id: "id" } },
  {
    name: "feedback_receipts",
    columns: { ...SENT, receipt_id: "opaque" },
    where: "t.campaign_id in (select id from campaigns where project_id = $1)",
  },

  { name: "email_addresses", columns: { address_key: "address key", lane: "lane of address_key" } },
  {
    name: "suppression_changes",
    columns: { id: "numbered anew", address_key: "address key", lane: "lane of address_key" },
    orderBy: "t.id",
  },
  {
    name: "email_sends",
    columns: {
      ...SENT,
      fence: "opaque",
      moved_from: "cleared",
      address_key: "address key",
      address_lane: "lane of address_key",
    },
  },
  { name: "email_attempts", columns: { ...SENT, fence: "opaque" } },
  { name: "email_outcomes", columns: SENT },
  { name: "email_resends", columns: SENT },
  { name: "address_intakes", columns: {} },
  { name: "email_touches", columns: SENT },
  { name: "email_touch_heads", columns: SENT },
  { name: "email_capped_counts", columns: { lane: "data" } },

  {
    name: "installations",
    columns: {
      installation_key: "installation key",
      lane: "lane of installation_key",
      verifier: "bytes",
      user_key: "user key",
      user_lane: "lane of user_key",
      token_key: "token key",
      token_lane: "lane of token_key",
      capabilities: "data",
    },
    beside: {
      token: `(select k.token from installation_tokens k where k.lane = t.token_lane and k.token_key = t.token_key)`,
    },
    page: LARGE,
  },
  {
    name: "installation_tokens",
    columns: {
      token_key: "token key",
      lane: "lane of token_key",
      installation_key: "installation key",
      installation_lane: "lane of installation_key",
    },
  },
  {
    name: "installation_acknowledgements",
    columns: {
      installation_key: "installation key",
      lane: "lane of installation_key",
      digest: "bytes",
      replaced_user_key: "user key",
      replaced_user_lane: "lane of replaced_user_key",
      replaced_capabilities: "data",
    },
    page: LARGE,
  },

  {
    name: "push_definitions",
    columns: {
      id: "id",
      campaign_id: "id",
      variant_id: "id",
      content: "ids within",
      settings: "ids within",
      fingerprint: "fingerprint",
    },
    page: LARGE,
  },
  { name: "push_recipients", columns: { ...SENT, send_id: "id", variant_id: "id" } },
  {
    name: "push_slots",
    columns: {
      ...SLOT,
      send_id: "id",
      installation_key: "installation key",
      installation_lane: "lane of installation_key",
      fence: "opaque",
    },
    // A test leaves however its campaign stands.
    set: {
      state: "case when i.is_test and i.state in ('ready', 'waiting') then 'closed' else i.state end",
      reason: "case when i.is_test and i.state in ('ready', 'waiting') then 'expired' else i.reason end",
    },
  },
  {
    name: "push_targets",
    columns: {
      ...SLOT,
      definition_id: "id",
      credential_id: "id",
      created_order: "order",
      content: "ids within",
    },
  },
  { name: "push_attempts", columns: { ...SLOT, fence: "opaque" } },
  { name: "push_outcomes", columns: SLOT },
  {
    name: "push_observations",
    columns: {
      ...SLOT,
      id: "id",
      installation_key: "observer key",
      command: "slot ids within",
      received_order: "order",
    },
  },
  { name: "push_engagements", columns: { ...SLOT, id: "id" } },
  { name: "push_conversions", columns: { ...SENT, id: "id", engagement_id: "id" } },
  { name: "push_tests", columns: { ...SLOT, id: "id" } },

  {
    name: "rollup_notes",
    columns: { id: "numbered anew", lane: "data", facts: "data", noted_at: "cleared", fault: "cleared" },
    // What could not be added up here could not be there.
    only: "t.fault is null",
    orderBy: "t.id",
  },
  { name: "event_names", columns: {} },
  { name: "event_properties", columns: {} },
  { name: "event_days", columns: {} },
  { name: "trait_keys", columns: {} },
  { name: "trait_values", columns: {} },
  { name: "crowded_traits", columns: {} },
  { name: "delivery_days", columns: {} },
];

/** A table of older exports: the one that has its rows now, and the columns that have another name there. */
export type FormerTable = { now: string; renamed: Readonly<Record<string, string>> };

/** The tables of older exports that are others now, by the name that they had. */
export const FORMER: Readonly<Record<string, FormerTable>> = {
  email_plans: { now: "campaign_sweeps", renamed: { passes: "sweeps", next_pass_at: "next_sweep_at" } },
  push_plans: {
    now: "campaign_sweeps",
    renamed: {
      passes: "sweeps",
      next_pass_at: "next_sweep_at",
      checked_at: "reevaluated_at",
      recheck_at: "reevaluate_at",
    },
  },
};

/** Tables that an import counts again from others, by what is counted. */
export const RECOUNTED: Readonly<Record<string, string>> = {
  campaign_stats: "deliveries, by lane",
  active_user_counts: "active users, by lane",
};

/** Tables that no export holds, and why. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  organizations: "an import joins the organization that is there",
  organization_settings: "they belong to the organization, which may have other projects",
  usage_catch_ups: "it belongs to the organization",
  erasing_users: "an export begins by deleting what is left of erased users",
  erased_messages: "links of mail that was sent name the old project",
  projects: "the header names the project; an import makes another one",
  api_keys: "only hashes of them exist; an import makes new ones",
  idempotency_keys: "answers of the last day, with ids of the old project",
  report_tokens: "signatures of a provider of the last hours",
  email_throttles: "the pace of sending begins anew",
  email_test_paces: "what left within the last hour",
  loop_turns: "when work that comes round is due again",
  processes: "those that serve and work at this moment",
  shared_budgets: "what was asked within the last minute",
  outbox_messages: "mail that never left, for looking at",
  demo_shop: "the demo is a project of its own",
  demo_pushes: "pushes that never left the demo",
  migrations: "the header names the last one",
  secret_key_canary: "it tells of the key of this server",
};
