import type { Connection } from "../../../../platform/db/db.ts";
import {
  type Acceptance,
  markAcceptances,
  markRefusals,
  type RefusalMark,
} from "../../credentials/public.ts";

/** What an outcome says about its credential, where that may be news. */
export type StandingMark = ({ kind: "accepted" } & Acceptance) | ({ kind: "refused" } & RefusalMark);

/** An app whose refused credential was accepted, or whose credential was accepted for the first time. */
export type ProvenApp = { projectId: string; appId: string };

/** What a batch says, one for each credential and address: an acceptance counts for more than a refusal beside it. */
function oneEach(standings: readonly StandingMark[]): StandingMark[] {
  const kept = new Map<string, StandingMark>();
  for (const mark of standings) {
    const key = `${mark.id} ${mark.revision} ${mark.address}`;
    const before = kept.get(key);
    if (before === undefined || mark.kind === "accepted") kept.set(key, mark);
    else if (before.kind === "refused")
      kept.set(key, {
        ...before,
        isCertain: before.isCertain || mark.isCertain,
        bars: before.bars || mark.bars,
      });
  }
  return [...kept.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Marks credentials with what outcomes said about them. Their rows are locked last, in the order of their ids. */
export async function markStandings(
  client: Connection,
  standings: readonly StandingMark[],
): Promise<ProvenApp[]> {
  const each = oneEach(standings);
  const refusals = each.flatMap((mark) => (mark.kind === "refused" ? mark : []));
  const acceptances = each.flatMap((mark) => (mark.kind === "accepted" ? mark : []));
  if (refusals.length > 0) await markRefusals(client, refusals);
  return acceptances.length === 0 ? [] : markAcceptances(client, acceptances);
}
