import { type DeliveryRef, FIRST_OCCASION, type UserRef } from "../../domain/ids.ts";
import { likeRelation, relation } from "../../platform/db/statements/fragment.ts";
import { type RowsStatement, rowsStatement } from "../../platform/db/statements/statement.ts";
import { t } from "../../platform/db/statements/table-names.ts";
import type { NeedsReading, RecentEvent, RecentMessage } from "../audience/language/engines/needs.pure.ts";
import { needsReadJoin } from "../audience/language/public.ts";
import { ofRunningCampaignsCte } from "../campaigns/authoring/public.ts";
import type { DeliveryDecision } from "../deliveries/gates/list.ts";
import {
  DECISION_COLUMNS,
  DELIVERY_COLUMNS,
  type DeliveryRow,
  deliveryKey,
  newDeliveriesCte,
  onFirstOccasion,
  withheldKey,
} from "../deliveries/public.ts";
import { eventOfSql, maySeeSql } from "../journeys/authoring/public.ts";
import { ANY_VISITORS, noneJoinedSql } from "../users/identities/public.ts";
import { insertMissingUsersCte } from "../users/profiles/public.ts";
import { OPEN_STATES } from "./rules.ts";

/** Users with at most this many event names and deliveries, which are most users, have all of them read. */
const READ_WHOLE = 64;

/** The facts of a user that the feed decides by. */
export type FeedFacts = {
  /** Null where the project is gone. */
  configVersion: number | null;
  /**
   * Whether only some counts and deliveries were read, because the user has too many. Then only the configuration that they were read
   * for can be decided with them.
   */
  isPartial: boolean;
  traits: Record<string, unknown> | null;
  /** Names of the traits that the secret key set; null for none. */
  serverTraits: string[] | null;
  /** The key by which variants are drawn for the user, where it is not their own. */
  drawnAs: string | null;
  /** Epoch milliseconds; null for an unknown user. */
  firstSeenAt: number | null;
  lastSeenAt: number | null;
  /** How often the user did each thing. */
  counts: Record<string, number> | null;
  /** By campaign: the variant of a delivery that is still to be shown, null where it is resolved or withheld. */
  deliveries: Record<string, string | null> | null;
  /** By campaign: the message of a step that is still to be shown; absent where no step is asked about. */
  steps?: Record<string, StepDelivery> | null;
};

/** The message of a step, on the last of the occasions on which the user came there. `event`: the properties of what let them in. */
export type StepDelivery = { variantId: string; occasion: number; event: Record<string, unknown> | null };

export type FeedReader = UserRef & { projectId: string };

/** What is read of a user beside the profile: how often they did what, their deliveries, those that were withheld, and messages of steps. */
export type FactKinds = { counts: boolean; deliveries: boolean; withheld: boolean; steps: boolean };

const OPEN = OPEN_STATES.map((state) => `'${state}'`).join(", ");

// Joined with the user's row: counts without one belong to a user who is being erased.
const COUNTS_OF_USER = `from ${t.eventCounts} c where c.lane = u.lane and c.user_key = u.user_key and c.project_id = i.project_id`;
const DELIVERIES_OF_USER = `from ${t.deliveries} d where d.lane = i.lane and d.user_key = i.user_key and d.project_id = i.project_id and ${onFirstOccasion("d")}`;
const WITHHELD_OF_USER = `from ${t.withheldDeliveries} w where w.lane = i.lane and w.user_key = i.user_key and w.project_id = i.project_id`;

const STEPS_OF_USER = `from ${t.deliveries} d join ${t.campaigns} c on c.id = d.campaign_id and c.journey_id is not null and c.channel = 'web_inapp'
    where d.lane = i.lane and d.user_key = i.user_key and d.project_id = i.project_id and d.state in (${OPEN}) and ${maySeeSql("d", "c")}`;

/** The rows that are read of a user, as relations of one kind each; null for a kind that is not read. */
type FactRows = {
  counts: string | null;
  deliveries: string | null;
  withheld: string | null;
  steps: string | null;
};

const countsJoin = (rows: string): string => `
  left join lateral (
    select json_object_agg(c.name, c.count) as counts, count(*) as number from (select c.name, c.count ${rows}) c
  ) c on true`;

const deliveriesJoin = (rows: string, withheld: string | null): string => `
  left join lateral (
    select json_object_agg(d.campaign_id, d.variant_id) as deliveries, count(*) as number
    from (
      (select d.campaign_id, case when d.state in (${OPEN}) then d.variant_id end as variant_id ${rows})
      ${withheld === null ? "" : `union all (select w.campaign_id, null ${withheld})`}
    ) d
  ) d on true`;

const stepsJoin = (rows: string): string => `
  left join lateral (
    select json_object_agg(d.campaign_id, json_build_object('variantId', d.variant_id, 'occasion', d.occasion, 'event', d.event) order by d.occasion) as steps
    from (select d.campaign_id, d.variant_id, d.occasion, ${eventOfSql("d", "c")} as event ${rows}) d
  ) s on true`;

/** SQL that reads facts of `input`, one row for each, in order. */
const factsOf = (isPartial: string, { counts, deliveries, withheld, steps }: FactRows): string => `
  select ${t.projects}.config_version as "configVersion", u.traits, u.server_traits as "serverTraits",
    u.first_seen_at as "firstSeenAt", u.last_seen_at as "lastSeenAt", u.drawn_as as "drawnAs", ${isPartial} as "isPartial",
    ${counts === null ? "null::json as counts" : "c.counts"}, ${deliveries === null ? "null::json as deliveries" : "d.deliveries"}
    ${steps === null ? "" : ", s.steps"}
  from input i
  left join ${t.projects} on ${t.projects}.id = i.project_id
  left join ${t.users} u on u.lane = i.lane and u.user_key = i.user_key and u.project_id = i.project_id
  ${counts === null ? "" : countsJoin(counts)}
  ${deliveries === null ? "" : deliveriesJoin(deliveries, withheld)}
  ${steps === null ? "" : stepsJoin(steps)}
  order by i.ord`;

function feedFactsStatement(
  name: string,
  { counts, deliveries, withheld, steps }: FactKinds,
): RowsStatement<FeedReader, FeedFacts> {
  const most = `limit ${READ_WHOLE + 1}`;
  const tooMany = [...(counts ? ["c"] : []), ...(deliveries ? ["d"] : [])].map(
    (kind) => `${kind}.number > ${READ_WHOLE}`,
  );
  return rowsStatement<FeedReader, FeedFacts>(
    { name, reach: "key" },
    { lane: "int2", userKey: "uuid", projectId: "uuid" },
    factsOf(tooMany.join(" or ") || "false", {
      counts: counts ? `${COUNTS_OF_USER} ${most}` : null,
      deliveries: deliveries ? `${DELIVERIES_OF_USER} ${most}` : null,
      withheld: withheld ? `${WITHHELD_OF_USER} ${most}` : null,
      steps: steps ? STEPS_OF_USER : null,
    }),
  );
}

/** By name. */
const statements = new Map<string, RowsStatement<FeedReader, FeedFacts>>();

/**
 * The facts of many users in one statement, with the version of their project's configuration, so that a paused campaign is
 * noticed at once. Of a user with very many event names or deliveries some are left out, and the facts say
 * that they are partial: `readNeededFacts` is for these users. For a usual user, reading all is as fast as reading a part.
 * @param kinds what campaigns of one of them need; the rest is not read
 */
export function readFeedFacts(kinds: FactKinds): RowsStatement<FeedReader, FeedFacts> {
  const { counts, deliveries, withheld, steps } = kinds;
  const read = [counts && "counts", deliveries && "deliveries", withheld && "withheld", steps && "steps"];
  const name = ["read_feed_facts", ...read.filter((kind) => kind !== false)].join("_");
  const made = statements.get(name) ?? feedFactsStatement(name, kinds);
  statements.set(name, made);
  return made;
}

/**
 * A user of whom only a part is read. `needed` is what the project's campaigns need (`factsNeeded`): one row of each project has
 * it, and the others have null.
 */
export type FactsQuestion = FeedReader & { needed: string | null };

/** The facts that campaigns need, for `FactsQuestion`: names of events, and ids of campaigns. */
export const factsNeeded = (events: readonly string[], campaigns: readonly string[]): string =>
  JSON.stringify({ events, campaigns });

/** The same as `readFeedFacts`, but reads only the counts and deliveries that campaigns need, each by its key. */
export const readNeededFacts = rowsStatement<FactsQuestion, FeedFacts>(
  { name: "read_needed_feed_facts", reach: "key" },
  { lane: "int2", userKey: "uuid", projectId: "uuid", needed: "jsonb" },
  `,
  needed_facts as materialized (
    select project_id, array(select jsonb_array_elements_text(needed -> 'events')) as events,
      array(select jsonb_array_elements_text(needed -> 'campaigns')::uuid) as campaigns
    from input where needed is not null
  )
  ${factsOf("true", {
    counts: `${COUNTS_OF_USER} and c.name = any((select a.events from needed_facts a where a.project_id = i.project_id)::text[])`,
    deliveries: `${DELIVERIES_OF_USER} and d.campaign_id = any((select a.campaigns from needed_facts a where a.project_id = i.project_id)::uuid[])`,
    withheld: `${WITHHELD_OF_USER} and w.campaign_id = any((select a.campaigns from needed_facts a where a.project_id = i.project_id)::uuid[])`,
    steps: STEPS_OF_USER,
  })}`,
);

/** What is read of a user for needs: events by name since an instant (epoch milliseconds), and messages, as `NeedsReading` has them. */
export type NeedsReadQuestion = FeedReader & Omit<NeedsReading, "reachMs"> & { since: number };

/** Events without and with their properties, and messages, each cut off beyond MAX_READ_EVENTS; null for none. */
export type ReadForNeeds = {
  timely: RecentEvent[] | null;
  propertied: RecentEvent[] | null;
  messages: RecentMessage[] | null;
};

/** The events and messages that audiences need, of many users in one statement. */
export const readForNeeds = rowsStatement<NeedsReadQuestion, ReadForNeeds>(
  { name: "read_for_needs", reach: "key" },
  {
    lane: "int2",
    userKey: "uuid",
    projectId: "uuid",
    since: "int8",
    timely: "jsonb",
    propertied: "jsonb",
    messages: "jsonb",
  },
  ` select t.timely, p.propertied, m.messages from input i ${needsReadJoin("i")} order by i.ord`,
);

/** A delivery to insert, or to withhold. `ts` is the instant of the decision, epoch milliseconds. */
export type NewDelivery = DeliveryRef & {
  externalId: string;
  ts: number;
} & DeliveryDecision;

/**
 * Inserts deliveries of running campaigns, those that are withheld too, and their users where they are new. One that exists stays as
 * it is. Answers the deliveries that were inserted or withheld.
 */
export const insertDeliveries = rowsStatement<NewDelivery, DeliveryRow>(
  { name: "insert_deliveries", reach: "key" },
  {
    ...DELIVERY_COLUMNS,
    externalId: "text",
    ...DECISION_COLUMNS,
    ts: "int8",
  },
  (input) => {
    const { ctes, running } = ofRunningCampaignsCte(input);
    const missing = insertMissingUsersCte(running);
    const met = likeRelation("met", running);
    const made = newDeliveriesCte(met, "ts");
    const readUsers = relation<"lane" | "user_key" | "joined">("read_users");
    return `, ${ctes}, ${missing.ctes},
  -- Reading the users has all of them locked before the first delivery is written.
  ${met} as (select * from ${running} where (select count(*) from ${missing.missingUsers}) is not null),
  ${readUsers} as (
    select r.lane, r.user_key, u.joined from (select distinct lane, user_key from ${running}) r
    left join ${t.users} u on u.lane = r.lane and u.user_key = r.user_key
    where ${ANY_VISITORS}
  ),
  ${made.ctes}
  select ${deliveryKey()} from ${made.newDeliveries}
  union all select ${withheldKey()}, ${FIRST_OCCASION} from ${made.withheld}
  union all select null, null, null, null where not ${missing.noErasureRuns}
  union all select null, null, null, null where not ${noneJoinedSql(readUsers)}`;
  },
);
