import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { fieldsOf, guardrailsFrom, othersOf } from "../src/features/goals/guardrails.ts";
import { draftFromGoal, goalBody, goalPatch, newGoalDraft, overlapOf } from "../src/features/goals/rules.ts";
import type { Goal } from "../src/platform/api-types.ts";

const goal = (more: Partial<Goal> = {}): Goal => ({
  id: "goal_1",
  name: "Sales",
  description: null,
  targetEvent: "paid",
  status: "active",
  approvalMode: "require_human",
  attributionDays: 7,
  holdoutPercent: 10,
  createdAt: 0,
  revision: 1,
  guardrails: null,
  ...more,
});

const shares = fc.integer({ min: 0, max: 10_000 }).map((parts) => parts / 10_000);
const stored = fc.record(
  {
    maxActiveCampaigns: fc.integer({ min: 0, max: 1_000 }),
    forbiddenPhrases: fc.array(fc.constantFrom("free", "guarantee*", "日本"), { minLength: 1, maxLength: 3 }),
    maxUnsubscribeRate: shares,
    minControlShare: shares,
    // Odd values of before they were checked, and keys of one's own.
    errorBudget: fc.oneof(shares, fc.constant("much"), fc.constant(null)),
    quietUntil: fc.oneof(fc.constant("2026-12-24T18:00:30.500+02:00"), fc.integer({ min: 0, max: 2e12 })),
    ours: fc.jsonValue(),
    "__other key": fc.jsonValue(),
  },
  { requiredKeys: [] },
);
/** What the server has stored: jsonb knows no -0. */
const asStored = (value: unknown) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
const emptyAsNull = (all: Record<string, unknown>) => (Object.keys(all).length === 0 ? null : all);

describe("the guardrails of a form", () => {
  it("stay exactly as they are stored where nothing is written", () => {
    fc.assert(
      fc.property(stored.map(asStored), (limits) => {
        assert.deepEqual(guardrailsFrom(fieldsOf(limits), limits, limits), {
          guardrails: emptyAsNull(limits),
        });
      }),
    );
  });

  it("change only the field that is written, whatever somebody else has changed meanwhile", () => {
    fc.assert(
      fc.property(stored.map(asStored), stored.map(asStored), (base, now) => {
        const fields = fieldsOf(base);
        const written = { ...fields, limits: { ...fields.limits, maxComplaintRate: "0.7" } };
        const read = guardrailsFrom(written, base, now);
        assert.ok("guardrails" in read);
        assert.deepEqual(read.guardrails, { ...now, maxComplaintRate: 0.007 });
      }),
    );
  });

  it("read percent, numbers, instants and phrases, and give what they cannot read to the server", () => {
    const { limits } = fieldsOf(null);
    const written = {
      ...limits,
      maxActiveCampaigns: " 3 ",
      maxUnsubscribeRate: "7",
      minimumLift: "2.5",
      minControlShare: "half",
      forbiddenPhrases: "free\n\n  guarantee* \n",
      quietUntil: "2026-12-24T18:00",
    };
    assert.deepEqual(guardrailsFrom({ limits: written, others: '{"ours": [1]}' }, null, null), {
      guardrails: {
        maxActiveCampaigns: 3,
        quietUntil: new Date("2026-12-24T18:00").getTime(),
        forbiddenPhrases: ["free", "guarantee*"],
        maxUnsubscribeRate: 0.07,
        minControlShare: "half",
        minimumLift: 0.025,
        ours: [1],
      },
    });
  });

  it("say why other keys are none", () => {
    assert.deepEqual(othersOf(" "), { others: {} });
    assert.deepEqual(othersOf('\ufeff{"a": 1}'), { others: { a: 1 } });
    assert.deepEqual(othersOf("{"), { fault: "json" });
    for (const text of ["[]", "null", "3"]) assert.deepEqual(othersOf(text), { fault: "object" });
    assert.deepEqual(othersOf('{"a": 1, "errorBudget": 0.1}'), { fault: "errorBudget" });
    assert.equal(
      goalBody({ ...newGoalDraft(), guardrails: { ...newGoalDraft().guardrails, others: "{" } }),
      null,
    );
  });

  it("are none once the last one is taken away", () => {
    const before = goal({ guardrails: { maxActiveCampaigns: 2 } });
    const draft = draftFromGoal(before);
    const limits = { ...draft.guardrails.limits, maxActiveCampaigns: "" };
    const change = goalPatch({ ...draft, guardrails: { ...draft.guardrails, limits } }, before);
    assert.deepEqual(change, { guardrails: null });
  });
});

describe("a change of a goal", () => {
  it("has the fields that were written, and no others", () => {
    const before = goal({ guardrails: { ours: 1, errorBudget: 0.05 } });
    const draft = draftFromGoal(before);
    assert.equal(goalPatch(draft, before), null);
    assert.equal(
      goalPatch(draft, goal({ guardrails: { errorBudget: 0.05, ours: 1 } })),
      null,
      "in any order",
    );
    assert.deepEqual(goalPatch({ ...draft, holdoutPercent: "5", targetEvent: " " }, before), {
      holdoutPercent: 5,
      targetEvent: null,
    });
    assert.deepEqual(goalPatch({ ...draft, attributionDays: "" }, before), { attributionDays: "" });
    const theirs = goal({ name: "Theirs", guardrails: { ours: 2 } });
    assert.deepEqual(goalPatch({ ...draft, holdoutPercent: "5" }, theirs), { holdoutPercent: 5 });
  });

  it("says what both have changed", () => {
    const before = goal({ guardrails: { ours: 1, errorBudget: 0.05 } });
    const draft = draftFromGoal(before);
    const mine = { ...draft, name: "Mine", guardrails: { ...draft.guardrails, others: '{"ours": 3}' } };
    assert.deepEqual(overlapOf(mine, before), []);
    assert.deepEqual(overlapOf(mine, goal({ name: "Mine", guardrails: { ours: 1, errorBudget: 0.1 } })), []);
    assert.deepEqual(overlapOf(mine, goal({ name: "Theirs", guardrails: { ours: 2, errorBudget: 0.1 } })), [
      "name",
      "others",
    ]);
    const limits = { ...draft.guardrails.limits, errorBudget: "1" };
    const both = { ...draft, guardrails: { ...draft.guardrails, limits } };
    assert.deepEqual(overlapOf(both, goal({ guardrails: { ours: 1, errorBudget: 0.1 } })), ["errorBudget"]);
  });
});
