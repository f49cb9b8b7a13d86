-- How often a goal has been changed: who changes one says which revision they have seen. Goals of before are at their first.
alter table goals add column revision integer not null default 1;
