-- The project behind the demo page: at most one row.
create table demo_shop (
  is_only boolean primary key default true check (is_only),
  project_id uuid not null references projects
);
create index demo_shop_project on demo_shop (project_id);
