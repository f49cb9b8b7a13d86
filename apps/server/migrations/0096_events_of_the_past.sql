-- How many of a user's events of a name are history: they happened before the period in which they came, and made nobody active. All that
-- came before this migration made their users active.
alter table event_counts add column history bigint not null default 0;
