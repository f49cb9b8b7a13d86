-- What a customer's servers prove with who a visitor is, one per project and made when it is first asked for. Sealed, bound to
-- its project. A former one is believed until it expires, so that pages that were made with it go on.
create table identity_secrets (
  id uuid primary key,
  project_id uuid not null references projects,
  sealed bytea not null,
  created_at bigint not null,
  -- Null for the present one.
  expires_at bigint
);
create index identity_secrets_project on identity_secrets (project_id);
create unique index identity_secrets_present on identity_secrets (project_id) where expires_at is null;
