import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type AgentAtWork, applying, findMissingAgent, lineFor } from "../src/ui/at-work/rules.ts";

const IDLE: AgentAtWork = {
  by: "nobody",
  isPaused: false,
  hasPolicy: true,
  programAt: null,
  overdue: null,
};
const OVERDUE = { campaignId: "cmp_1", campaignName: "Sale", since: 1, isApproved: true, count: 1 };

describe("who is missing", () => {
  it("is a process where Tidings decides, and a program only once it has left something lying", () => {
    assert.equal(findMissingAgent(IDLE), "agent");
    assert.equal(findMissingAgent({ ...IDLE, hasPolicy: false }), null);
    assert.equal(findMissingAgent({ ...IDLE, hasPolicy: false, overdue: OVERDUE }), "program");
  });

  it("is nobody where somebody works, or people have stopped all", () => {
    assert.equal(findMissingAgent({ ...IDLE, by: "process" }), null);
    assert.equal(findMissingAgent({ ...IDLE, by: "program", hasPolicy: false }), null);
    assert.equal(findMissingAgent({ ...IDLE, isPaused: true, overdue: OVERDUE }), null);
  });
});

describe("what is said of an approval", () => {
  it("promises nothing that nobody does", () => {
    assert.deepEqual(applying({ ...IDLE, by: "process" }), {
      isDone: true,
      text: "It is applied within a minute.",
      missing: null,
    });
    assert.match(applying({ ...IDLE, by: "program", programAt: 1 }).text, /^A program of yours applies it\./);
    const cases = [
      [IDLE, /^Nobody will apply it: no process has the role agent/, "agent"],
      [{ ...IDLE, hasPolicy: false }, /^Nobody will apply it: no policy is set/, "program"],
      [{ ...IDLE, by: "process", isPaused: true }, /^Nobody applies it now: agents are paused/, null],
    ] as const;
    for (const [atWork, expected, missing] of cases) {
      const applied = applying(atWork);
      assert.match(applied.text, expected);
      assert.deepEqual([applied.isDone, applied.missing], [false, missing]);
    }
  });
});

it("the line that starts somebody names the role, or where the program finds this server", () => {
  assert.match(lineFor("agent", ""), /ROLES=api,worker,agent /);
  assert.match(lineFor("worker", ""), /ROLES=api,worker /);
  assert.match(lineFor("program", "https://t.example"), /agent run --url https:\/\/t\.example$/);
});
