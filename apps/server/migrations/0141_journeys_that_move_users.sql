-- What a user did at a step may also be that an event came for which they waited, or that a change of the journey moved them.
alter table journey_marks
  drop constraint journey_marks_did_check,
  add constraint journey_marks_did_check check (did in ('sent', 'withheld', 'skipped', 'waited', 'happened', 'met', 'unmet', 'moved'));
