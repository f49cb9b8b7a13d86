-- What people decide for a whole organization: its spend cap, prices and billing. What has no row is at its default.
create table organization_settings (
  organization_id uuid not null references organizations,
  key text not null,
  value jsonb not null,
  updated_at bigint not null,
  primary key (organization_id, key)
);

-- One log for both, so that it has one order: a change is of a project or of its organization.
alter table setting_changes alter column project_id drop not null;
alter table setting_changes add column organization_id uuid references organizations;
alter table setting_changes add constraint a_change_has_one_owner
  check ((project_id is null) <> (organization_id is null));
create index setting_changes_organization on setting_changes (organization_id, id desc)
  where organization_id is not null;

-- The last change of an organization's period after which those who were active in it before were counted in it as well.
create table usage_catch_ups (
  organization_id uuid primary key references organizations,
  change_id bigint not null
);

comment on column active_users.period is
  'Year and month, UTC: 202611. Of an organization with a subscription, the start of its period in minutes of the epoch.';
comment on column active_user_counts.period is 'As in active_users.';
comment on column email_capped_counts.period is 'As in active_users.';
