import { sql } from "kysely";

/** Whose records: of a campaign (`sendId` is its own id) or of one of its tests. */
export type Sending = { projectId: string; campaignId: string; sendId: string };
export type Window = { offset: number; limit: number };

/** While the campaign is held, who could be sent to waits for that. Null where nothing holds it. */
export type Hold = "campaign_paused" | "window" | null;

/** What a slot is shown as, told by the same words in pages and totals. */
export const kindOf = (hold: Hold) =>
  hold === null ? sql`s.state::text` : sql`case s.state when 'ready' then 'waiting' else s.state::text end`;

/** Whether it is a test that records are of. */
export const isTest = ({ campaignId, sendId }: Sending): boolean => campaignId !== sendId;

/** Condition on slots `s`. */
export const ofSending = ({ projectId, campaignId, sendId }: Sending) =>
  sql`s.campaign_id = ${campaignId} and s.project_id = ${projectId} and s.send_id = ${sendId}`;

/** The end of a statement that lists. */
export const page = ({ offset, limit }: Window) => sql`offset ${offset} limit ${limit}`;
