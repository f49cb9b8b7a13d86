import { rowFilter } from "../../../platform/db/statements/fragment.ts";
import { type SqlText, sqlText } from "../../../platform/db/statements/sql-text.ts";
import { t } from "../../../platform/db/statements/table-names.ts";

// `offset 0` keeps the planner from reading all users of all journeys at once, and looking the messages up in that.

/** SQL: the user of the message `s` is inside the journey of its campaign `c`, since the time for which the message is. */
export const isInsideSql = (s: string, c: string): SqlText =>
  sqlText(`exists (
      select from ${t.journeyEntries} e
      where e.lane = ${s}.lane and e.user_key = ${s}.user_key and e.journey_id = ${c}.journey_id and e.occasion = ${s}.occasion and ${rowFilter("e.left_at is null")}
      offset 0
    )`);

/** SQL: the user of the message `s` did something that may end the journey of its campaign `c`, which has not looked at it yet. */
export const mayEndSql = (s: string, c: string): SqlText =>
  sqlText(`exists (
      select from ${t.journeyTriggers} q where q.lane = ${s}.lane and q.user_key = ${s}.user_key and q.journey_id = ${c}.journey_id
      offset 0
    )`);

/** SQL: the properties of the event by which the user of the message `s` entered the journey of its campaign `c`; null for none. */
export const eventOfSql = (s: string, c: string): SqlText =>
  sqlText(`(
      select e.event -> 'props' from ${t.journeyEntries} e
      where e.lane = ${s}.lane and e.user_key = ${s}.user_key and e.journey_id = ${c}.journey_id and e.occasion = ${s}.occasion
    )`);

/**
 * SQL: the user of the message `s` may still see it, as far as the journey of its campaign `c` goes: they are inside since the time for which it
 * is, or went through to the end, and nothing that they did may end the journey.
 */
export const maySeeSql = (s: string, c: string): SqlText =>
  sqlText(`exists (
      select from ${t.journeyEntries} e
      where e.lane = ${s}.lane and e.user_key = ${s}.user_key and e.journey_id = ${c}.journey_id and e.occasion = ${s}.occasion
        and (${rowFilter("e.left_at is null")} or ${rowFilter("e.left_by = 'finished'")})
      offset 0
    ) and not ${mayEndSql(s, c)}`);
