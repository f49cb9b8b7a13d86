-- Mailgun signs a timestamp and a token, not what it says. What came first with a token is kept, for as long as its signature holds.
create table report_tokens (
  project_id uuid not null references projects (id),
  -- SHA-256 of the token, and of what it came with.
  token bytea not null,
  content bytea not null,
  seen_at bigint not null,
  primary key (project_id, token)
);

create index report_tokens_by_seen_at on report_tokens (seen_at);
