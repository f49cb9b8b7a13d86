import { sql } from "kysely";

/** Which records to read: those of a campaign (`sendId` is its own id) or of one of its tests. */
export type Sending = { projectId: string; campaignId: string; sendId: string };
export type PageBounds = { offset: number; limit: number };

/** Why a campaign sends nothing now, so that slots that are ready are shown as waiting; null where it sends. */
export type PauseReason = "campaign_paused" | "window" | null;

/** The state that a slot is shown with, the same in pages and totals. */
export const slotKindSql = (pauseReason: PauseReason) =>
  pauseReason === null
    ? sql`s.state::text`
    : sql`case s.state when 'ready' then 'waiting' else s.state::text end`;

/** Whether the records are those of a test. */
export const isTest = ({ campaignId, sendId }: Sending): boolean => campaignId !== sendId;

/** Condition on slots `s`. */
export const ofSending = ({ projectId, campaignId, sendId }: Sending) =>
  sql`s.campaign_id = ${campaignId} and s.project_id = ${projectId} and s.send_id = ${sendId}`;

/** The page of a list, as the end of its statement. */
export const page = ({ offset, limit }: PageBounds) => sql`offset ${offset} limit ${limit}`;
