create type approval_mode as enum ('require_human', 'auto');
create type goal_status as enum ('active', 'archived');

create table goals (
  id uuid primary key,
  project_id uuid not null references projects,
  name text not null,
  description text,
  target_event text,
  guardrails jsonb,
  approval_mode approval_mode not null,
  status goal_status not null,
  created_at bigint not null
);
create index goals_project on goals (project_id, created_at desc, id desc);
create index goals_target_event on goals (project_id, target_event);

create type campaign_status as enum ('draft', 'running', 'paused', 'ended');
create type channel as enum ('web_inapp', 'email', 'push');

create table campaigns (
  id uuid primary key,
  project_id uuid not null references projects,
  name text not null,
  -- What was decided; `scheduled` and `expired` follow from the window and are never stored.
  status campaign_status not null,
  channel channel not null,
  goal_id uuid references goals,
  created_by text not null,
  created_at bigint not null,
  started_at bigint,
  ended_at bigint,
  deliver_from bigint,
  deliver_until bigint,
  audience jsonb not null,
  pages text[]
);
create index campaigns_project on campaigns (project_id, created_at desc, id desc);
create index campaigns_goal on campaigns (goal_id) where goal_id is not null;

create table variants (
  id uuid primary key,
  campaign_id uuid not null references campaigns,
  project_id uuid not null references projects,
  position smallint not null,
  name text not null,
  weight smallint not null,
  is_control boolean not null,
  content jsonb not null,
  unique (campaign_id, position)
);
create unique index variants_one_control on variants (campaign_id) where is_control;

create table media (
  project_id uuid not null references projects,
  digest text not null,
  content_type text not null,
  width integer not null,
  height integer not null,
  bytes bytea not null,
  created_at bigint not null,
  primary key (project_id, digest)
);
