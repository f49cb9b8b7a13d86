import { apiId } from "../../../../domain/ids.ts";
import type { Db } from "../../../../platform/db/db.ts";
import { shownStatus } from "../rules.ts";
import type { AgentProposal } from "../schema.ts";
import { type Moved, mutationOf, readState } from "./open-proposals.ts";
import type { ProposalRow } from "./proposal-store.ts";

const runId = (uuid: string | null): string | null => (uuid === null ? null : apiId("run", uuid));

/** A proposal as the API shows it now. `known`: what `movedSince` answered at this instant. */
export async function viewProposal(
  within: { db: Db; projectId: string; now: number },
  row: ProposalRow,
  known?: Moved,
): Promise<AgentProposal> {
  const { createdAt, expiresAt, decidedAt, decidedBy, consumedAt, reason, payloadHash, evaluationAt } = row;
  return {
    createdAt,
    expiresAt,
    decidedAt,
    decidedBy,
    consumedAt,
    reason,
    payloadHash,
    evaluationAt,
    id: apiId("prop", row.id),
    campaignId: apiId("cmp", row.campaignId),
    mutation: mutationOf(row),
    status: shownStatus(row, within.now),
    state: await readState(within, row, known),
    proposedRunId: runId(row.proposedRunId),
    decidedRunId: runId(row.decidedRunId),
  };
}
