import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Answer, Input } from "@tidings/client";
import { launchCampaign } from "../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../test/harness.ts";
import { send } from "../../../test/samples.ts";
import { createAgentRun } from "./create-agent-run.ts";

const house = testHouse();

type NewRun = Input<"createAgentRun">["body"];
type Run = Answer<"createAgentRun">["run"];

const LIMIT = 16_384;

/** An object whose compact JSON has exactly this many bytes. */
const objectOf = (bytes: number): Record<string, unknown> => ({ k: "x".repeat(bytes - '{"k":""}'.length) });

/** Logs a run and answers the status with it, which the client's own call does not. */
async function log(project: TestProject, body: NewRun): Promise<{ status: number; run: Run }> {
  const { status, text } = await send(house, createAgentRun.spec, { body, key: project.secretKey });
  assert.ok(status < 300, text);
  return { status, run: (JSON.parse(text) as { run: Run }).run };
}

const totalOf = async ({ api }: TestProject): Promise<number> => (await api.listAgentRuns()).total;

describe("createAgentRun", () => {
  it("answers the run with null for what was not said", async () => {
    const project = await house.project();
    const { status, run } = await log(project, { kind: "observation" });
    const { id, chain, ...rest } = run;
    assert.equal(status, 201);
    assert.deepEqual(chain, { seq: 1, hash: chain?.hash, prevHash: "" });
    assert.match(id, /^run_[0-9a-f-]{36}$/);
    assert.deepEqual(rest, {
      kind: "observation",
      goalId: null,
      campaignId: null,
      input: null,
      output: null,
      rationale: null,
      createdAt: house.now(),
      writtenBy: "api",
    });
  });

  it("keeps everything that was said, and takes null for what may be unset", async () => {
    const { api, agent } = await house.project();
    const { goal } = await api.createGoal({ body: { name: "Upgrades" } });
    const { campaign } = await api.createCampaign({
      body: { name: "Spring", message: { presentation: "toast", title: "Hi" } },
    });
    const full = {
      kind: "evaluate",
      input: { seen: { 名前: "🎉" }, list: [1, null, 1.5e300], deep: [[{}]] },
      output: ["kept", { a: false }],
      rationale: "Nothing to change — yet 🎯",
      goalId: goal.id,
      campaignId: campaign.id,
    };
    const { run } = await agent.createAgentRun({ body: { ...full, idempotencyKey: "first" } });
    assert.deepEqual(run, {
      ...full,
      id: run.id,
      createdAt: house.now(),
      writtenBy: "agent",
      chain: run.chain,
    });
    const nothing = { input: null, output: null, rationale: null, goalId: null, campaignId: null };
    const { run: bare } = await api.createAgentRun({
      body: { kind: "note", ...nothing, idempotencyKey: null },
    });
    const { id, chain } = bare;
    assert.deepEqual(bare, {
      kind: "note",
      ...nothing,
      id,
      chain,
      createdAt: house.now(),
      writtenBy: "api",
    });
    assert.deepEqual((await api.listAgentRuns()).total, 2);
  });

  it("takes each field at its limit, in characters and in bytes of JSON", async () => {
    const { api } = await house.project();
    const fits: readonly Partial<NewRun>[] = [
      { kind: "🎯".repeat(64) },
      { rationale: "🎯".repeat(4_000) },
      { rationale: "" },
      { input: objectOf(LIMIT), output: objectOf(LIMIT) },
      { input: { k: "é".repeat((LIMIT - 8) / 2) } },
      { output: Array.from({ length: 8_191 }, () => 0) },
      { input: {}, output: [] },
      { idempotencyKey: "🔑".repeat(128) },
    ];
    for (const fields of fits) {
      const { idempotencyKey: _, ...kept } = { kind: "note", ...fields };
      const { run } = await api.createAgentRun({ body: { kind: "note", ...fields } });
      assert.deepEqual({ ...run, ...kept }, run);
    }
  });

  const refused: readonly [string, unknown][] = [
    ...(["", "x".repeat(65), "🎯".repeat(65), null, 5].map((value) => ["kind", value]) as [
      string,
      unknown,
    ][]),
    ["rationale", "x".repeat(4_001)],
    ["rationale", {}],
    ...["input", "output"].flatMap((field): [string, unknown][] => [
      [field, objectOf(LIMIT + 1)],
      [field, { k: "é".repeat((LIMIT - 6) / 2) }],
      [field, Array.from({ length: 8_192 }, () => 0)],
      [field, "text"],
      [field, 5],
      [field, true],
    ]),
    ...["goalId", "campaignId", "idempotencyKey"].flatMap((field): [string, unknown][] => [
      [field, ""],
      [field, "x".repeat(129)],
      [field, 5],
    ]),
  ];
  for (const [field, value] of refused) {
    it(`refuses ${field} = ${JSON.stringify(value).slice(0, 20)}`, async () => {
      const project = await house.project();
      const body = { kind: "note", [field]: value } as NewRun;
      const { status, error } = await refusal(project.api.createAgentRun({ body }));
      assert.deepEqual([status, error.startsWith(`${field} must `)], [400, true], error);
      assert.equal(await totalOf(project), 0);
    });
  }

  it("refuses a goal or campaign that is not the project's, and keeps nothing", async () => {
    const [project, other] = [await house.project(), await house.project()];
    const { goal } = await other.api.createGoal({ body: { name: "Upgrades" } });
    const campaign = await launchCampaign(other);
    const nowhere = "019b0000-0000-7000-8000-000000000000";
    const cases: readonly [Partial<NewRun>, string][] = [
      ...[goal.id, `goal_${nowhere}`, nowhere, "x", campaign.id].map((goalId): [Partial<NewRun>, string] => [
        { goalId },
        "goalId must be a goal of this project",
      ]),
      ...[campaign.id, `cmp_${nowhere}`, nowhere, "x", goal.id].map(
        (campaignId): [Partial<NewRun>, string] => [
          { campaignId },
          "campaignId must be a campaign of this project",
        ],
      ),
    ];
    for (const [fields, message] of cases) {
      const body = { kind: "evaluate", idempotencyKey: "again", ...fields };
      const { status, error } = await refusal(project.agent.createAgentRun({ body }));
      assert.deepEqual([status, error], [400, message]);
    }
    assert.equal(await totalOf(project), 0);
    // A refused request has not used its key.
    assert.equal((await log(project, { kind: "note", idempotencyKey: "again" })).status, 201);
  });

  it("demands a campaign for the steps of an evaluation", async () => {
    const project = await house.project();
    const { id: campaignId } = await launchCampaign(project);
    for (const kind of ["evaluate", "propose", "mutate", "approval"]) {
      const { status, error } = await refusal(project.api.createAgentRun({ body: { kind } }));
      assert.deepEqual([status, error], [400, `campaignId is required for a run of kind ${kind}`]);
      assert.equal((await log(project, { kind, campaignId })).run.campaignId, campaignId);
    }
    for (const kind of ["evaluation", "proposal", "launch", "Evaluate"])
      assert.equal((await log(project, { kind })).status, 201);
  });

  it("is for the secret key and the agent's", async () => {
    const { sdk, agent } = await house.project();
    assert.equal((await refusal(sdk.createAgentRun({ body: { kind: "note" } }))).status, 403);
    assert.ok(await agent.createAgentRun({ body: { kind: "note" } }));
  });

  it("reads 64 KiB and no byte more", async () => {
    const { api } = await house.project();
    const body = { kind: "note", input: objectOf(LIMIT), output: objectOf(LIMIT), other: "" };
    const rest = 64 * 1_024 - JSON.stringify(body).length;
    const padded = (length: number) =>
      refusal(api.createAgentRun({ body: { ...body, other: "x".repeat(length) } as NewRun }));
    assert.match((await padded(rest)).error, /^other: unknown field/);
    assert.equal((await padded(rest + 1)).status, 413);
  });
});

describe("an idempotencyKey", () => {
  it("answers the original, whatever the repeat says", async () => {
    const project = await house.project();
    const { id: campaignId } = await launchCampaign(project);
    const idempotencyKey = "run 1";
    const { status, run } = await log(project, { kind: "note", rationale: "first", idempotencyKey });
    assert.equal(status, 201);
    house.advance(5_000);
    const repeats: readonly NewRun[] = [
      { kind: "note", rationale: "first" },
      { kind: "evaluate", campaignId, input: { other: true } },
      { kind: "evaluate" },
      { kind: "note", goalId: "goal_019b0000-0000-7000-8000-000000000000" },
      { kind: "note", campaignId: "nonsense" },
    ];
    for (const repeat of repeats)
      assert.deepEqual(await log(project, { ...repeat, idempotencyKey }), { status: 200, run });
    const { status: refused } = await refusal(
      project.api.createAgentRun({ body: { kind: "", idempotencyKey } }),
    );
    assert.equal(refused, 400);
    assert.deepEqual((await project.api.listAgentRuns()).runs, [run]);
  });

  it("makes one run of many requests that arrive at once", async () => {
    const project = await house.project();
    const keys = ["a", "b", "c"];
    const requests = keys.flatMap((idempotencyKey) =>
      Array.from({ length: 12 }, (_, i) => log(project, { kind: `${idempotencyKey} ${i}`, idempotencyKey })),
    );
    const answers = await Promise.all(requests);
    for (const [index, key] of keys.entries()) {
      const group = answers.slice(index * 12, index * 12 + 12);
      assert.equal(group.filter(({ status }) => status === 201).length, 1, key);
      assert.equal(new Set(group.map(({ run }) => JSON.stringify(run))).size, 1, key);
    }
    assert.equal(await totalOf(project), keys.length);
  });

  it("is not used up by requests that are refused beside it", async () => {
    const project = await house.project();
    const body = { kind: "evaluate", idempotencyKey: "key" };
    const { id: campaignId } = await launchCampaign(project);
    const answers = await Promise.allSettled(
      Array.from({ length: 12 }, (_, i) => log(project, i % 2 === 0 ? body : { ...body, campaignId })),
    );
    // A request without its campaign is refused, or comes second and is answered with the run.
    const runs = answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
    assert.equal(runs.filter(({ status }) => status === 201).length, 1);
    assert.ok(runs.length >= 6 && runs.every(({ run }) => run.campaignId === campaignId));
    assert.equal(await totalOf(project), 1);
  });

  it("is each project's own, and told apart to the letter", async () => {
    const [mine, other] = [await house.project(), await house.project()];
    for (const project of [mine, other]) {
      for (const idempotencyKey of ["key", "Key", "key ", "ключ 🔑"])
        assert.equal((await log(project, { kind: "note", idempotencyKey })).status, 201, idempotencyKey);
    }
    assert.deepEqual([await totalOf(mine), await totalOf(other)], [4, 4]);
  });

  it("is nothing that several runs without one share", async () => {
    const project = await house.project();
    for (const body of [{}, {}, { idempotencyKey: null }, { idempotencyKey: null }])
      assert.equal((await log(project, { kind: "note", ...body })).status, 201);
    assert.equal(await totalOf(project), 4);
  });

  it("keeps its meaning beside an Idempotency-Key", async () => {
    const project = await house.project();
    const ask = (idempotencyKey: string, header: string) =>
      send(house, createAgentRun.spec, {
        body: { kind: "note", idempotencyKey },
        key: project.secretKey,
        headers: { "idempotency-key": header },
      });
    const first = await ask("a", "one");
    const replayed = await ask("a", "one");
    assert.deepEqual([replayed.status, replayed.text], [201, first.text]);
    assert.equal(replayed.headers.get("idempotent-replayed"), "true");
    const original = await ask("a", "two");
    assert.deepEqual([original.status, original.text], [200, first.text]);
    assert.equal(original.headers.get("idempotent-replayed"), null);
    assert.deepEqual([(await ask("a", "two")).status, (await ask("b", "two")).status], [200, 409]);
    assert.equal(await totalOf(project), 1);
  });
});
