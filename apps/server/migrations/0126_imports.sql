-- A file of a customer that is brought in. `read_offset` and `read_line` are where its next piece begins: bytes of the unpacked text and the line,
-- or the row of a Parquet file. `reasons` counts the refusals of its lines by column and rule. `lease_owner`: the process
-- that reads it. `tries`: how often one began to, since the last piece that was brought in.
create table imports (
  project_id uuid not null references projects (id) on delete cascade,
  id uuid not null,
  kind text not null check (kind in ('users', 'events', 'suppressions')),
  name text not null,
  preset text,
  declared_bytes int8,
  declared_sha256 bytea,
  bytes int8 not null default 0,
  format jsonb,
  mapping jsonb,
  options jsonb not null default '{}',
  who_left text,
  state text not null default 'waiting' check (state in ('waiting', 'running', 'stopped', 'done', 'failed')),
  is_dry_run bool not null default false,
  fault text,
  read_offset int8 not null default 0,
  read_line int8 not null default 1,
  bytes_read int8 not null default 0,
  lines int8 not null default 0,
  written int8 not null default 0,
  known int8 not null default 0,
  refused int8 not null default 0,
  reasons jsonb not null default '[]',
  made_by text not null,
  made_at int8 not null,
  started_by text,
  started_at int8,
  ended_at int8,
  lease_owner uuid,
  tries int4 not null default 0,
  primary key (project_id, id),
  check (lines = written + known + refused)
);
create unique index imports_running on imports (project_id) where state = 'running';
create index imports_newest on imports (project_id, made_at desc, id desc);

-- The bytes of such a file, 4 MiB each but for the last. They are compressed already, or not worth the processor time.
create table import_parts (
  project_id uuid not null,
  import_id uuid not null,
  n int4 not null,
  sha256 bytea not null,
  bytes bytea not null,
  primary key (project_id, import_id, n),
  foreign key (project_id, import_id) references imports (project_id, id) on delete cascade
);
alter table import_parts alter column bytes set storage external;

-- Lines that were not taken, and why: the first of them, because a file may have millions.
create table import_refusals (
  project_id uuid not null,
  import_id uuid not null,
  line int8 not null,
  place int4 not null,
  field text not null,
  rule text not null,
  text text not null,
  primary key (project_id, import_id, line, place),
  foreign key (project_id, import_id) references imports (project_id, id) on delete cascade
);
