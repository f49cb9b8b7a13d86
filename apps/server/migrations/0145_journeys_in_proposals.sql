-- What people read of a journey before they approve other steps: it before and after, as the change was tried when it was proposed.
alter table proposals add column journey jsonb;
