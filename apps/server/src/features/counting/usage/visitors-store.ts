import { VISITOR_PREFIX } from "../../../domain/visitors.pure.ts";
import { type SqlText, sqlText } from "../../../platform/db/statements/sql-text.ts";
import { t } from "../../../platform/db/statements/table-names.ts";

/**
 * SQL: the key of a row, which has a lane and a user key, is that of a visitor: of one who is there, of one who became a user, or of one who was
 * erased. Visitors are active in no period.
 */
export const isOfVisitor = (row: string): SqlText =>
  sqlText(`(
    exists (
      select from ${t.users} v
      where v.lane = ${row}.lane and v.user_key = ${row}.user_key and starts_with(v.external_id, '${VISITOR_PREFIX}')
    ) or exists (
      select from ${t.identities} l where l.lane = ${row}.lane and l.user_key = ${row}.user_key
    ) or exists (
      select from ${t.erasedUsers} g where g.lane = ${row}.lane and g.user_key = ${row}.user_key and g.was_visitor
    )
  )`);
