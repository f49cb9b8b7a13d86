-- Users who were erased, and whose events are still to be deleted: under a key that nobody has any more. A user with many events is
-- gone at once, and their events follow in pages.
create table erasing_users (
  lane smallint not null,
  user_key uuid not null,
  project_id uuid not null,
  erased_at bigint not null,
  primary key (lane, user_key)
);

-- Asked for every user who is made: as long as events of somebody of the same id are there, they wait. A statement of its own, with
-- a snapshot of its own: it sees an erasure that was committed while the statement around it waited for the row of that user.
create function refuse_while_erasing(its_lane smallint, its_key uuid) returns boolean language plpgsql as $$
begin
  if exists (select from erasing_users e where e.lane = its_lane and e.user_key = its_key) then
    raise exception 'the user of this id before is still being erased' using errcode = 'lock_not_available';
  end if;
  return true;
end
$$;

-- The same of all users that a statement has made, for statements that make many: one question instead of one for each.
create function refuse_while_erasing(lanes smallint[], keys uuid[]) returns boolean language plpgsql as $$
begin
  if exists (select from erasing_users) and exists (
    select from unnest(lanes, keys) made (lane, user_key) join erasing_users e using (lane, user_key)
  ) then
    raise exception 'the user of this id before is still being erased' using errcode = 'lock_not_available';
  end if;
  return true;
end
$$;
