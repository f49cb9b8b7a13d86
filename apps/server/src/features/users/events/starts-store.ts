import { type RawBuilder, sql } from "kysely";
import { t } from "../../../platform/db/statements/table-names.ts";

type User = Record<"lane" | "userKey" | "projectId", RawBuilder<unknown>> & { mailKey?: RawBuilder<unknown> };

/** SQL of the user that a row of `alias` is about. */
export const userOf = (alias: string): User => ({
  lane: sql.ref(`${alias}.lane`),
  userKey: sql.ref(`${alias}.user_key`),
  projectId: sql.ref(`${alias}.project_id`),
});

/**
 * SQL that selects as `at` the instants from which a conversion of a user may count: when a message was decided, withheld, handed over,
 * or met. What becomes of a mail may be found out weeks later, and it then counts as met when it was handed over: so each of its
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
    union all select started_at from ${t.emailAttempts} where ${theirs(mailKey)}`;
}
