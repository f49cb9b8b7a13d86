-- Events by when they were recorded. Rows lie about in that order, so that an index of blocks is enough: a thousandth of the size of another one.
-- It has several spans for each block, for those that are filled again once old events are deleted.
create index concurrently events_arrivals on events using brin (recorded_at int8_minmax_multi_ops) with (autosummarize = on);
