import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { byApproval, partsOf, variantName, type WaitingCampaign } from "../src/features/approvals/rules.ts";
import { words } from "../src/features/approvals/words.ts";

describe("what a proposal would do", () => {
  it("is said by what it changes, the most important first", () => {
    const update = (fields: object) => partsOf({ mutation: { type: "update", ...fields } });
    assert.deepEqual(partsOf({ mutation: { type: "status", action: "pause" } }), ["pause"]);
    assert.deepEqual(update({ name: "Other" }), ["name"]);
    const variants = [
      { id: "a", weight: 0 },
      { id: "b", name: "Short", message: { subject: "Hi" } },
    ];
    assert.deepEqual(update({ name: "Other", variants }), ["texts", "shares", "names", "name"]);
    assert.equal(words.parts(["texts", "shares"]), "New texts, other shares of users");
  });

  it("names a variant that is gone by its id", () => {
    assert.equal(variantName([{ id: "a", name: "A" }], "a"), "A");
    assert.equal(variantName([], "var_1"), "var_1");
  });
});

it("drafts are those that wait, and those that may launch by themselves", () => {
  const draft = (
    campaignId: string,
    approvedBy: string | null,
    step: WaitingCampaign["step"],
    mode: WaitingCampaign["mode"] = "automatic",
  ): WaitingCampaign => ({ campaignId, name: campaignId, createdAt: 1, approvedBy, step, mode });
  const { pending, approved } = byApproval([
    draft("a", null, "approve"),
    draft("b", "Ada", null),
    draft("of people", null, "launch", "manual"),
    draft("allowed, and launched by people", "Ada", "launch", "manual"),
    draft("over", null, null),
  ]);
  assert.deepEqual(
    [pending, approved].map((each) => each.map(({ campaignId }) => campaignId)),
    [["a"], ["b"]],
  );
});
