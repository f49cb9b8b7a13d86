create type claim_ending as enum ('completed', 'proposed', 'replaced');
create type proposal_status as enum ('pending', 'approved', 'rejected');

-- When a campaign is evaluated next, and who may act on it now.
create table evaluations (
  campaign_id uuid primary key references campaigns (id),
  project_id uuid not null references projects (id),
  -- Epoch milliseconds; null once it is concluded.
  evaluation_at bigint,
  -- SHA-256 of the token of the lease; null while there is none.
  lease_digest bytea,
  lease_expires_at bigint,
  -- The number of the last claim.
  lease_seq integer not null default 0,
  check ((lease_digest is null) = (lease_expires_at is null))
);
create index evaluations_due on evaluations (project_id, evaluation_at) where evaluation_at is not null;

create table evaluation_claims (
  campaign_id uuid not null references campaigns (id),
  lease_seq integer not null,
  project_id uuid not null references projects (id),
  evaluation_at bigint not null,
  -- A claim that goes on after a decision of people costs nothing of the day's budget.
  is_continuation boolean not null,
  granted_at bigint not null,
  ended_at bigint,
  ended_by claim_ending,
  primary key (campaign_id, lease_seq),
  check ((ended_at is null) = (ended_by is null))
);

-- How many claims of a UTC day were paid for.
create table agent_days (
  project_id uuid not null references projects (id),
  -- Days since 1970.
  day integer not null,
  granted integer not null default 0,
  primary key (project_id, day)
);

create table proposals (
  id uuid primary key,
  project_id uuid not null references projects (id),
  campaign_id uuid not null references campaigns (id),
  evaluation_at bigint not null,
  payload_hash text not null,
  -- The same for every evaluation of the campaign: of the campaign and the mutation alone.
  mutation_hash text not null,
  mutation jsonb not null,
  -- Of the fields that it touches, as they were.
  base jsonb not null,
  proposed_run_id uuid references agent_runs (id),
  status proposal_status not null default 'pending',
  created_at bigint not null,
  expires_at bigint not null,
  decided_by text,
  decided_at bigint,
  decided_run_id uuid references agent_runs (id),
  reason text,
  -- Rejected for good: whenever it is proposed again.
  barred boolean not null default false,
  consumed_at bigint,
  unique (campaign_id, evaluation_at, payload_hash),
  check ((status = 'pending') = (decided_at is null)),
  check (consumed_at is null or status = 'approved'),
  check (not barred or status = 'rejected')
);
create index proposals_newest on proposals (project_id, created_at desc, id desc);

create table applied_mutations (
  campaign_id uuid not null references campaigns (id),
  evaluation_at bigint not null,
  payload_hash text not null,
  project_id uuid not null references projects (id),
  lease_seq integer not null,
  -- SHA-256 of the token with which it was applied, so that a repeat of that request is known.
  lease_digest bytea,
  proposal_id uuid unique references proposals (id),
  run_id uuid not null references agent_runs (id),
  mutation jsonb not null,
  -- The campaign's status afterwards.
  status campaign_status not null,
  applied_at bigint not null,
  primary key (campaign_id, evaluation_at, payload_hash)
);

-- The order in which the treatments of a goal's campaigns were first evaluated, and how sure a verdict about each has to be.
create table verdict_tests (
  goal_id uuid not null references goals (id),
  t integer not null,
  project_id uuid not null references projects (id),
  campaign_id uuid not null references campaigns (id),
  variant_id uuid not null references variants (id),
  alpha double precision not null,
  verdict_at bigint,
  primary key (goal_id, t),
  unique (campaign_id, variant_id)
);
