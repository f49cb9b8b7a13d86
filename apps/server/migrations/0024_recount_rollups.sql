-- Rollups (0009) were only kept from then on: what a project was and did before that is counted here, once. Projects that were made
-- later have whole ones, and cost nothing. Keys of up to 256 bytes and values of up to 40 characters are counted, as always.

-- Every statement that writes a fact notes it: none is under way while this is held.
lock table rollup_notes in access exclusive mode;

create temporary table older on commit drop as
  select id as project_id from projects
  where created_at <= (select extract(epoch from applied_at) * 1000 from migrations where name = '0009_rollups.sql');

delete from rollup_notes where project_id in (select project_id from older);
delete from event_properties where project_id in (select project_id from older);
delete from event_days where project_id in (select project_id from older);
delete from trait_keys where project_id in (select project_id from older);
delete from trait_values where project_id in (select project_id from older);
delete from delivery_days where project_id in (select project_id from older);

-- When a name was last seen stays, also of events that are no more.
update event_names set users = 0, occurrences = 0 where project_id in (select project_id from older);
insert into event_names as kept (project_id, name, users, occurrences, last_seen_at)
  select project_id, name, count(*), sum(count), max(last_at) from event_counts join older using (project_id) group by 1, 2
  on conflict (project_id, name) do update
    set users = excluded.users, occurrences = excluded.occurrences,
      last_seen_at = greatest(kept.last_seen_at, excluded.last_seen_at);

insert into event_days (project_id, day, name, count)
  select project_id, ts / 86400000, name, count(*) from events join older using (project_id) group by 1, 2, 3;

insert into event_properties (project_id, name, key, type, count)
  select project_id, name, p.key, jsonb_typeof(p.value), count(*)
  from events join older using (project_id), jsonb_each(props) p
  where octet_length(p.key) <= 256 group by 1, 2, 3, 4;

insert into trait_keys (project_id, key, type, users)
  select project_id, t.key, jsonb_typeof(t.value), count(*)
  from users join older using (project_id), jsonb_each(traits) t
  where jsonb_typeof(t.value) <> 'null' and octet_length(t.key) <= 256 group by 1, 2, 3;

create temporary table valued on commit drop as
  select project_id, t.key, t.value #>> '{}' as value, count(*) as users
  from users join older using (project_id), jsonb_each(traits) t
  where jsonb_typeof(t.value) = 'string' and length(t.value #>> '{}') between 1 and 40 and octet_length(t.key) <= 256
  group by 1, 2, 3;
insert into crowded_traits (project_id, key)
  select project_id, key from valued group by 1, 2 having count(*) > 50
  on conflict do nothing;
insert into trait_values (project_id, key, value, users)
  select project_id, key, value, users from valued v
  where not exists (select from crowded_traits c where c.project_id = v.project_id and c.key = v.key);

insert into delivery_days (project_id, day, shown, clicked, converted)
  select project_id, at / 86400000, count(*) filter (where kind = 'shown'), count(*) filter (where kind = 'clicked'),
    count(*) filter (where kind = 'converted')
  from deliveries join older using (project_id), lateral (
    values ('shown', shown_at), ('clicked', clicked_at), ('converted', converted_at)
  ) instant (kind, at)
  where at is not null group by 1, 2;
