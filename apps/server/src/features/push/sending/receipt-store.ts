import type { UserRef } from "../../../domain/ids.ts";
import { rowsStatement } from "../../../platform/db/statements/statement.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { sameSlot } from "./slot-store.ts";

/** A device that reported that a push arrived. `at` is epoch milliseconds. */
export type Receipt = UserRef & { slotKey: string; projectId: string; at: number };

/** Records when devices first reported that a push arrived. */
export const recordReceipts = rowsStatement<Receipt, Record<never, never>>(
  { name: "record_push_receipts", reach: "key" },
  { lane: "int2", userKey: "uuid", slotKey: "uuid", projectId: "uuid", at: "int8" },
  `,
  locked as (
    select s.lane, s.user_key, s.slot_key, i.at
    from (select distinct on (lane, user_key, slot_key) * from input order by lane, user_key, slot_key, ord) i
    join ${t.pushSlots} s
      on ${sameSlot("s", "i")} and s.project_id = i.project_id
    where s.receipt_at is null
    order by s.lane, s.user_key, s.slot_key for no key update of s
  )
  update ${t.pushSlots} s set receipt_at = h.at from locked h
  where ${sameSlot("s", "h")} and s.receipt_at is null`,
);
