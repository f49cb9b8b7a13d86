-- What people decided about single addresses: who stopped mail to one, or let it leave again. Appended only. The address itself
-- stays where erasing its user finds it; here is its hash.
create table suppression_changes (
  id bigint generated always as identity primary key,
  project_id uuid not null references projects,
  lane smallint not null,
  address_key uuid not null,
  -- Why nothing left for it before and after; null where mail did leave.
  before text,
  after text,
  changed_by text not null,
  changed_at bigint not null
);
create index suppression_changes_project on suppression_changes (project_id, id desc);
create trigger suppression_changes_are_appended before update or delete or truncate on suppression_changes
  for each statement execute function refuse_rewriting();
