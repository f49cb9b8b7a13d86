import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { clockNamed } from "../../../timing/reader-clock.pure.ts";
import type { Wait } from "../../authoring/steps.pure.ts";
import { waitEndOf } from "./waits.pure.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const at = (iso: string): number => Date.parse(iso);
const NOW = at("2026-11-25T12:00:00Z");
const project = clockNamed("Europe/Berlin");

/** When a wait is over for a user with some traits who has been there since an instant. */
const endOf = (wait: Wait, traits: Record<string, unknown> = {}, arrivedAt = NOW): number | null =>
  waitEndOf({ id: "a", kind: "wait", ...wait }, arrivedAt, { traits, project, now: NOW }).at;

describe("a wait", () => {
  it("lasts as long as it says, wherever the user is", () => {
    assert.equal(endOf({ for: { amount: 3, unit: "days" } }, { $timezone: "Asia/Tokyo" }), NOW + 3 * DAY);
    assert.equal(endOf({ for: { amount: 90, unit: "minutes" } }), NOW + 90 * 60_000);
  });

  it("is over at an hour of the user's own clocks, of the project's, or of a zone", () => {
    const nine = { at: "09:00", zone: "user" };
    assert.equal(endOf({ until: nine }, { $timezone: "Asia/Tokyo" }), at("2026-11-26T00:00:00Z"));
    assert.equal(endOf({ until: nine }), at("2026-11-26T08:00:00Z"));
    assert.equal(endOf({ until: nine }, { $timezone: "Mars/Base" }), at("2026-11-26T08:00:00Z"));
    const london = { at: "13:00", zone: "Europe/London" };
    assert.equal(endOf({ until: london }, { $timezone: "Asia/Tokyo" }), NOW + HOUR);
    assert.equal(
      endOf({ until: { ...london, weekdays: ["mon"] } }),
      at("2026-11-30T13:00:00Z"),
      "the 25th is a Wednesday",
    );
    assert.equal(endOf({ until: london }, {}, NOW + HOUR), NOW + HOUR, "who arrives at the hour goes on");
  });

  it("is over days before or after a date of the user's", () => {
    const wait = (days: number, zone = "user") => ({ date: { trait: "ends", days, at: "10:00", zone } });
    const ends = { ends: "2026-12-10", $timezone: "America/New_York" };
    assert.equal(endOf(wait(-3), ends), at("2026-12-07T15:00:00Z"));
    assert.equal(endOf(wait(0), ends), at("2026-12-10T15:00:00Z"));
    assert.equal(endOf(wait(1, "UTC"), ends), at("2026-12-11T10:00:00Z"));
    // At this instant it is the 11th in Tokyo already.
    const instant = { ends: "2026-12-10T20:00:00Z" };
    assert.equal(endOf(wait(0), { ...instant, $timezone: "Asia/Tokyo" }), at("2026-12-11T01:00:00Z"));
    assert.equal(endOf(wait(0), instant), at("2026-12-10T09:00:00Z"));
    assert.equal(endOf(wait(-3), { ends: "2026-11-20" }), at("2026-11-17T09:00:00Z"), "it has passed");
  });

  it("is over on the next day of the year of a date, from when the user arrived on", () => {
    const wait = (days: number) => ({
      date: { trait: "born", days, at: "09:00", zone: "UTC", yearly: true },
    });
    const ends = (born: string, days = 0, arrivedAt = NOW) => endOf(wait(days), { born }, arrivedAt);
    assert.equal(ends("1990-12-01"), at("2026-12-01T09:00:00Z"));
    assert.equal(ends("1990-05-12"), at("2027-05-12T09:00:00Z"));
    assert.equal(ends("1990-11-25"), at("2027-11-25T09:00:00Z"), "nine has passed today");
    assert.equal(ends("1990-11-25", 0, NOW - 3 * HOUR), NOW - 3 * HOUR);
    assert.equal(ends("1992-02-29"), at("2027-02-28T09:00:00Z"));
    assert.equal(ends("1992-02-29", 0, at("2028-01-01T00:00:00Z")), at("2028-02-29T09:00:00Z"));
    assert.equal(ends("1990-01-02", -7), at("2026-12-26T09:00:00Z"));
    assert.equal(ends("1990-12-31", 2, at("2027-01-01T00:00:00Z")), at("2027-01-02T09:00:00Z"));
    assert.equal(ends("2030-06-01"), at("2027-06-01T09:00:00Z"), "the year of the date does not count");
  });

  it("has no end while the user has no date", () => {
    const wait = { date: { trait: "ends", days: -3, at: "10:00", zone: "user" } };
    for (const ends of [
      undefined,
      null,
      "",
      "soon",
      "2026-02-30",
      "2026-12-10 10:00",
      1_796_000_000_000,
      {},
      true,
    ])
      assert.equal(endOf(wait, { ends }), null, String(ends));
  });

  it("is over within eight days at the hour that clocks show, in every zone", () => {
    const zones = Intl.supportedValuesOf("timeZone");
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.nat(23),
        fc.nat(59),
        fc.integer({ min: at("2024-01-01T00:00:00Z"), max: at("2028-01-01T00:00:00Z") }),
        (zone, hour, minute, arrivedAt) => {
          const shown = `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
          const end = endOf({ until: { at: shown, zone: "user" } }, { $timezone: zone }, arrivedAt) ?? 0;
          assert.ok(end >= arrivedAt && end <= arrivedAt + 2 * DAY);
          const clock = new Intl.DateTimeFormat("en-GB", { timeZone: zone, timeStyle: "short" }).format(end);
          // What clocks never show, because they go ahead, is as much later as they go.
          const [shownHour = 0, shownMinute = 0] = clock.split(":").map(Number);
          const late = (shownHour * 60 + shownMinute - hour * 60 - minute + 1_440) % 1_440;
          assert.ok([0, 30, 60, 120].includes(late), `${zone} ${shown} ${clock}`);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
