import assert from "node:assert/strict";
import { it } from "node:test";
import { breakOf, guardrailShare, sentSince } from "./rates.pure.ts";

it("a limit is broken where the whole interval of the rate lies beyond it", () => {
  assert.equal(breakOf("maxUnsubscribeRate", 0.01, { all: 0, successes: 0 }), null);
  assert.equal(breakOf("maxUnsubscribeRate", 0.01, { all: 20, successes: 1 }), null);
  assert.equal(breakOf("maxUnsubscribeRate", 0.01, { all: 2_000, successes: 25 }), null);
  const broken = breakOf("maxUnsubscribeRate", 0.01, { all: 300, successes: 30 });
  assert.equal(broken?.observed, 0.1);
  assert.ok((broken?.e ?? 0) >= 100 && (broken?.lower ?? 0) > 0.01);
  assert.equal(breakOf("maxComplaintRate", 0, { all: 300, successes: 3 }), null);
  assert.equal(breakOf("maxComplaintRate", 0, { all: 300, successes: 4 })?.e, null);
  assert.equal(breakOf("minConversionRate", 0.1, { all: 10, successes: 0 }), null);
  assert.equal(breakOf("minConversionRate", 0.1, { all: 300, successes: 3 })?.observed, 0.01);
  assert.equal(breakOf("minConversionRate", 0.1, { all: 300, successes: 200 }), null);
});

it("what was sent counts anew from a clearing on", () => {
  const then = { sent: 100, unsubscribed: 9, complained: 1 };
  const now = { sent: 130, unsubscribed: 10, complained: 0 };
  assert.deepEqual(sentSince(now, null), now);
  assert.deepEqual(sentSince(now, then), { sent: 30, unsubscribed: 1, complained: 0 });
});

it("a guardrail looks at its own counts", () => {
  const counts = { sent: 130, unsubscribed: 10, complained: 140, exposed: 40, converted: 7 };
  assert.deepEqual(guardrailShare("maxUnsubscribeRate", counts), { all: 130, successes: 10 });
  assert.deepEqual(guardrailShare("maxComplaintRate", counts), { all: 130, successes: 130 });
  assert.deepEqual(guardrailShare("minConversionRate", counts), { all: 40, successes: 7 });
});
