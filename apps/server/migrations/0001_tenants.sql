-- Organizations, their projects and the keys of those; small tables, copied to every node of a cluster.

create table organizations (
  id uuid primary key,
  name text not null,
  created_at bigint not null
);

create table projects (
  id uuid primary key,
  organization_id uuid not null references organizations,
  name text not null,
  -- Raised in the transaction of every change that the feed must notice: a cached configuration carries its number.
  config_version bigint not null default 1,
  created_at bigint not null
);
create index projects_organization on projects (organization_id);

create type key_kind as enum ('publishable', 'secret', 'agent');

create table api_keys (
  digest bytea primary key,
  project_id uuid not null references projects,
  kind key_kind not null,
  -- Only a publishable key is kept in clear: it is public, and people look it up.
  publishable_token text,
  created_at bigint not null,
  expires_at bigint,
  constraint secret_keys_are_never_stored check ((kind = 'publishable') = (publishable_token is not null))
);
create index api_keys_project on api_keys (project_id);

create table idempotency_keys (
  project_id uuid not null,
  key text not null,
  operation text not null,
  digest text not null,
  status smallint,
  body text,
  created_at bigint not null,
  primary key (project_id, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);
