-- What the libraries of other services sent, by the hour. `outcome` is `taken`, or a reason for which a call was refused or
-- taken with a change; such a call counts as taken too. `names`: some of the events, traits or properties that it was about.
create table intake_hours (
  project_id uuid not null references projects (id) on delete cascade,
  hour int4 not null,
  library text not null,
  call text not null,
  outcome text not null,
  count int8 not null,
  names text[] not null default '{}',
  last_at int8 not null,
  primary key (project_id, hour, library, call, outcome)
);
create index intake_hours_by_age on intake_hours (hour);
