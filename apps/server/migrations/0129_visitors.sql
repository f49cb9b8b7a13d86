-- Visitors are users whose id is `$anon:` and the random id that their browser made. This finds and counts them.
-- It leaves out when they were seen last: an index that has it would be written to whenever a user is seen.
create index users_visitors on users (project_id, first_seen_at, user_key) where starts_with(external_id, '$anon:');

-- Whether any project has ever kept visitors.
create index setting_changes_of_visitors on setting_changes (project_id) where key = 'visitors.enabled';

-- Which user a visitor turned out to be: the first user whom a request named beside the visitor, for good. The visitor's row in `users` is gone.
-- `units`: deliveries, withheld ones too, that stay under the visitor's key, because the user had the campaign already; what the user does
-- counts for both. `is_moving`: events of the visitor are still to be moved. `dropped`: traits and events that the user had no room for.
create table identities (
  lane int2 not null,
  user_key uuid not null,
  project_id uuid not null,
  external_id text not null,
  to_lane int2 not null,
  to_user_key uuid not null,
  linked_at int8 not null,
  is_moving bool not null default false,
  units int4 not null default 0,
  dropped int4 not null default 0,
  primary key (lane, user_key)
);
create index identities_by_user on identities (to_lane, to_user_key);
create index identities_with_units on identities (project_id) where units > 0;
create index identities_moving on identities (linked_at) where is_moving;

-- `drawn_as`: the key by which variants and holdouts are drawn for the user, where they were a visitor whom campaigns met before they met the
-- user. `joined`: how many visitors became the user. `left_by`: the keys of those who left deliveries under their own.
alter table users add column drawn_as uuid, add column joined int4 not null default 0, add column left_by uuid[];

-- The visitor for whom it was decided, where that was apart from what was decided for the user: a goal counts the two as two units.
alter table deliveries add column decided_as uuid;
alter table withheld_deliveries add column decided_as uuid;

-- Deliveries that their users have not seen and must not see, because they have seen the campaign as visitors. They are counted among the users whom
-- a goal has met, as everything that was decided.
create table unseen_deliveries (
  lane int2 not null,
  user_key uuid not null,
  campaign_id uuid not null,
  project_id uuid not null,
  variant_id uuid not null,
  epoch int4 not null,
  queued_at int8 not null,
  primary key (lane, user_key, campaign_id)
);
create index unseen_deliveries_by_campaign on unseen_deliveries (campaign_id, epoch);

-- A statement that changes deliveries of users, and has locked these users, may have begun before a visitor's deliveries became theirs: it sees
-- none of them, and is run again. `joined` is what it has read of each user.
create function refuse_joined_since(lanes int2[], keys uuid[], joined int4[]) returns boolean language plpgsql as $$
begin
  if exists (
    select from unnest(lanes, keys, joined) seen (lane, user_key, joined) join users u using (lane, user_key)
    where u.joined <> coalesce(seen.joined, 0)
  ) then
    raise exception 'a visitor became this user meanwhile' using errcode = 'serialization_failure';
  end if;
  return true;
end
$$;

-- A visitor is active in no period, so that what is left of one is not looked for among the active users.
alter table erased_users add column was_visitor bool not null default false;

-- Whom a campaign in web pages is for: users alone, visitors as well, or visitors alone.
alter table campaigns add column visitors text not null default 'none' check (visitors in ('none', 'also', 'only')),
  add constraint visitors_are_met_in_pages check (visitors = 'none' or channel = 'web_inapp');

-- A statement that would make a user under a key whose user is being erased waits; under the key of a visitor who has become a user it is
-- refused, and the request goes to that user.
create or replace function refuse_while_erasing(lanes int2[], keys uuid[]) returns boolean language plpgsql as $$
begin
  if exists (select from erasing_users) and exists (
    select from unnest(lanes, keys) made (lane, user_key) join erasing_users e using (lane, user_key)
  ) then
    raise exception 'the user of this id before is still being erased' using errcode = 'lock_not_available';
  end if;
  if exists (select from identities) and exists (
    select from unnest(lanes, keys) made (lane, user_key) join identities i using (lane, user_key)
  ) then
    raise exception 'the visitor has become a user' using errcode = 'TI001';
  end if;
  return true;
end
$$;
