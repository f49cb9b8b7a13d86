import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { readInstant, readQueryInstant } from "./instants.ts";

/** From 2001 to 2100, when seconds, milliseconds and microseconds cannot be taken for one another. */
const anInstant = fc.integer({ min: 1_000_100_000_000, max: 4_102_444_800_000 });

/** An instant as a clock somewhere in the world shows it. */
const written = fc.record({ ms: anInstant, minutes: fc.integer({ min: -14 * 60, max: 14 * 60 }) });

const clockOf = (ms: number, minutes: number): string =>
  new Date(ms + minutes * 60_000).toISOString().slice(0, -1);

function offsetOf(minutes: number): string {
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? "-" : "+"}${String(hours).padStart(2, "0")}:${String(rest).padStart(2, "0")}`;
}

function faultOf(value: unknown): string {
  const read = readInstant(value);
  assert.ok("fault" in read, `${JSON.stringify(value)} was read as ${JSON.stringify(read)}`);
  return read.fault;
}

/** What a fault says should be sent. */
const advised = (fault: string): string => / (?:send|written as) ([\dTZ:.+-]+)/.exec(fault)?.[1] ?? "";

describe("an instant of a request", () => {
  it("is the same in milliseconds and in every offset", () => {
    fc.assert(
      fc.property(written, ({ ms, minutes }) => {
        assert.deepEqual(readInstant(ms), { ms });
        assert.deepEqual(readInstant(clockOf(ms, minutes) + offsetOf(minutes)), { ms });
        assert.deepEqual(readQueryInstant(clockOf(ms, minutes) + offsetOf(minutes)), { ms });
      }),
    );
  });

  it("is never guessed from another unit: the fault says which one it looks like, and what to send", () => {
    fc.assert(
      fc.property(anInstant, fc.double({ min: 0, max: 0.999, noNaN: true }), (ms, fraction) => {
        const seconds = Math.floor(ms / 1_000);
        for (const [value, unit, sent] of [
          [seconds, "seconds", seconds * 1_000],
          [String(seconds), "seconds", seconds * 1_000],
          [ms * 1_000 + Math.floor(fraction * 1_000), "microseconds", ms],
        ] as const) {
          const fault = faultOf(value);
          assert.match(fault, new RegExp(` looks like ${unit}: `));
          assert.equal(Number(advised(fault)), sent);
          assert.ok("fault" in readQueryInstant(String(value)));
        }
        assert.match(faultOf(ms * 1_000_000), /looks like nanoseconds/);
        assert.match(faultOf(ms / 1_000), /^must be (epoch milliseconds, and .* looks like seconds)/);
      }),
    );
  });

  it("is never guessed without an offset, however it is written", () => {
    fc.assert(
      fc.property(written, fc.constantFrom("T", " "), ({ ms, minutes }, between) => {
        const fault = faultOf(clockOf(ms, minutes).replace("T", between));
        assert.match(fault, /^must have an offset from UTC: /);
        assert.deepEqual(readInstant(advised(fault)), { ms: ms + minutes * 60_000 });
      }),
    );
  });

  it("is spelled in one way: the fault of another one says it, and means the same instant", () => {
    fc.assert(
      fc.property(written, ({ ms, minutes }) => {
        const [clock, offset] = [clockOf(ms, minutes), offsetOf(minutes)];
        for (const text of [
          `${clock.replace("T", " ")}${offset}`,
          `${clock.replace(".", ",")} ${offset}`,
          `${clock.toLowerCase()}${offset.replace(":", "")}`,
        ])
          assert.deepEqual(readInstant(advised(faultOf(text))), { ms }, text);
        assert.deepEqual(readInstant(advised(faultOf(`${clockOf(ms, 0)} UTC`))), { ms });
      }),
    );
  });

  const refused: readonly [unknown, string][] = [
    ["2026-01-15", "must have a time and an offset from UTC"],
    [999_999_999_999, "must not be before 2001-09-09T01:46:40.000Z"],
    ["1999-12-31T00:00:00Z", "must not be before 2001-09-09T01:46:40.000Z"],
    [1_767_225_600_000.5, "must be whole milliseconds: send 1767225600000"],
    ["1767225600000", "must be a number, without quotation marks"],
    ["2026-02-30 10:00:00", "must be epoch milliseconds or an ISO-8601"],
    ["yesterday", "must be epoch milliseconds or an ISO-8601"],
    ["", "must be epoch milliseconds or an ISO-8601"],
    [-1, "must be epoch milliseconds or an ISO-8601"],
    [253_402_300_800_000, "must be epoch milliseconds or an ISO-8601"],
    [Number.POSITIVE_INFINITY, "must be epoch milliseconds or an ISO-8601"],
    [null, "must be epoch milliseconds or an ISO-8601"],
    [{ ms: 1 }, "must be epoch milliseconds or an ISO-8601"],
  ];
  for (const [value, begin] of refused)
    it(`is not ${JSON.stringify(value)}`, () => assert.ok(faultOf(value).startsWith(begin), faultOf(value)));

  it("may be any of 1970 in a query, and says how a plus is written there", () => {
    assert.deepEqual(readQueryInstant("0"), { ms: 0 });
    assert.deepEqual(readQueryInstant("2026-01-15"), { ms: Date.UTC(2026, 0, 15) });
    assert.deepEqual(readQueryInstant("2026-01-15T12:00:00 02:00"), {
      fault: "must be written as 2026-01-15T12:00:00%2B02:00",
    });
  });
});
