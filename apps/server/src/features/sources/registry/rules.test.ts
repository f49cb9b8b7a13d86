import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compareReport, type KnownDeployment, stateAfterFailure } from "./rules.ts";

const NOW = 1_000;
const sha = "a".repeat(40);
const known = (more: Partial<KnownDeployment> = {}): KnownDeployment => ({
  sha,
  status: "pending",
  deployedAt: 500,
  url: null,
  label: null,
  ...more,
});

describe("compareReport", () => {
  it("ends a pending deployment once, now or when the report says", () => {
    for (const status of ["success", "failure"] as const) {
      assert.deepEqual(compareReport(known(), { sha, status }, NOW), {
        change: known({ status, deployedAt: NOW }),
      });
      assert.deepEqual(compareReport(known(), { sha, status, deployedAt: 700, label: "v2" }, NOW), {
        change: known({ status, deployedAt: 700, label: "v2" }),
      });
    }
  });

  it("knows repeats, and reports that come late", () => {
    assert.equal(compareReport(known(), { sha, status: "pending" }, NOW), "known");
    const ended = known({ status: "success", url: "https://ci.example/1" });
    assert.equal(compareReport(ended, { sha, status: "success" }, NOW), "known");
    assert.equal(compareReport(ended, { sha, status: "pending", deployedAt: 1 }, NOW), "known");
    const whole = { sha, status: "success", deployedAt: 500, url: "https://ci.example/1" } as const;
    assert.equal(compareReport(ended, whole, NOW), "known");
  });

  it("refuses what contradicts", () => {
    const ended = known({ status: "failure" });
    for (const [is, report] of [
      [known(), { sha: "b".repeat(40), status: "success" }],
      [ended, { sha, status: "success" }],
      [ended, { sha, status: "failure", deployedAt: 501 }],
      [ended, { sha, status: "failure", label: "v2" }],
      [ended, { sha, status: "failure", url: "https://ci.example/2" }],
    ] as const)
      assert.ok("refusal" in Object(compareReport(is, report, NOW)), JSON.stringify(report));
  });
});

describe("stateAfterFailure", () => {
  it("gives up what worked after three failures in a row, and says at once that something never worked", () => {
    assert.deepEqual(stateAfterFailure({ state: "pending", failures: 0 }, "auth"), {
      state: "unavailable",
      reason: "auth",
      failures: 1,
    });
    let row: ReturnType<typeof stateAfterFailure> = { state: "ok", reason: null, failures: 0 };
    for (const state of ["ok", "ok", "unavailable", "unavailable"]) {
      row = stateAfterFailure(row, "timeout");
      assert.deepEqual([row.state, row.reason], [state, state === "ok" ? null : "timeout"]);
    }
  });
});
