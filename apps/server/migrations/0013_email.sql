-- Campaign email: who is to get what, what was tried, what came of it.

create type email_send_status as enum ('waiting', 'sending', 'accepted', 'unknown', 'failed', 'capped', 'suppressed');

-- One message of a campaign to one user: the queue of sending, and what became of it.
create table email_sends (
  lane smallint not null,
  user_key uuid not null,
  campaign_id uuid not null,
  project_id uuid not null,
  status email_send_status not null,
  -- Not before then.
  due_at bigint not null,
  -- Claimed, and handed to a connection: what becomes of it is not known before an answer is. Not begun is proven unsent.
  begun boolean not null default false,
  -- Attempts so far, and those of them that the server refused for now.
  attempts smallint not null default 0,
  deferrals smallint not null default 0,
  -- Whose claim it is, and until when: then what became of it is not known.
  fence uuid,
  claimed_until bigint,
  -- The address it went to last.
  address_lane smallint,
  address_key uuid,
  -- Why it ended as it did, in a few words of the server's or of ours.
  reason text,
  -- A user gets a campaign at most once, by construction.
  primary key (lane, user_key, campaign_id)
) with (fillfactor = 70);
create index email_sends_due on email_sends (campaign_id, due_at) where status = 'waiting';
create index email_sends_claimed on email_sends (claimed_until) where status = 'sending';
create index email_sends_ended on email_sends (campaign_id, status)
  where status in ('unknown', 'failed', 'capped', 'suppressed');

-- Attempts, written before the first byte leaves, and what came of each. Appended only.
create table email_attempts (
  lane smallint not null,
  user_key uuid not null,
  campaign_id uuid not null,
  ordinal smallint not null,
  project_id uuid not null,
  fence uuid not null,
  started_at bigint not null,
  primary key (lane, user_key, campaign_id, ordinal)
);

create type email_outcome_kind as enum ('accepted', 'deferred', 'rejected', 'unknown');

create table email_outcomes (
  lane smallint not null,
  user_key uuid not null,
  campaign_id uuid not null,
  ordinal smallint not null,
  project_id uuid not null,
  kind email_outcome_kind not null,
  at bigint not null,
  -- The server's reply, where there was one.
  code smallint,
  response text,
  -- What was not known may be learned later: the second entry stands beside the first.
  primary key (lane, user_key, campaign_id, ordinal, kind)
);

-- Messages whose fate was not known and that a person had sent again.
create table email_resends (
  lane smallint not null,
  user_key uuid not null,
  campaign_id uuid not null,
  ordinal smallint not null,
  project_id uuid not null,
  decided_by text not null,
  decided_at bigint not null,
  primary key (lane, user_key, campaign_id, ordinal)
);

-- Addresses that a project sends to: whether it may, and how much it did lately. Keyed by a hash of project and address.
create table email_addresses (
  lane smallint not null,
  address_key uuid not null,
  project_id uuid not null,
  -- As it is written on envelopes; null once its user was erased, the hash still keeps a suppression.
  address text,
  suppressed_at bigint,
  suppressed_by text,
  -- When the server took a campaign email for it, within the window of the cap.
  accepted_at bigint[] not null default '{}',
  -- Messages that are on their way at this moment.
  on_the_way integer not null default 0,
  primary key (lane, address_key)
) with (fillfactor = 70);
create index email_addresses_suppressed on email_addresses (project_id, suppressed_at) where suppressed_at is not null;

-- How far the users of a campaign's audience were gone through: passes by lane and user, one after the other.
create table email_plans (
  campaign_id uuid primary key references campaigns,
  project_id uuid not null references projects,
  passes integer not null default 0,
  -- The pass that is under way goes on after this user; both null between passes.
  after_lane smallint,
  after_user uuid,
  next_pass_at bigint not null,
  -- Why sending stands still, and since when.
  fault text,
  fault_at bigint
);

-- When the next message of a project (domain '') or to one of its recipients' domains may leave, in microseconds.
create table email_throttles (
  project_id uuid not null references projects,
  domain text not null,
  next_at bigint not null,
  -- Up to when messages that had to wait were told to come again.
  told_until bigint not null default 0,
  primary key (project_id, domain)
);

-- Deliveries that were skipped because their recipient had enough email, by month.
create table email_capped_counts (
  lane smallint not null,
  project_id uuid not null,
  -- Year and month, UTC: 202611.
  period integer not null,
  deliveries bigint not null,
  primary key (lane, project_id, period)
) with (fillfactor = 50);

-- Mail that was not sent anywhere, for looking at: the transport of who has no mail server.
create table outbox_messages (
  id uuid primary key,
  project_id uuid not null references projects,
  recipient text not null,
  raw bytea not null,
  at bigint not null
);
create index outbox_messages_project on outbox_messages (project_id, at desc, id desc);

create index campaigns_sending on campaigns (project_id, channel) where status = 'running' and channel <> 'web_inapp';
