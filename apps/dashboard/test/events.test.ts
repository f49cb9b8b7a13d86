import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type Event, propertiesOf, shownBy, trackBodyOf } from "../src/features/events/rules.ts";
import { curlOf } from "../src/platform/curl.ts";

const event: Event = {
  id: "ev_1",
  name: "bought",
  props: { price: 12 },
  ts: 1_000,
  endUserId: "eu_1",
  externalUserId: "ada",
};

describe("the stream of events", () => {
  it("goes on unless the address stops it, or an event is open", () => {
    const still = (address: Record<string, string>) => shownBy(address).stillAt;
    assert.equal(still({}), null);
    assert.equal(still({ until: "7" }), 7);
    assert.equal(still({ at: "7", event: "ev_1" }), 7);
    assert.equal(still({ at: "7" }), null);
    for (const until of ["", "x", "-1", "0", "1.5", "1e400", "9".repeat(30)])
      assert.equal(still({ until }), null, until);
    assert.deepEqual(shownBy({ name: "bought", user: "ada", event: "ev_1" }), {
      name: "bought",
      user: "ada",
      open: "ev_1",
      stillAt: null,
    });
  });

  it("has for each event the request that tracks the same, but for erased users", () => {
    assert.deepEqual(trackBodyOf(event), { userId: "ada", event: "bought", props: { price: 12 } });
    assert.deepEqual(trackBodyOf({ ...event, props: null }), { userId: "ada", event: "bought" });
    assert.equal(trackBodyOf({ ...event, externalUserId: "" }), null);
  });

  it("names the properties of an event with their types", () => {
    const properties = [
      { key: "price", types: { number: 2, string: 1 } },
      { key: "from", types: { string: 3 } },
    ];
    const named = { name: "bought", users: 1, occurrences: 3, lastSeenAt: 1, propertiesTruncated: false };
    assert.equal(propertiesOf({ ...named, properties }), "price (number, string), from (string)");
  });
});

it("a request with curl says to a shell what was meant, whatever is in it", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\0")),
      (text) => {
        const line = curlOf("http://h", "/p", "pk_1", { text });
        const printed = execFileSync("sh", [
          "-c",
          `curl() { for each; do :; done; printf %s "$each"; }; ${line}`,
        ]);
        assert.deepEqual(JSON.parse(printed.toString()), { text });
      },
    ),
    { numRuns: 30 },
  );
});
