import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import type { Answer, Input } from "@tidings/client";
import { launchCampaign } from "../../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../../test/harness.ts";
import { exportText, importText } from "../../../../test/portable.ts";
import { tables } from "../../../features.ts";
import { canonicalJson } from "../../../platform/text/canonical.ts";
import { deleteProject } from "../../portable/delete-project.ts";
import { type Break, type Chain, walkChain } from "./verify.ts";

const house = testHouse();

type NewRun = Input<"createAgentRun">["body"];
type Run = Answer<"createAgentRun">["run"];

const log = async ({ agent }: TestProject, body: Partial<NewRun> = {}): Promise<Run> =>
  (await agent.createAgentRun({ body: { kind: "note", ...body } })).run;

/** All runs of a project, in the order of their chain, as the API lists them. */
async function listed({ agent }: TestProject): Promise<Run[]> {
  const { runs } = await agent.listAgentRuns({ query: { perPage: 100 } });
  return runs.toSorted((a, b) => (a.chain?.seq ?? 0) - (b.chain?.seq ?? 0));
}

/** The hash of a run by the words of the docs, from what the API answers and nothing else. */
function hashByHand({ chain, ...run }: Run, projectId: string): string {
  assert.ok(chain !== null);
  const text = chain.prevHash + canonicalJson({ ...run, projectId, seq: chain.seq });
  return createHash("sha256").update(text, "utf8").digest("hex");
}

async function walked({ projectId }: TestProject): Promise<Chain & { breaks: Break[] }> {
  const breaks: Break[] = [];
  const chain = await walkChain(house.database.kysely, projectId, (found) => breaks.push(found));
  return { ...chain, breaks };
}

/** Does damage past all triggers, as a holder of the database password could. */
async function damage(statement: string, values: readonly unknown[]): Promise<void> {
  const client = await house.database.pool.connect();
  try {
    await client.query("set session_replication_role = replica");
    const { rowCount } = await client.query(statement, [...values]);
    assert.ok(rowCount, statement);
  } finally {
    await client.query("reset session_replication_role");
    client.release();
  }
}

const CHECK = "agent runs: each follows the one before it, and the head is the last one";

describe("the chain of runs", () => {
  it("can be computed from what the API answers, whatever a run says", async () => {
    const project = await house.project();
    const { id: campaignId } = await launchCampaign(project);
    const made = [
      await log(project),
      await log(project, {
        kind: "evaluate",
        campaignId,
        rationale: "\u0001 \u2028 ünï 🎯 \u007f",
        input: { b: 1.5e300, a: -0, "10": 1, "9": 2, "€": 5e-324, "😀": 333333333.3333333, ﬀ: 1e20 },
        output: [1e21, 1e-7, 0.1, null, { deep: [[{ z: 1, a: [] }]] }, '\\"/'],
      }),
      await log(project, { rationale: "", input: {}, output: [] }),
    ];
    let prevHash = "";
    for (const [index, run] of (await listed(project)).entries()) {
      assert.deepEqual(run, made[index]);
      assert.deepEqual(run.chain, {
        seq: index + 1,
        prevHash,
        hash: hashByHand(run, project.projectId),
      });
      prevHash = run.chain?.hash ?? "";
    }
    assert.deepEqual(await walked(project), { runs: 3, headSeq: 3, headHash: prevHash, breaks: [] });
  });

  it("speaks for what is stored where the JSON of a request says something twice or in another spelling", async () => {
    const project = await house.project();
    const response = await fetch(`${house.url}/api/v1/agent-runs`, {
      method: "POST",
      headers: { authorization: `Bearer ${project.agentKey}`, "content-type": "application/json" },
      body: '{"kind":"note","input":{"a":1,"n":0.30000000000000004000,"a":-0,"t":0e-400,"x":1E3}}',
    });
    const { run } = (await response.json()) as { run: Run };
    assert.deepEqual(run.input, { a: 0, n: 0.30000000000000004, t: 0, x: 1000 });
    assert.equal(run.chain?.hash, hashByHand(run, project.projectId));
    assert.deepEqual((await walked(project)).breaks, []);
  });

  it("has no gap and no fork where many runs are logged at once", async () => {
    const project = await house.project();
    const runs = await Promise.all(Array.from({ length: 40 }, () => log(project)));
    assert.deepEqual(
      runs.map(({ chain }) => chain?.seq).toSorted((a, b) => (a ?? 0) - (b ?? 0)),
      Array.from({ length: 40 }, (_, n) => n + 1),
    );
    const { breaks, ...chain } = await walked(project);
    assert.deepEqual([chain.runs, chain.headSeq, breaks], [40, 40, []]);
  });

  it("gets no link from a request that is refused, nor from a repeat", async () => {
    const project = await house.project();
    const first = await log(project, { idempotencyKey: "once" });
    await Promise.all([
      ...Array.from({ length: 8 }, () => log(project, { idempotencyKey: "once" })),
      ...Array.from({ length: 8 }, () => refusal(log(project, { goalId: "nowhere" }))),
      ...Array.from({ length: 8 }, () => log(project)),
    ]);
    assert.deepEqual(await log(project, { idempotencyKey: "once" }), first);
    const { breaks, ...chain } = await walked(project);
    assert.deepEqual([chain.runs, chain.headSeq, breaks], [9, 9, []]);
  });

  it("is each project's own", async () => {
    const [one, two] = [await house.project(), await house.project()];
    for (const project of [one, two, one]) await log(project);
    assert.deepEqual([(await walked(one)).headSeq, (await walked(two)).headSeq], [2, 1]);
    const [first] = await listed(two);
    assert.equal(first?.chain?.prevHash, "");
  });

  it("is refused to whoever wants to change it with a statement", async () => {
    const project = await house.project();
    await log(project);
    const { pool } = house.database;
    for (const statement of [
      "update agent_runs set rationale = 'x' where project_id = $1",
      "delete from agent_runs where project_id = $1",
      "delete from agent_run_heads where project_id = $1",
      "update agent_run_heads set hash = 'x' where project_id = $1",
      "update agent_run_heads set seq = seq + 1, start_seq = 1 where project_id = $1",
    ])
      await assert.rejects(pool.query(statement, [project.projectId]), /are appended, never changed/);
    await assert.rejects(pool.query("truncate agent_runs cascade"), /are appended, never changed/);
    assert.deepEqual((await walked(project)).breaks, []);
  });

  it("goes with its project", async () => {
    const project = await house.project();
    await log(project);
    await deleteProject(house.database.kysely, {
      projectId: project.projectId,
      tables,
      now: house.now(),
      waitMs: 0,
    });
    assert.deepEqual(await walked(project), { runs: 0, headSeq: 0, headHash: "", breaks: [] });
  });

  const damages: readonly [string, string, readonly [number, string][]][] = [
    [
      "a flipped letter",
      "update agent_runs set rationale = 'No' where project_id = $1 and seq = 2",
      [[2, "its hash is not that of what it says"]],
    ],
    [
      "another time",
      "update agent_runs set created_at = created_at + 1 where project_id = $1 and seq = 4",
      [[4, "its hash is not that of what it says"]],
    ],
    [
      "another number in its input",
      `update agent_runs set input = '{"n": 0.30000000000000004}' where project_id = $1 and seq = 1`,
      [[1, "its hash is not that of what it says"]],
    ],
    [
      "another hash",
      "update agent_runs set hash = repeat('a', 64) where project_id = $1 and seq = 2",
      [
        [2, "its hash is not that of what it says"],
        [3, "it names another run as the one before it"],
      ],
    ],
    [
      "a run that was taken out",
      "delete from agent_runs where project_id = $1 and seq = 2",
      [[3, "it follows number 1: runs between them are missing"]],
    ],
    [
      "a beginning that was cut off",
      "delete from agent_runs where project_id = $1 and seq < 3",
      [[3, "it follows number 0: runs between them are missing"]],
    ],
    [
      "an end that was cut off",
      "delete from agent_runs where project_id = $1 and seq = 4",
      [[3, "the last run is not the head of the chain"]],
    ],
    [
      "a head that was lost",
      "delete from agent_run_heads where project_id = $1",
      [[4, "the last run is not the head of the chain"]],
    ],
  ];
  for (const [name, statement, wanted] of damages)
    it(`shows ${name}, to the doctor as well`, async () => {
      const project = await house.project();
      for (const rationale of ["So", "Yes", "And", "Then"])
        await log(project, { rationale, input: { n: 0.3 } });
      await damage(statement, [project.projectId]);
      const { breaks } = await walked(project);
      assert.deepEqual(
        breaks.map(({ seq, fault }) => [seq, fault]),
        wanted,
      );
      assert.deepEqual(await house.differences(project.projectId), { [CHECK]: wanted.length });
    });

  it("starts from the head of the exported project after an import", async () => {
    const original = await house.project();
    for (const kind of ["a", "b"]) await log(original, { kind });
    const text = await exportText(house, original.projectId);
    const { project } = await importText(house, text);
    const history = await listed(project);
    assert.deepEqual(history.map(({ kind, chain }) => [kind, chain]).sort(), [
      ["a", null],
      ["b", null],
    ]);
    const { headSeq, headHash } = await walked(original);
    assert.deepEqual(await walked(project), { runs: 0, headSeq, headHash, breaks: [] });
    const next = await log(project);
    assert.deepEqual([next.chain?.seq, next.chain?.prevHash], [3, headHash]);
    assert.equal(next.chain?.hash, hashByHand(next, project.projectId));
    assert.deepEqual((await walked(project)).breaks, []);
    assert.deepEqual(await house.differences(project.projectId), {});
    // Once more, from a project that was imported itself.
    const { project: again } = await importText(house, await exportText(house, project.projectId));
    assert.equal((await log(again)).chain?.prevHash, next.chain?.hash);
    // The file keeps the history by which the old head can be computed again.
    const rows = text
      .split("\n")
      .filter((line) => line.startsWith('{"type":"agent_runs"'))
      .map((line) => (JSON.parse(line) as { row: { seq: number; hash: string } }).row);
    assert.equal(rows.find(({ seq }) => seq === headSeq)?.hash, headHash);
  });
});
