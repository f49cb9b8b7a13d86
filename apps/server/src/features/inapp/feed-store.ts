import { statement } from "../../platform/db/db.ts";
import { insertMissingUsersCte } from "../users/public.ts";

/** What one statement tells of a user, for the feed. */
export type FeedFacts = {
  configVersion: number;
  traits: Record<string, unknown> | null;
  /** [event name, count] */
  counts: [string, number][] | null;
  /** [campaign, variant, still to be shown] */
  deliveries: [string, string, boolean][] | null;
};

/**
 * The facts of many users in one statement, with the version of their project's configuration: whoever reads the facts
 * also learns that a campaign was paused. Columns: lane, user_key, project_id.
 */
export const readFacts = statement<FeedFacts & { ord: number }>(
  "read_feed_facts",
  `select p.config_version as "configVersion", u.traits, c.counts, d.deliveries
  from unnest($1::int2[], $2::uuid[], $3::uuid[]) with ordinality as i (lane, user_key, project_id, ord)
  join projects p on p.id = i.project_id
  left join users u on u.lane = i.lane and u.user_key = i.user_key and u.project_id = i.project_id
  left join lateral (
    select json_agg(json_build_array(c.name, c.count)) as counts
    from event_counts c where c.lane = i.lane and c.user_key = i.user_key and c.project_id = i.project_id
  ) c on true
  left join lateral (
    select json_agg(json_build_array(d.campaign_id, d.variant_id, d.state in ('queued', 'shown'))) as deliveries
    from deliveries d where d.lane = i.lane and d.user_key = i.user_key and d.project_id = i.project_id
  ) d on true
  order by i.ord`,
);

/**
 * Makes deliveries of campaigns that are running at this moment, and the users they are for. One that is there already
 * stays as it is. Columns: lane, user_key, project_id, external_id, campaign_id, variant_id, ts. Answers what was made.
 */
export const insertDeliveries = statement<{ user_key: string; campaign_id: string }>(
  "insert_deliveries",
  `with input as (
    select * from unnest($1::int2[], $2::uuid[], $3::uuid[], $4::text[], $5::uuid[], $6::uuid[], $7::int8[])
      as t (lane, user_key, project_id, external_id, campaign_id, variant_id, ts)
  ),
  running as (
    select i.* from input i
    join campaigns c on c.id = i.campaign_id and c.project_id = i.project_id and c.status = 'running'
  ),
  ${insertMissingUsersCte("running")},
  made as (
    insert into deliveries (lane, user_key, campaign_id, project_id, variant_id, state, queued_at)
    select lane, user_key, campaign_id, project_id, variant_id, 'queued', ts from running
    order by lane, user_key, campaign_id
    on conflict do nothing
    returning user_key, campaign_id
  )
  select user_key, campaign_id from made`,
);
