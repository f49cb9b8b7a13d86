import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Step } from "../src/features/journeys/rules.ts";
import {
  barInWords,
  conditionInWords,
  deedInWords,
  insideInWords,
  isOfNoUser,
  type JourneyExplanation,
  pathInWords,
} from "../src/features/journeys/why.ts";
import { timeOf } from "../src/platform/times.ts";

const DAY_MS = 86_400_000;

const explanation = (more: Partial<JourneyExplanation> = {}): JourneyExplanation => ({
  userId: "ada",
  evaluatedAt: 5 * DAY_MS,
  mayEnter: false,
  barredBy: "inside",
  againAt: null,
  inside: null,
  left: null,
  arm: null,
  conditions: [],
  passed: [],
  ...more,
});

const steps: Step[] = [
  {
    id: "tour",
    kind: "send",
    channel: "web_inapp",
    name: "Message",
    campaignId: "cmp_1",
    campaignStatus: "running",
  },
  { id: "ends", kind: "wait", date: { trait: "endsAt", days: 0, at: "09:00", zone: "UTC" } },
  { id: "plan", kind: "if", audience: { kind: "all" }, else: "news" },
  {
    id: "news",
    kind: "send",
    channel: "email",
    name: "Message",
    campaignId: "cmp_2",
    campaignStatus: "running",
  },
];

describe("why a user is where they are", () => {
  const inside = (more: Partial<NonNullable<JourneyExplanation["inside"]>>) =>
    insideInWords(
      { steps },
      {
        occasion: 0,
        stepId: "ends",
        enteredAt: DAY_MS,
        arrivedAt: 2 * DAY_MS,
        waitsFor: "time",
        until: 3 * DAY_MS,
        orEvent: null,
        ...more,
      },
    ).slice(2);

  it("names the path that they drew", () => {
    assert.deepEqual(pathInWords({ arm: null }), []);
    assert.deepEqual(pathInWords({ arm: "One mail" }), [
      "Their path is “One mail”, which they drew when they first entered.",
    ]);
  });

  it("is what they wait for, until when, and what is sooner", () => {
    const until = timeOf(3 * DAY_MS);
    assert.deepEqual(inside({ orEvent: "paid" }), [
      `They wait until ${until}.`,
      "They go on sooner once they do “paid”.",
    ]);
    assert.deepEqual(inside({ waitsFor: "date", until: null }), [
      "They have no date in “endsAt” yet, and wait for one.",
    ]);
    assert.deepEqual(inside({ waitsFor: "paused" }), [
      "The journey is paused, so they stay where they are until it is resumed.",
      `Their wait is over ${until}.`,
    ]);
    assert.deepEqual(inside({ stepId: "news", waitsFor: "message", until: null }), [
      "Their message has not left yet.",
    ]);
  });

  it("is why they are not inside, and when they may be", () => {
    assert.deepEqual(barInWords(explanation({ barredBy: null, mayEnter: true })), ["They may enter now."]);
    const again = explanation({ barredBy: "again" });
    assert.deepEqual(barInWords(again), ["They were in before, and each user enters once."]);
    assert.deepEqual(barInWords({ ...again, againAt: 9 * DAY_MS }), [
      `They were in before, and may enter again from ${timeOf(9 * DAY_MS)} on.`,
    ]);
    assert.equal(isOfNoUser(explanation({ barredBy: "no_user" })), true);
    assert.equal(isOfNoUser(explanation({ barredBy: "audience" })), false);
  });

  it("is what each condition says, and what became of them at each step", () => {
    const titleOf = (id: string): string => `the step ${id}`;
    const [tour, ends, plan] = steps;
    assert.match(conditionInWords(plan, true, titleOf), /next step/);
    assert.equal(
      conditionInWords(plan, false, titleOf),
      "They do not match, and would go on to the step news.",
    );
    const deed = (did: "sent" | "skipped", reason: string | null, step = tour) =>
      deedInWords({ did, reason }, step);
    assert.equal(deed("sent", null), "Their message was there for them to see.");
    assert.equal(deed("sent", null, ends), "Their message left.");
    assert.equal(deed("skipped", "no_address"), "They could not get it: no address.");
    assert.equal(deed("skipped", "frequency_capped"), "They could not get it: left out by the cap.");
    assert.equal(deed("skipped", "a_new_reason"), "They could not get it: a_new_reason.");
    assert.equal(deed("skipped", "no_date", ends), "No date came, so they left without another message.");
  });
});
