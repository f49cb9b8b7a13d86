import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Blame } from "../providers/reply.pure.ts";
import {
  type AttemptReply,
  afterReply,
  judge,
  REEVALUATE_MS,
  type Repair,
  type SlotState,
  type Surroundings,
} from "./rules.ts";

const NOW = Date.UTC(2026, 0, 15);
const DAY_MS = 86_400_000;
const fresh: SlotState = {
  isTest: false,
  attempts: 1,
  submissionsUsed: 0,
  possibleSubmissions: 0,
  blocks: 0,
  uncertain: false,
  authRefreshRevision: null,
  submissionNotBefore: 0,
  repair: null,
  expiresAt: NOW + DAY_MS,
};
const captured = { fingerprint: "f", credentialId: "c", credentialRevision: 1, tokenRevision: 1 };

const replies = fc.oneof(
  fc.constant<AttemptReply>({ kind: "accepted", providerId: "p" }),
  fc.constantFrom<AttemptReply>(
    { kind: "unknown", code: "timeout" },
    { kind: "unknown", code: "connection_lost" },
  ),
  fc
    .record({
      class: fc.constantFrom(
        ...(["token_invalid", "token_doubtful", "token_foreign", "payload", "credential"] as const),
        ...(["auth_expired", "throttled", "server"] as const),
      ),
      retryAfterMs: fc.nat(10_000_000),
    })
    .map((reply): AttemptReply => ({ kind: "rejected", code: "x", ...reply })),
  fc
    .record({
      class: fc.constantFrom("connection", "credential", "throttled", "server", "payload", "barred"),
      retryAfterMs: fc.nat(10_000_000),
    })
    .map((reply): AttemptReply => ({ kind: "blocked", code: "x", ...reply }) as AttemptReply),
);

describe("what an outcome makes of a slot", () => {
  it("keeps its promises, whatever a provider answers, one after the other", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(replies, fc.nat(3_600_000), fc.double({ min: 0, max: 0.999, noNaN: true })), {
          maxLength: 40,
        }),
        fc.boolean(),
        fc.boolean(),
        (story, isTest, isProven) => {
          let slot: SlotState = { ...fresh, isTest, expiresAt: NOW + 100 * DAY_MS };
          let now = NOW;
          let used = 0;
          for (const [answer, later, chance] of story) {
            const before = slot;
            const step = afterReply(before, answer, { now, chance, captured, isProven });
            if (step.submission !== "none") used++;
            assert.equal(step.slot.submissionsUsed, used);
            assert.ok(used <= (isTest ? 1 : 3));
            assert.ok(step.slot.submissionNotBefore >= before.submissionNotBefore);
            assert.equal(step.slot.uncertain, step.slot.possibleSubmissions > 0);
            assert.ok(step.state !== "waiting" || (step.at >= now && step.at <= now + REEVALUATE_MS));
            if (answer.kind === "rejected" && answer.class === "server" && step.state === "waiting")
              assert.ok(step.slot.submissionNotBefore >= now + (answer.retryAfterMs ?? 0));
            assert.equal(step.state === "accepted", answer.kind === "accepted");
            const blamed = answer.kind === "rejected" ? answer.class : "";
            const ends = blamed === "token_invalid" || (blamed === "token_doubtful" && isProven);
            assert.equal(step.endsToken !== null, ends);
            if (step.reason === "credential") assert.equal(step.submission, "none");
            if (isTest) assert.ok(step.state === "accepted" || step.state === "closed");
            if (step.state === "accepted" || step.state === "closed") return;
            slot = step.slot;
            now = Math.max(now + later, slot.submissionNotBefore);
          }
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it("asks for fresh access once for each revision of a credential", () => {
    const expired: AttemptReply = { kind: "rejected", code: "ExpiredProviderToken", class: "auth_expired" };
    const around = { now: NOW, chance: 0, captured, isProven: false };
    const first = afterReply(fresh, expired, around);
    assert.deepEqual([first.state, first.submission, first.slot.authRefreshRevision], ["ready", "none", 1]);
    const second = afterReply(first.slot, expired, around);
    assert.deepEqual(
      [second.state, second.reason, second.slot.repair],
      ["waiting", "credential", { kind: "credential", credentialRevision: 1 }],
    );
    const newer = { ...around, captured: { ...captured, credentialRevision: 2 } };
    assert.equal(afterReply(second.slot, expired, newer).state, "ready");
  });

  it("spreads what waits, by a fifth more or less", () => {
    const waits = [0, 0.5, 0.999].map((chance) => {
      const { slot } = afterReply(
        fresh,
        { kind: "unknown", code: "timeout" },
        { now: NOW, chance, captured, isProven: true },
      );
      return slot.submissionNotBefore - NOW;
    });
    assert.deepEqual(waits, [12_000, 15_000, 17_994]);
  });
});

describe("what a refusal of the token comes to", () => {
  const cases: readonly [Blame, boolean, string | null, Repair["kind"] | null, boolean | null][] = [
    ["token_invalid", false, "no_token", null, true],
    ["token_invalid", true, "no_token", null, false],
    ["token_doubtful", false, "credential", "credential", null],
    ["token_doubtful", true, "no_token", null, true],
    ["token_foreign", false, "credential", "credential", null],
    ["token_foreign", true, "credential", "token", null],
    ["credential", false, "credential", "credential", null],
    ["credential", true, "credential", "credential", null],
  ];
  for (const [blame, isProven, reason, repair, isDoubtful] of cases)
    it(`${blame}, ${isProven ? "after" : "before"} the first acceptance`, () => {
      const reply: AttemptReply = { kind: "rejected", code: "x", class: blame };
      const step = afterReply(fresh, reply, { now: NOW, chance: 0, captured, isProven });
      assert.deepEqual(
        [step.state, step.reason, step.slot.repair?.kind ?? null, step.endsToken],
        ["waiting", reason, repair, isDoubtful === null ? null : { isDoubtful }],
      );
      assert.equal(step.slot.submissionsUsed, reason === "no_token" ? 1 : 0);
    });
});

describe("what happens to a slot that is due", () => {
  const around: Surroundings = {
    now: NOW,
    attemptedAt: null,
    bindingGeneration: { captured: 1, current: 1 },
    selectedBy: { captured: "s", current: "s" },
    isReplaced: false,
    captured,
    current: captured,
    way: "open",
    deviceFault: null,
  };
  const words = { ...captured, fingerprint: "g" };
  const refused = { kind: "credential", credentialRevision: 1 } as const;
  const foreign = { kind: "token", credentialRevision: 1 } as const;
  const cases: readonly [string, Partial<SlotState>, Partial<Surroundings>, string][] = [
    ["nothing in its way", {}, {}, "send"],
    ["another wording", {}, { current: words }, "send anew"],
    ["another token", {}, { current: { ...captured, tokenRevision: 2 } }, "send anew"],
    ["another credential", {}, { current: { ...captured, credentialRevision: 2 } }, "send anew"],
    ["its time over", { expiresAt: NOW }, {}, "expired"],
    [
      "somebody else on the device",
      {},
      { bindingGeneration: { captured: 1, current: 2 } },
      "binding_changed",
    ],
    [
      "an installation that went",
      {},
      { bindingGeneration: { captured: 1, current: null } },
      "binding_changed",
    ],
    ["another selection", {}, { selectedBy: { captured: "s", current: "t" } }, "edited"],
    ["another wording when it may have arrived", { possibleSubmissions: 1 }, { current: words }, "edited"],
    ["a later push in its place", {}, { isReplaced: true }, "replaced"],
    ["a device that cannot", {}, { deviceFault: "no_consent" }, "no_consent"],
    ["no credential", {}, { current: null }, "credential"],
    ["a pause", { submissionNotBefore: NOW + 1 }, {}, "retry_backoff"],
    ["a refused credential", { repair: refused }, { way: "suspected" }, "credential"],
    ["a refused credential, of which it is not known here", {}, { way: "suspected" }, "send"],
    ["a credential that is barred", {}, { way: "barred" }, "credential"],
    ["a credential that is barred, and a test of it", { isTest: true }, { way: "barred" }, "send"],
    ["a refused credential that is asked again", { repair: refused }, { way: "probe" }, "send"],
    ["a credential that was accepted since", { repair: refused }, { way: "open" }, "send"],
    ["a token of another app", { repair: foreign }, {}, "credential"],
    [
      "a token of another app, and another token",
      { repair: foreign },
      { current: { ...captured, tokenRevision: 2 } },
      "send anew",
    ],
    [
      "a token of another app, and another credential",
      { repair: foreign },
      { current: { ...captured, credentialRevision: 2 } },
      "send anew",
    ],
    [
      "a refused credential, and a newer one",
      { repair: { kind: "credential", credentialRevision: 1 } },
      { current: { ...captured, credentialRevision: 2 } },
      "send anew",
    ],
    [
      "a refused payload",
      { repair: { kind: "payload", credentialRevision: 1, campaignFingerprint: "f" } },
      {},
      "campaign_not_ready",
    ],
    [
      "a refused payload, and another wording",
      { repair: { kind: "payload", credentialRevision: 1, campaignFingerprint: "f" } },
      { current: words },
      "send anew",
    ],
  ];
  for (const [name, slot, more, expected] of cases)
    it(`${name}: ${expected}`, () => {
      const verdict = judge({ ...fresh, ...slot }, { ...around, ...more });
      const outcome = verdict.kind === "send" ? (verdict.isNewTarget ? "send anew" : "send") : verdict.reason;
      assert.equal(outcome, expected);
      if (verdict.kind === "wait") assert.ok(verdict.until > NOW && verdict.until <= NOW + REEVALUATE_MS);
    });
});
