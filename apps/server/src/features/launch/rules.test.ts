import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  assess,
  type CoveragePair,
  coverageBlockers,
  isPresentAfter,
  type KnownSource,
  type LaunchFacts,
  launchStep,
  type RequiredChange,
  warningOf,
} from "./rules.ts";
import type { CoverageState } from "./schema.ts";

const OK: KnownSource = { enabled: true, paused: false, state: "ok", reason: null };

const pair = (state: CoverageState, more: Partial<CoveragePair> = {}): CoveragePair => ({
  mappingId: "map_1",
  mappingLabel: "acme/web production",
  state,
  onBranch: true,
  reason: null,
  evidence: null,
  ...more,
});

const required = (pairs: readonly CoveragePair[], sourceId = "web"): RequiredChange => ({
  id: "req_1",
  change: { sourceId, kind: "commit", sha: "a".repeat(40) },
  pairs,
});

const ALLOWED = { by: "Ada", at: 1, covers: "all", changedBy: null } as const;
const CHANGED = { ...ALLOWED, covers: "changed", changedBy: { name: "Eve", at: 1_790_000_000_000 } } as const;
const BEFORE = { ...ALLOWED, covers: "less" } as const;

/** A campaign that launches by itself now, but for what is said otherwise. */
const facts = (more: Partial<LaunchFacts> = {}): LaunchFacts => ({
  isInitial: true,
  mode: "automatic",
  approval: ALLOWED,
  approvedContent: false,
  isPaused: false,
  isOver: false,
  isWithdrawn: false,
  notReady: null,
  sources: new Map([["web", OK]]),
  required: [required([pair("present")])],
  ...more,
});

const codesOf = (given: LaunchFacts): string[] => assess(given).blockers.map(({ code }) => code);

describe("assess", () => {
  it("lets a campaign launch when nothing is missing", () => {
    assert.deepEqual(assess(facts()), { state: "eligible", blockers: [] });
  });

  it("asks for the content that was allowed only where that is demanded, and says what was changed", () => {
    const details = (more: Partial<LaunchFacts>) => assess(facts(more)).blockers.map(({ detail }) => detail);
    for (const approval of [ALLOWED, CHANGED, BEFORE])
      assert.deepEqual(details({ approval, approvedContent: false }), []);
    assert.deepEqual(details({ approval: ALLOWED, approvedContent: true }), []);
    const again =
      "a person has to allow it again (Approvals in the dashboard, or tidings approvals approve).";
    assert.deepEqual(details({ approval: CHANGED, approvedContent: true }), [
      `It was changed since it was allowed by Ada, last by Eve at 2026-09-21T14:13:20.000Z: ${again}`,
    ]);
    assert.deepEqual(details({ approval: { ...CHANGED, changedBy: null }, approvedContent: true }), [
      `It was changed since it was allowed by Ada: ${again}`,
    ]);
    assert.deepEqual(details({ approval: BEFORE, approvedContent: true }), [
      `Ada allowed it before goal, delivery window and push settings were part of that: ${again}`,
    ]);
    assert.equal(launchStep(facts({ approval: CHANGED, approvedContent: true })), "approve");
  });

  it("names each single thing that is missing", () => {
    const source = (more: Partial<NonNullable<KnownSource>>) =>
      facts({ sources: new Map([["web", { ...OK, ...more }]]) });
    const covered = (...pairs: CoveragePair[]) => facts({ required: [required(pairs)] });
    for (const [given, code] of [
      [facts({ mode: "manual" }), "manual"],
      [facts({ approval: null }), "approval"],
      [facts({ approval: CHANGED, approvedContent: true }), "approval"],
      [facts({ approval: BEFORE, approvedContent: true }), "approval"],
      [facts({ required: [] }), "no_sources"],
      [covered(), "mapping"],
      [facts({ sources: new Map([["web", null]]), required: [required([])] }), "mapping"],
      [source({ paused: true }), "source_paused"],
      [source({ enabled: false }), "source_paused"],
      [source({ state: "unavailable", reason: "auth" }), "source_unavailable"],
      [facts({ isPaused: true }), "project_paused"],
      [covered(pair("absent")), "deployment"],
      [covered(pair("pending")), "deployment"],
      [covered(pair("unknown")), "evidence_unknown"],
      [covered(pair("reverted")), "reverted"],
      [facts({ isWithdrawn: true }), "withdrawn"],
      [facts({ isOver: true }), "expired"],
      [facts({ notReady: "No sender." }), "readiness"],
    ] as const) {
      assert.deepEqual([assess(given).state, codesOf(given)], ["waiting", [code]]);
      assert.equal(assess({ ...given, isInitial: false }).state, "not_initial");
      assert.deepEqual(codesOf({ ...given, isInitial: false }), []);
    }
  });

  it("waits for every environment of every change, and says so in the order of the contract", () => {
    const second: RequiredChange = {
      ...required([pair("reverted"), pair("unknown", { mappingId: "map_2" })]),
      id: "req_2",
    };
    const all = facts({
      mode: "manual",
      approval: null,
      isPaused: true,
      isOver: true,
      isWithdrawn: true,
      notReady: "No sender.",
      sources: new Map([
        ["web", { enabled: true, paused: true, state: "unavailable", reason: "timeout" }],
        ["app", null],
      ]),
      required: [second, required([], "app"), required([pair("absent", { onBranch: false })])],
    });
    assert.deepEqual(codesOf(all), [
      "manual",
      "approval",
      "mapping",
      "source_pending",
      "source_paused",
      "source_unavailable",
      "project_paused",
      "withdrawn",
      "deployment",
      "evidence_unknown",
      "reverted",
      "expired",
      "readiness",
    ]);
    assert.deepEqual(
      coverageBlockers(all).map(({ code, mappingId }) => [code, mappingId]),
      [
        ["mapping", undefined],
        ["source_pending", undefined],
        ["deployment", "map_1"],
        ["evidence_unknown", "map_2"],
        ["reverted", "map_1"],
      ],
    );
  });

  it("says of a change that it is not on the branch only where it is missing somewhere", () => {
    assert.deepEqual(codesOf(facts({ required: [required([pair("present", { onBranch: false })])] })), []);
  });
});

describe("warningOf", () => {
  it("warns where something that was present is surely so no more, however long nothing was sure", () => {
    const story = (...states: CoverageState[]): (string | null)[] => {
      let wasPresent = false;
      return states.map((state) => {
        const warning = warningOf(wasPresent, state);
        wasPresent = isPresentAfter(wasPresent, state);
        return warning;
      });
    };
    assert.deepEqual(story("absent", "present", "absent", "absent"), [null, null, "rollback", null]);
    assert.deepEqual(story("present", "unknown", "absent"), [null, null, "rollback"]);
    assert.deepEqual(story("present", "reverted", "present", "reverted"), [null, "revert", null, "revert"]);
    assert.deepEqual(story("unknown", "absent", "reverted", "pending"), [null, null, null, null]);
  });
});
