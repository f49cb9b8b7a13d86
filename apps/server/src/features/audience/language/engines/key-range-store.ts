import { type RawBuilder, sql } from "kysely";
import type { UserRef } from "../../../../domain/ids.ts";
import type { Db } from "../../../../platform/db/db.ts";
import { inIndexOrder } from "../../../../platform/db/in-index-order.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";
import type { UserKind } from "../../../users/identities/kinds.pure.ts";
import { isOfKindSql } from "../../../users/identities/public.ts";
import type { AudienceExpression, AudienceNode, CountingNode } from "../schema.ts";
import { type AudienceScope, eventSql, fieldSql, isCounted, SYMBOLS } from "./conditions-store.ts";
import { messageSql } from "./messages-store.ts";

/**
 * Users of a project that follow each other by lane and key: from behind `after` (null: the first user) to `until` itself (null: the last
 * user).
 */
export type KeyRange = { after: UserRef | null; until: UserRef | null };

/** The most users of a range: so many are gone through at a time. */
const USERS_IN_RANGE = 2_000;

/**
 * SQL: the user of the row `u` is of a project. PostgreSQL does not see of which while it plans: of one that its statistics do not know yet, it would
 * expect a single user, and might as well read all of them as those of a range.
 */
const isOfSome = (u: string, projectId: string): RawBuilder<boolean> =>
  sql`${sql.ref(`${u}.project_id`)} = (select ${projectId}::uuid)`;

/**
 * The range of the next users, behind one of them (null: the first one), who have a row `r` in `rows`: SQL that follows `from`, ends with
 * conditions, and has an index by lane and key. Other users may lie in it as well.
 */
export async function findRangeOf(
  db: Db,
  rows: RawBuilder<unknown>,
  after: UserRef | null,
  users = USERS_IN_RANGE,
): Promise<KeyRange> {
  const last = sql<UserRef>`
    select r.lane, r.user_key as "userKey" from ${rows} and ${isInKeyRange({ after, until: null }, "r")}
    order by r.lane, r.user_key offset ${users - 1} limit 1`;
  const { rows: found } = await inIndexOrder(db, (tx) => last.execute(tx));
  return { after, until: found[0] ?? null };
}

/** The next range of a project's users, behind one of them (null: the first one). */
export const findKeyRange = (
  db: Db,
  projectId: string,
  after: UserRef | null,
  users = USERS_IN_RANGE,
): Promise<KeyRange> => findRangeOf(db, sql`${t.users} r where ${isOfSome("r", projectId)}`, after, users);

/**
 * SQL: the row `r`, which has a `lane` and a `user_key`, is of a user of a range of keys. Where both ends are in one lane, that is said in plain
 * comparisons: PostgreSQL estimates a comparison of rows by the first column alone.
 */
export function isInKeyRange({ after, until }: KeyRange, r: string): RawBuilder<boolean> {
  const lane = sql.ref(`${r}.lane`);
  const key = sql.ref(`${r}.user_key`);
  if (after !== null && until !== null && after.lane === until.lane)
    return sql`(${lane} = ${until.lane}::int2 and ${key} > ${after.userKey}::uuid and ${key} <= ${until.userKey}::uuid)`;
  const ends = [
    ...(after === null
      ? []
      : [
          sql`${lane} >= ${after.lane}::int2 and (${lane}, ${key}) > (${after.lane}::int2, ${after.userKey}::uuid)`,
        ]),
    ...(until === null
      ? []
      : [
          sql`${lane} <= ${until.lane}::int2 and (${lane}, ${key}) <= (${until.lane}::int2, ${until.userKey}::uuid)`,
        ]),
  ];
  return ends.length === 0 ? sql`true` : sql`(${sql.join(ends, sql` and `)})`;
}

/** How often the user `u` did what a node counts; of single events and messages no more are read than its comparison tells apart. */
function timesSql(node: CountingNode, scope: AudienceScope): RawBuilder<number> {
  const most = node.count.value + 1;
  if (node.kind === "message")
    return sql`(
    select count(*) from (
      select from ${t.deliveries} d
      where d.lane = u.lane and d.user_key = u.user_key and ${messageSql(node, scope)} limit ${most}
    ) theirs
  )`;
  if (isCounted(node))
    return sql`coalesce((
      select c.count from ${t.eventCounts} c
      where c.lane = u.lane and c.user_key = u.user_key and c.project_id = ${scope.projectId} and c.name = ${node.event}
    ), 0)`;
  // The key of a user is of one project. Without the project in the condition, the index alone tells whether an event counts.
  const isCountedEvent = eventSql(node, scope.evaluatedAt);
  return sql`(
    select count(*) from (
      select from ${t.events} e where e.lane = u.lane and e.user_key = u.user_key and ${isCountedEvent} limit ${most}
    ) theirs
  )`;
}

/** A node as a condition on the user `u` alone; never null. */
function nodeSql(node: AudienceNode, scope: AudienceScope): RawBuilder<unknown> {
  switch (node.kind) {
    case "all":
    case "any": {
      const conditions = node.children.map((child) => nodeSql(child, scope));
      return sql`(${sql.join(conditions, node.kind === "all" ? sql` and ` : sql` or `)})`;
    }
    case "not":
      return sql`(not ${nodeSql(node.child, scope)})`;
    case "field":
      return fieldSql(node, scope);
    case "event":
    case "message":
      return sql`(${timesSql(node, scope)} ${SYMBOLS[node.count.op]} ${node.count.value})`;
  }
}

/**
 * The users of a kind in a range of keys whom an expression matches (null: all of them), in the form of `matchingUsers`. What they did is looked up user by
 * user, and nothing else is read, so that a range costs the same in a project of any size.
 */
export function matchingUsersIn(
  range: KeyRange,
  projectId: string,
  kind: UserKind,
  expression: AudienceExpression | null,
  evaluatedAt: number,
): RawBuilder<unknown> {
  const scope = { projectId, evaluatedAt };
  const condition = expression === null ? sql`true` : nodeSql(expression.root, scope);
  const isAll = range.after === null && range.until === null;
  const isOfProject = isAll ? sql`u.project_id = ${projectId}` : isOfSome("u", projectId);
  return sql`${t.users} u where ${isOfProject} and ${isInKeyRange(range, "u")} and ${isOfKindSql("u", kind)} and ${condition}`;
}
