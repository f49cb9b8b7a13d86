import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sharedHouse } from "../../../../test/harness.ts";
import { DAY_MS, MINUTE_MS } from "../../time/clock.ts";
import { drawBudget } from "./budget-store.ts";

const house = sharedHouse();

describe("a budget that processes share", () => {
  it("comes back from now on where the database's clock was ahead when it was counted", async () => {
    const { pool } = house.database;
    const { projectId } = await house.project();
    const draw = async () => (await drawBudget(pool, { projectId, budget: "goals" }, 30, 30)).granted;
    const shift = (ms: number) =>
      pool.query("update shared_budgets set counted_at = counted_at + $2 where project_id = $1", [
        projectId,
        ms,
      ]);
    assert.equal(await draw(), 30);
    await shift(DAY_MS);
    assert.equal(await draw(), 0, "how much has come back cannot be known");
    // As if a minute had passed.
    await shift(-MINUTE_MS);
    assert.equal(await draw(), 30);
  });
});
