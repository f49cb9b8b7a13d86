-- A delivery is of a user, a campaign and an occasion: the how-manieth time that the campaign turns to the user. What there was is occasion 0.
-- The default is constant, so no table is rewritten, however large it is.
alter table deliveries add column occasion int4 not null default 0;
alter table email_sends add column occasion int4 not null default 0;
alter table email_attempts add column occasion int4 not null default 0;
alter table email_outcomes add column occasion int4 not null default 0;
alter table email_resends add column occasion int4 not null default 0;
alter table email_hits add column occasion int4 not null default 0;
alter table email_hit_heads add column occasion int4 not null default 0;
alter table push_conversions add column occasion int4 not null default 0;
alter table push_engagements add column occasion int4 not null default 0;

-- The key of a send of push says by itself which one it is: here the occasion is beside it.
alter table push_recipients add column occasion int4 not null default 0;
alter table push_slots add column occasion int4 not null default 0;
-- And that of a receipt its user's report.
alter table feedback_receipts add column occasion int4 not null default 0;
