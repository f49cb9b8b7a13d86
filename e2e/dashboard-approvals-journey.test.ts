import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Input } from "@tidings/client";
import type { Page } from "playwright-core";
import { claim, makeGoal, mutate, propose } from "../apps/server/test/agent.ts";
import type { TestProject } from "../apps/server/test/harness.ts";
import { assertFaultlessEverywhere, complaintsOf, openedBy, pageOf, title } from "./dashboard.ts";
import { testStage } from "./stage.ts";

const { house, page: newPage } = testStage();

const MINUTE_MS = 60_000;
const WHY = "Users who look at the reports early stay, and ten days are too late to show them.";

const addressOf = (project: TestProject, path: string) => pageOf(house, project, path);

type StepBody = Input<"createJourney">["body"]["steps"][number];

const toast = (id: string, name: string, text: string): StepBody => ({
  id,
  kind: "send",
  channel: "web_inapp",
  name,
  message: { presentation: "toast", title: text },
});
const kept = (id: string): StepBody => ({ id, kind: "send", channel: "web_inapp" });

/** A journey in which ada and bo wait, and what an agent proposes of it. */
async function proposed(project: TestProject) {
  const { id: goalId } = await makeGoal(project, { name: "Subscribers", targetEvent: "subscribed" });
  const { journey } = await project.api.createJourney({
    body: {
      name: "Trial",
      goalId,
      entry: { on: "request" },
      steps: [
        toast("welcome", "Welcome", "Good to see you"),
        { id: "pause", kind: "wait", for: { amount: 10, unit: "days" } },
        toast("reminder", "Reminder", "Four days to go"),
      ],
    },
  });
  const path = { id: journey.id };
  await project.api.setJourneyStatus({ path, body: { action: "launch" } });
  for (const userId of ["ada", "bo"]) await project.api.identify({ body: { userId } });
  await project.api.addJourneyEntries({ path, body: { userIds: ["ada", "bo"] } });
  await house.drain();
  house.advance(MINUTE_MS);
  await house.drain();
  const [welcome] = journey.steps;
  assert.ok(welcome?.kind === "send");
  const id = welcome.campaignId;
  const evaluationAt = house.now();
  await project.api.scheduleEvaluation({ path: { id }, body: { nextEvaluationAt: evaluationAt } });
  const { leaseToken } = await claim(project, id);
  const { run } = await project.agent.createAgentRun({
    body: { kind: "evaluate", campaignId: id, rationale: WHY },
  });
  const mutation = {
    type: "journey" as const,
    expectedVersion: 1,
    steps: [
      kept("welcome"),
      { id: "three-days", kind: "wait" as const, for: { amount: 3, unit: "days" as const } },
      {
        ...toast("tip", "Reports", "Did you see the reports?"),
        message: {
          presentation: "toast" as const,
          title: "Did you see the reports?",
          body: "It takes <b>a minute</b>.",
          cta: { label: "Show me", url: "https://reports.example/first" },
        },
        pages: ["/home"],
      },
      kept("reminder"),
    ],
    moves: { pause: "three-days" },
  };
  const lease = { id, evaluationAt, leaseToken };
  const { proposal } = await propose(project, lease, mutation, { proposedRunId: run.id });
  return { path, lease, mutation, proposal };
}

async function opened(page: Page, role: "viewer" | "approver"): Promise<TestProject> {
  house.at(Date.now());
  const [project] = await openedBy(house, page, role);
  return project;
}

describe("other steps of a journey that an agent proposes", () => {
  it("are looked at before and after, with who is where and what is added, and approved", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const project = await opened(page, "approver");
    const { path, lease, mutation, proposal } = await proposed(project);

    await page.goto(addressOf(project, "approvals"));
    await page.getByRole("row", { name: /Welcome.*Other steps of its journey/ }).waitFor();
    await page.getByRole("link", { name: "Welcome" }).click();
    await title(page, "Other steps of the journey “Trial”");
    const before = page.getByRole("region", { name: "Before", exact: true });
    const after = page.getByRole("region", { name: "After", exact: true });
    const stepsIn = (side: typeof before) => side.getByRole("listitem").allInnerTexts();
    const [welcome = "", pause = "", reminder = ""] = await stepsIn(before);
    assert.match(welcome, /^1\. In the app “Welcome”/);
    assert.doesNotMatch(welcome, /Taken away|Changed/i);
    assert.match(
      pause,
      /^2\. Wait 10 days\s+Taken away\s+2 users are here now\.\s+They go on at 2\. Wait 3 days\.$/i,
    );
    assert.match(reminder, /^3\. In the app “Reminder”/);
    const [stays = "", wait = "", tip = "", last = ""] = await stepsIn(after);
    assert.match(stays, /^1\. In the app “Welcome”/);
    assert.match(wait, /^2\. Wait 3 days\s+New$/i);
    assert.match(tip, /^3\. In the app “Reports”\s+New/i);
    assert.match(last, /^4\. In the app “Reminder”/);
    const added = page.getByRole("region", { name: "Messages that are added" });
    const reports = added.getByRole("article", { name: "3. In the app “Reports”" });
    await reports.getByText("Shown on /home.").waitFor();
    await reports.getByText("HTML is shown as text, as in <b>: this text is plain.").waitFor();
    const hosts = page.getByRole("alert", { name: "Links to hosts that this journey has not used" });
    assert.match(
      (await hosts.textContent()) ?? "",
      /reports\.example 3\. In the app “Reports”, variant A, cta\.url/,
    );
    await page.getByText(WHY).waitFor();
    for (const name of ["What changes", "Whom it is for", "As users get it"])
      assert.equal(await page.getByRole("region", { name }).count(), 0, name);
    await page.getByRole("link", { name: "The journey “Trial”" }).waitFor();
    await assertFaultlessEverywhere(page, "a proposal of other steps");

    await page.getByRole("button", { name: "Approve" }).click();
    const dialog = page.getByRole("dialog", { name: "Approve exactly this?" });
    await dialog
      .getByText("If the journey or its goal change before that, it lapses", { exact: false })
      .waitFor();
    await dialog.getByRole("button", { name: "Approve" }).click();
    await page.getByText("Approved, not applied yet").waitFor();
    const { leaseToken } = await claim(project, lease.id);
    await mutate(project, { ...lease, leaseToken }, mutation, { approvalId: proposal.id });
    const { journey } = await project.api.getJourney({ path });
    assert.deepEqual(
      journey.steps.map(({ id }) => id),
      ["welcome", "three-days", "tip", "reminder"],
    );
    await page.goto(addressOf(project, `journeys/${path.id}`));
    await page.getByRole("heading", { name: "3. In the app “Reports”" }).waitFor();
    await page.goto(addressOf(project, `approvals/${proposal.id}`));
    await page.getByText("Approved and applied").waitFor();
    assert.deepEqual(await stepsIn(after).then((steps) => steps.length), 4);
    assert.deepEqual(complaints, []);
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("say that the journey was changed since, and can only be rejected then", async (t) => {
    const page = await newPage(t);
    const project = await opened(page, "approver");
    const { path, proposal } = await proposed(project);
    await project.api.updateJourney({ path, body: { again: { afterDays: 30 } } });
    await project.api.setJourneyStatus({ path, body: { action: "pause" } });
    await page.goto(addressOf(project, `approvals/${proposal.id}`));
    const stale = page
      .getByRole("alert")
      .filter({ hasText: "The journey was changed since this was proposed" });
    await stale
      .getByRole("group", { name: "Version of the journey" })
      .getByText("2", { exact: true })
      .waitFor();
    await stale.getByRole("group", { name: "Status of the journey" }).getByText("Paused").waitFor();
    await page.getByRole("button", { name: "Reject" }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Approve" }).count(), 0);
  });
});
