import type { Db } from "../../../platform/db/db.ts";
import { EXPERIMENT } from "./story.pure.ts";

/** The experiment that goes on. `began` is when its first day began (epoch milliseconds). */
export type Experiment = { campaignId: string; goalId: string; began: number };

/** The newest experiment of the shop that was not ended; null where there is none. */
export async function findExperiment(db: Db, projectId: string): Promise<Experiment | null> {
  const row = await db
    .selectFrom("campaigns")
    .select(["id as campaignId", "goalId", "createdAt as began"])
    .where("projectId", "=", projectId)
    .where("name", "=", EXPERIMENT)
    .where("status", "!=", "ended")
    .where("goalId", "is not", null)
    .$narrowType<{ goalId: string }>()
    .orderBy("createdAt", "desc")
    .orderBy("id", "desc")
    .executeTakeFirst();
  return row ?? null;
}

/** When the last visitor of the experiment came, epoch milliseconds; null before the first. */
export async function findLastVisit(db: Db, projectId: string, campaignId: string): Promise<number | null> {
  const row = await db
    .selectFrom("deliveries")
    .select(({ fn }) => fn.max("queuedAt").as("at"))
    .where("projectId", "=", projectId)
    .where("campaignId", "=", campaignId)
    .executeTakeFirst();
  return row?.at ?? null;
}
