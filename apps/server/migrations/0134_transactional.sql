-- A campaign may be a template of transactional mail, such as receipts: it has a key, and goes to each recipient for whom it is requested.
alter table campaigns
  add column purpose text not null default 'marketing' check (purpose in ('marketing', 'transactional')),
  add column key text,
  add column is_sensitive boolean not null default false,
  add constraint campaigns_transactional check (
    case purpose
      when 'transactional' then key is not null and channel = 'email' and visitors = 'none' and not once and pages is null
        and deliver_from is null and deliver_until is null
      else key is null and not is_sensitive
    end
  );
create unique index campaigns_key on campaigns (project_id, key) where key is not null and status <> 'ended';

-- What a transactional mail is filled with, and where it goes, until it is forgotten. `sealed` has all of it where the template is
-- sensitive, until the mail has reached its end.
create table send_data (
  lane int2 not null,
  user_key uuid not null,
  campaign_id uuid not null,
  occasion int4 not null,
  project_id uuid not null,
  requested_at int8 not null,
  address text not null,
  send_at int8,
  request jsonb,
  sealed bytea,
  primary key (lane, user_key, campaign_id, occasion),
  check (request is null or sealed is null)
);
create index send_data_newest on send_data (project_id, requested_at, lane, user_key, campaign_id, occasion);
create index send_data_sealed on send_data (requested_at) where sealed is not null;
create index send_data_of_template on send_data (campaign_id, requested_at, lane, user_key, occasion);

-- The files of such a mail.
create table send_files (
  lane int2 not null,
  user_key uuid not null,
  campaign_id uuid not null,
  occasion int4 not null,
  ordinal int2 not null,
  project_id uuid not null,
  name text not null,
  content_type text not null,
  content_id text,
  content bytea not null,
  primary key (lane, user_key, campaign_id, occasion, ordinal)
);
