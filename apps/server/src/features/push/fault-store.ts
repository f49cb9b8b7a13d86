import { sql } from "kysely";
import type { Db } from "../../platform/db/db.ts";

/** Why a campaign stands still. What it failed with may tell of more than its own people may know. */
const FAULTS = {
  planning: "Looking through the audience failed. It is tried again; the log of the server says more.",
  sending:
    "The pushes of this campaign cannot be reserved. It is tried again; the log of the server says more.",
} as const;

/** A push campaign that fails by itself. `until`: its plan is left alone until then, epoch milliseconds. */
type Failure = {
  projectId: string;
  campaignId: string;
  what: keyof typeof FAULTS;
  now: number;
  until: number;
};

/** Says why a campaign stands still, and puts its plan off. The next plan that succeeds forgets it. */
export async function noteFailure(
  db: Db,
  { projectId, campaignId, what, now, until }: Failure,
): Promise<void> {
  await db
    .updateTable("pushPlans")
    .set({
      nextPassAt: sql<number>`greatest(next_pass_at, ${until})`,
      recheckAt: sql<number>`greatest(recheck_at, ${until})`,
      fault: FAULTS[what],
      faultAt: sql<number>`coalesce(fault_at, ${now})`,
    })
    .where("projectId", "=", projectId)
    .where("campaignId", "=", campaignId)
    .execute();
}
