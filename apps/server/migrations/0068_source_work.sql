create type source_kind as enum ('git', 'github');
create type pull_state as enum ('open', 'draft', 'closed', 'merged');

alter table sources
  add column kind source_kind not null default 'git',
  -- The time of the last change of a pull request that was read from its host.
  add column pulls_read_until bigint;

-- Pull requests of a source into its branch, as their host says.
create table source_pulls (
  project_id uuid not null references projects (id),
  source_id text not null,
  number bigint not null,
  -- The generation of the source in which it was read.
  generation integer not null,
  state pull_state not null,
  head_sha text not null,
  -- The commit with which its host says that it was merged.
  merge_sha text,
  primary key (project_id, source_id, number),
  foreign key (project_id, source_id) references sources (project_id, id) on delete cascade,
  check (state = 'merged' or merge_sha is null)
);

create type source_contribution_kind as enum ('create', 'revise', 'withdraw');

-- A branch or a pull request of a source, whose changes are drafted into campaigns.
create table source_refs (
  id uuid primary key,
  project_id uuid not null references projects (id),
  source_id text not null,
  -- `branch`, or `pr:` with the number of a pull request.
  ref_key text not null,
  -- The generation of the source in which its head was read.
  generation integer not null,
  -- The commit up to which all is drafted, and the one at its tip.
  cursor_sha text not null,
  head_sha text not null,
  -- How often in a row its work was claimed and not done, and when it may be claimed again.
  tries integer not null default 0,
  retry_at bigint not null default 0,
  lease_digest bytea,
  lease_expires_at bigint,
  -- What the lease is about.
  work jsonb,
  created_at bigint not null,
  unique (project_id, source_id, ref_key),
  foreign key (project_id, source_id) references sources (project_id, id) on delete cascade,
  check ((lease_digest is null) = (lease_expires_at is null)),
  check ((lease_digest is null) = (work is null))
);
create index source_refs_due on source_refs (project_id, retry_at) where cursor_sha <> head_sha;

-- Leases that were granted: each was paid for out of its day's runs.
create table source_claims (
  id uuid primary key,
  project_id uuid not null references projects (id),
  ref_id uuid references source_refs (id) on delete set null,
  from_sha text not null,
  to_sha text not null,
  granted_at bigint not null
);
create index source_claims_project on source_claims (project_id, granted_at);

-- What commits have brought to the texts of a campaign, in the order in which it was written.
create table source_contributions (
  id uuid primary key,
  project_id uuid not null references projects (id),
  campaign_id uuid not null references campaigns (id),
  ordinal integer not null,
  kind source_contribution_kind not null,
  source_id text not null,
  ref_id uuid references source_refs (id) on delete set null,
  -- Of a pull request.
  number bigint,
  -- The commits that the campaign announces because of it.
  shas text[] not null,
  -- Commits of the branch as which a pull request was merged.
  landed text[] not null default '{}',
  edits jsonb not null,
  name_edit jsonb,
  withdrawn_at bigint,
  run_id uuid not null references agent_runs (id),
  created_at bigint not null,
  unique (campaign_id, ordinal),
  check (kind = 'withdraw' or cardinality(shas) > 0)
);
create index source_contributions_ref on source_contributions (project_id, ref_id) where withdrawn_at is null;

-- Source work that was finished, so that a repeat is answered with what it came to.
create table source_plans (
  ref_id uuid not null references source_refs (id) on delete cascade,
  to_sha text not null,
  project_id uuid not null references projects (id),
  from_sha text not null,
  plan_hash text not null,
  result jsonb not null,
  shas text[] not null,
  authored text[] not null,
  skipped text[] not null,
  run_id uuid not null references agent_runs (id),
  created_at bigint not null,
  primary key (ref_id, to_sha)
);
