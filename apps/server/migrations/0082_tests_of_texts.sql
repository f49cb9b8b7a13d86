-- Each text of a variant is a test of its own: what is compared with what, from which epoch on, and what is counted. All four are null where
-- that is not known any more; the place in the goal's order stays taken.
alter table verdict_tests
  add column control_id uuid references variants (id),
  -- The first epoch in which both variants had the contents that are compared.
  add column since_epoch integer,
  add column event text,
  add column attribution_days smallint,
  add check (num_nulls(control_id, since_epoch, event, attribution_days) in (0, 4)),
  add check (control_id <> variant_id),
  drop constraint verdict_tests_goal_id_campaign_id_variant_id_key;

-- Two variants are one comparison, whichever of them is the control.
create unique index verdict_tests_once on verdict_tests (
  goal_id, campaign_id, least(variant_id, control_id), greatest(variant_id, control_id), since_epoch, event, attribution_days
);

-- A place of before is that of the text of now; where a verdict was given, of the text that it was about. Drafts begin with epoch 1.
with known as (
  select t.goal_id, t.t, t.campaign_id, t.variant_id, k.id as control_id, g.target_event, g.attribution_days,
    c.epoch = 0 as is_to_come,
    (
      select max(a.epoch) from allocations a
      where a.campaign_id = t.campaign_id and (t.verdict_at is null or a.started_at < t.verdict_at)
    ) as last_epoch
  from verdict_tests t
  join goals g on g.id = t.goal_id and g.target_event is not null
  join campaigns c on c.id = t.campaign_id
  join variants k on k.campaign_id = t.campaign_id and k.is_control and k.id <> t.variant_id
)
update verdict_tests t
set control_id = n.control_id, event = n.target_event, attribution_days = n.attribution_days,
  since_epoch = case when n.is_to_come then 1 else s.epoch end
from known n
cross join lateral (
  select min(epoch) as epoch
  from (
    select epoch, bool_and(is_same) over (order by epoch desc) as is_since
    from (
      select a.epoch, count(*) filter (where a.content_digest = l.content_digest) = 2 as is_same
      from allocations a
      join allocations l on l.campaign_id = a.campaign_id and l.variant_id = a.variant_id and l.epoch = n.last_epoch
      where a.campaign_id = n.campaign_id and a.variant_id in (n.variant_id, n.control_id) and a.epoch <= n.last_epoch
      group by a.epoch
    ) epochs
  ) backwards
  where is_since
) s
where t.goal_id = n.goal_id and t.t = n.t and (n.is_to_come or s.epoch is not null);
