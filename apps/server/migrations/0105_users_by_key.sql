-- A sweep goes through a project's users by lane and key, so many at a time. The index finds where they end, however many users other
-- projects of the database have.
create index users_by_key on users (project_id, lane, user_key);

-- How long the sweep has worked since it began, ms: it rests in proportion.
alter table campaign_sweeps add column worked_ms bigint not null default 0;
