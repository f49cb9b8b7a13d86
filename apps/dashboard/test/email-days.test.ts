import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { dayRange } from "../src/features/email/rules.ts";

/** Afternoon of the first of a month, in the zone of the reader, whichever that is. */
const NOW = new Date(2026, 2, 1, 15, 30);
const instantOf = (month: number, day: number): number => new Date(2026, month - 1, day).getTime();

describe("the days on which addresses left", () => {
  it("are those of the reader, from the first instant of a day to its last", () => {
    assert.deepEqual(dayRange({ when: "today" }, NOW), { since: instantOf(3, 1) });
    assert.deepEqual(dayRange({ when: "yesterday" }, NOW), {
      since: instantOf(2, 28),
      until: instantOf(3, 1) - 1,
    });
    assert.deepEqual(dayRange({ when: "week" }, NOW), { since: instantOf(2, 23) });
    assert.deepEqual(dayRange({ when: "range", from: "2026-02-28", to: "2026-02-28" }, NOW), {
      since: instantOf(2, 28),
      until: instantOf(3, 1) - 1,
    });
    assert.deepEqual(dayRange({ when: "range", from: "2026-02-28" }, NOW), { since: instantOf(2, 28) });
  });

  it("are all, whatever else an address says", () => {
    for (const address of [{}, { when: "never" }, { when: "range" }, { from: "2026-02-28" }])
      assert.deepEqual(dayRange(address, NOW), {}, JSON.stringify(address));
    assert.deepEqual(dayRange({ when: "range", from: "28.2.2026", to: "2026-99-99" }, NOW), {});
  });
});
