import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { testHouse } from "../../../test/harness.ts";
import { RequestRate, requestRate } from "./request-rate.ts";

const house = testHouse();

/** A rate under a clock that the test moves, and as many requests in a row, so far apart. */
function rateOf(requests: number, apartMs: number) {
  let now = 0;
  const rate = new RequestRate(() => now);
  for (let n = 0; n < requests; n++) {
    now += apartMs;
    rate.count();
  }
  return { rate, pass: (ms: number) => (now += ms) };
}

describe("the rate of requests", () => {
  it("is that of steady requests, and none where none comes", () => {
    assert.equal(new RequestRate(() => 0).perSecond(), 0);
    for (const perSecond of [1, 30, 1_000]) {
      const measured = rateOf(20 * perSecond, 1_000 / perSecond).rate.perSecond();
      assert.ok(Math.abs(measured / perSecond - 1) < 0.2, `${measured} of ${perSecond}`);
    }
  });

  it("is noticed at once, and fades within seconds", () => {
    const { rate, pass } = rateOf(100, 1);
    assert.ok(rate.perSecond() > 30);
    pass(10_000);
    assert.ok(rate.perSecond() < 2);
    pass(86_400_000);
    assert.equal(rate.perSecond(), 0);
  });

  it("counts whatever comes over HTTP", async () => {
    const rate = house.tidings.app.get(requestRate);
    assert.equal(rate.perSecond(), 0);
    await (await fetch(`${house.url}/nothing-here`)).arrayBuffer();
    assert.ok(rate.perSecond() > 0);
  });
});
