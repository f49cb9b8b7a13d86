-- A campaign that is sent once goes through its audience one time, and ends by itself when all its messages are settled. `pass` numbers the
-- passes that are meant: a change of the audience begins another one.
alter table campaigns add column once boolean not null default false;
alter table campaigns add column pass integer not null default 0;
alter table campaigns add constraint campaigns_once_check check (not once or channel <> 'web_inapp');

-- The author of the end, and its instant, as `pause` has those of a pause. Null for campaigns that ended before.
alter table campaigns add column ending jsonb;

-- The pass that the sweep is in, and when a sweep was through the audience last.
alter table campaign_sweeps add column pass integer not null default 0;
alter table campaign_sweeps add column passed_at bigint;
