import { sql } from "kysely";
import type { Db } from "../../platform/db/db.ts";
import { type RowsStatement, rowsStatement } from "../../platform/db/rows-statement.ts";
import type { UserRef } from "../../platform/ids.ts";
import { convertDeliveriesCtes } from "../deliveries/public.ts";
import { appendEventsCtes } from "../events/public.ts";
import { countActiveCtes } from "../usage/public.ts";
import { upsertSeenUsersCte } from "../users/public.ts";

/** One event to record. `props` is compact JSON; `id` a new UUID of its time `ts` (epoch milliseconds). */
export type NewEvent = UserRef & {
  projectId: string;
  externalId: string;
  id: string;
  name: string;
  props: string | null;
  ts: number;
  eventId: string | null;
};

/** An event with what is known of it when its statement starts. */
export type EventRow = NewEvent & {
  /** Month in which it makes its user active. */
  period: number;
  /** The user may not have been counted as active in that month yet. */
  uncounted: boolean;
  /** Version of the project's configuration at which the event's name was looked up among the goals. */
  configVersion: number;
};

const COLUMNS = {
  lane: "int2",
  userKey: "uuid",
  projectId: "uuid",
  externalId: "text",
  id: "uuid",
  name: "text",
  props: "jsonb",
  ts: "int8",
  eventId: "text",
  period: "int4",
  uncounted: "bool",
  configVersion: "int8",
} as const;

/** An event that was new (`id`), or a project whose configuration has changed, in which case nothing was written. */
export type Written = { id: string | null; stale_project: string | null };

/** What a group of events may change beside users, events and counts. */
export type Reach = {
  /** A goal may wait for one of them: deliveries may convert. Otherwise the statement makes sure that none does. */
  goals: boolean;
  /** One of their users may not be counted as active yet. */
  active: boolean;
};

/** No goal waits for these events, as of `configVersion`; nothing is written when the configuration has moved on. */
const fenceCtes = `
  stale as (
    select p.id from projects p
    join (select distinct project_id, config_version from input) i on i.project_id = p.id
    where p.config_version <> i.config_version
  ),
  accepted as (select * from input where not exists (select from stale)),`;

const uncountedCtes = `,
  uncounted as (select lane, user_key, project_id, period from fresh where uncounted),
  ${countActiveCtes("uncounted")}`;

const recordStatement = ({ goals, active }: Reach) =>
  rowsStatement<EventRow, Written>(
    `record_events${goals ? "_for_goals" : ""}${active ? "_of_new" : ""}`,
    COLUMNS,
    `,
  ${goals ? "" : fenceCtes}
  ${appendEventsCtes(goals ? "input" : "accepted")},
  fresh as (select i.* from input i join fresh_events f on f.id = i.id),
  ${upsertSeenUsersCte("fresh")}
  ${active ? uncountedCtes : ""}
  ${goals ? `, ${convertDeliveriesCtes("fresh_events")}` : ""}
  select id, null::uuid as stale_project from fresh_events
  ${goals ? "" : "union all select null, id from stale"}`,
  );

const PLAIN = recordStatement({ goals: false, active: false });
const ACTIVE = recordStatement({ goals: false, active: true });
const GOALS = recordStatement({ goals: true, active: false });
const GOALS_ACTIVE = recordStatement({ goals: true, active: true });

/**
 * Everything that events change, in one statement: each feature brings the part that writes its own tables, and a part that
 * cannot apply is left out (measured at 18 events a statement: 53 µs of PostgreSQL per event with all parts, 40 without).
 */
export const recordEvents = ({ goals, active }: Reach): RowsStatement<EventRow, Written> =>
  goals ? (active ? GOALS_ACTIVE : GOALS) : active ? ACTIVE : PLAIN;

export type TargetEvents = { configVersion: number; names: ReadonlySet<string> };

/** The event names that a goal of a campaign waits for, and the version of the configuration that says so. */
export async function readTargetEvents(db: Db, projectId: string): Promise<TargetEvents> {
  const { rows } = await sql<{ configVersion: number; names: string[] }>`
    select p.config_version as "configVersion", array(
      select distinct g.target_event from goals g
      where g.project_id = p.id and g.target_event is not null
        and exists (select from campaigns c where c.goal_id = g.id and c.project_id = p.id)
    ) as names
    from projects p where p.id = ${projectId}`.execute(db);
  return { configVersion: rows[0]?.configVersion ?? 0, names: new Set(rows[0]?.names) };
}
