-- The runs of a project form a chain: each has a number and the hash of the one before it, so that a run which is changed, taken out
-- or slipped in shows. Runs from before this migration, and imported ones, are in no chain.
alter table agent_runs
  add column seq bigint,
  add column prev_hash text,
  add column hash text,
  add constraint agent_runs_chained check (num_nulls(seq, prev_hash, hash) in (0, 3));
create unique index agent_runs_chain on agent_runs (project_id, seq) where seq is not null;

-- The last run of each chain. Whoever adds a run locks this row first, so that numbers have no gaps and no run has two successors.
create table agent_run_heads (
  project_id uuid primary key references projects,
  seq bigint not null,
  hash text not null,
  -- With what the chain began: 0 and an empty text, or the head of the project that this one was imported from.
  start_seq bigint not null default 0,
  start_hash text not null default '',
  check (seq >= start_seq and start_seq >= 0)
);

create trigger agent_runs_are_appended before update or delete or truncate on agent_runs
  for each statement execute function refuse_rewriting();
create trigger agent_run_heads_stay before delete or truncate on agent_run_heads
  for each statement execute function refuse_rewriting();
create trigger agent_run_heads_advance before update on agent_run_heads
  for each row when (
    (new.project_id, new.seq, new.start_seq, new.start_hash)
      is distinct from (old.project_id, old.seq + 1, old.start_seq, old.start_hash)
  )
  execute function refuse_rewriting();

-- What a model was asked and answered for a run, exchange by exchange, each with the hash of itself and of all before it. Kept as it
-- came: the order of keys as well, so that it can be replayed.
create table agent_transcripts (
  run_id uuid primary key references agent_runs,
  project_id uuid not null references projects,
  entries json not null,
  -- The hash of the last entry.
  hash text not null,
  created_at bigint not null
);
create trigger agent_transcripts_are_appended before update or delete or truncate on agent_transcripts
  for each statement execute function refuse_rewriting();

-- The run in which an agent decided what the campaign says. It has no foreign key: runs refer to campaigns already, and are never deleted alone.
alter table campaigns add column agent_run_id uuid;
