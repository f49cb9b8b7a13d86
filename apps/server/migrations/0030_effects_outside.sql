-- Whether an Idempotency-Key stands for a request whose effect may have left the database before its answer was kept.
alter table idempotency_keys add column reserved boolean not null default false;

-- When test mails of a project left within the last hour: epoch milliseconds, oldest first.
create table email_test_paces (
  project_id uuid primary key references projects,
  sent_at bigint[] not null
);
