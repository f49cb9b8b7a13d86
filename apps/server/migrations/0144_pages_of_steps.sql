-- The message of a step that is shown in the product belongs to pages, as that of any web campaign does.
alter table campaigns
  drop constraint campaigns_step,
  add constraint campaigns_step check (
    (journey_id is null) = (step_id is null) and (journey_id is null or (purpose = 'marketing' and not once))
  ) not valid;
alter table campaigns validate constraint campaigns_step;
