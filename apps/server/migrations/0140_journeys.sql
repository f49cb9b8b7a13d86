-- A journey: the steps that a user goes through after something happened to them. `definition` is how they enter, leave, and what the steps are;
-- `trigger_events` are the events that it names; with `exits_on_goal` the event of its goal matters as well. `retimed_steps` are waits that were changed while users may be there.
create table journeys (
  id uuid primary key,
  project_id uuid not null references projects,
  name text not null,
  status campaign_status not null,
  version int4 not null default 1,
  definition jsonb not null,
  trigger_events text[] not null,
  exits_on_goal boolean not null,
  retimed_steps text[] not null default '{}',
  goal_id uuid references goals,
  created_by text not null,
  created_at int8 not null,
  updated_at int8 not null,
  started_at int8,
  ended_at int8
);
create index journeys_project on journeys (project_id, created_at desc, id desc);

-- What a journey was at each version.
create table journey_versions (
  journey_id uuid not null references journeys,
  version int4 not null,
  project_id uuid not null references projects,
  definition jsonb not null,
  created_by text not null,
  created_at int8 not null,
  primary key (journey_id, version)
);

-- A campaign may be the message of a step.
alter table campaigns
  add column journey_id uuid references journeys,
  add column step_id text,
  add constraint campaigns_step check (
    (journey_id is null) = (step_id is null) and (journey_id is null or (purpose = 'marketing' and not once and pages is null))
  );
-- A step that was taken away has ended: another one may have its id.
create unique index campaigns_of_journey on campaigns (journey_id, step_id) where journey_id is not null and status <> 'ended';

-- A user in a journey, once for each time that they entered: at which step they are, since when, and when they are to be looked at again.
-- `is_acted`: the message of this step was made.
create table journey_entries (
  lane int2 not null,
  user_key uuid not null,
  journey_id uuid not null,
  occasion int4 not null,
  project_id uuid not null,
  step_id text not null,
  is_acted boolean not null default false,
  arrived_at int8 not null,
  due_at int8 not null,
  version int4 not null,
  entered_at int8 not null,
  event jsonb,
  left_at int8,
  left_by text check (left_by in ('finished', 'goal', 'event', 'removed', 'ended', 'erased')),
  primary key (lane, user_key, journey_id, occasion),
  check ((left_at is null) = (left_by is null))
) with (fillfactor = 70);
create unique index journey_entries_active on journey_entries (lane, user_key, journey_id) where left_at is null;
create index journey_entries_due on journey_entries (journey_id, due_at) where left_at is null;
create index journey_entries_newest on journey_entries (journey_id, entered_at, lane, user_key, occasion);

-- What a user did at each step that they have left, in order.
create table journey_marks (
  lane int2 not null,
  user_key uuid not null,
  journey_id uuid not null,
  occasion int4 not null,
  ordinal int4 not null,
  project_id uuid not null,
  step_id text not null,
  did text not null check (did in ('sent', 'withheld', 'skipped', 'waited', 'met', 'unmet')),
  reason text,
  version int4 not null,
  at int8 not null,
  primary key (lane, user_key, journey_id, occasion, ordinal)
);

-- How many users are at a step (`here`), and what those did who have left it; without a step: how many entered and left.
create table journey_counts (
  journey_id uuid not null references journeys,
  step_id text not null,
  did text not null,
  project_id uuid not null,
  count int8 not null,
  primary key (journey_id, step_id, did)
);

-- Events that matter to a journey and were not looked at yet, in the order in which they were recorded.
create table journey_triggers (
  lane int2 not null,
  user_key uuid not null,
  seq int8 generated always as identity,
  project_id uuid not null,
  journey_id uuid not null,
  event_id text not null,
  name text not null,
  props jsonb,
  ts int8 not null,
  primary key (lane, user_key, seq)
);
create index journey_triggers_oldest on journey_triggers (seq);
