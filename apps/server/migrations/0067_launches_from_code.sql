create type source_change_kind as enum ('commit', 'pull_request');
create type source_state as enum ('pending', 'ok', 'unavailable');
create type deployment_status as enum ('pending', 'success', 'failure');
create type coverage_state as enum ('present', 'absent', 'reverted', 'unknown', 'pending');
create type launch_mode as enum ('automatic', 'manual');
create type warning_reason as enum ('rollback', 'revert');

-- The changes of code that a campaign announces. It keeps the id of a change that is declared again.
create table source_changes (
  id uuid primary key,
  project_id uuid not null references projects (id),
  campaign_id uuid not null references campaigns (id),
  position integer not null,
  source_id text not null,
  kind source_change_kind not null,
  -- Of a pull request.
  number bigint,
  shas text[] not null,
  unique (campaign_id, position) deferrable initially deferred,
  check ((kind = 'pull_request') = (number is not null)),
  check (cardinality(shas) between 1 and 250),
  check (kind = 'pull_request' or cardinality(shas) = 1)
);
create index source_changes_source on source_changes (project_id, source_id);

-- Repositories from which changes are deployed.
create table sources (
  project_id uuid not null references projects (id),
  id text not null,
  url text not null,
  branch text not null,
  -- Sealed; null where the repository may be read without one.
  credential bytea,
  instructions text not null default '',
  enabled boolean not null default true,
  paused boolean not null default false,
  -- Rises with the address, the branch and the credential.
  generation integer not null default 1,
  state source_state not null default 'pending',
  reason text,
  -- How often in a row it could not be fetched.
  failures integer not null default 0,
  -- The commit at the tip of the branch.
  tip_sha text,
  -- Rises whenever a fetch found something new.
  fetch_revision integer not null default 0,
  fetched_at bigint,
  created_at bigint not null,
  -- When it is looked at next.
  look_at bigint not null,
  lease_owner uuid,
  primary key (project_id, id),
  check ((state = 'unavailable') = (reason is not null))
);
create index sources_due on sources (look_at) where enabled;

-- Where a source has to be live before its campaigns launch.
create table mappings (
  id uuid primary key,
  project_id uuid not null references projects (id),
  source_id text not null,
  environment text not null,
  scope text,
  -- A ref whose tip is what is deployed, such as refs/heads/production.
  follows text,
  confirmed_by text not null,
  confirmed_at bigint not null,
  unique (project_id, source_id, environment),
  foreign key (project_id, source_id) references sources (project_id, id) on delete cascade
);

create table deployments (
  id uuid primary key,
  project_id uuid not null references projects (id),
  source_id text not null,
  environment text not null,
  -- The id that the reporter gave it.
  deployment_key text collate "C" not null,
  sha text not null,
  status deployment_status not null,
  provider text not null,
  deployed_at bigint not null,
  reported_at bigint not null,
  url text,
  label text,
  unique (project_id, source_id, environment, deployment_key),
  foreign key (project_id, source_id) references sources (project_id, id) on delete cascade
);
create index deployments_current on deployments (project_id, source_id, environment, deployed_at desc, deployment_key desc)
  where status = 'success';
create index deployments_newest on deployments (project_id, deployed_at desc, id desc);

-- Whether a declared change is in what was deployed, as the repository says.
create table coverage (
  requirement_id uuid not null references source_changes (id) on delete cascade,
  mapping_id uuid not null references mappings (id) on delete cascade,
  project_id uuid not null references projects (id),
  campaign_id uuid not null references campaigns (id),
  state coverage_state not null,
  reason text,
  -- Null while nothing was deployed.
  deployment_id uuid references deployments (id) on delete cascade,
  generation integer not null,
  fetch_revision integer not null,
  -- Null where it is not known.
  on_branch boolean,
  -- The commits that are the change.
  representation text[] not null,
  -- Whether the last state that was sure (present, absent, reverted) was present.
  was_present boolean not null,
  judged_at bigint not null,
  primary key (requirement_id, mapping_id)
);
create index coverage_campaign on coverage (project_id, campaign_id);

create table launch_policies (
  project_id uuid primary key references projects (id),
  default_mode launch_mode not null,
  revision integer not null
);

create table campaign_activations (
  campaign_id uuid primary key references campaigns (id),
  project_id uuid not null references projects (id),
  -- Null takes the default of the project.
  mode launch_mode,
  revision integer not null
);

-- A person allowed the campaign to launch by itself.
create table campaign_approvals (
  campaign_id uuid primary key references campaigns (id),
  project_id uuid not null references projects (id),
  approved_by text not null,
  approved_at bigint not null,
  -- What the person saw: a hash of content and declaration.
  revision text not null,
  run_id uuid not null references agent_runs (id)
);

-- How a campaign was launched for the first time.
create table launch_receipts (
  campaign_id uuid primary key references campaigns (id),
  project_id uuid not null references projects (id),
  mode launch_mode not null,
  started_at bigint not null,
  content_hash text not null,
  requirements_digest text not null,
  evidence jsonb not null,
  -- A person launched it although coverage was missing.
  override_by text,
  override_reason text,
  run_id uuid references agent_runs (id),
  check ((override_by is null) = (override_reason is null)),
  check (mode = 'manual' or override_by is null)
);

-- A change that a launched campaign announces was taken back.
create table launch_warnings (
  id uuid primary key,
  project_id uuid not null references projects (id),
  campaign_id uuid not null references campaigns (id),
  mapping_id uuid not null,
  deployment_id uuid not null,
  reason warning_reason not null,
  created_at bigint not null,
  mapping_label text not null,
  requirement_ids jsonb not null,
  evidence jsonb not null,
  run_id uuid not null references agent_runs (id),
  unique (campaign_id, mapping_id, deployment_id, reason)
);
