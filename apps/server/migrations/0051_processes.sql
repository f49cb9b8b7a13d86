-- One list of the processes on this database, where there were two: those that work and those that serve. A row lasts as long as its
-- process writes a heartbeat; leases whose owner has no row are over.
-- What a crash of the database may not lose: without its row a process that lives would lose its leases.
create table processes (
  lease_owner uuid primary key,
  -- Whether it answers requests, and shares their budgets with the others that do.
  serves boolean not null,
  -- Whether its loops run: it plans, sends, keeps house.
  works boolean not null,
  -- The last heartbeat. By the database's clock, the only one that all processes share.
  seen_at timestamptz not null
);

-- A process of an older version that still runs keeps its leases until it has been silent for as long as any other. It finds its own
-- table gone, stops trusting in its leases after 10 seconds, and sends no more.
insert into processes (lease_owner, serves, works, seen_at) select fence, false, true, seen_at from workers;

drop table workers;
drop table serving_processes;
