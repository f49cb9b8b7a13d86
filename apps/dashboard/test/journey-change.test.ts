import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isNowhere, type JourneyReview, markOf } from "../src/features/approvals/journey-change.ts";

const kept = { id: "welcome", kind: "send", channel: "email", name: "Welcome", campaignId: "cmp_1" } as const;
const wait = (id: string, amount: number) => ({ id, kind: "wait", for: { amount, unit: "days" } }) as const;
const BEFORE: JourneyReview["before"] = [
  { ...kept, campaignStatus: "paused" },
  wait("pause", 3),
  wait("long", 9),
  { id: "end", kind: "end" },
];
const AFTER: JourneyReview["after"] = [
  { ...kept, added: null },
  wait("pause", 4),
  { id: "done", kind: "end" },
  { id: "end", kind: "end" },
];

describe("the steps of a journey that would change", () => {
  it("stay, change, come or go, and a message stays whatever is made of its campaign", () => {
    assert.deepEqual(
      BEFORE.map((step) => [step.id, markOf(step, AFTER, "before")]),
      [
        ["welcome", "stays"],
        ["pause", "changed"],
        ["long", "gone"],
        ["end", "stays"],
      ],
    );
    assert.deepEqual(
      AFTER.map((step) => [step.id, markOf(step, BEFORE, "after")]),
      [
        ["welcome", "stays"],
        ["pause", "changed"],
        ["done", "added"],
        ["end", "stays"],
      ],
    );
  });

  it("leave users nowhere whose step goes, and of whom nothing is written", () => {
    const here = (stepId: string, to: string | null) => isNowhere({ stepId, users: 1, to }, { after: AFTER });
    assert.deepEqual(
      [here("long", null), here("long", "done"), here("long", "end"), here("pause", null)],
      [true, false, false, false],
    );
  });
});
