import { type Selectable, sql } from "kysely";
import type { Db, Tables } from "../../platform/db/db.ts";
import { rowsStatement } from "../../platform/db/statements/statement.ts";
import { t } from "../../platform/db/statements/table-names.ts";

/** Calls of one kind that came to the same in an hour. `names` is a JSON list of texts; `hour` counts since 1970, `lastAt` is epoch milliseconds. */
export type CountedCalls = {
  projectId: string;
  hour: number;
  library: string;
  call: string;
  outcome: string;
  count: number;
  names: string;
  lastAt: number;
};

/** How many names are kept of the calls of an hour. */
export const MOST_NAMES = 5;
/** Lines of one answer. */
const MOST_LINES = 2_000;

/** Adds to the counts of hours. Each row is of another project, hour, library, call or outcome. */
export const countCalls = rowsStatement<CountedCalls, Record<never, never>>(
  { name: "count_calls", reach: "config" },
  {
    projectId: "uuid",
    hour: "int4",
    library: "text",
    call: "text",
    outcome: "text",
    count: "int8",
    names: "jsonb",
    lastAt: "int8",
  },
  `
  insert into ${t.intakeHours} as h (project_id, hour, library, call, outcome, count, names, last_at)
  select project_id, hour, library, call, outcome, count, array(select jsonb_array_elements_text(names)), last_at
  from input i
  -- A project that was deleted meanwhile has nothing to count.
  where exists (select from ${t.projects} p where p.id = i.project_id)
  -- Statements of several processes lock the rows in one order.
  order by 1, 2, 3, 4, 5
  on conflict (project_id, hour, library, call, outcome) do update set
    count = h.count + excluded.count,
    last_at = greatest(h.last_at, excluded.last_at),
    names = case when excluded.names <@ h.names or cardinality(h.names) >= ${MOST_NAMES} then h.names else
      array(select distinct n from unnest(h.names || excluded.names) n limit ${MOST_NAMES}) end`,
);

export type HourSums = Omit<Selectable<Tables["intakeHours"]>, "projectId" | "hour">;

/** The counts of a project since an hour, by library, call and outcome, the most frequent first. */
export async function readCallsSince(db: Db, projectId: string, hour: number): Promise<HourSums[]> {
  const { rows } = await sql<HourSums>`
    with sums as (
      select h.library, h.call, h.outcome, sum(h.count)::int8 as count, max(h.last_at) as last_at
      from ${t.intakeHours} h where h.project_id = ${projectId} and h.hour >= ${hour}
      group by 1, 2, 3 order by 4 desc, 1, 2, 3 limit ${MOST_LINES}
    ), named as (
      select h.library, h.call, h.outcome, (array_agg(distinct n order by n))[:${sql.lit(MOST_NAMES)}] as names
      from ${t.intakeHours} h, unnest(h.names) n where h.project_id = ${projectId} and h.hour >= ${hour}
      group by 1, 2, 3
    )
    select library, call, outcome, s.count, s.last_at as "lastAt", coalesce(n.names, '{}') as names
    from sums s left join named n using (library, call, outcome)
    order by s.count desc, 1, 2, 3`.execute(db);
  return rows;
}

/** Deletes the counts of hours before one. */
export async function deleteHoursBeforeAcrossProjects(db: Db, hour: number): Promise<void> {
  await db.deleteFrom("intakeHours").where("hour", "<", hour).execute();
}
