-- Events older than a project keeps are deleted. What was counted of them stays, and says which part of it has no events any more.

alter table event_counts
  -- How many of the events that were counted are deleted, and when the last of them happened (epoch milliseconds).
  add column retired bigint not null default 0,
  add column retired_until bigint;

alter table event_names add column retired bigint not null default 0;
alter table event_days add column retired bigint not null default 0;
alter table event_properties add column retired bigint not null default 0;
