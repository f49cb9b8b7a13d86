-- Named audiences, and versions of audiences: those of a segment, and those that campaigns pinned without one. A version
-- never changes.

create type segment_status as enum ('active', 'archived');

create table segments (
  id uuid primary key,
  project_id uuid not null references projects,
  key text not null,
  name text not null,
  description text,
  status segment_status not null,
  current_version integer not null,
  created_by text not null,
  -- The sender's name for this segment: sent again, it stands for the one that was made.
  idempotency_key text,
  created_at bigint not null,
  updated_at bigint not null,
  unique (project_id, key),
  unique (project_id, idempotency_key)
);
create index segments_project on segments (project_id, created_at desc, id desc);

create table audience_versions (
  id uuid primary key,
  project_id uuid not null references projects,
  segment_id uuid references segments,
  version integer,
  expression jsonb not null,
  reason text,
  agent_run_id uuid references agent_runs,
  created_by text not null,
  created_at bigint not null,
  constraint a_version_of_a_segment_has_a_number check ((segment_id is null) = (version is null)),
  unique (segment_id, version)
);
create index audience_versions_project on audience_versions (project_id);
create index audience_versions_run on audience_versions (agent_run_id) where agent_run_id is not null;
