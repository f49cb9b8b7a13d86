-- Who changed some things, by the things: without it the names of their authors were looked for in the whole log.
create index audit_entries_of_target on audit_entries (project_id, target, operation)
  where project_id is not null and target is not null;
