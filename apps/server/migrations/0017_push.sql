-- Campaign push: who is to get what on which devices, what was asked of the provider, what it answered, what devices reported.

-- What a push campaign says beside its message: app, devices, how long it is worth showing. Null for the other channels.
alter table campaigns add column push jsonb;

-- What a variant of a push campaign said, and under which settings, at a time: one row for each wording that was sent.
create table push_definitions (
  id uuid primary key,
  campaign_id uuid not null references campaigns,
  project_id uuid not null references projects,
  variant_id uuid not null references variants,
  -- SHA-256 of both, hexadecimal.
  fingerprint text not null,
  content jsonb not null,
  settings jsonb not null,
  created_at bigint not null,
  unique (campaign_id, variant_id, fingerprint)
);

-- How far the users of a campaign's audience were gone through, as with email_plans; and when those who wait were looked at.
create table push_plans (
  campaign_id uuid primary key references campaigns,
  project_id uuid not null references projects,
  passes integer not null default 0,
  -- The pass that is under way goes on after this user; both null between passes.
  after_lane smallint,
  after_user uuid,
  next_pass_at bigint not null,
  -- When everybody who waits was last looked at, and when that is next due.
  checked_at bigint not null default 0,
  recheck_at bigint not null default 0,
  -- When all that was open of a campaign that has ended was closed.
  closed_at bigint,
  -- Why sending stands still, and since when.
  fault text,
  fault_at bigint
);

create type push_recipient_state as enum ('waiting', 'active', 'closed');

-- A user whom a campaign, or a test of it, is for. Active once devices were chosen, which never changes again.
create table push_recipients (
  lane smallint not null,
  user_key uuid not null,
  campaign_id uuid not null,
  -- The campaign itself, or the test that this is for.
  send_id uuid not null,
  project_id uuid not null,
  variant_id uuid not null,
  state push_recipient_state not null,
  -- Why it waits, or is closed.
  reason text,
  checked_at bigint not null,
  created_at bigint not null,
  primary key (lane, user_key, campaign_id, send_id)
) with (fillfactor = 85);
create index push_recipients_campaign on push_recipients (campaign_id, user_key);
create index push_recipients_waiting on push_recipients (campaign_id, lane, user_key) where state = 'waiting';

create type push_slot_state as enum ('ready', 'waiting', 'reserved', 'accepted', 'closed');

-- One device of a recipient: the queue of sending, and what became of it. What it counts equals its records.
create table push_slots (
  lane smallint not null,
  user_key uuid not null,
  -- The first 16 bytes of a hash of user, `send_id` and installation.
  slot_key uuid not null,
  campaign_id uuid not null,
  send_id uuid not null,
  project_id uuid not null,
  is_test boolean not null,
  installation_lane smallint not null,
  installation_key uuid not null,
  installation_id text not null,
  -- That of the installation when it was chosen: another user on the device closes it.
  binding_generation bigint not null,
  -- What selects devices, when it was chosen: another selection or app closes it. SHA-256, hexadecimal.
  selected_by text not null,
  replacement_key text,
  state push_slot_state not null,
  -- Why it waits, or is closed.
  reason text,
  -- Due then (ready, waiting), or reserved until then.
  at bigint not null,
  -- Whose reservation it is, or was last.
  fence uuid,
  -- The newest target of it; 0 where there is none.
  generation integer not null default 0,
  revision integer not null default 0,
  -- Attempts, and of their outcomes: submissions (at most three), those that may have arrived, those stopped before sending.
  attempts integer not null default 0,
  submissions_used smallint not null default 0,
  possible_submissions smallint not null default 0,
  blocks integer not null default 0,
  -- Submitted without an answer once: the device may have it.
  uncertain boolean not null default false,
  -- The credential revision under which it asked for fresh authentication.
  auth_refresh_revision bigint,
  -- Never falls.
  submission_not_before bigint not null default 0,
  -- Waits for a newer credential (`credential`), or for that or another wording (`payload`).
  repair_kind text,
  repair_revision bigint,
  repair_fingerprint text,
  -- The attempt that the provider accepted.
  accepted_ordinal integer,
  expires_at bigint not null,
  created_at bigint not null,
  -- When the device first reported that it arrived.
  receipt_at bigint,
  primary key (lane, user_key, slot_key),
  constraint accepted_by_an_attempt check ((state = 'accepted') = (accepted_ordinal is not null)),
  constraint three_submissions check (submissions_used between 0 and 3)
) with (fillfactor = 70);
create index push_slots_campaign on push_slots (campaign_id, slot_key);
create index push_slots_due on push_slots (campaign_id, at) where state in ('ready', 'waiting') and not is_test;
create index push_slots_tests_due on push_slots (at) where state in ('ready', 'waiting') and is_test;
create index push_slots_reserved on push_slots (at) where state = 'reserved';

-- What is asked of the provider for a slot, as it was rendered; another generation where something it depends on changed.
-- Appended only.
create table push_targets (
  lane smallint not null,
  user_key uuid not null,
  slot_key uuid not null,
  generation integer not null,
  project_id uuid not null,
  campaign_id uuid not null,
  definition_id uuid not null,
  credential_id uuid not null,
  credential_revision bigint not null,
  token_revision bigint not null,
  expires_at bigint not null,
  created_at bigint not null,
  created_order bigint generated always as identity,
  -- The rendered content; null where it is that of the definition, word for word.
  content jsonb,
  primary key (lane, user_key, slot_key, generation)
);

-- Attempts, written before the first byte leaves. Appended only.
create table push_attempts (
  lane smallint not null,
  user_key uuid not null,
  slot_key uuid not null,
  -- Counts the attempts of the slot, from 1.
  ordinal integer not null,
  project_id uuid not null,
  campaign_id uuid not null,
  generation integer not null,
  slot_revision integer not null,
  fence uuid not null,
  started_at bigint not null,
  valid_until bigint not null,
  primary key (lane, user_key, slot_key, ordinal)
);

create type push_outcome_kind as enum ('accepted', 'rejected', 'unknown', 'blocked');
create type push_submission as enum ('none', 'confirmed', 'possible');

-- What came of each attempt, once. Appended only.
create table push_outcomes (
  lane smallint not null,
  user_key uuid not null,
  slot_key uuid not null,
  ordinal integer not null,
  project_id uuid not null,
  campaign_id uuid not null,
  generation integer not null,
  kind push_outcome_kind not null,
  submission push_submission not null,
  observed_at bigint not null,
  provider_id text,
  code text,
  retry_after_ms bigint,
  primary key (lane, user_key, slot_key, ordinal)
);

-- What devices reported, in their order (sequence) and in the server's (received_order). Appended only.
create table push_observations (
  lane smallint not null,
  user_key uuid not null,
  installation_key uuid not null,
  binding_generation bigint not null,
  sequence bigint not null,
  project_id uuid not null,
  id uuid not null,
  command_id text not null,
  -- SHA-256 of the command: the same one is a repeat, another one under its id a conflict.
  digest text not null,
  kind text not null,
  command jsonb not null,
  installation_id text not null,
  received_at bigint not null,
  received_order bigint generated always as identity,
  -- What it is about; all null for an event.
  campaign_id uuid,
  slot_key uuid,
  is_test boolean not null default false,
  primary key (lane, user_key, installation_key, binding_generation, sequence),
  unique (lane, user_key, installation_key, binding_generation, command_id)
);
create index push_observations_campaign on push_observations (campaign_id, id) where campaign_id is not null;

-- The first tap or action of a user on a campaign: an event that comes after it, in the server's order, converts.
create table push_engagements (
  lane smallint not null,
  user_key uuid not null,
  campaign_id uuid not null,
  project_id uuid not null,
  id uuid not null,
  slot_key uuid not null,
  engaged_at bigint not null,
  engaged_order bigint not null,
  primary key (lane, user_key, campaign_id)
);
create index push_engagements_campaign on push_engagements (campaign_id);

-- The first target event after that.
create table push_conversions (
  lane smallint not null,
  user_key uuid not null,
  campaign_id uuid not null,
  project_id uuid not null,
  id uuid not null,
  engagement_id uuid not null,
  event_id text not null,
  converted_at bigint not null,
  converted_order bigint not null,
  primary key (lane, user_key, campaign_id)
);
create index push_conversions_campaign on push_conversions (campaign_id, id);

-- Tests that were asked for: a campaign's push to one device, outside of every count.
create table push_tests (
  campaign_id uuid not null references campaigns,
  request_id text not null,
  project_id uuid not null references projects,
  -- The `send_id` of its recipient and slot.
  id uuid not null,
  lane smallint not null,
  user_key uuid not null,
  slot_key uuid not null,
  installation_id text not null,
  created_at bigint not null,
  primary key (campaign_id, request_id)
);
create index push_tests_user on push_tests (lane, user_key);
