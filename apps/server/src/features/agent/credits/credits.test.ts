import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Input } from "@tidings/client";
import { setSettings } from "../../../../test/email.ts";
import { refusal, type TestProject, testHouse } from "../../../../test/harness.ts";
import { send } from "../../../../test/samples.ts";
import { recordAgentUsage } from "./record-agent-usage.ts";

const house = testHouse();

type Report = Input<"recordAgentUsage">["body"];

/** The call whose price is published: 18,100 micro-USD, 7 credits. */
const KNOWN = { inputTokens: 100_000, cachedInputTokens: 20_000, outputTokens: 1_000 };
const MOST = 100_000_000;
const CREDIT = { toolCostMicros: 3_000 };

let executions = 0;
const report = ({ agent }: TestProject, body: Partial<Report> = {}) =>
  agent.recordAgentUsage({ body: { executionId: `e${executions++}`, calls: [KNOWN], ...body } });
const post = (project: TestProject, body: unknown, raw = JSON.stringify(body), key = project.agentKey) =>
  send(house, recordAgentUsage.spec, { raw, key });
const usedBy = async ({ api }: TestProject): Promise<number> => (await api.getAgentSettings()).ai.creditsUsed;
const costOf = async (project: TestProject, body: Partial<Report>): Promise<number> =>
  (await report(project, body)).costMicros;

describe("recordAgentUsage", () => {
  it("prices the published example at 18,100 micro-USD and 7 credits", async () => {
    const project = await house.project();
    assert.deepEqual(await report(project, { executionId: "one" }), {
      executionId: "one",
      costMicros: 18_100,
      credits: 7,
      replayed: false,
    });
    assert.equal(await usedBy(project), 7);
  });

  it("counts null and nothing as 0, rounds up once over all calls, and then adds tools", async () => {
    const project = await house.project();
    const nothing = {
      inputTokens: null,
      cachedInputTokens: null,
      cacheWriteTokens: null,
      outputTokens: null,
      reasoningTokens: null,
      toolCostMicros: null,
    };
    assert.equal(await costOf(project, { calls: [{}, nothing] }), 0);
    // 0.2 micro-USD each: six of them are 1.2, which is 2 when it is rounded once.
    const small = Array.from({ length: 6 }, () => ({ inputTokens: 1 }));
    assert.equal(await costOf(project, { calls: small }), 2);
    assert.equal(await costOf(project, { calls: [...small, { toolCostMicros: 7 }] }), 9);
    assert.equal((await report(project, { calls: [{ toolCostMicros: 3_001 }] })).credits, 2);
    assert.equal(await costOf(project, { calls: [{ inputTokens: MOST, cacheWriteTokens: MOST }] }), 25e6);
    assert.equal(await costOf(project, { calls: [{ outputTokens: MOST, reasoningTokens: MOST }] }), 160e6);
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("takes the prices of the model, and those of large input, as they are when it is reported", async () => {
    const project = await house.project();
    await setSettings(house, project, {
      "ai.prices": "* 1 0 0 0 0; x 2 0 0 5 7; x>1000 3 0 0 0 0; big>1000 4 0 0 0 0; *>2000 9 0 0 0 0",
    });
    const calls = [{ inputTokens: 1_000 }];
    const cases: readonly [unknown, Report["calls"], number][] = [
      ["x", calls, 2_000],
      ["x", [{ inputTokens: 1_001 }], 3_003],
      ["x", [{ inputTokens: 1_000 }, { inputTokens: 1_001 }], 5_003],
      ["x", [{ outputTokens: 3, reasoningTokens: 1 }], 17],
      ["X", calls, 1_000],
      ["big", calls, 1_000],
      ["big", [{ inputTokens: 1_001 }], 4_004],
      [null, [{ inputTokens: 2_001 }], 18_009],
      [["x"], calls, 1_000],
    ];
    for (const [model, used, cost] of cases)
      assert.equal(await costOf(project, { model, calls: used }), cost, JSON.stringify([model, used]));
    const first = await report(project, { executionId: "kept", model: "x", calls });
    await setSettings(house, project, { "ai.prices": "" });
    assert.deepEqual(await report(project, { executionId: "kept" }), { ...first, replayed: true });
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("keeps the largest sums exact, which stay safe integers", async () => {
    const project = await house.project();
    await setSettings(house, project, { "ai.prices": "* 10000 10000 10000 10000 10000" });
    const calls = Array.from({ length: 100 }, () => ({ inputTokens: MOST, outputTokens: MOST }));
    const { costMicros, credits } = await report(project, { calls });
    assert.deepEqual([costMicros, credits], [2e14, Math.ceil(2e14 / 3_000)]);
    assert.ok(Number.isSafeInteger(2 * costMicros));
    const many = Array.from({ length: 200 }, () => ({ inputTokens: MOST }));
    assert.equal(await costOf(project, { calls: many }), 2e14);
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("answers a known executionId before it reads the calls, and bills it once", async () => {
    const project = await house.project();
    const first = await report(project, { executionId: "known" });
    for (const calls of [[], "broken", null, [{ inputTokens: -1 }], [CREDIT]]) {
      const { status, text } = await post(project, { executionId: "known", calls, model: 5 });
      assert.deepEqual([status, JSON.parse(text)], [200, { ...first, replayed: true }]);
    }
    assert.equal(await usedBy(project), 7);
  });

  it("makes one row of duplicates that arrive at once", async () => {
    const project = await house.project();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        report(project, { executionId: "same", calls: [{ toolCostMicros: 3_000 * (i + 1) }] }),
      ),
    );
    assert.equal(answers.filter(({ replayed }) => !replayed).length, 1);
    assert.equal(new Set(answers.map(({ credits }) => credits)).size, 1);
    assert.equal(await usedBy(project), answers[0]?.credits);
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("tells executionIds apart to the letter, and by project", async () => {
    const [mine, other] = [await house.project(), await house.project()];
    for (const project of [mine, other])
      for (const executionId of ["run", "Run", "run ", "実行 🎯", "🎯".repeat(128)])
        assert.equal((await report(project, { executionId, calls: [CREDIT] })).replayed, false, executionId);
    assert.deepEqual([await usedBy(mine), await usedBy(other)], [5, 5]);
  });

  it("takes a session and a model of any type", async () => {
    const project = await house.project();
    for (const value of [null, 5, true, {}, [1], "", "text", "x".repeat(3_000)])
      assert.equal(await costOf(project, { sessionId: value, model: value }), 18_100);
  });

  const call = (fields: Readonly<Record<string, unknown>>) => ({ executionId: "new", calls: [fields] });
  const refused: readonly [string, unknown, RegExp][] = [
    ["no executionId", { calls: [KNOWN] }, /^executionId is required/],
    ["an empty one", { executionId: "", calls: [KNOWN] }, /^executionId must not be empty/],
    [
      "one of 129 characters",
      { executionId: "🎯".repeat(129), calls: [KNOWN] },
      /^executionId must be at most/,
    ],
    ["one that is a number", { executionId: 5, calls: [KNOWN] }, /^executionId must be a string/],
    ["one with a NUL", { executionId: "a\u0000b", calls: [KNOWN] }, /NUL/i],
    ["one with half a character", { executionId: "\ud800", calls: [KNOWN] }, /./],
    ["no calls", { executionId: "new" }, /^calls is required/],
    ["an empty list", { executionId: "new", calls: [] }, /^calls must/],
    [
      "201 calls",
      { executionId: "new", calls: Array.from({ length: 201 }, () => ({})) },
      /^calls must .*200/,
    ],
    ["calls that are an object", { executionId: "new", calls: {} }, /^calls must be a list/],
    ["a call that is no object", { executionId: "new", calls: [5] }, /^calls\[0\] must be an object/],
    [
      "more of the input than there is",
      call({ inputTokens: 5, cachedInputTokens: 3, cacheWriteTokens: 3 }),
      /^calls\[0\]\.inputTokens must/,
    ],
    ["more reasoning than output", call({ reasoningTokens: 1 }), /^calls\[0\]\.outputTokens must/],
    ["tokens over the bound", call({ inputTokens: MOST + 1 }), /^calls\[0\]\.inputTokens must/],
    [
      "a tool cost over the bound",
      call({ toolCostMicros: 1_000_000_001 }),
      /^calls\[0\]\.toolCostMicros must/,
    ],
    ["a part of a token", call({ outputTokens: 1.5 }), /^calls\[0\]\.outputTokens must be an integer/],
    ["a negative number", call({ cacheWriteTokens: -1 }), /^calls\[0\]\.cacheWriteTokens must/],
    ["a number as text", call({ inputTokens: "5" }), /^calls\[0\]\.inputTokens must/],
    ["an unknown field of a call", call({ inputToken: 5 }), /^calls\[0\]\.inputToken: unknown field/],
    ["an unknown field", { executionId: "new", calls: [KNOWN], session: "s" }, /^session: unknown field/],
    ["a list", [], /./],
  ];
  for (const [what, body, message] of refused) {
    it(`refuses ${what}, and keeps nothing`, async () => {
      const project = await house.project();
      const { status, text } = await post(project, body);
      const { error } = JSON.parse(text) as { error: string };
      assert.equal(status, 400, error);
      assert.match(error, message);
      assert.equal(await usedBy(project), 0);
    });
  }

  it("is for the agent's key alone", async () => {
    const project = await house.project();
    for (const { recordAgentUsage: ask } of [project.api, project.sdk])
      assert.equal((await refusal(ask({ body: { executionId: "e", calls: [KNOWN] } }))).status, 403);
  });

  it("reads 8,192 bytes and no byte more", async () => {
    const project = await house.project();
    const body = { executionId: "sized", calls: [KNOWN], sessionId: "" };
    const sized = (bytes: number) =>
      post(project, { ...body, sessionId: "x".repeat(bytes - JSON.stringify(body).length) });
    assert.equal((await sized(8_193)).status, 413);
    assert.equal((await sized(8_192)).status, 200);
    const escaped = JSON.stringify({ ...body, sessionId: "с".repeat(1_400) }).replaceAll("с", "\\u0441");
    assert.equal((await post(project, null, escaped)).status, 413);
    assert.equal((await post(project, null, "")).status, 400);
  });

  it("leaves rows that cannot be changed", async () => {
    const project = await house.project();
    await report(project);
    const { kysely } = house.database;
    await assert.rejects(kysely.updateTable("aiUsage").set({ credits: 0 }).execute(), /appended/);
    await assert.rejects(kysely.deleteFrom("aiBillingReports").execute(), /appended/);
  });
});

describe("getAgentSettings", () => {
  it("answers the defaults, and what people have set", async () => {
    const project = await house.project();
    const { ai, ...rest } = await project.api.getAgentSettings();
    assert.deepEqual(rest, {
      loopPaused: false,
      approvalOverride: null,
      maxRunsPerDay: 20,
      maxConcurrentCampaigns: 1,
    });
    assert.deepEqual(ai, { creditsUsed: 0, monthlyLimit: 2_500, limitReached: false });
    await setSettings(house, project, {
      "safety.loopPaused": "true",
      "safety.approvalOverride": "require_human",
      "safety.maxRunsPerDay": "3",
      "safety.maxConcurrentCampaigns": "4",
      "ai.monthlyLimit": "0",
    });
    assert.deepEqual(await project.agent.getAgentSettings(), {
      loopPaused: true,
      approvalOverride: "require_human",
      maxRunsPerDay: 3,
      maxConcurrentCampaigns: 4,
      ai: { creditsUsed: 0, monthlyLimit: 0, limitReached: true },
    });
    assert.equal((await refusal(project.sdk.getAgentSettings())).status, 403);
  });

  it("says that the limit is reached at the limit", async () => {
    const project = await house.project();
    await setSettings(house, project, { "ai.monthlyLimit": "2" });
    for (const isReached of [false, true]) {
      await report(project, { calls: [CREDIT] });
      assert.equal((await project.api.getAgentSettings()).ai.limitReached, isReached);
    }
  });

  it("counts the credits of the UTC month", async () => {
    const project = await house.project();
    const start = Date.UTC(2026, 11, 1);
    const next = Date.UTC(2027, 0, 1);
    for (const at of [start - 1, start, next - 1, next]) {
      house.at(at);
      await report(project, { calls: [CREDIT] });
    }
    for (const [at, used] of [
      [start - 1, 1],
      [start, 2],
      [next - 1, 2],
      [next, 1],
      [Date.UTC(2027, 1, 1), 0],
    ] as const) {
      house.at(at);
      assert.equal(await usedBy(project), used);
    }
  });
});
