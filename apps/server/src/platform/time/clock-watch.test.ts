import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { testHouse } from "../../../test/harness.ts";
import { createLog } from "../log.ts";
import { aloneLoop } from "../loops/alone-loop.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "./clock.ts";
import { type ClockReading, clockStep, clockWatch, createClockWatch } from "./clock-watch.ts";

const reading = (at: number, from: number, to = from): ClockReading => ({ at, from, to });

const folder = mkdtempSync(join(tmpdir(), "tidings-clock-"));
after(() => rmSync(folder, { recursive: true }));
let watches = 0;

/** A watch whose clock stands, with what it logged. */
function watching() {
  let clock = Date.UTC(2026, 0, 15);
  const file = join(folder, `${watches++}.log`);
  const watch = createClockWatch({ clock: () => clock, log: createLog("silent", file) });
  const lines = (): { level: number; seconds?: number }[] =>
    readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  const look = (databaseAheadMs = 0): void => {
    const now = performance.now();
    watch.look(reading(clock + databaseAheadMs, now));
  };
  return {
    lines,
    watch,
    look,
    move: (ms: number): void => {
      clock += ms;
    },
  };
}

describe("a step between two readings of a clock", () => {
  it("is what it went on by more than the steady clock may have", () => {
    assert.equal(clockStep(reading(0, 0), reading(60_000, 60_000)), 0);
    assert.equal(clockStep(reading(0, 0), reading(3_600_000, 60_000)), 3_540_000);
    assert.equal(clockStep(reading(0, 0), reading(-3_540_000, 60_000)), -3_600_000);
    assert.equal(
      clockStep(reading(0, 0, 20_000), reading(60_000, 70_000, 90_000)),
      0,
      "both were read slowly",
    );
    assert.equal(clockStep(reading(0, 0), reading(64_000, 60_000)), 0, "a slow clock is no step");
  });
});

describe("the watch of a clock", () => {
  it("says once that the clock differs from the database's, and once that it agrees again", () => {
    const { lines, watch, look } = watching();
    assert.equal(watch.aheadMs(), null);
    for (const aheadMs of [0, 3 * SECOND_MS, -DAY_MS, -DAY_MS, 0, 0]) look(aheadMs);
    assert.deepEqual(
      lines().map(({ level, seconds }) => [level, seconds]),
      [
        [50, 86_400],
        [30, undefined],
      ],
    );
  });

  it("says that the clock was set, and by how much", () => {
    const { lines, look, move } = watching();
    look();
    move(DAY_MS);
    look();
    move(-DAY_MS);
    look();
    assert.deepEqual(
      lines().map(({ seconds }) => seconds),
      [86_400, -86_400],
    );
  });

  it("trusts the clock of who runs loops by hand, and no clock that was just looked at, set, or is apart", () => {
    const { watch, look } = watching();
    assert.deepEqual([watch.isTrusted(), watch.isApart()], [true, false]);
    look();
    assert.deepEqual([watch.isTrusted(), watch.isApart()], [false, false]);
    look(HOUR_MS);
    assert.deepEqual([watch.isTrusted(), watch.isApart()], [false, true]);
  });
});

describe("a loop that deletes by age", () => {
  const house = testHouse();

  it("leaves its turn to others while the clock of its process may be wrong", async () => {
    const { app } = house.tidings;
    let turns = 0;
    const declared = aloneLoop({
      name: "by age",
      everyMs: HOUR_MS,
      deletesByAge: true,
      turn: async () => void turns++,
    });
    const { signal } = new AbortController();
    const now = performance.now();
    app.get(clockWatch).look({ at: house.now(), from: now, to: now });
    await declared.turn(app, signal, true);
    assert.equal(turns, 0);
    const { rows } = await house.database.pool.query("select from loop_turns where name = 'by age'");
    assert.equal(rows.length, 0);
    assert.ok(typeof declared.restMs === "function" && declared.restMs(app) > 0);
  });
});
