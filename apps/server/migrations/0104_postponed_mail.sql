-- The cap for which a waiting message was postponed, as mails/hours: "3/24" is three mails in 24 hours. Null for a message that does not wait
-- for a cap. A message that waits for a cap which does not hold any more is looked at again at once, so the index leads by it.
alter table email_sends add column postponed_by text;
create index email_sends_postponed on email_sends (campaign_id, postponed_by) where postponed_by is not null;
