import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { DAY_MS, HOUR_MS } from "../../../platform/time/clock.ts";
import { callInstant, happenedAt } from "./instant.pure.ts";

const NOW = Date.UTC(2026, 10, 28, 9);
const MOST_AGE_MS = 7 * DAY_MS;
const at = (given: unknown, sentAt?: unknown) =>
  happenedAt({ at: given, sentAt: callInstant(sentAt), now: NOW, mostAgeMs: MOST_AGE_MS });
const iso = (ms: number): string => new Date(ms).toISOString();
const NOW_IN_DOUBT = { at: NOW, isDoubted: true };

describe("when a call happened", () => {
  it("is as long before it came as before it was sent, however wrong the clock of the sender is", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -50_000 * DAY_MS, max: 50_000 * DAY_MS }),
        fc.integer({ min: 0, max: MOST_AGE_MS }),
        (skew, age) => {
          const sentAt = NOW + skew;
          // Years that no clock shows are no instants.
          fc.pre(sentAt > Date.UTC(1001, 0) && sentAt < Date.UTC(9999, 0));
          assert.deepEqual(at(iso(sentAt - age), iso(sentAt)), { at: NOW - age, isDoubted: false });
        },
      ),
    );
  });

  it("is what the call says where it does not say when it was sent, or nothing that is an instant", () => {
    for (const sentAt of [undefined, null, "", "soon", {}, Number.NaN])
      assert.deepEqual(at(iso(NOW - HOUR_MS), sentAt), { at: NOW - HOUR_MS, isDoubted: false });
  });

  it("is when it came, where it says nothing", () => {
    for (const nothing of [undefined, null, ""])
      assert.deepEqual(at(nothing, iso(NOW - DAY_MS)), { at: NOW, isDoubted: false });
  });

  it("is when it came, in doubt, where that cannot be read", () => {
    for (const unreadable of ["yesterday", "2026-13-01", "28/11/2026", {}, [], true, -1, 12, "12", "1e12"])
      assert.deepEqual(at(unreadable, iso(NOW)), NOW_IN_DOUBT, String(unreadable));
  });

  it("is never ahead: within a minute without a word, else in doubt", () => {
    assert.deepEqual(at(iso(NOW)), { at: NOW, isDoubted: false });
    assert.deepEqual(at(iso(NOW + 60_000)), { at: NOW, isDoubted: false });
    assert.deepEqual(at(iso(NOW + 60_001)), NOW_IN_DOUBT);
    // Sent before it happened.
    assert.deepEqual(at(iso(NOW), iso(NOW - HOUR_MS)), NOW_IN_DOUBT);
  });

  it("is when it came, in doubt, where it is older than is believed", () => {
    assert.deepEqual(at(iso(NOW - MOST_AGE_MS)), { at: NOW - MOST_AGE_MS, isDoubted: false });
    assert.deepEqual(at(iso(NOW - MOST_AGE_MS - 1)), NOW_IN_DOUBT);
    assert.deepEqual(at("1970-01-01T00:00:00Z"), NOW_IN_DOUBT);
    assert.deepEqual(at(iso(NOW - 8 * DAY_MS), iso(NOW - 2 * DAY_MS)), {
      at: NOW - 6 * DAY_MS,
      isDoubted: false,
    });
  });

  it("may be a number of seconds or milliseconds, and without an offset is in UTC", () => {
    const then = NOW - HOUR_MS;
    for (const written of [
      then,
      then / 1_000,
      String(then),
      String(then / 1_000),
      "2026-11-28T08:00:00",
      "2026-11-28 08:00:00",
      "2026-11-28T08:00:00.000Z",
      "2026-11-28T09:00:00+01:00",
      "2026-11-28T08:00:00.000000Z",
    ])
      assert.deepEqual(at(written), { at: then, isDoubted: false }, String(written));
  });
});

describe("an instant", () => {
  it("is whole, whatever is given", () => {
    fc.assert(
      fc.property(fc.anything(), (given) => {
        const ms = callInstant(given);
        assert.ok(ms === null || Number.isSafeInteger(ms), String(ms));
      }),
    );
  });
});
