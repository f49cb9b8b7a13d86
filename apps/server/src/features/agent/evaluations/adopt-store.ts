import { sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import type { PayloadHashes } from "./payload.ts";

/** A change of a project; `former` is the hash under which it is kept. */
export type Kept = { campaignId: string; evaluationAt: number; former: string; mutation: unknown };

/** Every change of a project that was proposed or applied. */
export async function listMutations(db: Db, projectId: string): Promise<Kept[]> {
  const { rows } = await sql<Kept>`
    select campaign_id as "campaignId", evaluation_at as "evaluationAt", payload_hash as former, mutation
    from proposals where project_id = ${projectId}
    union
    select campaign_id, evaluation_at, payload_hash, mutation from applied_mutations where project_id = ${projectId}`.execute(
    db,
  );
  return rows;
}

/** Keeps changes under other hashes. */
export async function adoptHashes(
  db: Db,
  projectId: string,
  rows: readonly (Kept & PayloadHashes)[],
): Promise<void> {
  const json = JSON.stringify(
    rows.map(({ campaignId, evaluationAt, former, payloadHash, mutationHash }) => ({
      campaign_id: campaignId,
      evaluation_at: evaluationAt,
      former,
      payload_hash: payloadHash,
      mutation_hash: mutationHash,
    })),
  );
  const given = sql`json_to_recordset(${json}::json)
    as n(campaign_id uuid, evaluation_at bigint, former text, payload_hash text, mutation_hash text)`;
  const same = sql`t.project_id = ${projectId} and t.campaign_id = n.campaign_id
    and t.evaluation_at = n.evaluation_at and t.payload_hash = n.former`;
  await sql`
    update proposals t set payload_hash = n.payload_hash, mutation_hash = n.mutation_hash
    from ${given} where ${same}`.execute(db);
  await sql`
    update applied_mutations t set payload_hash = n.payload_hash from ${given} where ${same}`.execute(db);
}
