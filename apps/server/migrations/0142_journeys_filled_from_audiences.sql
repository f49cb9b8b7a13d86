-- How far a running journey is with letting users in out of its audience: behind which user it goes on, and when. `rest_ms`: how far ahead that was
-- set at most; `worked_ms`: how long this way through the audience has taken so far.
create table journey_fills (
  journey_id uuid primary key references journeys,
  project_id uuid not null references projects,
  after_lane int2,
  after_user uuid,
  due_at int8 not null,
  rest_ms int8 not null default 0,
  worked_ms int8 not null default 0,
  check ((after_lane is null) = (after_user is null))
);
