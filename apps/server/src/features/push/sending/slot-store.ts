import { type SqlText, sqlText } from "../../../platform/db/statements/sql-text.ts";
/** SQL condition: the rows `a` and `b` belong to the same slot. */
export const sameSlot = (a: string, b: string): SqlText =>
  sqlText(`${a}.lane = ${b}.lane and ${a}.user_key = ${b}.user_key and ${a}.slot_key = ${b}.slot_key`);
