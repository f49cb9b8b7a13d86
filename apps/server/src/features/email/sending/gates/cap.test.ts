import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { capGate } from "./cap.ts";

describe("whether the cap lets a mail leave", () => {
  const now = 1_000_000_000;
  const cases: readonly [accepted: number, onTheWay: number, capMax: number, verdict: string][] = [
    [0, 0, 3, "send"],
    [2, 0, 3, "send"],
    [3, 0, 3, "capped"],
    [4, 0, 3, "capped"],
    [2, 1, 3, "wait"],
    [0, 3, 3, "wait"],
    [3, 1, 3, "capped"],
    [9, 9, 0, "send"],
  ];
  for (const [accepted, onTheWay, capMax, verdict] of cases)
    for (const overCap of ["skip", "postpone"] as const)
      it(`${accepted} accepted and ${onTheWay} in flight under a cap of ${capMax}, ${overCap}: ${verdict}`, () => {
        const settings = { "email.capMax": capMax, "email.capHours": 1, "email.overCap": overCap };
        const acceptedAt = Array.from({ length: accepted }, (_, nth) => now - 1_000 + nth);
        const facts = { settings, now, acceptedAt, onTheWay, waiting: null };
        assert.equal(capGate.passes(facts), verdict === "send");
        if (verdict === "wait") assert.equal(capGate.until(facts), now + 5_000);
        // The place of the mail that was accepted as the third from last is free an hour after it.
        if (verdict === "capped")
          assert.equal(
            capGate.until(facts),
            overCap === "skip" ? null : (acceptedAt[accepted - capMax] ?? 0) + 3_600_000,
          );
      });
});
