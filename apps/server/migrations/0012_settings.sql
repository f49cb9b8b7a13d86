-- What people decide per project. Of a secret the value is sealed, bound to its project and key; what has no row is at
-- its default.

create table settings (
  project_id uuid not null references projects,
  key text not null,
  value jsonb,
  sealed bytea,
  updated_at bigint not null,
  primary key (project_id, key),
  constraint a_setting_is_plain_or_sealed check ((value is null) <> (sealed is null))
);

-- Who changed which setting when; null stands for the default, and "set" for whatever a secret was.
create table setting_changes (
  id bigint generated always as identity primary key,
  project_id uuid not null references projects,
  key text not null,
  before jsonb,
  after jsonb,
  changed_by text not null,
  changed_at bigint not null
);
create index setting_changes_project on setting_changes (project_id, id desc);

create function refuse_rewriting() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % are appended, never changed', tg_table_name;
end $$;
create trigger setting_changes_are_appended before update or delete or truncate on setting_changes
  for each statement execute function refuse_rewriting();

-- The keys that mail is signed with (DKIM), by domain of the sender. The private one is sealed, bound to project and domain.
create table dkim_keys (
  project_id uuid not null references projects,
  domain text not null,
  sealed_private_key bytea not null,
  -- Base64 of the SubjectPublicKeyInfo, as DNS publishes it.
  public_key text not null,
  -- When DNS showed this public key; null before.
  verified_at bigint,
  created_at bigint not null,
  primary key (project_id, domain)
);
