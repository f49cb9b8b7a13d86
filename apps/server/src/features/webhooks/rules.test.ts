import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../platform/time/clock.ts";
import { afterReply, LONGEST_WAIT_MS, type Reply, retryAfterMs } from "./rules.ts";

const NOW = Date.UTC(2026, 10, 28, 12);
const answered = (status: number, retryAfterMs: number | null = null): Reply => ({
  status,
  answer: "",
  retryAfterMs,
});
const LOST: Reply = { status: null, fault: "No server takes connections there." };

/** How long a message waits after an attempt; null where it has ended. */
function waitOf(reply: Reply, tries: number, chance = 0.5): number | null {
  const { dueAt } = afterReply(reply, { tries, now: NOW, chance });
  return dueAt === null ? null : dueAt - NOW;
}

describe("what becomes of a message of a webhook", () => {
  it("is delivered by 2xx, and by nothing else", () => {
    for (const status of [200, 201, 202, 204, 299])
      assert.deepEqual(afterReply(answered(status), { tries: 9, now: NOW, chance: 0 }), {
        state: "delivered",
        dueAt: null,
        fault: null,
        isGone: false,
      });
    for (const status of [100, 101, 199, 300, 304, 400, 404, 429, 500, 503, 599])
      assert.equal(afterReply(answered(status), { tries: 0, now: NOW, chance: 0 }).state, "waiting");
  });

  it("waits as Standard Webhooks has it, and is given up after ten attempts", () => {
    const waits = Array.from({ length: 10 }, (_, tries) => waitOf(LOST, tries));
    const hours = [2, 5, 10, 14, 20, 24].map((each) => each * HOUR_MS);
    assert.deepEqual(waits, [5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, ...hours, null]);
    assert.equal(afterReply(LOST, { tries: 8, now: NOW, chance: 0 }).state, "waiting");
    for (const reply of [LOST, answered(500), answered(503, MINUTE_MS)])
      assert.equal(afterReply(reply, { tries: 9, now: NOW, chance: 0 }).state, "given_up");
    const all = waits.reduce<number>((sum, wait) => sum + (wait ?? 0), 0);
    assert.ok(all > 3 * DAY_MS && all < 4 * DAY_MS);
  });

  it("spreads its waits by a fifth to each side", () => {
    for (const tries of [0, 3, 8]) {
      const middle: number = waitOf(LOST, tries) ?? 0;
      assert.equal(waitOf(LOST, tries, 0), 0.8 * middle);
      assert.equal(waitOf(LOST, tries, 1), 1.2 * middle);
    }
    assert.equal(waitOf(LOST, 8, 1), LONGEST_WAIT_MS);
  });

  it("waits as long as the other side wants, never shorter than its schedule, and a day or so at most", () => {
    assert.equal(waitOf(answered(503, MINUTE_MS), 0), MINUTE_MS);
    assert.equal(waitOf(answered(429, 1), 1), 5 * MINUTE_MS);
    assert.equal(waitOf(answered(429, 365 * DAY_MS), 0), LONGEST_WAIT_MS);
    assert.equal(waitOf(answered(429, 0), 0), 5 * SECOND_MS);
  });

  it("says that it follows no redirect, and that 410 is the end of the webhook", () => {
    for (const status of [301, 302, 307, 308])
      assert.match(
        afterReply(answered(status), { tries: 0, now: NOW, chance: 0 }).fault ?? "",
        /redirects are not followed/,
      );
    const gone = afterReply(answered(410), { tries: 0, now: NOW, chance: 0.5 });
    assert.deepEqual([gone.isGone, gone.state], [true, "waiting"]);
    assert.equal(afterReply(answered(404), { tries: 0, now: NOW, chance: 0 }).isGone, false);
  });
});

describe("Retry-After", () => {
  it("is seconds, or a date", () => {
    assert.equal(retryAfterMs(undefined, NOW), null);
    assert.equal(retryAfterMs("0", NOW), 0);
    assert.equal(retryAfterMs("120", NOW), 120 * SECOND_MS);
    assert.equal(retryAfterMs("Sat, 28 Nov 2026 12:01:00 GMT", NOW), MINUTE_MS);
    assert.equal(retryAfterMs("Sat, 28 Nov 2026 11:00:00 GMT", NOW), 0);
  });

  it("is far ahead where it says a number that is out of all reason", () => {
    for (const huge of ["99999999999", "9".repeat(400)]) {
      const wait = retryAfterMs(huge, NOW);
      assert.equal(waitOf(answered(503, wait), 0), LONGEST_WAIT_MS, huge.slice(0, 20));
    }
  });

  it("is none where it says something else", () => {
    for (const nonsense of [
      "",
      " ",
      "soon",
      "-5",
      "1.5",
      "1e3",
      "0x10",
      "NaN",
      "in 2099",
      "12 apples",
      "tomorrow 5",
    ])
      assert.equal(retryAfterMs(nonsense, NOW), null, nonsense);
  });
});
