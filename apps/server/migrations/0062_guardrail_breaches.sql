-- What a guardrail of a goal stopped: a campaign that ran, and was paused by the run that the row names.
create table guardrail_breaches (
  run_id uuid primary key references agent_runs (id),
  project_id uuid not null references projects (id),
  campaign_id uuid not null references campaigns (id),
  guardrail text not null,
  limit_value double precision not null,
  observed double precision not null,
  -- What was counted: of a rate `all` and `successes`, of a phrase `field` and `phrase`.
  counts jsonb not null,
  -- How much the counts speak against the limit (e-value); null where that is not defined.
  e double precision,
  breached_at bigint not null,
  cleared_at bigint,
  cleared_by text,
  clear_reason text,
  -- The counts of the campaign when a person cleared the breach: later rates are counted from there.
  cleared_counts jsonb
);
create index guardrail_breaches_campaign on guardrail_breaches (project_id, campaign_id);
