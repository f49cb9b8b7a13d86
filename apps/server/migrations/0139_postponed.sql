-- Pushes that are postponed wait for hours, where others are looked at twice a minute: each kind has its own index, so that a look for what is due
-- does not read all that wait. Mail that was withdrawn is counted as mail that failed is.
create index concurrently push_slots_looked_at on push_slots (campaign_id, at) where state in ('ready', 'waiting') and not is_test and postponed_by is null;
create index concurrently push_slots_postponed on push_slots (campaign_id, at) where postponed_by is not null;
create index concurrently push_slots_postponed_by on push_slots (campaign_id, postponed_by, at) where postponed_by is not null;
create index concurrently email_sends_over on email_sends (campaign_id, status) where status in ('unknown', 'failed', 'capped', 'suppressed', 'withdrawn');
drop index push_slots_due;
alter index push_slots_looked_at rename to push_slots_due;
drop index email_sends_ended;
alter index email_sends_over rename to email_sends_ended;
