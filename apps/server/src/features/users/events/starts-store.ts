import { type RawBuilder, sql } from "kysely";
import { t } from "../../../platform/db/statements/table-names.ts";
import { laneSql } from "../identities/public.ts";

type User = Record<"lane" | "userKey" | "projectId", RawBuilder<unknown>> & { mailKey?: RawBuilder<unknown> };

/** SQL of the user that a row of `alias` is about. */
export const userOf = (alias: string): User => ({
  lane: sql.ref(`${alias}.lane`),
  userKey: sql.ref(`${alias}.user_key`),
  projectId: sql.ref(`${alias}.project_id`),
});

/**
 * SQL of the other keys under which deliveries lie for which counts what is recorded of a user: those of visitors who became the user and left
 * some, and, for a visitor whose events are being moved, those of the user whom they became.
 */
const besideOf = ({ lane, userKey, projectId }: User): RawBuilder<unknown> => {
  const leftTo = (user: RawBuilder<unknown>) => sql`
    select ${laneSql("visitor_key")} as lane, visitor_key as user_key from ${t.users} u, unnest(u.left_by) visitor_key
    where (u.lane, u.user_key) = (${user}) and u.project_id = ${projectId}`;
  const movesTo = sql`
    select m.to_lane, m.to_user_key from ${t.identities} m
    where m.lane = ${lane} and m.user_key = ${userKey} and m.project_id = ${projectId} and m.is_moving`;
  return sql`${leftTo(sql`${lane}, ${userKey}`)} union ${movesTo} union ${leftTo(movesTo)}`;
};

/**
 * SQL that selects as `at` the instants from which a conversion of a user may count: when a message was decided, withheld, handed over,
 * or met, or when they entered a journey whose paths are compared. What becomes of a mail may be found out weeks later, and it then counts as met when it was handed over: so each of its
 * attempts is such an instant. Every other one is recorded before events of its time are old enough to be deleted.
 * @param user SQL of the user's lane, key and project, and of the key that their mail has where it is another
 */
export function startsOf(user: User): RawBuilder<unknown> {
  const { lane, userKey, projectId, mailKey = userKey } = user;
  const theirs = (key: RawBuilder<unknown>) =>
    sql`lane = ${lane} and user_key = ${key} and project_id = ${projectId}`;
  return sql`
    select at from ${t.deliveries}, unnest(array[queued_at, sent_at, exposed_at]) at where ${theirs(userKey)} and at is not null
    union all select withheld_at from ${t.withheldDeliveries} where ${theirs(userKey)}
    union all select queued_at from ${t.unseenDeliveries} where ${theirs(userKey)}
    union all select started_at from ${t.emailAttempts} where ${theirs(mailKey)}
    union all select entered_at from ${t.journeyEntries} where ${theirs(userKey)} and occasion = 0 and arm is not null
    union all select s.at from (${besideOf(user)}) k, lateral (
      select at from ${t.deliveries} d, unnest(array[queued_at, sent_at, exposed_at]) at
      where d.lane = k.lane and d.user_key = k.user_key and at is not null
      union all select w.withheld_at from ${t.withheldDeliveries} w where w.lane = k.lane and w.user_key = k.user_key
      union all select a.started_at from ${t.emailAttempts} a where a.lane = k.lane and a.user_key = k.user_key
    ) s`;
}
