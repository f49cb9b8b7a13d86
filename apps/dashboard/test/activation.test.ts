import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type Activation,
  announcedChanges,
  describeBlocker,
  effectOf,
  hintOf,
  launchesAtOnce,
  modeText,
  needsPeople,
  stateText,
  waitsFor,
} from "../src/ui/activation/rules.ts";

const evidence = { id: "dep_1", provider: "api", label: "ci", url: "", revision: "a", reportedAt: 5 };

const activation: Activation = {
  campaignId: "cmp_1",
  revision: "0",
  defaultMode: "automatic",
  override: null,
  approvedAsIs: null,
  approval: "pending",
  effectiveMode: "automatic",
  lastCheckedAt: null,
  launch: null,
  warnings: [],
  assessment: {
    state: "waiting",
    blockers: [
      { code: "approval", detail: "tidings approvals approve" },
      { code: "deployment", requirementId: "req_1" },
      { code: "deployment", requirementId: "req_2" },
      { code: "readiness", detail: "Set the postal address." },
    ],
  },
  requirements: [
    { id: "req_1", sourceId: "web", label: "commit aaa", mappingIds: ["map_1"] },
    { id: "req_2", sourceId: "app", label: "pull request #2", mappingIds: [] },
  ],
  coverage: [
    {
      requirementId: "req_1",
      mappingId: "map_1",
      mappingLabel: "x/web production",
      state: "present",
      evidence,
    },
  ],
};

describe("a draft that announces changes", () => {
  it("says where each is live, and since when", () => {
    const [first, second] = announcedChanges(activation);
    assert.deepEqual([first?.sourceId, first?.label], ["web", "commit aaa"]);
    const timeOf = (at: number) => `at ${at}`;
    const [place] = first?.places ?? [];
    assert.deepEqual([place?.label, place?.evidence?.label], ["x/web production", "ci"]);
    assert.equal(place && stateText(place, timeOf), "live, reported at 5");
    assert.equal(place && stateText({ ...place, state: "absent" }, timeOf), "not in what runs there");
    assert.deepEqual(second?.places, []);
  });

  it("says each thing that it waits for once, without commands", () => {
    assert.deepEqual(waitsFor(activation), [
      "A person has to allow it.",
      "A change is not live everywhere it has to be.",
      "Set the postal address.",
    ]);
    assert.equal(needsPeople(activation), true);
    assert.equal(needsPeople({ ...activation, assessment: { state: "eligible", blockers: [] } }), false);
  });

  it("says what to do about each with the pages of the dashboard, and what only the server knows", () => {
    assert.equal(
      hintOf({ code: "approval", detail: "tidings approvals approve" }),
      "An approver presses Allow.",
    );
    assert.match(hintOf({ code: "mapping", detail: "tidings mapping add" }) ?? "", /under Sources/);
    assert.equal(hintOf({ code: "deployment", detail: "Not in production." }), "Not in production.");
    assert.equal(hintOf({ code: "manual" }), null);
    assert.equal(describeBlocker({ code: "expired" }), "Its delivery window is over.");
  });
});

describe("the mode of a draft", () => {
  const byHand: Activation = {
    ...activation,
    override: "manual",
    effectiveMode: "manual",
    approval: "approved",
    assessment: { state: "waiting", blockers: [{ code: "manual" }] },
  };

  it("is the project's or its own, and says so", () => {
    assert.match(modeText(activation), /by itself once .*: it follows the project\.$/);
    assert.match(modeText({ ...activation, effectiveMode: "manual" }), /somebody launches it: it follows/);
    assert.match(modeText(byHand), /somebody launches it, whatever the project says\.$/);
  });

  it("says what a choice does, and that one launches it at once", () => {
    assert.match(effectOf(activation, "automatic"), /^Nothing changes now\. It stays so/);
    assert.match(effectOf(activation, "manual"), /launches by itself no more/);
    assert.match(
      effectOf({ ...byHand, override: null, defaultMode: "manual" }, "manual"),
      /^Nothing changes/,
    );
    for (const choice of ["automatic", "project"] as const) {
      assert.equal(launchesAtOnce(byHand, choice), true);
      assert.match(effectOf(byHand, choice), /it launches within seconds/);
    }
    const waits: Activation = {
      ...byHand,
      assessment: { state: "waiting", blockers: [{ code: "manual" }, { code: "deployment" }] },
    };
    assert.equal(launchesAtOnce(waits, "automatic"), false);
    assert.match(effectOf(waits, "automatic"), /as soon as nothing is missing/);
    assert.match(effectOf({ ...waits, approval: "pending" }, "automatic"), /once a person allows it/);
    const follows: Activation = { ...byHand, defaultMode: "manual" };
    assert.match(effectOf(follows, "project"), /campaign goes with it\.$/);
  });
});
