import type { Db } from "../../platform/db/db.ts";
import { SET } from "./read.ts";
import { insertChanges } from "./store.ts";

/** Writes to the log of settings that an identity secret was made, or replaced. It is no setting itself: it is generated, and never typed. */
export async function logIdentity(
  tx: Db,
  projectId: string,
  { wasThere, by, now }: { wasThere: boolean; by: string; now: number },
): Promise<void> {
  const after = JSON.stringify(SET);
  const before = wasThere ? after : null;
  const change = { key: "identity.secret", before, after, changedBy: by, changedAt: now };
  await insertChanges(tx, [{ owner: { projectId }, ...change }]);
}
