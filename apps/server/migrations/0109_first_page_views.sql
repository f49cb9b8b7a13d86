-- When a page or an app first came for messages with a publishable key of the project: before that, nobody can see a message in a page. A
-- project that knows users was in use before this was written down, and a warning that is not so would be worse than none.
create table first_page_views (
  project_id uuid primary key references projects (id),
  at bigint not null
);

insert into first_page_views (project_id, at)
select p.id, p.created_at from projects p
where exists (select from users u where u.project_id = p.id);
