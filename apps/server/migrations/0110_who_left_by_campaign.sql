-- Who left because of a campaign's mail is looked for among its deliveries: few of them have such an instant. Those that came back have an index.
create index deliveries_left on deliveries (campaign_id) where unsubscribed_at is not null or complained_at is not null;
