import { sql } from "kysely";
import type { UserRef } from "../../../domain/ids.ts";
import { type Db, SQLSTATE, sqlState } from "../../../platform/db/db.ts";
import {
  type Fragment,
  likeRelation,
  type Relation,
  relation,
} from "../../../platform/db/statements/fragment.ts";
import { type SqlText, sqlText } from "../../../platform/db/statements/sql-text.ts";
import { type Input, type RowsStatement, rowsStatement } from "../../../platform/db/statements/statement.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { deliveryFacts, deltasCte, eventFacts, firstEventFacts } from "../../counting/rollups/public.ts";
import { countActiveCtes } from "../../counting/usage/public.ts";
import { convertDeliveriesCtes } from "../../deliveries/public.ts";
import { triggersCte } from "../../journeys/moving/public.ts";
import { convertPushesCte } from "../../push/sending/public.ts";
import { appendEventsCtes } from "../../users/events/public.ts";
import { laneSql } from "../../users/identities/public.ts";
import { upsertSeenUsersCte } from "../../users/profiles/public.ts";

/**
 * One event to record. `props` is compact JSON and `shape` its keys with their types, `ts` the event's time in epoch milliseconds,
 * `eventId` the sender's id of the event, or a new one.
 */
export type NewEvent = UserRef & {
  projectId: string;
  externalId: string;
  eventId: string;
  name: string;
  props: string | null;
  shape: string;
  ts: number;
};

/** An event with what this process knows about it when the statement starts. */
export type TrackedEvent = NewEvent & {
  /** It happened before the period in which it came, so its user is not active for it. */
  isHistory: boolean;
  /** The period in which the event makes its user active; null for history, and where that is already counted. */
  activePeriod: number | null;
  /** When the statement starts, epoch milliseconds. */
  now: number;
  /** Version of the project's configuration at which the event's name was looked up among the goals. */
  configVersion: number;
};

const COLUMNS = {
  lane: "int2",
  userKey: "uuid",
  projectId: "uuid",
  externalId: "text",
  eventId: "text",
  name: "text",
  props: "jsonb",
  shape: "text",
  ts: "int8",
  isHistory: "bool",
  activePeriod: "int4",
  now: "int8",
  configVersion: "int8",
} as const;

/**
 * What was not written: the position (from 1) of an event that is recorded already, or of one that is refused because its user has as
 * many event names as a user may have; or a project whose configuration has changed, and then no event of the statement was written.
 */
export type Unwritten = { repeated: number | null; refused: number | null; stale_project: string | null };

/** What a group of events may change beside users, events and counts. */
export type TrackingEffects = {
  /**
   * One of them may be the target event of a goal, so that deliveries may convert, or matter to a journey. Otherwise the statement checks
   * that none does.
   */
  goals: boolean;
  /** One of their users may not be counted as active yet. */
  active: boolean;
  /** One of them may be history. */
  history: boolean;
  /** One of their users may have as many event names as a user may have: the statement counts them for names that are new. */
  names: boolean;
  /** One of them may be recorded already. Otherwise the statement does not look, and fails where one is (`isRepeat`). */
  repeats: boolean;
};

/** Whether a statement that does not look for repeats failed because of one. */
export const isRepeat = (cause: unknown): boolean => sqlState(cause) === SQLSTATE.uniqueViolation;

/**
 * Finds projects whose configuration is newer than `configVersion`, at which these events mattered to no goal and no journey: nothing is
 * written then.
 */
const fenceCtes = `
  stale as (
    select p.id from ${t.projects} p
    join (select distinct project_id, config_version from input) i on i.project_id = p.id
    where p.config_version <> i.config_version
  ),`;

/**
 * The events whose names are not new to their users, or for which their users have room. The names of a user are counted only where
 * one is new, once per user. (Two simultaneous statements may both find room, so a user may get a few names more than the limit.)
 */
function withinNamesCtes(
  input: Input<TrackedEvent>,
  maxNames: number,
  condition: string,
): Fragment<{ accepted: Input<TrackedEvent> }> {
  const accepted = likeRelation("accepted", input);
  const ctes = sqlText(`
  unfamiliar as materialized (
    select i.ord, i.lane, i.user_key, min(i.ord) over (partition by i.lane, i.user_key, i.name) as since
    from input i
    where not exists (
      select from ${t.eventCounts} c where c.lane = i.lane and c.user_key = i.user_key and c.name = i.name
    )
  ),
  refused as materialized (
    select u.ord
    from (
      select ord, lane, user_key, dense_rank() over (partition by lane, user_key order by since) as place from unfamiliar
    ) u
    join (
      select lane, user_key, (
          select count(*) from (
            select from ${t.eventCounts} c where c.lane = m.lane and c.user_key = m.user_key limit ${maxNames}
          ) names
        ) as known
      from (select distinct lane, user_key from unfamiliar) m
    ) k using (lane, user_key)
    where k.known + u.place > ${maxNames}
  ),
  ${accepted} as (
    select * from ${input} i where not exists (select from refused r where r.ord = i.ord) ${condition}
  ),`);
  return { ctes, accepted };
}

/** The events that are written: those that are neither refused nor of a project with a newer configuration. */
function acceptedCtes(
  { goals, names }: TrackingEffects,
  maxNames: number,
  input: Input<TrackedEvent>,
): Fragment<{ accepted: Input<TrackedEvent> }> {
  const isFresh = "not exists (select from stale)";
  if (names) return withinNamesCtes(input, maxNames, goals ? "" : `and ${isFresh}`);
  if (goals) return { ctes: sqlText(""), accepted: input };
  const accepted = likeRelation("accepted", input);
  return { ctes: sqlText(`${accepted} as (select * from ${input} where ${isFresh}),`), accepted };
}

/** Tells events that were not recorded before from repeats (`tried` has both). */
const triedCtes = (
  accepted: Input<TrackedEvent>,
  freshEvents: Relation<"user_key" | "event_id">,
  fresh: Input<TrackedEvent>,
): string => `
  tried as (
    select i.*, f.event_id is null as is_repeated
    from ${accepted} i left join ${freshEvents} f on f.user_key = i.user_key and f.event_id = i.event_id
  ),
  ${fresh} as (select * from tried where not is_repeated),`;

const UNCOUNTED = relation<"lane" | "user_key" | "project_id" | "period">("uncounted");

const uncountedCtes = (fresh: Input<TrackedEvent>): string => `
  ${UNCOUNTED} as (
    select lane, user_key, project_id, active_period as period from ${fresh} where active_period is not null
  ),
  ${countActiveCtes(UNCOUNTED).ctes},`;

/** Converts deliveries by new events, and answers the facts of that for the deltas. */
function conversionCtes(
  freshEvents: Parameters<typeof convertDeliveriesCtes>[0],
): Fragment<{ facts: SqlText; noneJoined: SqlText }> {
  const { ctes, goalUpdated, goalConversions, messages, noneJoined } = convertDeliveriesCtes(freshEvents);
  return {
    noneJoined,
    ctes: sqlText(`${ctes}, ${messages.ctes}, ${convertPushesCte(goalUpdated).ctes},`),
    facts: deliveryFacts(goalConversions),
  };
}

function recordText(reach: TrackingEffects, maxNames: number, input: Input<TrackedEvent>): string {
  const { goals, active, names, repeats } = reach;
  const { ctes, accepted } = acceptedCtes(reach, maxNames, input);
  const isFresh = goals ? "" : "not exists (select from stale)";
  const { freshEvents, countedEvents, ...appended } = appendEventsCtes(accepted, reach);
  // Events that were not recorded before.
  const fresh = repeats ? likeRelation("fresh", input) : accepted;
  const { seenUsers, ...seen } = upsertSeenUsersCte(fresh);
  const converted = goals ? conversionCtes(freshEvents) : null;
  const facts = [
    eventFacts(fresh),
    firstEventFacts(countedEvents),
    seen.facts,
    ...(converted ? [converted.facts] : []),
  ];
  return `,
  ${goals ? "" : fenceCtes}
  ${ctes}
  ${appended.ctes},
  ${repeats ? triedCtes(accepted, freshEvents, fresh) : ""}
  ${seen.ctes},
  ${active ? uncountedCtes(fresh) : ""}
  ${converted?.ctes ?? ""}
  ${goals ? `${triggersCte(fresh).ctes},` : ""}
  ${deltasCte(...facts).ctes}
  -- Read first, so that events are inserted before their users are locked.
  select ${repeats ? "ord" : "null::int8"} as repeated, null::int8 as refused, null::uuid as stale_project
  from ${repeats ? "tried where is_repeated" : `${freshEvents} where event_id is null`}
  ${names ? `union all select null, ord, null from refused ${isFresh && `where ${isFresh}`}` : ""}
  ${goals ? "" : "union all select null, null, id from stale"}
  union all
  -- A user who was counted as active but is new was erased meanwhile, and has to count again: raise an error, and the statement is
  -- repeated. Reading the users here also locks their rows first, before rows that an erasure locks later.
  select null, null, null from ${seenUsers} s
  where case when s.is_new and exists (
      select from ${fresh} f where f.user_key = s.user_key and f.active_period is null and not f.is_history
    ) then raise_contention() else false end
  union all select null, null, null
  where not ${seen.noErasureRuns}
  ${converted === null ? "" : `union all select null, null, null where not ${converted.noneJoined}`}`;
}

function recordStatement(
  name: string,
  reach: TrackingEffects,
  maxNames: number,
): RowsStatement<TrackedEvent, Unwritten> {
  const { active, history } = reach;
  return rowsStatement<TrackedEvent, Unwritten>(
    { name, reach: "key" },
    COLUMNS,
    (input) => recordText(reach, maxNames, input),
    ["now", ...(history ? [] : (["isHistory"] as const)), ...(active ? [] : (["activePeriod"] as const))],
  );
}

/** By name. */
const statements = new Map<string, RowsStatement<TrackedEvent, Unwritten>>();

/**
 * Everything that events change, in one statement: each feature brings the part that writes its own tables, and parts that are not
 * needed are left out (measured at 18 events a statement: 53 µs of PostgreSQL per event with all parts, 40 without).
 * @param maxNames how many different event names a user may have
 */
export function recordEvents(
  reach: TrackingEffects,
  maxNames: number,
): RowsStatement<TrackedEvent, Unwritten> {
  const { goals, active, history, names, repeats } = reach;
  const name = `record_events${goals ? "_for_goals" : ""}${active ? "_of_new" : ""}${history ? "_with_history" : ""}${repeats ? "_any" : ""}${names ? `_within_${maxNames}` : ""}`;
  const made = statements.get(name) ?? recordStatement(name, reach, maxNames);
  statements.set(name, made);
  return made;
}

/**
 * Converts the deliveries of a user, and those that visitors left who became the user, by what the user has done since these were exposed: as
 * if it was recorded now.
 */
export async function convertByPastEvents(
  tx: Db,
  projectId: string,
  { lane, userKey }: UserRef,
): Promise<void> {
  const past = relation<"lane" | "user_key" | "project_id" | "event_id" | "name" | "ts">("past_events");
  const { ctes, facts } = conversionCtes(past);
  const isOpen = sql`d.project_id = ${projectId} and d.exposed_at is not null and d.converted_at is null`;
  await sql`
    with open_units as (
      select d.campaign_id, d.exposed_at from ${t.deliveries} d
      where d.lane = ${lane} and d.user_key = ${userKey} and ${isOpen}
      union all
      select d.campaign_id, d.exposed_at
      from ${t.users} u, unnest(u.left_by) visitor_key
      join ${t.deliveries} d on d.lane = ${laneSql("visitor_key")} and d.user_key = visitor_key
      where u.lane = ${lane} and u.user_key = ${userKey} and u.project_id = ${projectId} and ${isOpen}
    ),
    counted as (
      select distinct g.target_event as name
      from open_units o join ${t.campaigns} c on c.id = o.campaign_id join ${t.goals} g on g.id = c.goal_id
    ),
    ${past} as (
      select e.lane, e.user_key, e.project_id, e.event_id, e.name, e.ts from ${t.events} e
      where e.lane = ${lane} and e.user_key = ${userKey} and e.project_id = ${projectId}
        and e.name in (select name from counted) and e.ts >= (select min(exposed_at) from open_units)
    ),
    ${ctes} ${deltasCte(facts).ctes}
    select`.execute(tx);
}

/** Names of events of a project as the rollups have them, at most `limit`. */
export async function readKnownEventNames(db: Db, projectId: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom("eventNames")
    .select("name")
    .where("projectId", "=", projectId)
    .limit(limit)
    .execute();
  return rows.map(({ name }) => name);
}

/** `names` are events that change more than users and counts; `ofJourneys` those of them that matter to a journey. */
export type TargetEvents = {
  configVersion: number;
  names: ReadonlySet<string>;
  ofJourneys: ReadonlySet<string>;
};

/** The target events of goals that a campaign has, those that matter to journeys, and the configuration version at which they were read. */
export async function readTargetEvents(db: Db, projectId: string): Promise<TargetEvents> {
  const { rows } = await sql<{ configVersion: number; ofGoals: string[]; ofJourneys: string[] }>`
    select p.config_version as "configVersion", array(
      select distinct g.target_event from ${t.goals} g
      where g.project_id = p.id and g.target_event is not null
        and exists (select from ${t.campaigns} c where c.goal_id = g.id and c.project_id = p.id)
    ) as "ofGoals", array(
      select distinct e.name from ${t.journeys} j
      left join ${t.goals} g on g.id = j.goal_id and g.project_id = j.project_id
      cross join unnest(j.trigger_events || case when j.exits_on_goal then g.target_event end) e (name)
      where j.project_id = p.id and j.status in ('running', 'paused') and e.name is not null
    ) as "ofJourneys"
    from ${t.projects} p where p.id = ${projectId}`.execute(db);
  const { configVersion = 0, ofGoals = [], ofJourneys = [] } = rows[0] ?? {};
  return { configVersion, names: new Set([...ofGoals, ...ofJourneys]), ofJourneys: new Set(ofJourneys) };
}
