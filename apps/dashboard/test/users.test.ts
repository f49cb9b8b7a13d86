import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { someTraits, timelineOf, type UserDelivery, type UserEvent } from "../src/features/users/rules.ts";
import { valueText } from "../src/ui/texts/value-text.ts";

describe("traits", () => {
  it("are read as texts, the first of them in a list", () => {
    assert.equal(valueText("free"), "free");
    assert.equal(valueText({ a: [1, null] }), '{"a":[1,null]}');
    assert.deepEqual(someTraits({}), { shown: [], more: 0 });
    assert.deepEqual(someTraits({ plan: "free", seats: 3, isAdmin: true, city: "Oslo", age: 9 }), {
      shown: ["plan: free", "seats: 3", "isAdmin: true"],
      more: 2,
    });
  });
});

describe("the timeline of a user", () => {
  const instants = fc.array(fc.nat(1_000), { maxLength: 30 }).map((all) => all.toSorted((a, b) => b - a));
  const pageSize = fc.integer({ min: 1, max: 10 });

  it("is the newest part of all that happened, without a gap, newest first", () => {
    fc.assert(
      fc.property(instants, instants, pageSize, (did, got, size) => {
        const events = did.map((ts, index) => ({ id: `e${index}`, ts }) as UserEvent);
        const deliveries = got.map((queuedAt, index) => ({ id: `d${index}`, queuedAt }) as UserDelivery);
        const { happenings, isAll } = timelineOf(
          { events: events.slice(0, size), total: events.length },
          { deliveries: deliveries.slice(0, size), total: deliveries.length },
        );
        const shown = happenings.map(({ at }) => at);
        assert.deepEqual(
          shown,
          shown.toSorted((a, b) => b - a),
        );
        const all = [...did, ...got].toSorted((a, b) => b - a);
        if (isAll) assert.deepEqual(shown, all);
        // What happened after the oldest row that is shown is shown, too.
        const oldest = shown.at(-1) ?? Number.POSITIVE_INFINITY;
        assert.deepEqual(
          shown.filter((at) => at > oldest),
          all.filter((at) => at > oldest),
        );
        if (all.length > 0) assert.ok(shown.length > 0);
      }),
      // More at one instant, the first that there is, than a page has.
      { examples: [[[0, 0], [], 1]] },
    );
  });
});
