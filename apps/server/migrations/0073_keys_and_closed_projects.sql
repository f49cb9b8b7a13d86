-- People tell keys apart by their last characters, which is too little to guess the others. Keys of before have none.
alter table api_keys
  add column ending text check (length(ending) = 4),
  add column is_lent boolean not null default false;
comment on column api_keys.is_lent is 'whether Tidings made it for its own agent, for a short time';

-- A project that people have deleted: its keys are gone at once, its rows soon after.
alter table projects add column deleted_at bigint;
