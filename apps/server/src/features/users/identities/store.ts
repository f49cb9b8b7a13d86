import type { UserRef } from "../../../domain/ids.ts";
import { VISITOR_PREFIX } from "../../../domain/visitors.pure.ts";
import type { Relation } from "../../../platform/db/statements/fragment.ts";
import { type SqlText, sqlText } from "../../../platform/db/statements/sql-text.ts";
import { rowsStatement } from "../../../platform/db/statements/statement.ts";
import { t } from "../../../platform/db/statements/table-names.ts";

/** SQL: whether the user of a row of `users` is a visitor. As an index has it. */
export const isVisitorSql = (alias: string): SqlText =>
  sqlText(`starts_with(${alias}.external_id, '${VISITOR_PREFIX}')`);

/** SQL of the lane of a key: its first six bits. */
export const laneSql = (key: string): SqlText => sqlText(`(get_byte(uuid_send(${key}), 0) >> 2)::int2`);

/**
 * SQL, looked at once in a statement: some project of this server keeps visitors, or has kept some. Where none has, what is only about them is not
 * looked up row by row.
 */
export const ANY_VISITORS = sqlText(
  `(select exists (select from ${t.settingChanges} s where s.key = 'visitors.enabled'))`,
);

/**
 * SQL for the `where` of a select that runs once the users of `read` are locked: true, or the statement fails and is run again, because a
 * visitor became one of them since it began, whose deliveries it does not see. `read` has what the statement read of each user.
 */
export function noneJoinedSql(read: Relation<"lane" | "user_key" | "joined">): SqlText {
  const valuesOf = (column: string): string => `array(select r.${column} from ${read} r)`;
  return sqlText(`case when exists (select from ${read})
    then refuse_joined_since(${valuesOf("lane")}, ${valuesOf("user_key")}, ${valuesOf("joined")}) else true end`);
}

/** A key to look for, of a project. */
export type KeyQuestion = UserRef & { projectId: string };

/** The user whom a visitor became. */
export type LinkedUser = { lane: number; userKey: string; externalId: string };

/** Answers for each key the user whom its visitor became; null for all other keys, and where that user was erased. */
export const readLinkedUsers = rowsStatement<
  KeyQuestion,
  { lane: number | null; userKey: string | null; externalId: string | null }
>(
  { name: "read_linked_users", reach: "key" },
  { lane: "int2", userKey: "uuid", projectId: "uuid" },
  ` select u.lane, u.user_key as "userKey", u.external_id as "externalId" from input i
  left join ${t.identities} l on l.lane = i.lane and l.user_key = i.user_key and l.project_id = i.project_id
  left join ${t.users} u on u.lane = l.to_lane and u.user_key = l.to_user_key and u.project_id = i.project_id
  order by i.ord`,
);
