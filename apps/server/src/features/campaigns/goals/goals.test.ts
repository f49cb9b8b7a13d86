import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Input, TidingsError } from "@tidings/client";
import { refusal, testHouse } from "../../../../test/harness.ts";

const house = testHouse();

type NewGoal = Input<"createGoal">["body"];
type GoalChange = Input<"updateGoal">["body"];

/** An object whose compact JSON has exactly this many bytes. */
const objectOf = (bytes: number): Record<string, unknown> => ({ k: "x".repeat(bytes - '{"k":""}'.length) });

const FULL: Required<NewGoal> = {
  name: "Upgrades",
  description: "More people on the paid plan",
  targetEvent: "plan_upgraded",
  guardrails: { maxPerWeek: 2, quiet: { from: 22, until: 7 }, regions: ["eu", "us"] },
  approvalMode: "auto",
  attributionDays: 14,
  holdoutPercent: 10,
};

/** Field values that every write refuses. */
const BAD_FIELDS: readonly [string, unknown][] = [
  ["name", ""],
  ["name", "x".repeat(81)],
  ["name", "🎯".repeat(81)],
  ["name", null],
  ["name", 5],
  ["description", "x".repeat(1_001)],
  ["description", 5],
  ["targetEvent", "x".repeat(81)],
  ["targetEvent", 5],
  ["guardrails", objectOf(4_097)],
  ["guardrails", { k: "é".repeat(2_045) }],
  ["guardrails", ["a list"]],
  ["guardrails", "text"],
  ["approvalMode", "sometimes"],
  ["approvalMode", null],
  ["attributionDays", 0],
  ["attributionDays", 91],
  ["attributionDays", 1.5],
  ["attributionDays", "7"],
  ["attributionDays", null],
  ["holdoutPercent", -1],
  ["holdoutPercent", 51],
  ["holdoutPercent", 0.5],
  ["holdoutPercent", "5"],
  ["holdoutPercent", null],
];

describe("createGoal", () => {
  it("answers the goal with defaults for what was not said", async () => {
    const { api } = await house.project();
    const { goal } = await api.createGoal({ body: { name: "Upgrades" } });
    const { id, ...rest } = goal;
    assert.match(id, /^goal_[0-9a-f-]{36}$/);
    assert.deepEqual(rest, {
      name: "Upgrades",
      description: null,
      targetEvent: null,
      guardrails: null,
      approvalMode: "require_human",
      attributionDays: 7,
      holdoutPercent: 0,
      status: "active",
      revision: 1,
      createdAt: house.now(),
    });
  });

  it("keeps everything that was said", async () => {
    const { api } = await house.project();
    const { goal } = await api.createGoal({ body: FULL });
    assert.deepEqual(goal, { ...FULL, id: goal.id, status: "active", revision: 1, createdAt: house.now() });
    assert.deepEqual(await api.getGoal({ path: { id: goal.id } }), { goal });
  });

  it("takes null for what may be unset", async () => {
    const { api } = await house.project();
    const body = { name: "Upgrades", description: null, targetEvent: null, guardrails: null };
    const { goal } = await api.createGoal({ body });
    assert.deepEqual([goal.description, goal.targetEvent, goal.guardrails], [null, null, null]);
  });

  it("takes each field at its limit, in characters and in bytes of JSON", async () => {
    const { api } = await house.project();
    const fits: readonly Partial<NewGoal>[] = [
      { name: "x".repeat(80) },
      { name: "🎯".repeat(80) },
      { description: "🎯".repeat(1_000) },
      { targetEvent: "x".repeat(80) },
      { targetEvent: "é".repeat(80) },
      { guardrails: objectOf(4_096) },
      { guardrails: { k: "é".repeat(2_044) } },
      { guardrails: {} },
      { attributionDays: 1, holdoutPercent: 0 },
      { attributionDays: 90, holdoutPercent: 50 },
    ];
    for (const fields of fits) {
      const body = { name: "Upgrades", ...fields };
      const { goal } = await api.createGoal({ body });
      assert.deepEqual({ ...goal, ...body }, goal);
    }
  });

  for (const [field, value] of BAD_FIELDS) {
    it(`refuses ${field} = ${JSON.stringify(value).slice(0, 20)}`, async () => {
      const { api } = await house.project();
      const body = { name: "Upgrades", [field]: value } as NewGoal;
      const { status, error } = await refusal(api.createGoal({ body }));
      assert.deepEqual([status, error.startsWith(`${field} `)], [400, true], error);
      assert.deepEqual(await api.listGoals(), { goals: [] });
    });
  }

  it("names the field and the rule", async () => {
    const { api } = await house.project();
    const { status, error } = await refusal(api.createGoal({ body: { name: "x".repeat(81) } }));
    assert.deepEqual([status, error], [400, "name must be at most 80 characters"]);
    const missing = await refusal(api.createGoal({ body: {} as NewGoal }));
    assert.deepEqual([missing.status, missing.error], [400, "name is required"]);
  });

  it("does not call a field missing that is there", async () => {
    const { api } = await house.project();
    for (const fields of [{ name: 5 }, { name: null }, { approvalMode: "sometimes" }]) {
      const body = { name: "Upgrades", ...fields } as NewGoal;
      const { error } = await refusal(api.createGoal({ body }));
      assert.match(error, / must /);
    }
  });

  it("refuses characters that no database can keep", async () => {
    const { api } = await house.project();
    for (const name of ["a\0b", "a\ud83c", "\udf89"]) {
      const { status } = await refusal(api.createGoal({ body: { name } }));
      assert.equal(status, 400);
    }
    assert.equal(
      (await refusal(api.createGoal({ body: { name: "a", guardrails: { "\0": 1 } } }))).status,
      400,
    );
  });

  it("is for the secret key", async () => {
    const { agent, sdk } = await house.project();
    for (const client of [agent, sdk]) {
      assert.equal((await refusal(client.createGoal({ body: { name: "Upgrades" } }))).status, 403);
    }
  });
});

describe("listGoals", () => {
  it("answers newest first, of one status where asked", async () => {
    const { api, agent } = await house.project();
    const ids: string[] = [];
    for (const name of ["first", "second", "third"]) {
      house.advance(1);
      ids.unshift((await api.createGoal({ body: { name } })).goal.id);
    }
    const [third = "", second = "", first = ""] = ids;
    await api.updateGoal({ path: { id: second }, body: { status: "archived" } });
    const listed = async (status?: "active" | "archived") =>
      (await agent.listGoals({ query: status === undefined ? {} : { status } })).goals.map(({ id }) => id);
    assert.deepEqual(await listed(), [third, second, first]);
    assert.deepEqual(await listed("active"), [third, first]);
    assert.deepEqual(await listed("archived"), [second]);
  });

  it("answers the newest hundred", async () => {
    const { api } = await house.project();
    for (let i = 0; i <= 100; i++) {
      house.advance(1);
      await api.createGoal({ body: { name: `goal ${i}` } });
    }
    const { goals } = await api.listGoals();
    assert.deepEqual(
      goals.map(({ name }) => name),
      Array.from({ length: 100 }, (_, i) => `goal ${100 - i}`),
    );
  });

  it("refuses a status there is not", async () => {
    const { api } = await house.project();
    assert.equal((await refusal(api.listGoals({ query: { status: "done" as "active" } }))).status, 400);
  });
});

describe("updateGoal", () => {
  it("changes what is named and leaves the rest", async () => {
    const { api } = await house.project();
    const { goal } = await api.createGoal({ body: FULL });
    house.advance(1_000);
    const changes: readonly GoalChange[] = [
      { name: "Renewals" },
      { description: "" },
      { targetEvent: "plan_renewed" },
      { guardrails: { other: true } },
      { approvalMode: "require_human" },
      { attributionDays: 30 },
      { holdoutPercent: 0 },
      { status: "archived" },
      { status: "active", name: "Back" },
    ];
    let expected = goal;
    for (const body of changes) {
      expected = { ...expected, ...body, revision: expected.revision + 1 } as typeof goal;
      assert.deepEqual(await api.updateGoal({ path: { id: goal.id }, body }), { goal: expected });
    }
    assert.deepEqual(await api.getGoal({ path: { id: goal.id } }), { goal: expected });
  });

  for (const field of ["description", "targetEvent", "guardrails"] as const) {
    it(`clears ${field} for null, and only that`, async () => {
      const { api } = await house.project();
      const { goal } = await api.createGoal({ body: FULL });
      const changed = await api.updateGoal({ path: { id: goal.id }, body: { [field]: null } });
      assert.deepEqual(changed.goal, { ...goal, [field]: null, revision: 2 });
    });
  }

  it("refuses a bad field and changes nothing, not even the good ones beside it", async () => {
    const { api } = await house.project();
    const { goal } = await api.createGoal({ body: FULL });
    const cases: readonly [string, unknown][] = [...BAD_FIELDS, ["status", "paused"], ["status", null]];
    for (const [field, value] of cases) {
      const body = { name: "Other", status: "archived", [field]: value } as GoalChange;
      const { status, error } = await refusal(api.updateGoal({ path: { id: goal.id }, body }));
      assert.deepEqual([status, error.startsWith(`${field} `)], [400, true], error);
    }
    assert.deepEqual(await api.getGoal({ path: { id: goal.id } }), { goal });
  });

  it("raises its revision where something changes, and only then", async () => {
    const { api } = await house.project();
    const { goal } = await api.createGoal({ body: { ...FULL, guardrails: { errorBudget: 0.1, ours: [1] } } });
    const path = { id: goal.id };
    const { id: _, revision: __, createdAt: ___, ...same } = goal;
    const nothing: readonly GoalChange[] = [
      { name: goal.name },
      { guardrails: { ours: [1], errorBudget: 0.1 } },
      same,
      { ...same, expectedRevision: 1 },
      { expectedRevision: 1 },
    ];
    for (const body of nothing) assert.deepEqual(await api.updateGoal({ path, body }), { goal });
    const changes: readonly GoalChange[] = [{ ...same, holdoutPercent: 11 }, { guardrails: null }];
    for (const [index, body] of changes.entries()) {
      const { goal: changed } = await api.updateGoal({ path, body });
      assert.equal(changed.revision, index + 2);
    }
    const cleared = await api.updateGoal({ path, body: { guardrails: null } });
    assert.equal(cleared.goal.revision, 3);
  });

  it("lets one of many win that come at once for a revision, and refuses the others", async () => {
    const { api } = await house.project();
    const { goal } = await api.createGoal({ body: FULL });
    const path = { id: goal.id };
    const saves: readonly GoalChange[] = [
      { name: "Theirs" },
      { name: "Mine" },
      { holdoutPercent: 1 },
      { holdoutPercent: 2 },
      { guardrails: null },
      { status: "archived" as const },
    ];
    const answers = await Promise.allSettled(
      saves.map((body) => api.updateGoal({ path, body: { ...body, expectedRevision: 1 } })),
    );
    const won = answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
    assert.deepEqual([await api.getGoal({ path })], won, "exactly one, and it is what is stored");
    assert.equal(won[0]?.goal.revision, 2);
    for (const answer of answers) {
      if (answer.status === "fulfilled") continue;
      assert.ok(answer.reason instanceof TidingsError);
      assert.equal(answer.reason.status, 409);
      assert.deepEqual(answer.reason.body, {
        error:
          "expectedRevision is stale: the goal has changed since. Read it again, and change it once more.",
        reason: "stale_revision",
        revision: 2,
      });
    }
    const again = await api.updateGoal({ path, body: { name: "At last", expectedRevision: 2 } });
    assert.deepEqual([again.goal.name, again.goal.revision], ["At last", 3]);
  });

  it("takes what comes at once without a revision, one after the other", async () => {
    const { api } = await house.project();
    const { goal } = await api.createGoal({ body: FULL });
    const path = { id: goal.id };
    const saves: readonly GoalChange[] = [{ name: "Both" }, { description: "kept" }, { attributionDays: 3 }];
    await Promise.all(saves.map((body) => api.updateGoal({ path, body })));
    const now = await api.getGoal({ path });
    assert.deepEqual(now.goal, { ...goal, ...Object.assign({}, ...saves), revision: 4 });
  });

  it("refuses a revision that there cannot be", async () => {
    const { api } = await house.project();
    const { goal } = await api.createGoal({ body: FULL });
    for (const expectedRevision of [0, -1, 1.5, "1", null, 2 ** 31]) {
      const body = { name: "Other", expectedRevision } as GoalChange;
      const { status, error } = await refusal(api.updateGoal({ path: { id: goal.id }, body }));
      assert.deepEqual([status, error.startsWith("expectedRevision ")], [400, true], error);
    }
    for (const expectedRevision of [2, 2 ** 31 - 1]) {
      const body = { name: "Other", expectedRevision };
      assert.equal((await refusal(api.updateGoal({ path: { id: goal.id }, body }))).status, 409);
    }
    assert.deepEqual(await api.getGoal({ path: { id: goal.id } }), { goal });
  });

  it("refuses a change of nothing", async () => {
    const { api } = await house.project();
    const { goal } = await api.createGoal({ body: FULL });
    assert.equal((await refusal(api.updateGoal({ path: { id: goal.id }, body: {} }))).status, 400);
  });
});

describe("a goal of another project", () => {
  it("is not there to read, change, list or link", async () => {
    const [mine, other] = [await house.project(), await house.project()];
    const { goal } = await other.api.createGoal({ body: FULL });
    const path = { id: goal.id };
    const calls = [
      () => mine.api.getGoal({ path }),
      () => mine.api.updateGoal({ path, body: { name: "Mine now" } }),
    ];
    for (const call of calls) {
      const { status, error } = await refusal(call());
      assert.deepEqual([status, error], [404, "Goal not found"]);
    }
    assert.deepEqual(await mine.api.listGoals(), { goals: [] });
    assert.deepEqual(await other.api.getGoal({ path }), { goal });
  });

  it("is like one that never was", async () => {
    const { api } = await house.project();
    const { goal } = await api.createGoal({ body: FULL });
    for (const id of [
      goal.id.replace("goal_", "cmp_"),
      goal.id.slice(5),
      "goal_x",
      "goal_",
      "x".repeat(128),
    ]) {
      assert.equal((await refusal(api.getGoal({ path: { id } }))).status, 404, id);
      assert.equal((await refusal(api.updateGoal({ path: { id }, body: { name: "x" } }))).status, 404, id);
    }
    assert.equal((await refusal(api.getGoal({ path: { id: "x".repeat(129) } }))).status, 400);
  });
});

describe("goals", () => {
  it("leave no differences behind", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});
