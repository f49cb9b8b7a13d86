-- How long the sweep of a campaign rests after its last way through the audience, in milliseconds. An instant further ahead was set by a
-- clock that was ahead itself. What rests for longer now is swept once more; a repeat queues nothing twice.
alter table campaign_sweeps add column rest_ms bigint not null default 60000;

-- When the next evaluation of a campaign was planned (epoch ms); null for those from before, and for none. One that was planned later than
-- now was planned by a clock that was ahead.
alter table evaluations add column planned_at bigint;
