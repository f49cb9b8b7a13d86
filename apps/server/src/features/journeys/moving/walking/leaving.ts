import { inTransaction } from "../../../../platform/db/db.ts";
import type { App } from "../../../../platform/runtime.ts";
import { moveEntries, readInside } from "../entry-store.ts";
import { leavingBy } from "../movements.ts";
import { AT_ONCE } from "../rules.ts";
import type { MovingJourney } from "../store.ts";

/** Has users leave a journey that has ended. Answers how many were inside. */
export async function leaveWith(app: App, journey: MovingJourney): Promise<number> {
  const { id, projectId, version } = journey;
  const { kysely, hotPool } = app.database;
  const inside = await readInside(kysely, projectId, id, AT_ONCE);
  if (inside.length === 0) return 0;
  const now = app.clock();
  const leaving = inside.map((entry) => leavingBy(entry, "ended", { version, now }));
  await inTransaction(hotPool, (client) => moveEntries(client, leaving));
  return inside.length;
}
