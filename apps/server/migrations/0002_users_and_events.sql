-- Hot tables: a row or more per end user. Every unique key leads with (lane, user_key); no foreign keys, so that a
-- cluster can distribute them on lane.

create table users (
  lane smallint not null,
  user_key uuid not null,
  project_id uuid not null,
  external_id text not null,
  traits jsonb not null default '{}',
  first_seen_at bigint not null,
  last_seen_at bigint not null,
  primary key (lane, user_key)
) with (fillfactor = 85);

create table events (
  lane smallint not null,
  user_key uuid not null,
  -- The sender's id of the occurrence, or one of ours: an event of a user is its id, so the key is also what keeps a
  -- repeat from counting twice. One index, since every index is a descent per event.
  event_id text not null,
  project_id uuid not null,
  name text not null,
  props jsonb,
  ts bigint not null,
  primary key (lane, user_key, event_id)
);

create table event_counts (
  lane smallint not null,
  user_key uuid not null,
  name text not null,
  project_id uuid not null,
  count bigint not null,
  first_at bigint not null,
  last_at bigint not null,
  primary key (lane, user_key, name)
) with (fillfactor = 85);

create table active_users (
  lane smallint not null,
  user_key uuid not null,
  -- Year and month, UTC: 202611.
  period integer not null,
  project_id uuid not null,
  primary key (lane, user_key, period)
);

create table active_user_counts (
  lane smallint not null,
  project_id uuid not null,
  period integer not null,
  users bigint not null,
  primary key (lane, project_id, period)
) with (fillfactor = 50);
