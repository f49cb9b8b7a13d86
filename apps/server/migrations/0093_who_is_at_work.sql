-- Which processes look after campaigns: pages say so when none does.
alter table processes add column looks_after boolean not null default false;

-- When a program of people last took up an evaluation on that day (epoch ms), as against Tidings' own agent; null where none did.
alter table agent_days add column program_at bigint;

-- Who paused a campaign that is paused now, and when. Of pauses from before nobody can say it for sure, and nobody guesses.
alter table campaigns add column pause jsonb;
