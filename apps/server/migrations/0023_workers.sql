-- The processes that work, each under the fence of its claims. Who has no row any more has gone: what it had claimed is given up
-- at once, not when its time is over.
create table workers (
  fence uuid primary key,
  -- By the database's clock, the only one that all of them share.
  seen_at timestamptz not null,
  -- Under which names it locks jobs.
  job_pools text[] not null
);
