-- How a project proves itself to push providers: one credential per app, platform and environment. It is sealed, bound to its
-- project and id; its key is never shown again. The revision rises with every one that is put.

create table push_credentials (
  id uuid primary key,
  project_id uuid not null references projects,
  app_id text not null,
  platform app_platform not null,
  environment app_environment not null,
  revision bigint not null,
  sealed bytea not null,
  created_at bigint not null,
  updated_at bigint not null,
  unique (project_id, app_id, platform, environment)
);
create index push_credentials_project on push_credentials (project_id, id);
