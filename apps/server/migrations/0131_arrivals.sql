-- When an event was recorded here (epoch ms), by the clock of the database, so that each server's events come in one order. 0: before this was
-- written down. It stays when a visitor's event becomes a user's.
alter table events add column recorded_at int8 not null default 0;
alter table events alter column recorded_at set default (date_part('epoch', clock_timestamp()) * 1000)::int8;

-- Files that this server writes for other systems: to which place, which lists (`lists`), as what, and how often. `place` names the folder or
-- bucket with its path, for one sync only, for good: one that was deleted stays without its keys, so that no other writes among its files.
-- `due_at`: when something is to be written next. `failures`: attempts in a row that failed; `failing_since`: the first of them.
-- `alerted_at`: when owners got a mail about it.
create table syncs (
  id uuid primary key,
  project_id uuid not null references projects (id) on delete cascade,
  lists text[] not null,
  format text not null check (format in ('csv', 'ndjson', 'parquet')),
  every text not null check (every in ('hour', 'day')),
  place text not null unique,
  destination jsonb not null,
  sealed bytea,
  state text not null default 'on' check (state in ('on', 'off')),
  begins_at int8,
  due_at int8 not null,
  succeeded_at int8,
  failures int4 not null default 0,
  failing_since int8,
  fault text,
  alerted_at int8,
  lease_owner uuid,
  made_by text not null,
  made_at int8 not null,
  changed_at int8 not null,
  deleted_at int8,
  check (state = 'off' or deleted_at is null)
);
create index syncs_by_project on syncs (project_id, made_at) where deleted_at is null;
create index syncs_due on syncs (due_at) where state = 'on';

-- What a sync has written, or writes: one list, from `since` (null: from the beginning) until before `until`. `files`: those that are there;
-- `read_to`: how far the list is in them. It is done once its `_manifest.json` is there.
create table sync_windows (
  sync_id uuid not null references syncs (id) on delete cascade,
  list text not null,
  until int8 not null,
  project_id uuid not null,
  since int8,
  folder text not null,
  files jsonb not null default '[]',
  rows int8 not null default 0,
  bytes int8 not null default 0,
  read_to jsonb,
  begun_at int8 not null,
  ended_at int8,
  primary key (sync_id, list, until)
);
