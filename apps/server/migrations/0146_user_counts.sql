-- How many users and visitors a project has. Counting them anew takes a second for every five million, so that lists and figures read this.
create table user_counts (
  project_id uuid not null references projects,
  kind text not null check (kind in ('users', 'visitors')),
  users int8 not null,
  primary key (project_id, kind)
);

insert into user_counts (project_id, kind, users)
select project_id, case when starts_with(external_id, '$anon:') then 'visitors' else 'users' end, count(*)
from users group by 1, 2;

-- What deltas may say, with how many users came or went.
create or replace function is_sound_fact(fact jsonb) returns boolean
language sql immutable parallel safe as $$
  select case fact ->> 0
    when 'event' then jsonb_typeof(fact -> 1) = 'string' and (fact ->> 2) ~ '^-?\d{1,9}$' and jsonb_typeof(fact -> 3) = 'array'
      and (fact ->> 4) ~ '^-?\d{1,15}$' and coalesce(fact ->> 5, '0') ~ '^-?\d{1,15}$'
    when 'retired' then jsonb_typeof(fact -> 1) = 'string' and (fact ->> 2) ~ '^-?\d{1,9}$' and jsonb_typeof(fact -> 3) = 'array'
      and (fact ->> 4) ~ '^-?\d{1,15}$'
    when 'first' then jsonb_typeof(fact -> 1) = 'string' and (fact ->> 2) ~ '^-?\d{1,15}$'
    when 'forgotten' then jsonb_typeof(fact -> 1) = 'string' and (fact ->> 2) ~ '^-?\d{1,15}$'
    when 'trait' then jsonb_typeof(fact -> 1) = 'string' and jsonb_typeof(fact -> 2) = 'string' and (fact ->> 3) ~ '^-?\d{1,15}$'
    when 'value' then jsonb_typeof(fact -> 1) = 'string' and jsonb_typeof(fact -> 2) = 'string' and (fact ->> 3) ~ '^-?\d{1,15}$'
    when 'users' then (fact ->> 1) in ('users', 'visitors') and (fact ->> 2) ~ '^-?\d{1,15}$'
    when 'delivery' then (fact ->> 1) ~ '^-?\d{1,9}$' and (fact ->> 2) ~ '^-?\d{1,15}$' and (fact ->> 3) ~ '^-?\d{1,15}$'
      and (fact ->> 4) ~ '^-?\d{1,15}$'
    else false
  end is true
$$;
