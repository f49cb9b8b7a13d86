import type { Db } from "../../platform/db/db.ts";
import type { UserRef } from "../../platform/ids.ts";

/** Notes that a key stands for somebody who was erased. `at` is epoch milliseconds. */
export async function insertErasedUser(tx: Db, projectId: string, ghost: UserRef, at: number): Promise<void> {
  await tx
    .insertInto("erasedUsers")
    .values({ ...ghost, projectId, erasedAt: at })
    .execute();
}
