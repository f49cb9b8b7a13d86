-- What the calls of a run of the hosted agent used and cost. The sums of tokens are of all calls.
create table ai_usage (
  project_id uuid not null references projects,
  execution_id text not null,
  model text,
  session_id text,
  -- The calls as they were reported, and for each its five prices in micro-USD per million tokens.
  calls jsonb not null,
  prices jsonb not null,
  input_tokens bigint not null default 0,
  cached_input_tokens bigint not null default 0,
  cache_write_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  reasoning_tokens bigint not null default 0,
  tool_cost_micros bigint not null default 0,
  cost_micros bigint not null,
  credits bigint not null,
  recorded_at bigint not null,
  primary key (project_id, execution_id)
);
create index ai_usage_recorded on ai_usage (project_id, recorded_at);
create trigger ai_usage_is_appended before update or delete or truncate on ai_usage
  for each statement execute function refuse_rewriting();

-- What is billed for it: one beside each.
create table ai_billing_reports (
  id uuid primary key,
  project_id uuid not null references projects,
  execution_id text not null,
  credits bigint not null,
  state text not null default 'recorded',
  created_at bigint not null,
  unique (project_id, execution_id),
  foreign key (project_id, execution_id) references ai_usage
);
create trigger ai_billing_reports_are_appended before update or delete or truncate on ai_billing_reports
  for each statement execute function refuse_rewriting();
