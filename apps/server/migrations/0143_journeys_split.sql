-- A journey may begin with a split: each user who enters goes through one of its arms. `arm` is its name, drawn when they entered, and `epoch` is under
-- which weights and steps.
alter table journey_entries
  add column arm text,
  add column epoch int4,
  add constraint journey_entries_arm check ((arm is null) = (epoch is null));

-- What each arm of a split had in each epoch: its share of users, and what tells its steps and their messages from others.
create table journey_allocations (
  journey_id uuid not null references journeys,
  epoch int4 not null,
  arm text not null,
  project_id uuid not null references projects,
  weight int4 not null,
  content_digest text not null,
  started_at int8 not null,
  primary key (journey_id, epoch, arm)
);

-- What a user did at a step may also be that they went on by their arm.
alter table journey_marks
  drop constraint journey_marks_did_check,
  add constraint journey_marks_did_check
    check (did in ('sent', 'withheld', 'skipped', 'waited', 'happened', 'met', 'unmet', 'moved', 'split'));
