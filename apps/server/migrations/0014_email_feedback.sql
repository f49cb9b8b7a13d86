-- Who followed the links of a mail: people, and the machines that look at it for them.

-- Each time one was followed, up to a number per message. Neither address nor browser of the visitor is kept.
create table email_touches (
  lane smallint not null,
  user_key uuid not null,
  campaign_id uuid not null,
  ordinal smallint not null,
  project_id uuid not null,
  -- open, click or trap: the link that nobody can see.
  kind text not null,
  at bigint not null,
  -- Where a click led to.
  url text,
  -- Why this was no person, or null. What was taken for a person may turn out not to be one.
  machine text,
  primary key (lane, user_key, campaign_id, ordinal)
) with (fillfactor = 90);

-- What of a message's touches decides about the next one.
create table email_touch_heads (
  lane smallint not null,
  user_key uuid not null,
  campaign_id uuid not null,
  project_id uuid not null,
  -- All of them, those too that are not kept.
  touches integer not null,
  trap_at bigint,
  -- The link that was followed last, and when; and when another one was followed last.
  link text,
  link_at bigint,
  other_link_at bigint,
  primary key (lane, user_key, campaign_id)
) with (fillfactor = 70);
