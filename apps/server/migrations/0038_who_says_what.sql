-- Who said what about a user: their own server, or a page with the public key.

-- Traits that the secret key set; null where there are none. A publishable key cannot change these.
alter table users add column server_traits text[];
-- When a publishable key gave the address that is in the traits now, while mail may not go to it yet; else null. Addresses that
-- were there before this column was are as good as confirmed.
alter table users add column address_given_at bigint;

-- Of the addresses that publishable keys gave in an hour, how many became addresses that mail goes to.
create table address_intakes (
  project_id uuid not null references projects (id),
  -- The start of the hour.
  hour_at bigint not null,
  addresses integer not null default 0,
  primary key (project_id, hour_at)
);

-- Users of the audience whose address waits for the server's word: in the last whole pass, and so far in this one.
alter table email_plans add column unconfirmed integer not null default 0;
alter table email_plans add column unconfirmed_so_far integer not null default 0;
