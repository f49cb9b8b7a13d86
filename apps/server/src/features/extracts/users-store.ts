import { sql } from "kysely";
import type { UserRef } from "../../domain/ids.ts";
import type { Db } from "../../platform/db/db.ts";
import { inIndexOrder } from "../../platform/db/in-index-order.ts";
import { findKeyRange, matchingUsersIn } from "../audience/language/public.ts";
import type { AudienceExpression } from "../audience/language/schema.ts";
import type { UserKind } from "../users/identities/kinds.pure.ts";
import { type EndUserRow, type UserFilter, userConditions } from "../users/profiles/public.ts";
import type { RowPage } from "./walk.ts";

/** Users that one statement reads: each may have 32 KB of traits. */
const USERS = 500;

/** Which users are meant: those of a segment at an instant (epoch ms), and of them those whom the filter leaves. `until` as `firstSeenSince`. */
export type ChosenUsers = {
  expression: AudienceExpression | null;
  evaluatedAt: number;
  kind: UserKind;
  filter: UserFilter & { until: number };
};

/** The users of the next range of keys who are meant. Keys never change, so that no user is passed over or had twice. */
export async function nextUsers(
  db: Db,
  projectId: string,
  { expression, evaluatedAt, kind, filter: { until, ...filter } }: ChosenUsers,
  after: UserRef | null,
): Promise<RowPage<EndUserRow, UserRef>> {
  const range = await findKeyRange(db, projectId, after, USERS);
  const conditions = [sql`first_seen_at <= ${until}`, ...userConditions(filter)];
  const statement = sql<EndUserRow>`
    select u.lane, u.user_key as "userKey", u.external_id as "externalId", u.traits,
      u.first_seen_at as "firstSeenAt", u.last_seen_at as "lastSeenAt"
    from ${matchingUsersIn(range, projectId, kind, expression, evaluatedAt)} and ${sql.join(conditions, sql` and `)}
    order by u.lane, u.user_key`;
  const { rows } = await inIndexOrder(db, (tx) => statement.execute(tx));
  return { rows, next: range.until };
}
