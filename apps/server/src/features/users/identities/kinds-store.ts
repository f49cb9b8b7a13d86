import { type RawBuilder, sql } from "kysely";
import type { UserKind } from "./kinds.pure.ts";
import { isVisitorSql } from "./store.ts";

/** SQL: the row of `users` is of a kind. */
export function isOfKindSql(alias: string, kind: UserKind): RawBuilder<boolean> {
  if (kind === "both") return sql`true`;
  return kind === "visitors" ? sql`${isVisitorSql(alias)}` : sql`not ${isVisitorSql(alias)}`;
}
