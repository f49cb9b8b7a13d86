-- Work that one process at a time does, all processes on the database taken together: a row per loop. No row: it never ran.
create table loop_turns (
  name text primary key,
  -- The process that has the turn. Where that is not among the workers any more, it died in the middle, and another one may begin.
  lease_owner uuid,
  -- When the next turn is due. By the database's clock, the only one that all processes share.
  due_at timestamptz not null,
  -- How often it has failed since it last succeeded.
  failures integer not null default 0
);

-- Loops replace the queue of jobs, which brought a schema of its own. What is queued there comes round by itself, and may be
-- repeated. A process of an older version that still runs does without its queue, or makes it anew for itself: nothing here reads it.
-- Where another program on this database uses a queue of the same kind, the schema is that program's as well, and stays.
do $$
begin
  if to_regclass('graphile_worker._private_tasks') is null then
    return;
  end if;
  if exists (
    select from graphile_worker._private_tasks where identifier not in
      ('fold_rollups', 'forget_idempotency_keys', 'forget_report_tokens', 'retire_events', 'trim_outbox')
  ) then
    return;
  end if;
  drop schema graphile_worker cascade;
end $$;
