-- Each run says who wrote it: the server or a person at it, a program with the secret key, an agent. `import`: it came with a file, which
-- may say anything. Runs from before do not say it, and nobody guesses.
create type run_writer as enum ('tidings', 'api', 'agent', 'import');
alter table agent_runs add column written_by run_writer;
-- Exports from before have no such column: what they bring came with a file. No run of the chain did.
alter table agent_runs
  alter column written_by set default 'import',
  add constraint agent_runs_imported check (written_by is distinct from 'import' or seq is null),
  add constraint agent_runs_written check (written_by is not null) not valid;

-- How many bytes of runs and transcripts the keys of a project wrote on its last day (UTC, days since 1970) on which they wrote any.
create table agent_run_days (
  project_id uuid primary key references projects,
  day integer not null,
  bytes bigint not null
);

-- A proposal that expired can be made again in its evaluation: the new one takes its place, and it stays as history.
alter table proposals add column superseded_at bigint;
alter table proposals drop constraint proposals_campaign_id_evaluation_at_payload_hash_key;
create unique index proposals_open on proposals (campaign_id, evaluation_at, payload_hash) where superseded_at is null;
create index proposals_campaign on proposals (campaign_id, evaluation_at, payload_hash, id);
