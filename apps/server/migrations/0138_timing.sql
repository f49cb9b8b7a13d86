-- A message that was postponed for longer than its campaign has patience ends as withdrawn: it never left, and never will.
alter type delivery_state add value 'withdrawn' after 'frequency_capped';
alter type email_send_status add value 'withdrawn';

-- For what a push waits that is postponed for hours, as in email_sends; null for others.
alter table push_slots add column postponed_by text;

-- When the messages of a campaign leave. `send_time`: the hour of the day, of each reader or of one zone; null for at once. Of one reader's messages
-- those with the highest `priority` go first. After `patience_hours` a message that is postponed is withdrawn. `urgent` passes quiet hours and pressure.
alter table campaigns
  add column send_time jsonb,
  add column priority int2 not null default 3 check (priority between 1 and 5),
  add column patience_hours int2 not null default 72 check (patience_hours between 1 and 720),
  add column urgent boolean not null default false,
  add constraint campaigns_send_time check (send_time is null or (purpose = 'marketing' and channel in ('email', 'push'))),
  add constraint campaigns_urgent check (not urgent or (purpose = 'marketing' and channel in ('email', 'push')));

-- How many messages of a topic one reader gets within so many days; null for any number.
alter table topics
  add column max int2 check (max between 1 and 1000),
  add column days int2 check (days between 1 and 365),
  add constraint topics_limit check ((max is null) = (days is null));
