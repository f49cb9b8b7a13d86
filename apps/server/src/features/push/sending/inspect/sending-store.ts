import { sql } from "kysely";
import { type SqlText, sqlText } from "../../../../platform/db/statements/sql-text.ts";
import { onFirstOccasion, sameCampaign } from "../../../deliveries/public.ts";

/** Which records to read: those of a campaign's deliveries, whichever their occasion, or with `testId` (UUID) those of one of its tests. */
export type Sending = { projectId: string; campaignId: string; testId: string | null };
export type PageBounds = { offset: number; limit: number };

/** Why a campaign sends nothing now, so that slots that are ready are shown as waiting; null where it sends. */
export type PauseReason = "campaign_paused" | "window" | null;

/** The state that a slot is shown with, the same in pages and totals. */
export const slotKindSql = (pauseReason: PauseReason) =>
  pauseReason === null
    ? sql`s.state::text`
    : sql`case s.state when 'ready' then 'waiting' else s.state::text end`;

/** Whether the records are those of a test. */
export const isTest = ({ testId }: Sending): boolean => testId !== null;

/** Condition on slots `s`. */
export const ofSending = ({ projectId, campaignId, testId }: Sending) =>
  sql`s.campaign_id = ${campaignId} and s.project_id = ${projectId}
    and ${testId === null ? sql`not s.is_test` : sql`s.send_id = ${testId}`}`;

/** The page of a list, as the end of its statement. */
export const page = ({ offset, limit }: PageBounds) => sql`offset ${offset} limit ${limit}`;

/**
 * SQL: the row `a`, one for each delivery, counts its user, who may have several deliveries of the campaign: it is the one on the first of the
 * occasions that `table` has rows of, those with `condition` alone. Reads nothing where that is the first occasion of all.
 */
export const countsUser = (a: string, table: SqlText, condition = "true"): SqlText =>
  sqlText(`(${onFirstOccasion(a)} or not exists (
    select from ${table} f where ${sameCampaign("f", a)} and f.occasion < ${a}.occasion and ${condition}
  ))`);
