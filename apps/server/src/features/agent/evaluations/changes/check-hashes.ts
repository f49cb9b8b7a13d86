import type { Db } from "../../../../platform/db/db.ts";
import { type HashedChange, listHashedAcrossProjects } from "../check-store.ts";
import { mutationOf } from "../proposals/open-proposals.ts";
import { hashesOf } from "./payload.ts";

/** Changes that are read at once; each may have 256 KiB. */
const PAGE = 25;

function isAsHashed(change: HashedChange): boolean {
  const { payloadHash, mutationHash } = hashesOf(change.campaignId, change.evaluationAt, mutationOf(change));
  return payloadHash === change.payloadHash && (change.mutationHash ?? mutationHash) === mutationHash;
}

/** Changes, proposed or applied, that are not what their hashes say: what people have approved is known by its hash. */
export async function countHashDifferencesAcrossProjects(db: Db): Promise<number> {
  let differences = 0;
  for (const from of ["proposals", "appliedMutations"] as const)
    for (let after: HashedChange | null = null; ; ) {
      const page: HashedChange[] = await listHashedAcrossProjects(db, from, after, PAGE);
      differences += page.filter((change) => !isAsHashed(change)).length;
      after = page.at(-1) ?? null;
      if (page.length < PAGE) break;
    }
  return differences;
}
