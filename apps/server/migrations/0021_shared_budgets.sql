-- What processes that serve one database tell each other about budgets of requests. It is worth minutes, so a crash of the
-- database may empty both tables.

create unlogged table serving_processes (
  id uuid primary key,
  seen_at bigint not null
);

create unlogged table shared_budgets (
  project_id uuid not null,
  budget text not null,
  per_minute double precision not null,
  -- What is not back yet of what was given out, in 1/60,000 of a request: `per_minute` of these come back in a millisecond.
  spent double precision not null,
  -- Whole requests that the last draw was given.
  granted double precision not null,
  counted_at bigint not null,
  primary key (project_id, budget)
);
