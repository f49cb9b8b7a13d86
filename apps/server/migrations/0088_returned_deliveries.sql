-- How many messages came back is counted wherever people read how many arrived. They are few: the index has those alone, and no other
-- event of a delivery writes into it.
create index deliveries_bounced on deliveries (campaign_id) where bounced_at is not null;
