-- What the users of a project are and do, counted exactly while it happens, so that looking at it never reads the events.

-- What statements that write facts note down, one row per statement and project: cheap to append, and no row that two
-- statements wait for. Folded into the tables below now and then, and before they are read.
create table rollup_notes (
  lane smallint not null,
  id bigint generated always as identity,
  project_id uuid not null,
  -- Arrays: ["event", name, day, shape, count, last ts], ["first", name, users], ["trait", key, type, users],
  -- ["value", key, value, users], ["delivery", day, shown, clicked, converted].
  facts jsonb not null,
  primary key (lane, id)
);

create table event_names (
  project_id uuid not null references projects,
  name text not null,
  users bigint not null default 0,
  occurrences bigint not null default 0,
  last_seen_at bigint,
  primary key (project_id, name)
);

create table event_properties (
  project_id uuid not null references projects,
  name text not null,
  key text not null,
  type text not null,
  count bigint not null,
  primary key (project_id, name, key, type)
);

create table event_days (
  project_id uuid not null references projects,
  -- Days since 1970, UTC.
  day integer not null,
  name text not null,
  count bigint not null,
  primary key (project_id, day, name)
);

create table trait_keys (
  project_id uuid not null references projects,
  key text not null,
  type text not null,
  users bigint not null,
  primary key (project_id, key, type)
);

create table trait_values (
  project_id uuid not null references projects,
  key text not null,
  value text not null,
  users bigint not null,
  primary key (project_id, key, value)
);

-- Traits with more values than anyone picks from a list: they are not counted by value any more.
create table crowded_traits (
  project_id uuid not null references projects,
  key text not null,
  primary key (project_id, key)
);

create table delivery_days (
  project_id uuid not null references projects,
  day integer not null,
  shown bigint not null,
  clicked bigint not null,
  converted bigint not null,
  primary key (project_id, day)
);

-- Ends a statement that met a row which it could not know of; the caller runs it again.
create function raise_contention() returns boolean language plpgsql as $$
begin
  raise exception 'another statement made this row first' using errcode = 'serialization_failure';
end
$$;
