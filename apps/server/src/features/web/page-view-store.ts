import type { Db } from "../../platform/db/db.ts";

/** Writes down when a page first came for messages of a project (epoch milliseconds); a later page changes nothing. */
export async function insertFirstPageView(db: Db, projectId: string, at: number): Promise<void> {
  await db
    .insertInto("firstPageViews")
    .values({ projectId, at })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
