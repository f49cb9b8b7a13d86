-- Notes are added to the rollups project by project, in the order in which they were written, some at a time.

-- Every statement that writes a fact notes it: none is under way while this is held.
lock table rollup_notes in access exclusive mode;

alter table rollup_notes
  -- Epoch milliseconds: how far behind a reader is whose project has notes left.
  add column noted_at bigint not null default (extract(epoch from now()) * 1000)::bigint,
  -- Why a note could not be added up. It is put aside, and no later note waits for it.
  add column fault text;

create index rollup_notes_due on rollup_notes (project_id, id) where fault is null;

-- Whether a fact of a note has the types that adding it up needs, so that the doctor can read notes that nobody has tried yet.
create function is_sound_fact(fact jsonb) returns boolean language sql immutable parallel safe as $$
  select case fact ->> 0
    when 'event' then jsonb_typeof(fact -> 1) = 'string' and (fact ->> 2) ~ '^-?\d{1,9}$' and jsonb_typeof(fact -> 3) = 'array'
      and (fact ->> 4) ~ '^-?\d{1,15}$' and coalesce(fact ->> 5, '0') ~ '^-?\d{1,15}$'
    when 'retired' then jsonb_typeof(fact -> 1) = 'string' and (fact ->> 2) ~ '^-?\d{1,9}$' and jsonb_typeof(fact -> 3) = 'array'
      and (fact ->> 4) ~ '^-?\d{1,15}$'
    when 'first' then jsonb_typeof(fact -> 1) = 'string' and (fact ->> 2) ~ '^-?\d{1,15}$'
    when 'forgotten' then jsonb_typeof(fact -> 1) = 'string' and (fact ->> 2) ~ '^-?\d{1,15}$'
    when 'trait' then jsonb_typeof(fact -> 1) = 'string' and jsonb_typeof(fact -> 2) = 'string' and (fact ->> 3) ~ '^-?\d{1,15}$'
    when 'value' then jsonb_typeof(fact -> 1) = 'string' and jsonb_typeof(fact -> 2) = 'string' and (fact ->> 3) ~ '^-?\d{1,15}$'
    when 'delivery' then (fact ->> 1) ~ '^-?\d{1,9}$' and (fact ->> 2) ~ '^-?\d{1,15}$' and (fact ->> 3) ~ '^-?\d{1,15}$'
      and (fact ->> 4) ~ '^-?\d{1,15}$'
    else false
  end is true
$$;

-- Of an event the first 50 property keys are counted from now on. Events that have more were counted with all of them; they can
-- only be events of a name with more than 50 keys, in the rollups or in notes.
create temporary table wide_names on commit drop as
  select project_id, name
  from (
    select project_id, name, key from event_properties
    union
    select project_id, fact ->> 1, part ->> 0
    from rollup_notes, jsonb_array_elements(case jsonb_typeof(facts) when 'array' then facts end) fact,
      jsonb_array_elements(case jsonb_typeof(fact -> 3) when 'array' then fact -> 3 end) part
    where fact ->> 0 = 'event'
  ) known
  group by 1, 2 having count(*) > 50;

insert into event_properties as kept (project_id, name, key, type, count)
  select e.project_id, e.name, p.key, p.type, -count(*)
  from events e join wide_names using (project_id, name), lateral (
    select key, jsonb_typeof(value) as type from jsonb_each(e.props)
    where octet_length(key) <= 256 order by key collate "C" offset 50
  ) p
  group by 1, 2, 3, 4
  on conflict (project_id, name, key, type) do update set count = kept.count + excluded.count;

-- What nobody has any more is forgotten, names included. (A count that notes are still to be added to may be below 0.)
delete from event_properties where count = 0;
delete from event_days where count = 0;
delete from event_names where users = 0 and occurrences = 0;
delete from trait_keys where users = 0;
delete from trait_values where users = 0;
delete from crowded_traits c
  where not exists (select from trait_keys k where k.project_id = c.project_id and k.key = c.key)
    and not exists (select from rollup_notes n where n.project_id = c.project_id);
