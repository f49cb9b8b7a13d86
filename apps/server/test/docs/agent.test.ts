import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { promisify } from "node:util";
import { createClient } from "@tidings/client";
import { uuidOf } from "../../src/domain/ids.ts";
import { alphaOf } from "../../src/features/agent/evaluations/rules.ts";
import { endpoints } from "../../src/features.ts";
import { DAY_MS } from "../../src/platform/time/clock.ts";
import { claim, decideAs, dueCampaign } from "../agent.ts";
import { cleanUp, keysOf, migratedDataDir, serve, stop, tidings, until } from "../commands/spawned.ts";
import { setSettings } from "../email.ts";
import { type TestProject, testHouse } from "../harness.ts";
import { exposeUsers } from "./exposed-users.ts";
import { shownAnswer } from "./shown-answer.ts";

const ROOT = new URL("../../../../", import.meta.url);
const PAGE = await readFile(new URL("docs/agent.md", ROOT), "utf8");
const EVENT = "upgraded";
const house = testHouse();
const folder = await mkdtemp(join(tmpdir(), "tidings-agent-page-"));

after(cleanUp);
after(() => rm(folder, { recursive: true }));

const run = promisify(execFile);
const blocks = [...PAGE.matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(([, language = "", text = ""]) => ({
  language,
  text: text.trim(),
}));

/** The page's commands, each with the answer that is shown after it. */
const steps = blocks.flatMap(({ language, text }, index) =>
  language === "bash" ? [{ command: text, answer: blocks[index + 1]?.text ?? "" }] : [],
);

/** The cells of the page's tables whose rows begin with a cell that matches. */
const rowsOf = (first: RegExp): string[][] =>
  PAGE.split("\n")
    .map((line) => line.split("|").slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()))
    .filter(([cell]) => first.test(cell ?? ""));

const BETWEEN = "----- next step -----";

it("docs/agent.md has a round that runs word for word, step by step, and answers what it shows", async () => {
  assert.ok(steps.length >= 14);
  const data = { DATA_DIR: await migratedDataDir() };
  const server = await serve(data);
  const { secretKey, agentKey } = keysOf(server);
  const keys = { TIDINGS: server.url, API_KEY: secretKey, AGENT_KEY: agentKey };
  const script = steps.map(({ command }) => command).join(`\necho; echo "${BETWEEN}"\n`);
  const { stdout } = await run("bash", ["-euo", "pipefail", "-c", script], {
    cwd: ROOT,
    timeout: 180_000,
    // Without the lines that npm itself prints above the output of a script.
    env: { ...process.env, ...data, ...keys, npm_config_loglevel: "silent" },
  });
  const answers = stdout.split(BETWEEN);
  assert.equal(answers.length, steps.length);
  for (const [index, { command, answer }] of steps.entries())
    assert.match(
      answers[index]?.trim() ?? "",
      new RegExp(`^${shownAnswer(answer).source}$`),
      command.slice(0, 200),
    );
  const doctor = await tidings(["doctor"], data);
  assert.equal(doctor.code, 0, doctor.stdout);
  assert.equal((await stop(server)).code, 0);
});

it("docs/agent.md looks after campaigns with a setting and a role, word for word", async () => {
  const lines = blocks.flatMap(({ language, text }) => (language === "sh" ? text.split("\n") : []));
  const set = lines.find((line) => line.includes("settings set agent.policy"));
  const again = blocks.findIndex(({ text }) => text === "npm run tidings -- agent replay");
  const roles = /^ROLES=(\S+) npm start$/m.exec(lines.join("\n"))?.[1];
  assert.ok(set !== undefined && again > 0 && roles !== undefined);
  const data = { DATA_DIR: await migratedDataDir() };
  const server = await serve({ ...data, ROLES: roles });
  const { secretKey } = keysOf(server);
  const api = createClient(server.url, secretKey);
  const onPage = (line: string) =>
    run("bash", ["-euc", line], {
      cwd: ROOT,
      env: { ...process.env, ...data, npm_config_loglevel: "silent" },
    });
  await onPage(set);
  const { goal } = await api.createGoal({ body: { name: "Upgrades", targetEvent: EVENT } });
  const variants = ["A", "B"].map((title) => ({ message: { presentation: "toast" as const, title } }));
  const { campaign } = await api.createCampaign({
    body: { name: "Offer", goalId: goal.id, launch: true, variants },
  });
  await api.scheduleEvaluation({ path: { id: campaign.id }, body: { nextEvaluationAt: Date.now() } });
  const count = async () => (await api.listAgentRuns({ query: { kind: "evaluate" } })).total;
  await until(async () => (await count()) === 1, "an evaluation was logged");
  const { stdout } = await onPage(blocks[again]?.text ?? "");
  assert.equal(stdout.trim(), blocks[again + 1]?.text);
  assert.equal((await stop(server)).code, 0);
});

describe("the program of docs/agent.md", () => {
  /** Starts the program once, and answers what it prints. */
  async function start({ agentKey }: TestProject): Promise<string> {
    const path = join(folder, "agent.ts");
    await writeFile(path, blocks.find(({ language }) => language === "ts")?.text ?? "");
    const env = { ...process.env, TIDINGS: house.url, AGENT_KEY: agentKey };
    return (await run(process.execPath, [path], { env })).stdout.trim();
  }

  /** A campaign of four weeks whose second variant converted twice as well, or neither variant did, and that is due now. */
  async function grownCampaign(
    project: TestProject,
    approvalMode: "auto" | "require_human",
    hasWinner = true,
  ) {
    // The program completes for a day after its own clock, so this one has to agree with it.
    house.at(Date.now() - 28 * DAY_MS);
    const goal = { targetEvent: EVENT, attributionDays: 7, approvalMode };
    const made = await dueCampaign(house, project, { goal });
    house.at(Date.now());
    const { projectId } = project;
    for (const [index, { id }] of made.campaign.variants.entries()) {
      const converted = hasWinner && index === 1 ? 600 : 200;
      const shown = { projectId, campaignId: made.id, variantId: uuidOf("var", id) };
      await exposeUsers(house, shown, [4_000, converted, 100, 2]);
    }
    return made;
  }

  const weightsOf = async ({ api }: TestProject, id: string): Promise<number[]> =>
    (await api.getCampaign({ path: { id } })).campaign.variants.map(({ weight }) => weight);

  const runsOf = async ({ api }: TestProject, kind: string): Promise<number> =>
    (await api.listAgentRuns({ query: { kind } })).total;

  const dueOf = async ({ agent }: TestProject): Promise<number> =>
    (await agent.listDueEvaluations()).campaigns.length;

  it("moves all weight to a winner, logs it, and comes back a day later", async () => {
    const project = await house.project();
    const { id } = await grownCampaign(project, "auto");
    assert.equal(await start(project), `${id} changed`);
    assert.deepEqual(await weightsOf(project, id), [0, 100]);
    assert.deepEqual([await runsOf(project, "evaluate"), await dueOf(project)], [1, 0]);
    assert.equal(await start(project), "");
    house.at(Date.now() + DAY_MS);
    assert.equal(await dueOf(project), 1);
    assert.equal(await start(project), "");
    assert.deepEqual(await weightsOf(project, id), [0, 100]);
    assert.deepEqual([await runsOf(project, "evaluate"), await runsOf(project, "mutate")], [2, 0]);
  });

  it("does nothing where nothing may be claimed", async () => {
    const project = await house.project();
    const { id } = await grownCampaign(project, "auto", false);
    assert.equal(await start(project), "");
    assert.deepEqual(await weightsOf(project, id), [50, 50]);
    assert.deepEqual([await runsOf(project, "evaluate"), await dueOf(project)], [1, 0]);
  });

  it("asks people, and goes on as they decide", async () => {
    for (const decision of ["approved", "rejected"] as const) {
      const project = await house.project();
      const { id } = await grownCampaign(project, "require_human");
      assert.equal(await start(project), `${id} approval_required`);
      const [proposal] = (await project.agent.listProposals()).proposals;
      assert.equal(proposal?.state, "pending");
      assert.equal(await start(project), "");
      await decideAs(house, project, proposal.id, decision);
      const isApproved = decision === "approved";
      assert.equal(await start(project), `${id} ${isApproved ? "changed" : "proposal_rejected"}`);
      assert.deepEqual(await weightsOf(project, id), isApproved ? [0, 100] : [50, 50]);
      assert.deepEqual([await runsOf(project, "evaluate"), await dueOf(project)], [1, 0]);
    }
  });

  it("makes the change that was logged before it was ended, and makes it once", async () => {
    const project = await house.project();
    const { id, goalId, campaign, evaluationAt } = await grownCampaign(project, "auto");
    await claim(project, id, 1);
    const variants = campaign.variants.map((each, index) => ({ id: each.id, weight: index === 0 ? 30 : 70 }));
    const mutation = { type: "update", variants };
    const idempotencyKey = `evaluate:${id}:${evaluationAt}`;
    await project.agent.createAgentRun({
      body: { kind: "evaluate", goalId, campaignId: id, idempotencyKey, output: { mutation } },
    });
    assert.equal(await start(project), "");
    house.advance(1_000);
    assert.equal(await start(project), `${id} changed`);
    assert.deepEqual(await weightsOf(project, id), [30, 70]);
    assert.equal((await project.agent.listDueEvaluations()).runsUsedToday, 2);
  });

  it("leaves alone what it may not claim", async () => {
    const project = await house.project();
    const { id } = await grownCampaign(project, "auto");
    await setSettings(house, project, { "safety.maxConcurrentCampaigns": "0" });
    assert.equal(await start(project), "");
    assert.deepEqual(await weightsOf(project, id), [50, 50]);
    assert.equal(await runsOf(project, "evaluate"), 0);
  });
});

it("docs/agent.md is right that a claim with an Idempotency-Key is answered like the first", async () => {
  const project = await house.project();
  const { id } = await dueCampaign(house, project);
  const ask = async (): Promise<unknown> => {
    const headers = {
      Authorization: `Bearer ${project.agentKey}`,
      "Content-Type": "application/json",
      "Idempotency-Key": "claim-1",
    };
    const answer = await fetch(`${house.url}/api/v1/evaluations/${id}/claim`, {
      method: "POST",
      headers,
      body: "{}",
    });
    return answer.json();
  };
  const first = await ask();
  assert.match(JSON.stringify(first), /"lease_/);
  assert.deepEqual(await ask(), first);
});

it("docs/agent.md names every reason of a refusal, and no other", () => {
  const ids = [
    "scheduleEvaluation",
    "claimEvaluation",
    "mutateCampaign",
    "createProposal",
    "completeEvaluation",
  ];
  const specs = endpoints.map(({ spec }) => spec).filter(({ id }) => ids.includes(id));
  assert.equal(specs.length, ids.length);
  const shown = rowsOf(/^`[a-z]+(_[a-z]+)*`$/).filter(([, status]) => /^40\d$/.test(status ?? ""));
  assert.deepEqual(
    shown.map(([reason = ""]) => reason.replaceAll("`", "")).toSorted(),
    [...new Set(specs.flatMap(({ reasons = [] }) => reasons))].toSorted(),
  );
});

it("docs/agent.md has a table of the error budget that follows its formula", () => {
  const rows = rowsOf(/^\d+$/).map((cells) => cells.map(Number));
  assert.ok(rows.length >= 5);
  for (const [t = 0, verdicts = 0, needed] of rows)
    assert.equal(Math.round(1 / alphaOf(0.05, t, verdicts)), needed, `${t}, ${verdicts}`);
});
