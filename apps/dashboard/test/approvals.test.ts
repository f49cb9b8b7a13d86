import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  byApproval,
  changesText,
  groupsOf,
  proposalParts,
  shareInWords,
  variantName,
  type WaitingCampaign,
} from "../src/features/approvals/rules.ts";
import { words } from "../src/features/approvals/words.ts";

describe("what a proposal would do", () => {
  it("is said by what it changes, the most important first", () => {
    const update = (fields: object) => proposalParts({ mutation: { type: "update", ...fields } });
    assert.deepEqual(proposalParts({ mutation: { type: "status", action: "pause" } }), ["pause"]);
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

describe("the messages of a proposal", () => {
  it("stand beside each other: a text and what it becomes by themselves, the others together", () => {
    assert.deepEqual(groupsOf([["a"], ["b"], ["c", "d"], ["e", "f"], ["g"]]), [
      ["a", "b"],
      ["c", "d"],
      ["e", "f"],
      ["g"],
    ]);
    assert.deepEqual(groupsOf([]), []);
  });

  it("change where what they become is another text, which nothing before a launch is", () => {
    const message = { presentation: "toast" as const, title: "A" };
    assert.equal(changesText({ before: message, after: { ...message, title: "B" } }), true);
    assert.equal(changesText({ before: message, after: { ...message } }), false);
    assert.equal(changesText({ before: null, after: message }), false);
  });

  it("say their share once where it stays", () => {
    assert.equal(shareInWords({ before: 0.5, after: 0.5 }), "50% of users");
    assert.equal(shareInWords({ before: 0.5, after: 0.9 }), "50% → 90% of users");
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
