import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { onFirstOccasion } from "../key-store.ts";

// A visitor who became a user may have left deliveries: those of campaigns that the user had already. They stay units of their campaigns, and
// what the person does counts for them as well, though it is recorded for the user alone. While events of a visitor are still being moved, what
// is recorded for the visitor counts for the deliveries of the user, and for those that other visitors of the user left.

/** SQL of the keys under which visitors of a project who became users left deliveries. */
const leftKeys = (projectId: string): RawBuilder<unknown> =>
  sql`select l.lane, l.user_key from ${t.identities} l where l.project_id = ${projectId} and l.units > 0`;

/** SQL of the keys of a project under which deliveries lie for which counts what is recorded under another key. */
export const sharingKeys = (projectId: string): RawBuilder<unknown> => sql`
  ${leftKeys(projectId)}
  union select m.to_lane, m.to_user_key from ${t.identities} m where m.project_id = ${projectId} and m.is_moving`;

export type HitQuestion = {
  projectId: string;
  event: string;
  /** SQL condition on the counts of an alias: the event happened when it counts for the row. */
  hits(counts: string): RawBuilder<unknown>;
};

const countsUnder = (lane: string, userKey: string, { projectId, event }: HitQuestion): RawBuilder<unknown> =>
  sql`c.lane = ${sql.ref(lane)} and c.user_key = ${sql.ref(userKey)} and c.name = ${event} and c.project_id = ${projectId}`;

/**
 * How many units of a campaign (UUID) visitors left, exposed or withheld up to an instant (epoch ms). A user is a unit by the first delivery of a
 * campaign.
 */
export async function countLeftUnits(
  db: Db,
  projectId: string,
  campaignId: string,
  evaluatedAt: number,
): Promise<number> {
  const { rows } = await sql<{ units: number }>`
    with l as materialized (${leftKeys(projectId)})
    select (
      (
        select count(*) from l join ${t.deliveries} d using (lane, user_key)
        where d.project_id = ${projectId} and d.campaign_id = ${campaignId} and d.exposed_at <= ${evaluatedAt}
          and ${onFirstOccasion("d")}
      ) + (
        select count(*) from l join ${t.withheldDeliveries} w using (lane, user_key)
        where w.project_id = ${projectId} and w.campaign_id = ${campaignId} and w.withheld_at <= ${evaluatedAt}
      )
    )::int4 as units`.execute(db);
  return rows[0]?.units ?? 0;
}

/** How many deliveries of a campaign (UUID) were withheld up to an instant (epoch ms). */
export async function countWithheld(
  db: Db,
  projectId: string,
  campaignId: string,
  evaluatedAt: number,
): Promise<number> {
  const { withheld } = await db
    .selectFrom("withheldDeliveries")
    .select((each) => each.fn.countAll<number>().as("withheld"))
    .where("projectId", "=", projectId)
    .where("campaignId", "=", campaignId)
    .where("withheldAt", "<=", evaluatedAt)
    .executeTakeFirstOrThrow();
  return withheld;
}

/**
 * SQL that selects the counts `c` of an event which are recorded under other keys than that of `row`, a row of a select over deliveries, and
 * count for it. Most often there are none.
 */
export const countsBeside = (row: string, question: HitQuestion): RawBuilder<unknown> => {
  const its = (alias: string, prefix = "") =>
    sql`${sql.ref(`${alias}.${prefix}lane`)} = ${sql.ref(`${row}.lane`)} and ${sql.ref(`${alias}.${prefix}user_key`)} = ${sql.ref(`${row}.user_key`)}`;
  return sql`
    select c.* from ${t.identities} l join ${t.eventCounts} c on ${countsUnder("l.to_lane", "l.to_user_key", question)}
    where ${its("l")} and l.units > 0
    union all
    select c.* from ${t.identities} m join ${t.eventCounts} c on ${countsUnder("m.lane", "m.user_key", question)}
    where ${its("m", "to_")} and m.is_moving
    union all
    select c.* from ${t.identities} l
    join ${t.identities} m on m.to_lane = l.to_lane and m.to_user_key = l.to_user_key and m.is_moving and m.user_key <> l.user_key
    join ${t.eventCounts} c on ${countsUnder("m.lane", "m.user_key", question)}
    where ${its("l")} and l.units > 0`;
};

/** SQL condition: what is recorded under the key of a row decides nothing for it. A delivery counts once. */
export const isUndecided = (row: string, question: HitQuestion): RawBuilder<unknown> => sql`not exists (
  select from ${t.eventCounts} c where ${countsUnder(`${row}.lane`, `${row}.user_key`, question)} and ${question.hits("c")}
)`;

/** SQL condition: what is recorded under other keys alone decides for a row. */
export const isDecidedBeside = (row: string, question: HitQuestion): RawBuilder<unknown> => sql`(
  exists (select from (${countsBeside(row, question)}) c where ${question.hits("c")}) and ${isUndecided(row, question)}
)`;
