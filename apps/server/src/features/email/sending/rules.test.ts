import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isGone, isInTheWay, retryAt, spreadOut, takePermits } from "./rules.ts";

describe("retryAt", () => {
  it("waits longer each time, and gives up after the sixth try", () => {
    const waits = [1, 2, 3, 4, 5, 6].map((deferrals) => retryAt(deferrals, 0, 0.5));
    assert.deepEqual(
      waits,
      [2, 15, 90, 360, 960]
        .map((minutes) => minutes * 60_000)
        .concat(NaN)
        .map((ms) => (Number.isNaN(ms) ? null : ms)),
    );
  });

  it("spreads by a fifth to either side", () => {
    assert.equal(retryAt(1, 1_000, 0), 1_000 + 96_000);
    assert.ok((retryAt(1, 1_000, 0.999) ?? 0) <= 1_000 + 144_000);
  });
});

describe("isGone", () => {
  const cases: readonly [Parameters<typeof isGone>[0], boolean][] = [
    [{ kind: "rejected", stage: "recipient", code: 550, response: "550 5.1.1 No such user" }, true],
    [{ kind: "rejected", stage: "recipient", code: 550, response: "550 No such user" }, true],
    [{ kind: "rejected", stage: "recipient", code: 553, response: "553 5.1.3 Bad address" }, true],
    [{ kind: "rejected", stage: "recipient", code: 550, response: "550 5.7.1 Blocked" }, false],
    [{ kind: "rejected", stage: "recipient", code: 550, response: "550 Rejected" }, false],
    [{ kind: "rejected", stage: "recipient", code: 552, response: "552 5.2.2 Mailbox full" }, false],
    [{ kind: "rejected", stage: "recipient", code: 554, response: "554 no" }, false],
    [{ kind: "rejected", stage: "message", code: 550, response: "550 5.1.1 No such user" }, true],
    [
      { kind: "rejected", stage: "message", code: 554, response: "554 This user doesn't have an account" },
      true,
    ],
    [{ kind: "rejected", stage: "message", code: 554, response: "554 5.7.1 Looks like spam" }, false],
    [{ kind: "rejected", stage: "sender", code: 550, response: "550 5.1.1 No such user" }, false],
    [{ kind: "rejected", stage: "connection", code: 550, response: "550 5.1.1 No such user" }, false],
    [{ kind: "deferred", stage: "recipient", code: 450, response: "450 4.1.1 Later" }, false],
    [{ kind: "unknown", code: null, response: "5.1.1" }, false],
  ];
  for (const [reply, expected] of cases)
    it(`${reply.response}, ${"stage" in reply ? reply.stage : reply.kind}: ${expected}`, () =>
      assert.equal(isGone(reply), expected));
});

describe("isInTheWay", () => {
  const refused = (stage: "connection" | "sender" | "recipient" | "message", code: number, text: string) => ({
    ...({ kind: "rejected", stage, code, response: `${code} ${text}` } as const),
  });
  const cases: readonly [Parameters<typeof isInTheWay>[0], boolean][] = [
    [refused("connection", 554, "No SMTP service here"), true],
    [refused("sender", 550, "5.7.1 go away"), true],
    [refused("recipient", 530, "5.7.0 Login first"), true],
    [refused("recipient", 554, "5.7.1 <ada@acme.example>: Relay access denied"), true],
    [
      refused("recipient", 553, "5.7.1 <news@acme.example>: Sender address rejected: not owned by user news"),
      true,
    ],
    [refused("recipient", 550, "5.1.0 <news@acme.example>: Sender address rejected: User unknown"), true],
    [refused("message", 554, "Message rejected: Email address is not verified."), true],
    [refused("recipient", 550, "5.1.1 <ada@acme.example>: User unknown in relay recipient table"), false],
    [refused("recipient", 550, "5.7.1 Denied by policy"), false],
    [refused("message", 554, "5.7.1 Looks like spam"), false],
    [{ kind: "deferred", stage: "recipient", code: 451, response: "451 4.7.1 Relay access denied" }, false],
    [{ kind: "unknown", code: null, response: "Relay access denied" }, false],
    [{ kind: "accepted", code: 250, response: "ok" }, false],
  ];
  for (const [reply, expected] of cases)
    it(`${reply.response}, ${"stage" in reply ? reply.stage : reply.kind}: ${expected}`, () =>
      assert.equal(isInTheWay(reply), expected));
});

describe("takePermits", () => {
  for (const perMinute of [1, 2, 7, 60, 1_000, 50_000]) {
    it(`lets at most ${perMinute} pass in any minute, and nearly as many when asked all the time`, () => {
      const start = Date.UTC(2026, 0, 1);
      let nextAt = 0;
      const passed: number[] = [];
      const stepMs = perMinute > 500 ? 20 : 250;
      for (let now = start; now < start + 180_000; now += stepMs) {
        const permits = takePermits(nextAt, now, perMinute, 1_000_000);
        nextAt = permits.nextAt;
        for (let i = 0; i < permits.granted; i++) passed.push(now);
      }
      for (let i = 0; i + perMinute < passed.length; i++)
        assert.ok((passed[i + perMinute] ?? 0) - (passed[i] ?? 0) >= 60_000, `from message ${i}`);
      assert.ok(passed.length >= Math.floor(perMinute * 3 * 0.95), `${passed.length} in three minutes`);
    });
  }

  it("does not make up for an hour of silence", () => {
    const now = Date.UTC(2026, 0, 1);
    assert.ok(takePermits((now - 3_600_000) * 1_000, now, 60, 1_000).granted <= 2);
  });

  it("grants no more than is wanted, and keeps the rest", () => {
    const now = Date.UTC(2026, 0, 1);
    const { granted, nextAt } = takePermits(0, now, 6_000, 3);
    assert.equal(granted, 3);
    assert.ok(takePermits(nextAt, now, 6_000, 1_000).granted > 0);
  });
});

describe("spreadOut", () => {
  it("tells one after the other, after those before", () => {
    const now = 1_000_000;
    assert.deepEqual(spreadOut(0, now, 1_000_000, 3), {
      dueAt: [now + 1_000, now + 2_000, now + 3_000],
      spreadUntil: (now + 3_000) * 1_000,
    });
    assert.deepEqual(spreadOut((now + 3_000) * 1_000, now, 1_000_000, 1).dueAt, [now + 4_000]);
  });

  it("sends nobody away for longer than ten minutes", () => {
    const { dueAt } = spreadOut(0, 0, 60_000_000, 100);
    assert.ok(dueAt.every((at) => at > 0 && at <= 600_000));
  });
});
