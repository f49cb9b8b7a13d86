-- What the doctor found when a person asked it from the dashboard. A worker looks, so that it goes on whatever becomes of the request.
create table doctor_runs (
  id uuid primary key,
  requested_at bigint not null,
  requested_by text not null,
  -- The process that looks; null until one has begun.
  lease_owner uuid,
  started_at bigint,
  -- How many checks there are.
  checks integer,
  findings jsonb not null default '[]',
  ended_at bigint,
  -- Why it ended before its last check.
  fault text,
  check ((lease_owner is null) = (started_at is null)),
  check ((lease_owner is null) = (checks is null))
);
-- It reads whole tables, so it looks once at a time.
create unique index doctor_runs_open on doctor_runs ((true)) where ended_at is null;
