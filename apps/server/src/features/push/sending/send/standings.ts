import type { Connection } from "../../../../platform/db/db.ts";
import {
  type Acceptance,
  noteAcceptances,
  noteRefusals,
  type RefusalNote,
} from "../../credentials/public.ts";

/** What an outcome says about its credential, where that may be news. */
export type StandingNote = ({ kind: "accepted" } & Acceptance) | ({ kind: "refused" } & RefusalNote);

/** An app whose refused credential was accepted, or whose credential was accepted for the first time. */
export type ProvenApp = { projectId: string; appId: string };

/** The notes of a batch, one for each credential and address: an acceptance counts for more than a refusal beside it. */
function oneEach(notes: readonly StandingNote[]): StandingNote[] {
  const kept = new Map<string, StandingNote>();
  for (const note of notes) {
    const key = `${note.id} ${note.revision} ${note.address}`;
    const before = kept.get(key);
    if (before === undefined || note.kind === "accepted") kept.set(key, note);
    else if (before.kind === "refused")
      kept.set(key, {
        ...before,
        isCertain: before.isCertain || note.isCertain,
        holds: before.holds || note.holds,
      });
  }
  return [...kept.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Notes with credentials what outcomes said about them. Their rows are locked last, in the order of their ids. */
export async function noteStandings(
  client: Connection,
  notes: readonly StandingNote[],
): Promise<ProvenApp[]> {
  const each = oneEach(notes);
  const refusals = each.flatMap((note) => (note.kind === "refused" ? note : []));
  const acceptances = each.flatMap((note) => (note.kind === "accepted" ? note : []));
  if (refusals.length > 0) await noteRefusals(client, refusals);
  return acceptances.length === 0 ? [] : noteAcceptances(client, acceptances);
}
