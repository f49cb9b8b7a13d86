import { type RawBuilder, sql } from "kysely";
import type { UserRef } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import type { EndUserRow } from "../../users/profiles/public.ts";
import { findKeyRange, isInKeyRange, matchingUsers, matchingUsersIn } from "../language/public.ts";
import type { AudienceExpression } from "../language/schema.ts";

/** Whose members: the users, and no visitors, whom an expression matches at an instant (epoch ms). */
type Question = { expression: AudienceExpression; evaluatedAt: number };

const COLUMNS = sql`u.lane, u.user_key as "userKey", u.external_id as "externalId", u.traits,
  u.first_seen_at as "firstSeenAt", u.last_seen_at as "lastSeenAt"`;

const IN_ORDER = sql`order by u.lane, u.user_key`;

/**
 * The next members behind a user (null: the first), by their keys. Of a segment that many are in, a range of users has enough; otherwise all
 * members are found at once, as they are counted, so that one answer goes past any number of users who are not.
 */
export async function nextMembers(
  db: Db,
  projectId: string,
  { expression, evaluatedAt }: Question,
  { after, limit }: { after: UserRef | null; limit: number },
): Promise<EndUserRow[]> {
  const read = async (statement: RawBuilder<EndUserRow>): Promise<EndUserRow[]> =>
    (await statement.execute(db)).rows;
  const range = await findKeyRange(db, projectId, after);
  const near = await read(sql<EndUserRow>`
    select ${COLUMNS} from ${matchingUsersIn(range, projectId, "users", expression, evaluatedAt)} ${IN_ORDER} limit ${limit}`);
  if (near.length === limit || range.until === null) return near;
  const behind = { after: range.until, until: null };
  const far = await read(sql<EndUserRow>`
    with matching as materialized (
      select u.lane, u.user_key from ${matchingUsers(projectId, "users", expression, evaluatedAt)}
    )
    select ${COLUMNS}
    from (
      select m.* from matching m where ${isInKeyRange(behind, "m")} order by m.lane, m.user_key limit ${limit - near.length}
    ) m
    join ${t.users} u on u.lane = m.lane and u.user_key = m.user_key
    ${IN_ORDER}`);
  return [...near, ...far];
}
