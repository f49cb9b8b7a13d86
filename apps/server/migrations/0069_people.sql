-- What the library behind the sign-in keeps, in its own spelling (better-auth compiles these statements; a test compares them).
create schema if not exists people;

create table people."user" (
  "id" uuid default pg_catalog.gen_random_uuid() not null primary key,
  "name" text not null,
  "email" text not null unique,
  "emailVerified" boolean not null,
  "image" text,
  "createdAt" timestamptz default current_timestamp not null,
  "updatedAt" timestamptz default current_timestamp not null
);

create table people."session" (
  "id" uuid default pg_catalog.gen_random_uuid() not null primary key,
  "expiresAt" timestamptz not null,
  "token" text not null unique,
  "createdAt" timestamptz default current_timestamp not null,
  "updatedAt" timestamptz not null,
  "ipAddress" text,
  "userAgent" text,
  "userId" uuid not null references people."user" ("id") on delete cascade
);

create table people."account" (
  "id" uuid default pg_catalog.gen_random_uuid() not null primary key,
  "accountId" text not null,
  "providerId" text not null,
  "userId" uuid not null references people."user" ("id") on delete cascade,
  "accessToken" text,
  "refreshToken" text,
  "idToken" text,
  "accessTokenExpiresAt" timestamptz,
  "refreshTokenExpiresAt" timestamptz,
  "scope" text,
  "password" text,
  "createdAt" timestamptz default current_timestamp not null,
  "updatedAt" timestamptz not null
);

create table people."verification" (
  "id" uuid default pg_catalog.gen_random_uuid() not null primary key,
  "identifier" text not null,
  "value" text not null,
  "expiresAt" timestamptz not null,
  "createdAt" timestamptz default current_timestamp not null,
  "updatedAt" timestamptz default current_timestamp not null
);

create table people."passkey" (
  "id" uuid default pg_catalog.gen_random_uuid() not null primary key,
  "name" text,
  "publicKey" text not null,
  "userId" uuid not null references people."user" ("id") on delete cascade,
  "credentialID" text not null,
  "counter" integer not null,
  "deviceType" text not null,
  "backedUp" boolean not null,
  "transports" text,
  "createdAt" timestamptz,
  "aaguid" text
);

create index "session_userId_idx" on people."session" ("userId");
create index "account_userId_idx" on people."account" ("userId");
create index "verification_identifier_idx" on people."verification" ("identifier");
create index "passkey_userId_idx" on people."passkey" ("userId");
create index "passkey_credentialID_idx" on people."passkey" ("credentialID");

create type person_role as enum ('viewer', 'editor', 'approver', 'owner');

-- Who belongs to an organization, and what they may do in all of its projects.
create table members (
  person_id uuid primary key references people."user" ("id") on delete cascade,
  organization_id uuid not null references organizations (id),
  -- In all projects; null where they have roles in single ones only.
  role person_role,
  -- Whether they run the server: they make and delete projects.
  is_operator boolean not null default false,
  created_at bigint not null,
  check (not is_operator or role = 'owner')
);

-- What a member may do in one project. Of this role and that in all projects, the higher one counts.
create table member_roles (
  project_id uuid not null references projects (id),
  person_id uuid not null references members (person_id) on delete cascade,
  role person_role not null,
  primary key (project_id, person_id)
);
create index member_roles_of_person on member_roles (person_id);

create type person_link_kind as enum ('first', 'invitation', 'password');

-- Links with which people come in: each works once. Only the hash of its secret is kept.
create table person_links (
  digest bytea primary key,
  kind person_link_kind not null,
  organization_id uuid not null references organizations (id),
  -- Whom an invitation is for.
  email text,
  role person_role,
  -- The projects of the role; null where it is for all of them.
  project_ids uuid[],
  -- Whose password it sets.
  person_id uuid references members (person_id) on delete cascade,
  made_by text not null,
  created_at bigint not null,
  expires_at bigint not null,
  used_at bigint,
  check ((kind = 'invitation') = (email is not null)),
  check ((kind = 'invitation') = (role is not null)),
  check ((kind = 'password') = (person_id is not null))
);
create index person_links_of_organization on person_links (organization_id, created_at);

-- What people changed: one row for each change, written in its transaction.
create table audit_entries (
  id bigint generated always as identity primary key,
  organization_id uuid not null references organizations (id),
  -- Null where the change is about the whole organization.
  project_id uuid,
  at bigint not null,
  by_kind text not null,
  by_id text,
  by_name text not null,
  operation text not null,
  target text,
  detail jsonb not null,
  request_id text
);
create index audit_entries_of_organization on audit_entries (organization_id, id);
create index audit_entries_of_project on audit_entries (project_id, id) where project_id is not null;

create trigger audit_entries_append_only before update or delete or truncate on audit_entries
  for each statement execute function refuse_rewriting();
