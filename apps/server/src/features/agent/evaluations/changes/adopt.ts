import type { Db } from "../../../../platform/db/db.ts";
import { mutationOf } from "../proposals/open-proposals.ts";
import { adoptHashes, listMutations } from "./adopt-store.ts";
import { hashesOf } from "./payload.ts";

/** Makes the changes of an imported project its own: what they name has new ids, so their hashes are others. */
export async function adoptProposals(db: Db, projectId: string): Promise<void> {
  const rows = await listMutations(db, projectId);
  await adoptHashes(
    db,
    projectId,
    rows.map((row) => ({ ...row, ...hashesOf(row.campaignId, row.evaluationAt, mutationOf(row)) })),
  );
}
