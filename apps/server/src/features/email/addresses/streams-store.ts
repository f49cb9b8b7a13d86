import { type SqlText, sqlText } from "../../../platform/db/statements/sql-text.ts";

/** SQL: the address `a` takes no mail of the project's campaigns any more. */
export const isSuppressedSql = (a: string): SqlText => sqlText(`${a}.suppressed_at is not null`);

/** SQL: the address `a` takes no receipts of the project any more: no transactional mail. */
export const isReceiptsStoppedSql = (a: string): SqlText => sqlText(`${a}.receipts_stopped_at is not null`);

/** SQL: whether a reason stops the mail of campaigns. `stream`: whose mail it is about, which only a complaint depends on. */
export const stopsCampaignsSql = (reason: string, stream: string): SqlText =>
  sqlText(`(${reason} <> 'complained' or ${stream} = 'campaigns')`);

/** SQL: whether a reason stops receipts. Unsubscribing never does. */
export const stopsReceiptsSql = (reason: string, stream: string): SqlText =>
  sqlText(`(${reason} in ('bounced', 'manual') or ${reason} = 'complained' and ${stream} = 'receipts')`);

/** SQL: since when an address gets no mail of campaigns, and without that since when it gets no receipts. An index has this order. */
export const stoppedAtSql = (a: string): SqlText =>
  sqlText(`coalesce(${a}.suppressed_at, ${a}.receipts_stopped_at)`);

/** SQL: why, of the same stream. */
export const stoppedBySql = (a: string): SqlText =>
  sqlText(`coalesce(${a}.suppressed_by, ${a}.receipts_stopped_by)`);
