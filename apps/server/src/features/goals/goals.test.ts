import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { refusal, testHouse } from "../../../test/harness.ts";

const house = testHouse();

describe("createGoal", () => {
  it("answers the goal with defaults for what was not said", async () => {
    const { api } = await house.project();
    const { goal } = await api.createGoal({ body: { name: "Upgrades" } });
    const { id, ...rest } = goal;
    assert.match(id, /^goal_[0-9a-f-]{36}$/);
    assert.deepEqual(rest, {
      name: "Upgrades",
      description: null,
      targetEvent: null,
      guardrails: null,
      approvalMode: "require_human",
      status: "active",
      createdAt: house.now(),
    });
  });
  it("names the field and the rule", async () => {
    const { api } = await house.project();
    const { status, error } = await refusal(api.createGoal({ body: { name: "x".repeat(81) } }));
    assert.deepEqual([status, error], [400, "name must be at most 80 characters"]);
  });
});
