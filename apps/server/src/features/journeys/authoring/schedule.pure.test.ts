import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { occurrenceAfter, type Schedule } from "./schedule.pure.ts";

const at = (iso: string): number => Date.parse(iso);
const DAY = 86_400_000;
const nine = { on: "schedule" as const, at: "09:00", zone: "Europe/Berlin" };

describe("the next occurrence of a schedule", () => {
  it("is behind the instant, at the hour of its zone, on its days", () => {
    const cases: [Schedule, string, string][] = [
      [nine, "2026-11-25T07:59:59Z", "2026-11-25T08:00:00Z"],
      [nine, "2026-11-25T08:00:00Z", "2026-11-26T08:00:00Z"],
      [{ ...nine, weekdays: ["mon"] }, "2026-11-25T12:00:00Z", "2026-11-30T08:00:00Z"],
      [{ ...nine, weekdays: ["mon"] }, "2026-11-30T08:00:00Z", "2026-12-07T08:00:00Z"],
      [{ ...nine, monthDays: [28] }, "2026-01-28T08:00:00Z", "2026-02-28T08:00:00Z"],
      [{ ...nine, monthDays: [15, 1] }, "2026-11-25T12:00:00Z", "2026-12-01T08:00:00Z"],
      // Clocks go ahead on this day, and back on the last one of October.
      [nine, "2026-03-28T12:00:00Z", "2026-03-29T07:00:00Z"],
      [nine, "2026-10-24T12:00:00Z", "2026-10-25T08:00:00Z"],
    ];
    for (const [schedule, from, next] of cases)
      assert.equal(new Date(occurrenceAfter(schedule, at(from))).toISOString(), next.replace("Z", ".000Z"));
  });

  it("comes within a month in every zone, and none is left out between two", () =>
    fc.assert(
      fc.property(
        fc.constantFrom(...Intl.supportedValuesOf("timeZone")),
        fc.integer({ min: 0, max: 23 }),
        fc.constantFrom<Pick<Schedule, "weekdays" | "monthDays">>(
          {},
          { weekdays: ["tue", "sat"] },
          { monthDays: [1, 28] },
        ),
        fc.integer({ min: at("2024-01-01T00:00:00Z"), max: at("2028-01-01T00:00:00Z") }),
        (zone, hour, days, from) => {
          const schedule = { ...nine, ...days, zone, at: `${String(hour).padStart(2, "0")}:30` };
          const next = occurrenceAfter(schedule, from);
          assert.ok(next > from && next <= from + 33 * DAY);
          assert.equal(occurrenceAfter(schedule, next - 1), next);
          for (let between = from; between < next; between += (next - from) / 3 + 1)
            assert.equal(occurrenceAfter(schedule, Math.floor(between)), next);
        },
      ),
      { numRuns: 1_000 },
    ));
});
