-- What a push provider says of a credential is kept with the credential, and a token that a provider refused is kept beside those
-- in use: where it was the credential that was wrong, the next credential brings the token back.

alter table push_credentials
  -- The address of the provider that accepted a push under this revision; null before the first acceptance.
  add column accepted_by text,
  -- Since when, and by which code, the provider has refused this revision, without an acceptance since; null where it has not.
  add column refused_at bigint,
  add column refused_code text,
  -- Whether nothing but a few probes may be sent under this revision, when the next ones are due, and how often there were some.
  add column is_barred boolean not null default false,
  add column probe_at bigint,
  add column probes integer not null default 0,
  add constraint refused_as_a_whole check (num_nulls(refused_at, refused_code, probe_at) in (0, 3));

-- Tokens that a provider refused: one row for an installation, which has no other token then.
create table installation_ended_tokens (
  lane smallint not null,
  installation_key uuid not null,
  project_id uuid not null,
  token_lane smallint not null,
  token_key uuid not null,
  token text not null,
  -- The revision of the installation's token: at another one, the device has put or removed a token since.
  token_revision bigint not null,
  -- The credential under which it was refused, the provider's word, and when that came.
  credential_id uuid not null,
  credential_revision bigint not null,
  code text not null,
  ended_at bigint not null,
  -- Whether the credential may be to blame: another one is tried with this token.
  is_doubtful boolean not null,
  primary key (lane, installation_key)
);
create index installation_ended_tokens_token on installation_ended_tokens (token_lane, token_key);
create index installation_ended_tokens_doubtful on installation_ended_tokens (credential_id, credential_revision)
  where is_doubtful;
