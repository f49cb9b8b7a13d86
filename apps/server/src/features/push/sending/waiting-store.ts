import { sql } from "kysely";
import type { DeliveryKey } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { isDelivery } from "../../deliveries/public.ts";
import type { WaitsFor } from "../../timing/waiting.pure.ts";

/** For what the push of a delivery waits that is postponed, on the device on which it may leave first; null where it does not. And how often it was tried. */
export async function readWaiting(
  db: Db,
  projectId: string,
  delivery: DeliveryKey,
): Promise<{ waiting: WaitsFor | null; attempts: number }> {
  const { rows } = await sql<{ by: string | null; until: number; attempts: number }>`
    select postponed_by as by, at as until, attempts from ${t.pushSlots}
    where ${isDelivery("push_slots", projectId, delivery)} and not is_test
    order by postponed_by is null, at limit 1`.execute(db);
  const { by = null, until = 0, attempts = 0 } = rows[0] ?? {};
  return { waiting: by === null ? null : { by, until }, attempts };
}
