-- What an agent did and why: a log that only grows, read newest first, as a whole or by what it was about.
create table agent_runs (
  id uuid primary key,
  project_id uuid not null references projects,
  kind text not null,
  goal_id uuid references goals,
  campaign_id uuid references campaigns,
  input jsonb,
  output jsonb,
  rationale text,
  -- The sender's name for this run; without one every request is a run of its own.
  idempotency_key text,
  created_at bigint not null,
  unique (project_id, idempotency_key)
);
create index agent_runs_project on agent_runs (project_id, created_at desc, id desc);
create index agent_runs_kind on agent_runs (project_id, kind, created_at desc, id desc);
create index agent_runs_goal on agent_runs (goal_id, created_at desc, id desc) where goal_id is not null;
create index agent_runs_campaign on agent_runs (campaign_id, created_at desc, id desc)
  where campaign_id is not null;
