-- Open pull requests of strangers spend the runs of a day, so it is kept whose a pull request is, and what labels it has.
alter table source_pulls
  add column by_member boolean not null default false,
  add column labels text[] not null default '{}';
-- They are read again with what was not kept of them.
update sources set pulls_read_until = 0 where pulls_read_until is not null;
