-- One value sealed with the operator's secret key: a server that cannot open it was given another key.
create table secret_key_canary (
  is_only boolean primary key default true check (is_only),
  sealed bytea not null
);

-- Logs of decisions are appended, never changed, until the project they belong to is deleted as a whole.
create or replace function refuse_rewriting() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('tidings.deletes_project', true) = 'on' then return null; end if;
  raise exception 'rows of % are appended, never changed', tg_table_name;
end $$;
