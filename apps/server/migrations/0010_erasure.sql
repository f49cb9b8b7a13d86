-- What is left of users who were erased: nothing that tells who they were.

-- Their deliveries, and the months in which they were active, go on under a random key of the same lane.
create table erased_users (
  lane smallint not null,
  user_key uuid not null,
  project_id uuid not null,
  erased_at bigint not null,
  primary key (lane, user_key)
);

-- When somebody who was erased last did each thing, where they had been exposed before: conversions, for any event name,
-- read it as they read event_counts.
create table frozen_events (
  lane smallint not null,
  user_key uuid not null,
  name text not null,
  project_id uuid not null,
  last_at bigint not null,
  primary key (lane, user_key, name)
);
create index frozen_events_name on frozen_events (project_id, name);
