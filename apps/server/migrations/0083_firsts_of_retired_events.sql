-- What is counted within a window after a message has to stay when events are deleted for their age: of these, when the first one
-- happened at or after each instant from which a conversion of their user may count (epoch milliseconds, in order).
alter table event_counts add column retired_firsts bigint[];

-- Of events that were deleted before, nothing more is known than the first and the last time.
update event_counts set retired_firsts = array[first_at, retired_until] where retired > 0;
