import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { sharedHouse } from "../../../test/harness.ts";
import { DAY_MS } from "./clock.ts";
import { CLOCKS_DIFFER_MS, dueSql, farAheadSql, isDue, isFarAhead } from "./far-ahead.ts";

const house = sharedHouse();

const now = fc.integer({ min: 1_700_000_000_000, max: 1_900_000_000_000 });
const most = fc.integer({ min: 0, max: DAY_MS });
/** How much another clock is ahead of the one that judges, where both are right. */
const apart = fc.integer({ min: -CLOCKS_DIFFER_MS, max: CLOCKS_DIFFER_MS });

describe("an instant that is set at most so far ahead", () => {
  it("is waited for exactly until it comes, whichever process set it", () => {
    fc.assert(
      fc.property(now, most, apart, fc.double({ min: 0, max: 1, noNaN: true }), (then, mostMs, ms, share) => {
        const at = then + ms + Math.floor(mostMs * share);
        assert.equal(isDue(at, then, mostMs), at <= then);
        assert.ok(!isFarAhead(at, at, mostMs));
      }),
    );
  });

  it("is due where the clock was ahead by more than the wait and what clocks differ by", () => {
    fc.assert(
      fc.property(now, most, fc.integer({ min: 1, max: 9e12 }), (then, mostMs, ms) => {
        assert.ok(isDue(then + mostMs + CLOCKS_DIFFER_MS + ms, then, mostMs));
      }),
    );
  });

  it("is judged alike by PostgreSQL", async () => {
    const cases = fc.sample(fc.tuple(now, most, fc.integer({ min: -DAY_MS, max: 3 * DAY_MS })), 300);
    const edges = cases.flatMap(([then, mostMs, off]) =>
      [off, mostMs + CLOCKS_DIFFER_MS, mostMs + CLOCKS_DIFFER_MS + 1, 0, 1].map((ms) => [
        then + ms,
        then,
        mostMs,
      ]),
    );
    const { rows } = await house.database.pool.query<{ due: boolean; far: boolean }>(
      `select ${dueSql("c.at", "c.now", "c.most")} as due, ${farAheadSql("c.at", "c.now", "c.most")} as far
      from unnest($1::int8[], $2::int8[], $3::int8[]) with ordinality as c (at, now, most, place) order by place`,
      [0, 1, 2].map((place) => edges.map((each) => each[place])),
    );
    assert.deepEqual(
      rows,
      edges.map(([at = 0, then = 0, mostMs = 0]) => ({
        due: isDue(at, then, mostMs),
        far: isFarAhead(at, then, mostMs),
      })),
    );
  });
});
