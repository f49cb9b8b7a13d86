-- Installations: copies of a customer's app on devices, what these let be sent to them, and the tokens under which a push
-- provider finds them. Each table has the lane of its own key: of the installation, or of the token.

create type app_platform as enum ('ios', 'android');
create type app_environment as enum ('development', 'production');
create type push_permission as enum ('unknown', 'not_determined', 'denied', 'provisional', 'granted');

create table installations (
  lane smallint not null,
  -- The first 16 bytes of a hash of the project and the id that the app made for itself.
  installation_key uuid not null,
  project_id uuid not null,
  installation_id text not null,
  app_id text not null,
  platform app_platform not null,
  environment app_environment not null,
  -- SHA-256 of the capability; that itself is never stored.
  verifier bytea not null,
  user_lane smallint,
  user_key uuid,
  user_external_id text,
  -- Raised when the user changes, on every change, and when the token changes.
  binding_generation bigint not null default 0,
  revision bigint not null default 0,
  token_revision bigint not null default 0,
  -- The token that it put last. It has it only as long as the row of the token says so too.
  token_lane smallint,
  token_key uuid,
  permission push_permission not null default 'unknown',
  consent boolean not null default false,
  capabilities jsonb not null,
  last_active_at bigint,
  created_at bigint not null,
  primary key (lane, installation_key),
  constraint bound_as_a_whole check (num_nulls(user_lane, user_key, user_external_id) in (0, 3)),
  constraint token_as_a_whole check (num_nulls(token_lane, token_key) in (0, 2))
) with (fillfactor = 85);
create index installations_user on installations (user_lane, user_key) where user_key is not null;
create index installations_project on installations (project_id, created_at, installation_key);

-- Who has a token: one row each, so that taking it over is one write, whoever had it.
create table installation_tokens (
  lane smallint not null,
  -- The first 16 bytes of a hash of project, provider, environment, app and token.
  token_key uuid not null,
  project_id uuid not null,
  installation_lane smallint not null,
  installation_key uuid not null,
  token text not null,
  primary key (lane, token_key)
);

-- What the latest changes of an installation were answered. What seldom changes is not repeated in each: a change keeps what
-- it replaced, which is what the answers before it said, and leaves later than they do.
create table installation_acknowledgements (
  lane smallint not null,
  installation_key uuid not null,
  request_id text not null,
  -- SHA-256 of the operation and its body.
  digest bytea not null,
  project_id uuid not null,
  revision bigint not null,
  binding_generation bigint not null,
  token_revision bigint not null,
  has_token boolean not null,
  permission push_permission not null,
  consent boolean not null,
  last_active_at bigint,
  -- The user before, of a change that raised the binding generation; all null where there was none.
  replaced_user_lane smallint,
  replaced_user_key uuid,
  replaced_user_external_id text,
  -- Null where they stayed the same.
  replaced_capabilities jsonb,
  primary key (lane, installation_key, request_id),
  unique (lane, installation_key, revision)
);
create index installation_acknowledgements_user on installation_acknowledgements (replaced_user_lane, replaced_user_key)
  where replaced_user_key is not null;
