import type { DeliveryRef } from "../../../../domain/ids.ts";
import { rowFilter } from "../../../../platform/db/statements/fragment.ts";
import { rowsStatement } from "../../../../platform/db/statements/statement.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";
import { DELIVERY_COLUMNS, deliveryKey, onDelivery } from "../../../deliveries/public.ts";

/**
 * An unknown message that was reported, opened or clicked, so it must have left. `at` is when that was learned, epoch milliseconds.
 */
type Proof = DeliveryRef & { at: number; response: string };

/** Marks unknown messages as accepted; messages with another status stay as they are. */
export const acceptUnknown = rowsStatement<Proof, Record<never, never>>(
  { name: "accept_unknown", reach: "key" },
  { ...DELIVERY_COLUMNS, at: "int8", response: "text" },
  `,
  accepted as (
    update ${t.emailSends} s set status = 'accepted', reason = null
    from input i
    where ${onDelivery("s", "i")} and ${rowFilter("s.status = 'unknown'")}
    returning ${deliveryKey("s")}, s.attempts, s.project_id, i.at, i.response
  )
  insert into ${t.emailOutcomes} (${deliveryKey()}, ordinal, project_id, kind, at, response)
  select ${deliveryKey()}, attempts, project_id, 'accepted', at, response from accepted
  order by ${deliveryKey()}
  on conflict do nothing`,
);
