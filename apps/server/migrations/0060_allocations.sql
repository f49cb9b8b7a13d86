-- Over how long after its exposure a user's conversion counts, in days; and which share of the users gets none of the goal's messages.
alter table goals add column attribution_days smallint not null default 7;
alter table goals add column holdout_percent smallint not null default 0;

-- An epoch is a period of a campaign in which weights, contents, goal and holdout stay as they are. Drafts are in none (0).
alter table campaigns add column epoch integer not null default 0;
-- The first epoch of the current holdout: decisions of earlier epochs do not know it.
alter table campaigns add column holdout_since integer not null default 0;

-- Under which weights a delivery was decided; 0 where that is not known any more.
alter table deliveries add column epoch integer not null default 0;

-- What held in each epoch, variant by variant.
create table allocations (
  campaign_id uuid not null references campaigns (id),
  epoch integer not null,
  variant_id uuid not null references variants (id),
  project_id uuid not null references projects (id),
  weight smallint not null,
  -- SHA-256 of the variant's content, hexadecimal.
  content_digest text not null,
  goal_id uuid references goals (id),
  holdout_percent smallint not null,
  started_at bigint not null,
  primary key (campaign_id, epoch, variant_id)
);

update campaigns set epoch = 1 where status in ('running', 'paused');
insert into allocations (campaign_id, epoch, variant_id, project_id, weight, content_digest, goal_id, holdout_percent, started_at)
select c.id, c.epoch, v.id, c.project_id, v.weight, encode(sha256(convert_to(v.content::text, 'UTF8')), 'hex'), c.goal_id, 0,
  (extract(epoch from clock_timestamp()) * 1000)::bigint
from campaigns c join variants v on v.campaign_id = c.id where c.epoch = 1;
