create type delivery_state as enum (
  'queued', 'sending', 'retryable', 'frequency_capped', 'sent', 'delivered', 'shown', 'opened', 'clicked',
  'dismissed', 'bounced', 'complained', 'unsubscribed', 'failed', 'converted'
);

create table deliveries (
  lane smallint not null,
  user_key uuid not null,
  campaign_id uuid not null,
  project_id uuid not null,
  variant_id uuid not null,
  state delivery_state not null,
  queued_at bigint not null,
  sent_at bigint,
  delivered_at bigint,
  shown_at bigint,
  opened_at bigint,
  clicked_at bigint,
  dismissed_at bigint,
  bounced_at bigint,
  complained_at bigint,
  unsubscribed_at bigint,
  converted_at bigint,
  -- When the user met the message, as the channel counts it: shown_at on the web, delivered_at for email.
  exposed_at bigint,
  -- The user's last goal event for this campaign, kept before exposure too: an exposure and an event that are
  -- written at the same moment meet in this row, whichever commits first.
  goal_event_at bigint,
  -- A user gets a campaign at most once, by construction.
  primary key (lane, user_key, campaign_id)
) with (fillfactor = 85);
create index deliveries_campaign on deliveries (campaign_id, queued_at desc, user_key desc);

create table feedback_receipts (
  lane smallint not null,
  user_key uuid not null,
  feedback_id text not null,
  campaign_id uuid not null,
  type text not null,
  receipt_id uuid not null,
  acknowledged_at bigint not null,
  primary key (lane, user_key, feedback_id)
);

create table campaign_stats (
  lane smallint not null,
  campaign_id uuid not null,
  variant_id uuid not null,
  project_id uuid not null,
  sent bigint not null default 0,
  frequency_capped bigint not null default 0,
  delivered bigint not null default 0,
  shown bigint not null default 0,
  opened bigint not null default 0,
  clicked bigint not null default 0,
  dismissed bigint not null default 0,
  bounced bigint not null default 0,
  complained bigint not null default 0,
  unsubscribed bigint not null default 0,
  converted bigint not null default 0,
  primary key (lane, campaign_id, variant_id)
) with (fillfactor = 50);
create index campaign_stats_campaign on campaign_stats (campaign_id);
