import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createBearers } from "../../src/features/push/providers/bearer.ts";
import { createBreaker } from "../../src/features/push/sending/send/breaker.ts";
import { createBackoffs } from "../../src/platform/outbound/backoff.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/platform/time/clock.ts";

const RIGHT = Date.UTC(2026, 0, 15);

describe("what a process remembers, after its clock was ahead for a moment:", () => {
  it("a pause is over, and the next one is as long as ever", () => {
    let now = RIGHT + DAY_MS;
    const backoffs = createBackoffs(() => now);
    backoffs.backOff("server");
    assert.ok(backoffs.until("server") > now);
    now = RIGHT;
    assert.equal(backoffs.until("server"), 0);
    backoffs.backOff("server", MINUTE_MS);
    assert.equal(backoffs.until("server"), RIGHT + MINUTE_MS);
  });

  it("a bearer that is dated ahead is replaced, once", async () => {
    let now = RIGHT + DAY_MS;
    let made = 0;
    const bearers = createBearers(
      () => now,
      MINUTE_MS,
      async () => ({ value: String(++made), renewAt: now + HOUR_MS }),
    );
    const value = async () => {
      const bearer = await bearers.get(false);
      return "value" in bearer ? bearer.value : null;
    };
    assert.equal(await value(), "1");
    now = RIGHT;
    assert.deepEqual([await value(), await value()], ["2", "2"]);
  });

  it("a refusal of a credential keeps nothing that is reserved from now on", () => {
    const breaker = createBreaker();
    breaker.learn("way", "refused", RIGHT + DAY_MS);
    assert.ok(breaker.bars("way", RIGHT + DAY_MS, RIGHT + DAY_MS));
    assert.ok(!breaker.bars("way", RIGHT, RIGHT));
  });
});
