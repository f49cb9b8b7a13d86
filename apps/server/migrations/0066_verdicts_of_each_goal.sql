-- A campaign that moves to another goal is judged within the error budget of that goal as well.
alter table verdict_tests drop constraint verdict_tests_campaign_id_variant_id_key;
alter table verdict_tests add unique (goal_id, campaign_id, variant_id);
