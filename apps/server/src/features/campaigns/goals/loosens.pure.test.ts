import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { GUARDRAILS } from "./guardrails.pure.ts";
import { type GoalTerms, loosens, NO_TERMS } from "./loosens.pure.ts";

const NOW = Date.UTC(2026, 10, 25);
const LATER = "2026-12-01T00:00:00Z";
const LATEST = "2027-01-01T00:00:00Z";
const OVER = "2026-11-01T00:00:00Z";

/** Two values of a guardrail, undefined for none, and whether the way from the first to the second is looser. */
type Case = readonly [before: unknown, after: unknown, isLooser: boolean];

const most = (less: number, more: number): readonly Case[] => [
  [less, more, true],
  [more, less, false],
  [less, undefined, true],
  [undefined, more, false],
  [less, less, false],
];
const least = (less: number, more: number): readonly Case[] => [
  [more, less, true],
  [less, more, false],
  [less, undefined, true],
  [undefined, less, false],
];

const CASES: Readonly<Record<string, readonly Case[]>> = {
  maxActiveCampaigns: [...most(0, 2), [1, 1000, true]],
  maxUnsubscribeRate: most(0.01, 0.02),
  maxComplaintRate: most(0, 0.001),
  errorBudget: most(0.05, 0.1),
  minConversionRate: least(0.1, 0.2),
  minControlShare: least(0, 0.5),
  quietUntil: [
    [LATER, LATEST, false],
    [LATEST, LATER, true],
    [LATER, undefined, true],
    [undefined, LATER, false],
    [OVER, undefined, false],
    [OVER, LATER, false],
    // The same instant in other words.
    [LATER, Date.parse(LATER), false],
    [Date.parse(LATER), LATER.replace("00:00:00Z", "01:00:00+01:00"), false],
  ],
  allowedHosts: [
    [["acme.example"], ["acme.example", "evil.example"], true],
    [["acme.example", "shop.example"], ["shop.example"], false],
    [["acme.example"], ["*.acme.example"], true],
    [["*.acme.example"], ["shop.acme.example"], false],
    [["*.acme.example"], ["*.shop.acme.example"], false],
    [["*.acme.example"], ["acme.example"], true],
    [["acme.example"], ["ACME.example."], false],
    [["acme.example"], ["acme:"], true],
    [["acme.example"], undefined, true],
    [undefined, ["acme.example"], false],
  ],
  forbiddenPhrases: [
    [["free"], ["free", "guarantee*"], false],
    [["free", "guarantee*"], ["guarantee*"], true],
    [["free"], undefined, true],
    [undefined, ["free"], false],
    [["a", "b"], ["b", "a"], false],
    [["Free"], ["FREE"], false],
    [["free"], ["free*"], false],
    [["free*"], ["free"], true],
    [["free trial"], ["free"], false],
    [["free trial"], ["trial"], false],
    [["free trial*"], ["free*"], false],
    [["free trial*"], ["trial"], true],
    [["freedom"], ["free"], true],
    [["free"], ["free trial"], true],
  ],
  // What Tidings does not enforce.
  maxPerWeek: [
    ["two", undefined, true],
    ["two", "three", true],
    [undefined, "two", false],
    [{ a: 1, b: [2] }, { b: [2], a: 1 }, false],
    [null, undefined, false],
  ],
  minimumLift: [
    [0.1, 0.2, true],
    [0.2, 0.1, true],
    [undefined, 0.1, false],
  ],
};

const withLimit = (name: string, value: unknown): GoalTerms => ({
  ...NO_TERMS,
  guardrails: value === undefined ? null : { [name]: value },
});

describe("loosens", () => {
  it("has cases of every guardrail", () => {
    for (const guardrail of GUARDRAILS) assert.ok(CASES[guardrail] !== undefined, guardrail);
  });

  for (const [name, cases] of Object.entries(CASES))
    it(`knows which way ${name} is looser`, () => {
      for (const [before, after, isLooser] of cases)
        assert.equal(
          loosens(withLimit(name, before), withLimit(name, after), NOW),
          isLooser,
          JSON.stringify([before, after]),
        );
    });

  it("asks whether one limit is looser, however much stricter the others are", () => {
    const before = { ...NO_TERMS, guardrails: { maxActiveCampaigns: 1, forbiddenPhrases: ["free"] } };
    const after = { ...NO_TERMS, guardrails: { maxActiveCampaigns: 2, forbiddenPhrases: ["free", "cheap"] } };
    assert.equal(loosens(before, after, NOW), true);
    assert.equal(
      loosens(before, { ...before, guardrails: { ...before.guardrails, maxActiveCampaigns: 0 } }, NOW),
      false,
    );
    assert.equal(loosens(before, NO_TERMS, NOW), true);
    assert.equal(loosens(NO_TERMS, { ...NO_TERMS, guardrails: {} }, NOW), false);
  });

  it("takes another limit than one that cannot be read, which allows nothing, for looser", () => {
    assert.equal(loosens(withLimit("minControlShare", "half"), withLimit("minControlShare", 1), NOW), true);
    assert.equal(
      loosens(withLimit("minControlShare", "half"), withLimit("minControlShare", "half"), NOW),
      false,
    );
  });

  it("knows which way the other terms are looser", () => {
    const auto = { ...NO_TERMS, approvalMode: "auto" } as const;
    const counted = withLimit("minConversionRate", 0.1);
    const budgeted = withLimit("errorBudget", 0.1);
    const cases: readonly (readonly [GoalTerms, Partial<GoalTerms>, boolean])[] = [
      [NO_TERMS, { approvalMode: "auto" }, true],
      [auto, { approvalMode: "require_human" }, false],
      [NO_TERMS, { holdoutPercent: 10 }, false],
      [{ ...NO_TERMS, holdoutPercent: 10 }, { holdoutPercent: 9 }, true],
      [NO_TERMS, { attributionDays: 8, targetEvent: "paid" }, false],
      ...[auto, counted, budgeted].flatMap(
        (terms) =>
          [
            [terms, { attributionDays: 8 }, true],
            [terms, { attributionDays: 6 }, true],
            [terms, { targetEvent: "paid" }, true],
            [terms, { status: "archived" }, false],
          ] as const,
      ),
      [{ ...auto, status: "archived" }, { status: "active" }, true],
      [{ ...NO_TERMS, status: "archived" }, { status: "active" }, false],
    ];
    for (const [before, change, isLooser] of cases)
      assert.equal(
        loosens(before, { ...before, ...change }, NOW),
        isLooser,
        JSON.stringify([before, change]),
      );
  });
});
