-- Where a delivery would have been made, had its user not been held out of the campaign's goal. The user counts as having had it.
create table withheld_deliveries (
  lane smallint not null,
  user_key uuid not null,
  campaign_id uuid not null,
  project_id uuid not null,
  epoch integer not null,
  withheld_at bigint not null,
  primary key (lane, user_key, campaign_id)
);
create index withheld_deliveries_campaign on withheld_deliveries (campaign_id);

-- When an erased user did something first at or after each instant from which a conversion of theirs may count; null where it was
-- not kept: users who were erased before.
alter table frozen_events add column hits bigint[];
