import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { testHouse } from "../../../test/harness.ts";
import { UTC, zoneNamed } from "./zone.ts";

const house = testHouse();
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Past years: rules that are changed later are in each copy of the zones. */
const FROM = Date.UTC(2015, 0, 1);
const UNTIL = Date.UTC(2024, 0, 1);

/** The instants within these years at which the clocks of a zone change. */
function changesOf(timeZone: string): number[] {
  const zone = zoneNamed(timeZone) ?? UTC;
  const offset = (at: number) => zone.shownAt(at) - at;
  const changes: number[] = [];
  for (let day = FROM; day < UNTIL; day += 7 * DAY_MS) {
    let [before, after] = [day, day + 7 * DAY_MS];
    if (offset(before) === offset(after)) continue;
    while (after - before > 60_000) {
      const middle = Math.floor((before + after) / 2 / 60_000) * 60_000;
      if (offset(middle) === offset(before)) before = middle;
      else after = middle;
    }
    changes.push(after);
  }
  return changes;
}

describe("the clocks of every zone", () => {
  it("show what PostgreSQL says, around each change and between", async () => {
    const { pool } = house.database;
    const { rows: known } = await pool.query<{ name: string }>("select name from pg_timezone_names");
    const names = new Set(known.map(({ name }) => name));
    const zones = Intl.supportedValuesOf("timeZone").filter((name) => names.has(name));
    assert.ok(zones.length > 300, `${zones.length} zones`);
    const instants = zones.flatMap((name) =>
      [...changesOf(name), FROM, Date.UTC(2020, 6, 1, 12, 30)].flatMap((at) =>
        [-HOUR_MS, -1, 0, HOUR_MS].map((by) => ({ name, at: at + by })),
      ),
    );
    assert.ok(instants.length > 10_000, `${instants.length} instants`);
    const { rows } = await pool.query<{ name: string; at: number; shown: number; back: number }>(
      `select name, at, (extract(epoch from shown) * 1000)::int8 as shown,
        (extract(epoch from (shown at time zone name)) * 1000)::int8 as back
      from unnest($1::text[], $2::int8[]) a (name, at),
        lateral (select to_timestamp(at / 1000.0) at time zone name as shown) s`,
      [instants.map(({ name }) => name), instants.map(({ at }) => at)],
    );
    let [twice, once] = [0, 0];
    for (const { name, at, shown, back } of rows) {
      const zone = zoneNamed(name) ?? UTC;
      assert.equal(zone.shownAt(at), shown, `${name} at ${new Date(at).toISOString()}`);
      const instant = zone.instantOf(shown);
      assert.equal(zone.shownAt(instant), shown, `${name} shows ${shown} again`);
      // Where clocks show the same twice, PostgreSQL takes the second time, and messages leave at the first.
      assert.ok(instant <= back && back - instant <= DAY_MS, `${name}: ${shown}`);
      if (instant < back) twice++;
      else once++;
    }
    assert.ok(twice > 100 && once > twice);
  });

  it("pass over times as they go ahead: what was never shown is as much later as they went", () => {
    const berlin = zoneNamed("Europe/Berlin") ?? UTC;
    const shown = Date.UTC(2026, 2, 29, 2, 30);
    assert.equal(berlin.instantOf(shown), Date.UTC(2026, 2, 29, 1, 30));
    assert.equal(berlin.shownAt(berlin.instantOf(shown)), Date.UTC(2026, 2, 29, 3, 30));
  });
});
