-- Primary keys with the occasion. Their indexes are built while servers write; only the exchange at the end takes the tables for itself.
create unique index concurrently deliveries_by_occasion on deliveries (lane, user_key, campaign_id, occasion);
create unique index concurrently email_sends_by_occasion on email_sends (lane, user_key, campaign_id, occasion);
create unique index concurrently email_attempts_by_occasion on email_attempts (lane, user_key, campaign_id, occasion, ordinal);
create unique index concurrently email_outcomes_by_occasion on email_outcomes (lane, user_key, campaign_id, occasion, ordinal, kind);
create unique index concurrently email_resends_by_occasion on email_resends (lane, user_key, campaign_id, occasion, ordinal);
create unique index concurrently email_hits_by_occasion on email_hits (lane, user_key, campaign_id, occasion, ordinal);
create unique index concurrently email_hit_heads_by_occasion on email_hit_heads (lane, user_key, campaign_id, occasion);
create unique index concurrently push_conversions_by_occasion on push_conversions (lane, user_key, campaign_id, occasion);
create unique index concurrently push_engagements_by_occasion on push_engagements (lane, user_key, campaign_id, occasion);

alter table deliveries drop constraint deliveries_pkey,
  add constraint deliveries_pkey primary key using index deliveries_by_occasion;
alter table email_sends drop constraint email_sends_pkey,
  add constraint email_sends_pkey primary key using index email_sends_by_occasion;
alter table email_attempts drop constraint email_attempts_pkey,
  add constraint email_attempts_pkey primary key using index email_attempts_by_occasion;
alter table email_outcomes drop constraint email_outcomes_pkey,
  add constraint email_outcomes_pkey primary key using index email_outcomes_by_occasion;
alter table email_resends drop constraint email_resends_pkey,
  add constraint email_resends_pkey primary key using index email_resends_by_occasion;
alter table email_hits drop constraint email_hits_pkey,
  add constraint email_hits_pkey primary key using index email_hits_by_occasion;
alter table email_hit_heads drop constraint email_hit_heads_pkey,
  add constraint email_hit_heads_pkey primary key using index email_hit_heads_by_occasion;
alter table push_conversions drop constraint push_conversions_pkey,
  add constraint push_conversions_pkey primary key using index push_conversions_by_occasion;
alter table push_engagements drop constraint push_engagements_pkey,
  add constraint push_engagements_pkey primary key using index push_engagements_by_occasion;
