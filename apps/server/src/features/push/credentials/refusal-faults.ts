import type { Db } from "../../../platform/db/db.ts";
import { setSendingFault } from "../../deliveries/public.ts";
import { refusalWords } from "./standing.pure.ts";
import { listRefusals } from "./standing-store.ts";

/**
 * Stores with campaigns, those given or those of an app that run, which credentials their provider refuses; removes the fault of those
 * that have none.
 * @param now epoch ms
 */
export async function reportRefusals(
  db: Db,
  projectId: string,
  which: { campaignIds: readonly string[] } | { appId: string },
  now: number,
): Promise<void> {
  const byFault = new Map<string | null, string[]>();
  for (const { campaignId, refused } of await listRefusals(db, projectId, which)) {
    const fault = refused.length === 0 ? null : refused.map(refusalWords).join(" ");
    byFault.set(fault, [...(byFault.get(fault) ?? []), campaignId]);
  }
  for (const [fault, campaignIds] of byFault) await setSendingFault(db, projectId, campaignIds, fault, now);
}
