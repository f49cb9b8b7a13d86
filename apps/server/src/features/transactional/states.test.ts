import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sql } from "kysely";
import { sharedHouse } from "../../../test/harness.ts";
import type { DeliveryState } from "../deliveries/lifecycle/rules.ts";
import { type SendStatus, sendStateOf } from "./rules.ts";
import { STATE } from "./store.ts";

const house = sharedHouse();
const STATUSES: readonly SendStatus[] = [
  "waiting",
  "sending",
  "accepted",
  "unknown",
  "failed",
  "capped",
  "suppressed",
  "withdrawn",
];

describe("the state of a mail", () => {
  it("is the same in a filter as in an answer, for every status and every state of its delivery", async () => {
    const known = await sql<{ label: string; type: string }>`
      select e.enumlabel as label, p.typname as type from pg_enum e join pg_type p on p.oid = e.enumtypid
      where p.typname in ('email_send_status', 'delivery_state')`.execute(house.database.kysely);
    const labels = (type: string) =>
      known.rows.flatMap((row) => (row.type === type ? [row.label] : [])).sort();
    assert.deepEqual(labels("email_send_status"), [...STATUSES].sort());
    const { rows } = await sql<{ status: SendStatus; state: DeliveryState; filtered: string }>`
      select s.status::text as status, d.state::text as state, ${STATE} as filtered
      from unnest(enum_range(null::email_send_status)) s (status)
      cross join unnest(enum_range(null::delivery_state)) d (state)`.execute(house.database.kysely);
    assert.equal(rows.length, STATUSES.length * labels("delivery_state").length);
    for (const { status, state, filtered } of rows)
      assert.equal(filtered, sendStateOf(status, state), `${status}, ${state}`);
  });
});
