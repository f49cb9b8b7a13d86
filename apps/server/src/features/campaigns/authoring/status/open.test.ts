import assert from "node:assert/strict";
import { it } from "node:test";
import { sql } from "kysely";
import { sharedHouse } from "../../../../../test/harness.ts";
import { withValue } from "../../../../platform/db/statements/fragment.ts";
import { effectiveStatus } from "../rules.ts";
import { isOpen } from "./open-store.ts";

const house = sharedHouse();

const NOW = 10;
const BOUNDS = [null, NOW - 1, NOW, NOW + 1];

it("isOpen says in SQL what effectiveStatus says of a campaign that is running", async () => {
  const cases = (["draft", "running", "paused", "ended"] as const).flatMap((status) =>
    BOUNDS.flatMap((deliverFrom) => BOUNDS.map((deliverUntil) => ({ status, deliverFrom, deliverUntil }))),
  );
  const given = cases.map((each) => [each.status, each.deliverFrom, each.deliverUntil]);
  const { rows } = await sql<{ bound: boolean; text: boolean }>`
    select ${withValue((at) => isOpen("c", at), NOW)} as bound, ${isOpen("c", String(NOW))} as text
    from (
      select ord, g ->> 0 as status, (g ->> 1)::int8 as deliver_from, (g ->> 2)::int8 as deliver_until
      from jsonb_array_elements(${JSON.stringify(given)}::jsonb) with ordinality as given (g, ord)
    ) c order by c.ord`.execute(house.database.kysely);
  const expected = cases.map((each) => effectiveStatus(each.status, each, NOW) === "running");
  assert.ok(expected.includes(true));
  assert.deepEqual(
    rows,
    expected.map((isRunning) => ({ bound: isRunning, text: isRunning })),
  );
});
