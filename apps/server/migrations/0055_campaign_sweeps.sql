-- One table says how far the audience of a campaign was looked through, whichever channel it has, and why nothing of it leaves.
create table campaign_sweeps (
  campaign_id uuid primary key references campaigns (id),
  project_id uuid not null references projects (id),
  -- How often the audience was looked through to its end.
  sweeps int not null default 0,
  -- The user after whom the sweep that is under way goes on; null before the first.
  after_lane smallint,
  after_user uuid,
  next_sweep_at bigint not null,
  -- Users who wait (for a device, for instance): when they were looked at last, and when that is due again; null where there are none.
  reevaluated_at bigint not null default 0,
  reevaluate_at bigint,
  -- Users whose address is not confirmed: in the last whole sweep, and in the one that is under way.
  unconfirmed int not null default 0,
  unconfirmed_so_far int not null default 0,
  -- When nothing was open any more of a campaign that has ended.
  closed_at bigint,
  fault text,
  fault_at bigint
);

insert into campaign_sweeps (campaign_id, project_id, sweeps, after_lane, after_user, next_sweep_at, unconfirmed, unconfirmed_so_far,
  fault, fault_at)
select campaign_id, project_id, passes, after_lane, after_user, next_pass_at, unconfirmed, unconfirmed_so_far, fault, fault_at
from email_plans;

insert into campaign_sweeps (campaign_id, project_id, sweeps, after_lane, after_user, next_sweep_at, reevaluated_at, reevaluate_at,
  closed_at, fault, fault_at)
select campaign_id, project_id, passes, after_lane, after_user, next_pass_at, checked_at, recheck_at, closed_at, fault, fault_at
from push_plans;

drop table email_plans;
drop table push_plans;
