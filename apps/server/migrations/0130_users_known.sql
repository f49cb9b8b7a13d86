-- Lists of users leave visitors out, of whom there may be many more than users: an index has users alone. Visitors have their own.
create index concurrently users_known on users (project_id, first_seen_at, user_key) where not starts_with(external_id, '$anon:');

drop index users_project;
