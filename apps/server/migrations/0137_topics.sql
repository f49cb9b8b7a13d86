-- Finds the users who have an address: a reader who is known by their address alone must not get a campaign beside the user who has it. Texts that
-- are too long for an address stay out, because an index refuses rows with long texts.
create index concurrently users_of_email on users (project_id, lower(trim(traits ->> 'email'))) where jsonb_typeof(traits -> 'email') = 'string' and length(trim(traits ->> 'email')) <= 254;

-- What a project writes about: readers choose topics, in place of leaving altogether. `is_default_in`: whether somebody who has chosen nothing gets
-- its messages. A topic is never deleted, because the log of consents names it.
create table topics (
  id uuid primary key,
  project_id uuid not null references projects,
  key text not null,
  name text not null,
  description text not null,
  is_default_in boolean not null,
  double_opt_in boolean not null,
  status text not null default 'active' check (status in ('active', 'archived')),
  created_at int8 not null,
  updated_at int8 not null,
  unique (project_id, key)
);

alter table campaigns
  add column topic_id uuid references topics,
  add constraint campaigns_topic check (topic_id is null or (purpose = 'marketing' and channel in ('email', 'push')));
create index campaigns_of_topic on campaigns (topic_id) where topic_id is not null;

-- What the owner of an address has chosen; without a row the default of the topic counts. The address is known by its hash alone, as where it is
-- suppressed.
create table topic_choices (
  lane int2 not null,
  address_key uuid not null,
  topic_id uuid not null,
  project_id uuid not null,
  is_in boolean not null,
  chosen_at int8 not null,
  primary key (lane, address_key, topic_id)
);
create index topic_choices_of_topic on topic_choices (topic_id, is_in);

-- What a user has chosen for pushes, which have no address.
create table push_topic_choices (
  lane int2 not null,
  user_key uuid not null,
  topic_id uuid not null,
  project_id uuid not null,
  is_in boolean not null,
  chosen_at int8 not null,
  primary key (lane, user_key, topic_id)
);
create index push_topic_choices_of_topic on push_topic_choices (topic_id, is_in);

-- What people chose and confirmed, and how: nothing is changed or deleted here, but who a person was once they are erased. `topic_id`: null for all
-- mail at once. It is about an address, which is known by its hash, or for pushes about a user.
create table consents (
  id int8 generated always as identity primary key,
  project_id uuid not null,
  address_lane int2,
  address_key uuid,
  user_lane int2,
  user_key uuid,
  topic_id uuid,
  action text not null check (action in ('requested', 'confirmed', 'joined', 'left')),
  at int8 not null,
  via text not null,
  source text,
  form_hash text,
  request_id uuid,
  by text,
  ip text,
  check ((address_key is null) <> (user_key is null)),
  check ((address_key is null) = (address_lane is null) and (user_key is null) = (user_lane is null))
);
create index consents_of_request on consents (request_id) where request_id is not null;
create index consents_newest on consents (project_id, id);
create index consents_of_address on consents (address_lane, address_key, id) where address_key is not null;
create index consents_of_user on consents (user_lane, user_key, id) where user_key is not null;

-- Mails in a row that an address did not take for reasons that pass, such as a mailbox that is full, and since when.
alter table email_addresses
  add column failures int4 not null default 0,
  add column first_failed_at int8,
  add constraint email_addresses_failing check ((failures > 0) = (first_failed_at is not null));
