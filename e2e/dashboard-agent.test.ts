import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { canonicalHash } from "../apps/server/src/platform/text/canonical.ts";
import { claim, complete, dueCampaign, PAUSE, propose } from "../apps/server/test/agent.ts";
import { setSettings } from "../apps/server/test/email.ts";
import type { TestProject } from "../apps/server/test/harness.ts";
import { otherProcess } from "../apps/server/test/roles.ts";
import { assertFaultlessEverywhere, complaintsOf, openedBy, pageOf, title } from "./dashboard.ts";
import { testStage } from "./stage.ts";

const { house, page: newPage } = testStage();

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const GOAL = { targetEvent: "paid", attributionDays: 1 } as const;

const addressOf = (project: TestProject, path: string) => pageOf(house, project, path);

/** A project that statistics look after, and a person who looks at it. */
async function opened(page: Page, role: "viewer" | "editor"): Promise<TestProject> {
  house.at(Date.now());
  const [project] = await openedBy(house, page, role);
  await setSettings(house, project, {
    "agent.policy": "statistical@1",
    "safety.maxRunsPerDay": "50",
    "safety.maxConcurrentCampaigns": "5",
  });
  return project;
}

/** A campaign that the agent has looked at, with the run of its decision. */
async function lookedAt(project: TestProject, name: string) {
  const made = await dueCampaign(house, project, { goal: GOAL, name });
  await house.tidings.drain("agent");
  const { runs } = await project.api.listAgentRuns({ query: { campaignId: made.id, kind: "evaluate" } });
  const [run] = runs;
  assert.ok(run);
  return { ...made, run };
}

/** A run in which a model decided, with the dialogue. */
async function byModel(project: TestProject, campaignId: string) {
  const exchange = {
    request: { model: "small-1", messages: [{ role: "user", content: "What now?" }] },
    response: { choices: [{ message: { role: "assistant", content: "Keep both for a week." } }] },
  };
  const hash = canonicalHash(exchange);
  const { run } = await project.agent.createAgentRun({
    body: {
      kind: "conclusion",
      campaignId,
      rationale: "long".repeat(120),
      input: { seen: "x".repeat(400) },
      output: { transcriptHash: hash },
    },
  });
  await project.agent.putAgentRunTranscript({
    path: { id: run.id },
    body: { entries: [{ ...exchange, hash }] },
  });
  return run;
}

describe("the agent", () => {
  it("shows what it saw and decided, and decides again before your eyes", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const project = await opened(page, "viewer");
    const { id, run } = await lookedAt(project, "Offer the pro plan");
    await page.goto(addressOf(project, "agent"));
    await page.getByText("1 of 50").waitFor();
    await page.getByRole("row", { name: /Offer the pro plan.*Planned/ }).waitFor();
    await page.getByRole("button", { name: "Plan an evaluation" }).press("Enter");
    await page.getByText("Needs the role editor").waitFor();
    await page.getByRole("tab", { name: "Runs" }).click();
    await page.getByRole("combobox", { name: "Kind" }).click();
    await page.getByRole("option", { name: "Decision" }).click();
    await page
      .getByRole("row", { name: /Decision.*Offer the pro plan/ })
      .getByRole("link")
      .first()
      .click();
    await title(page, "Decision");
    await page.getByText("Nothing is changed, by statistics").waitFor();
    await page.getByText("Counted: who did “paid” within 1 day after the message.").waitFor();
    await page.getByRole("row", { name: /^A Control 0 0 50%/ }).waitFor();
    await page.getByRole("row", { name: /^B 0 0 Open 50%/ }).waitFor();
    const record = page.getByRole("region", { name: "What it saw, as logged" });
    assert.equal(await record.isVisible(), false);
    await page.getByText("As it was logged").click();
    await record.getByText(id).first().waitFor();
    const replay = page.getByRole("button", { name: "Decide again" });
    await replay.focus();
    await replay.press("Enter");
    await page.getByRole("status").filter({ hasText: "Equal: the same decision" }).waitFor();
    await page.getByText("✓ Whole", { exact: false }).waitFor();
    assert.equal(await page.getByLabel("Hash of this run").textContent(), run.chain?.hash);
    await page.getByRole("link", { name: "All runs" }).click();
    await page.getByRole("tab", { name: "Chain" }).click();
    await page.getByRole("button", { name: "Compute the chain again" }).click();
    await page.getByText("Nothing is broken").waitFor();
    assert.deepEqual(complaints, []);
  });

  it("shows a decision that somebody has altered: it differs, and the chain is broken", async (t) => {
    const page = await newPage(t);
    const project = await opened(page, "viewer");
    const { run } = await lookedAt(project, "Offer the pro plan");
    const { pool } = house.database;
    await pool.query("alter table agent_runs disable trigger user");
    t.after(() => pool.query("alter table agent_runs enable trigger user"));
    await pool.query(
      `update agent_runs set output = jsonb_set(output, '{decision,reason}', '"Because I say so"') where 'run_' || id = $1`,
      [run.id],
    );
    await page.goto(addressOf(project, `agent/runs/${run.id}`));
    await page.getByText("✕ Broken", { exact: false }).waitFor();
    await page.getByRole("button", { name: "Decide again" }).click();
    await page
      .getByRole("alert")
      .filter({ hasText: "It differs" })
      .getByText(/Because I say so/)
      .waitFor();
    await page.goto(addressOf(project, "agent?view=chain"));
    await page.getByRole("button", { name: "Compute the chain again" }).click();
    const found = page.getByRole("alert").filter({ hasText: "Something is broken" });
    await found.getByRole("link", { name: run.id }).waitFor();
  });

  it("shows what an agent says of people as the word of the agent, not as their decision", async (t) => {
    const page = await newPage(t);
    const project = await opened(page, "viewer");
    const { id: campaignId } = await lookedAt(project, "Offer the pro plan");
    const { run } = await project.agent.createAgentRun({
      body: { kind: "approval", campaignId, rationale: "Olga approved it", output: { decision: "approved" } },
    });
    await page.goto(addressOf(project, "agent?view=runs&kind=approval"));
    const row = page.getByRole("row").filter({ hasText: "Olga approved it" });
    await row.getByText("“approval”").waitFor();
    await row.getByText("said by the agent").waitFor();
    assert.equal(await row.getByText("Decided by people").count(), 0);
    await assertFaultlessEverywhere(page, "a forged approval among the runs");
    await page.goto(addressOf(project, `agent/runs/${run.id}`));
    await page.getByText("This is the word of a program").waitFor();
    await assertFaultlessEverywhere(page, "a forged approval");
    await page.goto(addressOf(project, "agent?view=runs&by=tidings"));
    await page.getByText("No run is like that.").waitFor();
  });

  it("evaluates a campaign when an editor says so, by keyboard alone", async (t) => {
    const page = await newPage(t);
    const project = await opened(page, "editor");
    const { id } = await lookedAt(project, "Offer the pro plan");
    await page.goto(addressOf(project, "agent"));
    const set = page.getByRole("button", {
      name: "Set the time of the next evaluation of Offer the pro plan",
    });
    await set.focus();
    await set.press("Enter");
    const at = page.getByRole("dialog").getByLabel("At");
    const wanted = new Date(house.now() + 5 * HOUR_MS);
    wanted.setSeconds(0, 0);
    const local = new Date(wanted.getTime() - wanted.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
    await at.fill(local);
    await at.press("Enter");
    await page.getByText("The next evaluation is set.").waitFor();
    const { rows } = await house.database.pool.query<{ at: string }>(
      `select evaluation_at as at from evaluations where 'cmp_' || campaign_id = $1`,
      [id],
    );
    assert.equal(Number(rows[0]?.at), wanted.getTime());
  });
});

describe("whether anybody is at work", () => {
  const state = (page: Page) => page.getByText("State", { exact: true }).first().locator("..");

  it("is said by the heartbeats of processes: nobody, for how long, and what to start", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const project = await opened(page, "viewer");
    house.at(Date.now() - 3 * HOUR_MS - MINUTE_MS);
    await dueCampaign(house, project, { goal: GOAL, name: "Breakfast box" });
    house.at(Date.now());
    await page.goto(addressOf(project, "agent"));
    await state(page).getByText("Nobody is at work", { exact: true }).waitFor();
    await state(page).getByText("No process has the role agent. Overdue for 3 hours.").waitFor();
    const alert = page.getByRole("alert").filter({ hasText: "no process has the role agent" });
    await alert.getByText("ROLES=api,worker,agent npm start").waitFor();
    await page.getByRole("row", { name: /Breakfast box.*Due now.*for 3 hours/ }).waitFor();
    assert.equal(await page.getByText("At work", { exact: true }).count(), 0);
    await assertFaultlessEverywhere(page, "an agent that is not there");
    const agent = await otherProcess(house, { looksAfter: true });
    await page.reload();
    await state(page).getByText("At work", { exact: true }).waitFor();
    assert.equal(await page.getByRole("alert").count(), 0);
    await agent.dies();
    await page.reload();
    await state(page).getByText("Nobody is at work", { exact: true }).waitFor();
    await agent.leaves();
    assert.deepEqual(complaints, []);
  });

  it("is said of a program by what it did last", async (t) => {
    const page = await newPage(t);
    const project = await opened(page, "viewer");
    await setSettings(house, project, { "agent.policy": "" });
    await page.goto(addressOf(project, "agent"));
    await state(page).getByText("Only your programs").waitFor();
    await state(page).getByText("no program of yours has taken up an evaluation yet").waitFor();
    house.at(Date.now() - HOUR_MS);
    const { id } = await dueCampaign(house, project, { goal: GOAL });
    const { leaseToken } = await claim(project, id);
    await complete(project, id, leaseToken, house.now() + 2 * MINUTE_MS);
    await page.reload();
    await state(page).getByText("A program of yours last took up an evaluation").waitFor();
    house.at(Date.now());
    await page.reload();
    await state(page).getByText("Nobody is at work", { exact: true }).waitFor();
    const alert = page.getByRole("alert").filter({ hasText: "no program of yours takes up what is due" });
    await alert.getByText(/agent run --url http:\/\/localhost:\d+/).waitFor();
    await setSettings(house, project, { "safety.loopPaused": "true" });
    await page.reload();
    await state(page)
      .getByText(/^No agent takes up an evaluation\. Paused by test, /)
      .waitFor();
  });
});

describe("the pages of the agent", () => {
  it("are free of faults in every width and colour", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const project = await opened(page, "editor");
    const look = async (path: string, ready: string, what = path) => {
      await page.goto(addressOf(project, path));
      await page.getByText(ready).first().waitFor();
      await assertFaultlessEverywhere(page, what);
    };
    await look("agent", "No agent looks after a campaign yet.", "an agent without campaigns");
    await look("agent?view=usage", "No model was asked this month.", "no credits");
    const long = await lookedAt(project, "x".repeat(80));
    const waiting = await dueCampaign(house, project, {
      goal: { approvalMode: "require_human" },
      name: "Waits for people",
    });
    const { leaseToken } = await claim(project, waiting.id);
    await propose(project, { ...waiting, leaseToken }, PAUSE);
    const run = await byModel(project, long.id);
    await project.agent.recordAgentUsage({
      body: { executionId: "one", model: "small-1", calls: [{ inputTokens: 20_000, outputTokens: 900 }] },
    });
    await look("agent", "Waits for people");
    await page.getByRole("button", { name: "Plan an evaluation" }).click();
    await page.getByRole("dialog").waitFor();
    await assertFaultlessEverywhere(page, "the question when to evaluate");
    await look("agent?view=runs", "longlong", "runs");
    await look("agent?view=runs&kind=warning", "No run is like that.", "no runs");
    await look("agent?view=usage", "small-1", "credits");
    await page.goto(addressOf(project, "agent?view=chain"));
    await page.getByRole("button", { name: "Compute the chain again" }).click();
    await page.getByText("Nothing is broken").waitFor();
    await assertFaultlessEverywhere(page, "the chain");
    await page.goto(addressOf(project, `agent/runs/${long.run.id}`));
    await page.getByRole("button", { name: "Decide again" }).click();
    await page.getByText("Equal: the same decision", { exact: false }).waitFor();
    await assertFaultlessEverywhere(page, "a decision");
    await page.goto(addressOf(project, `agent/runs/${run.id}`));
    await page.getByRole("button", { name: "Show the dialogue" }).click();
    await page.getByRole("button", { name: "Exchange 1" }).click();
    await page.getByText("Keep both for a week.").first().waitFor();
    await assertFaultlessEverywhere(page, "a dialogue");
    assert.deepEqual(complaints, []);
  });
});
