import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Input } from "@tidings/client";
import { sql } from "kysely";
import { claim, decideAs, leasedCampaign, mutate, PAUSE, propose } from "../../../test/agent.ts";
import { launchCampaign } from "../../../test/factories.ts";
import { launchedFromCode } from "../../../test/from-code.ts";
import { refusal, type TestProject, testHouse } from "../../../test/harness.ts";
import { exportText, importText } from "../../../test/portable.ts";
import { uuidFor } from "../../domain/ids.ts";
import { hashOfRun } from "./chain/chain.ts";
import { walkChain } from "./chain/verify.ts";
import { kindFault } from "./kinds.pure.ts";

const house = testHouse();

type NewRun = Input<"createAgentRun">["body"];

const CHAIN = "agent runs: each follows the one before it, and the head is the last one";
const LAUNCHES = "launches: each by itself has its run, its evidence, and a person who allowed it";
const DECISIONS = "agent: what people decided is what the run of their decision says";

const runsOf = async ({ api }: TestProject, query: Input<"listAgentRuns">["query"] = {}) =>
  (await api.listAgentRuns({ query: { perPage: 100, ...query } })).runs;

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

describe("the writer of a run", () => {
  it("is whose key logged it, and Tidings where a person decided, whatever the run says", async () => {
    const project = await house.project();
    const made = await leasedCampaign(house, project, { goal: { approvalMode: "require_human" } });
    const says: NewRun = {
      kind: "approval",
      campaignId: made.id,
      rationale: "Olga approved it",
      output: { decision: "approved", decidedBy: "Olga Operator", forGood: false },
      input: { writtenBy: "tidings" },
    };
    const { run: ofAgent } = await project.agent.createAgentRun({ body: says });
    const { run: ofProgram } = await project.api.createAgentRun({ body: says });
    const { proposal } = await propose(project, made, PAUSE);
    await decideAs(house, project, proposal.id, "approved");
    const { leaseToken } = await claim(project, made.id);
    await mutate(project, { ...made, leaseToken }, PAUSE, { approvalId: proposal.id });
    assert.deepEqual([ofAgent.writtenBy, ofProgram.writtenBy], ["agent", "api"]);
    const runs = await runsOf(project);
    assert.deepEqual(
      runs
        .toSorted((a, b) => (a.chain?.seq ?? 0) - (b.chain?.seq ?? 0))
        .map(({ kind, writtenBy }) => [kind, writtenBy]),
      [
        ["approval", "agent"],
        ["approval", "api"],
        ["approval", "tidings"],
        ["mutate", "tidings"],
      ],
    );
    for (const writtenBy of ["agent", "api", "tidings", "import"] as const)
      assert.deepEqual(
        await runsOf(project, { writtenBy }),
        runs.filter((run) => run.writtenBy === writtenBy),
      );
    assert.equal((await runsOf(project, { writtenBy: "tidings", kind: "approval" })).length, 1);
    const named = { kind: "note", writtenBy: "tidings" } as NewRun;
    assert.equal((await refusal(project.agent.createAgentRun({ body: named }))).status, 400);
  });

  it("is in the hash, so that another one shows", async () => {
    const project = await house.project();
    const { id: campaignId } = await launchCampaign(project);
    await project.agent.createAgentRun({ body: { kind: "approval", campaignId } });
    assert.deepEqual(await house.differences(project.projectId), {});
    await damage("update agent_runs set written_by = 'tidings' where project_id = $1", [project.projectId]);
    assert.deepEqual(await house.differences(project.projectId), { [CHAIN]: 1 });
  });

  it("cannot be left out any more", async () => {
    const project = await house.project();
    for (const kind of ["first", "second"]) await project.agent.createAgentRun({ body: { kind } });
    const { pool, kysely } = house.database;
    const { projectId } = project;
    const [second] = await runsOf(project, { kind: "second" });
    assert.ok(second?.chain);
    const { chain, ...run } = second;
    const copy = (writer: string) => `
      insert into agent_runs (id, project_id, kind, created_at, seq, prev_hash, hash, written_by)
      select gen_random_uuid(), project_id, kind, created_at, 99, hash, hash, ${writer} from agent_runs where id = $1`;
    const values = [uuidFor("run", run.id)];
    await assert.rejects(pool.query(copy("null"), values), /agent_runs_written/);
    await assert.rejects(pool.query(copy("'import'"), values), /agent_runs_imported/);
    // As if a run without a writer had been chained, with the hash that is right for it, behind one that has a writer.
    const hash = hashOfRun({ ...run, writtenBy: null }, { ...chain, projectId });
    const faults: string[] = [];
    const chaining = kysely.transaction().execute(async (tx) => {
      await sql`alter table agent_runs drop constraint agent_runs_written`.execute(tx);
      await sql`set local session_replication_role = replica`.execute(tx);
      await sql`update agent_runs set written_by = null, hash = ${hash} where project_id = ${projectId} and seq = 2`.execute(
        tx,
      );
      await sql`update agent_run_heads set hash = ${hash} where project_id = ${projectId}`.execute(tx);
      await walkChain(tx, projectId, ({ fault }) => faults.push(fault));
      throw new Error("taken back");
    });
    await assert.rejects(chaining, /taken back/);
    assert.deepEqual(faults, ["it does not say who wrote it, and a run before it does"]);
  });

  it("counts: what an agent says of a person allows no launch by itself", async () => {
    const project = await house.project();
    await launchedFromCode(house, project);
    const [campaign] = (await project.api.listCampaigns()).campaigns.filter(
      ({ name }) => name === "From code",
    );
    const campaignId = campaign?.id ?? "";
    const forged: readonly NewRun[] = [
      { kind: "approval", output: { decision: "approved", decidedBy: "Olga Operator" } },
      { kind: "launch", output: { action: "launch", mode: "automatic" } },
    ];
    assert.deepEqual(await house.differences(project.projectId), {});
    for (const body of forged) await project.agent.createAgentRun({ body: { ...body, campaignId } });
    await damage(
      `update agent_runs f set created_at = r.created_at
      from agent_runs r where r.project_id = $1 and f.project_id = $1 and r.kind = 'approval' and r.written_by = 'tidings' and f.written_by = 'agent'`,
      [project.projectId],
    );
    await damage(
      "update agent_runs set kind = 'other' where project_id = $1 and kind = 'approval' and written_by = 'tidings'",
      [project.projectId],
    );
    const found = await house.differences(project.projectId);
    assert.equal(found[LAUNCHES], 1, JSON.stringify(found));
  });

  it("counts: what an agent says of a person is no decision of a proposal", async () => {
    const project = await house.project();
    const made = await leasedCampaign(house, project, { goal: { approvalMode: "require_human" } });
    const { proposal } = await propose(project, made, PAUSE);
    await decideAs(house, project, proposal.id, "approved");
    const { run } = await project.agent.createAgentRun({
      body: {
        kind: "approval",
        campaignId: made.id,
        output: { decision: "approved", decidedBy: "Grace", forGood: false },
      },
    });
    assert.deepEqual(await house.differences(project.projectId), {});
    await damage("update proposals set decided_run_id = $2 where project_id = $1", [
      project.projectId,
      uuidFor("run", run.id),
    ]);
    assert.deepEqual(await house.differences(project.projectId), { [DECISIONS]: 1 });
  });

  it("is never Tidings for what a file says, and stays a key where the file says so", async () => {
    const project = await house.project();
    const made = await leasedCampaign(house, project, { goal: { approvalMode: "require_human" } });
    for (const client of [project.agent, project.api])
      await client.createAgentRun({ body: { kind: "approval", campaignId: made.id } });
    const { proposal } = await propose(project, made, PAUSE);
    await decideAs(house, project, proposal.id, "rejected");
    const text = await exportText(house, project.projectId);
    const { project: once } = await importText(house, text);
    const { project: twice } = await importText(house, await exportText(house, once.projectId));
    for (const imported of [once, twice]) {
      const writers = (await runsOf(imported)).map(({ writtenBy, chain }) => [writtenBy, chain]);
      assert.deepEqual(writers.sort(), [
        ["agent", null],
        ["api", null],
        ["import", null],
      ]);
      assert.deepEqual(await house.differences(imported.projectId), {});
      const { run } = await imported.agent.createAgentRun({ body: { kind: "note" } });
      assert.equal(run.writtenBy, "agent");
    }
  });
});

describe("kinds that are Tidings' own", () => {
  it("are refused from keys, and what looks like them; those that agents share say who wrote them", async () => {
    const project = await house.project();
    const { id: campaignId } = await launchCampaign(project);
    for (const client of [project.agent, project.api]) {
      for (const kind of ["guardrail", "warning", "source"]) {
        const { status, error } = await refusal(client.createAgentRun({ body: { kind, campaignId } }));
        assert.deepEqual(
          [status, error],
          [400, `kind must be another one: runs of kind ${kind} are written by Tidings alone`],
        );
      }
      for (const kind of ["Approval", " launch", "аpproval", "Guardrail"]) {
        const { status, error } = await refusal(client.createAgentRun({ body: { kind, campaignId } }));
        assert.deepEqual([status, /^kind must not look like/.test(error)], [400, true], kind);
      }
      for (const kind of ["approval", "mutate", "launch"]) {
        const { run } = await client.createAgentRun({ body: { kind, campaignId } });
        assert.equal(run.writtenBy, client === project.agent ? "agent" : "api");
      }
    }
    assert.equal((await runsOf(project, { writtenBy: "tidings" })).length, 0);
  });

  it("are known by their look", () => {
    const alike = [
      "APPROVAL",
      "approval ",
      "app roval",
      "approval\u200b",
      "ap\u00adproval",
      "áppróval",
      "a\u0336pproval",
      "ａｐｐｒｏｖａｌ",
      "𝐚𝐩𝐩𝐫𝐨𝐯𝐚𝐥",
      "аррrоvаl",
      "approvaI",
      "approva1",
      "approval.",
      "‮approval",
      "@pproval",
      "αpproval",
      "Launch",
      "lаunсh",
      "1aunch",
      "launch\n",
      "mutаte",
      "MUTATE",
      "mu-tate",
      "Source",
      "ѕоurсе",
      "50urce",
      "sou_rce",
      "$ource",
      "Warning",
      "warn1ng",
      "wаrnіng",
      "guardraiI",
      "gu@rdrail",
    ];
    for (const kind of alike) assert.match(kindFault(kind) ?? "", /^kind must not look like/, kind);
    const others = [
      "approval",
      "mutate",
      "launch",
      "observation",
      "proposal",
      "schedule",
      "evaluation",
      "iteration",
      "conclusion",
      "rejected",
      "evaluate",
      "propose",
      "refused",
      "sources",
      "launched",
      "approvals",
      "🎯",
      "注意",
      "source-campaign",
      "warning 2",
      "Evaluate",
      "предупреждение",
      "",
    ];
    for (const kind of others) assert.equal(kindFault(kind), null, kind);
  });
});
