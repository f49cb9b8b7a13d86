import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import type { PersonRole } from "../apps/server/src/platform/http/contract/person.ts";
import { feedback, launchCampaign, messagesOf, pausedByGuardrail } from "../apps/server/test/factories.ts";
import type { TestProject } from "../apps/server/test/harness.ts";
import {
  assertFaultlessEverywhere,
  assertPageFaultless,
  complaintsOf,
  hasFocus,
  openedBy,
  pageOf,
  title,
} from "./dashboard.ts";
import { testStage } from "./stage.ts";

const { house, page: newPage } = testStage();

const DAY_MS = 86_400_000;
const VISITORS = 120;
const addressOf = (project: TestProject, path: string) => pageOf(house, project, path);

async function opened(page: Page, role: PersonRole): Promise<TestProject> {
  house.at(Date.now());
  const [project] = await openedBy(house, page, role);
  return project;
}

const stored = async ({ api }: TestProject, id: string) => (await api.getGoal({ path: { id } })).goal;

/** A goal with a campaign: all who get its message pay, and none of those who are held out. */
async function measured(project: TestProject): Promise<string> {
  const { api } = project;
  const guardrails = { maxUnsubscribeRate: 0.02, errorBudget: 0.05, maxActiveCampaigns: 3, team: "growth" };
  house.at(Date.now() - 2 * DAY_MS);
  const { goal } = await api.createGoal({
    body: { name: "Sales", targetEvent: "paid", attributionDays: 1, holdoutPercent: 30, guardrails },
  });
  await launchCampaign(project, { name: "Offer", goalId: goal.id });
  const payers: string[] = [];
  for (let visitor = 0; visitor < VISITORS; visitor++) {
    const userId = `visitor-${visitor}`;
    for (const { deliveryId } of await messagesOf(project, userId)) {
      await feedback(project, deliveryId, userId, "shown");
      payers.push(userId);
    }
  }
  await api.trackBatch({
    body: { events: payers.map((userId) => ({ userId, event: "paid", ts: house.now() })) },
  });
  house.at(Date.now());
  return goal.id;
}

/** Reads of goals wait until the page has sent its save: so it is when two people save before either page reads anew. */
async function delayReads(page: Page): Promise<void> {
  const saving = page.waitForRequest((request) => request.method() === "PATCH");
  await page.route("**/api/v1/goals/goal_*", async (route) => {
    if (route.request().method() === "GET") await saving;
    await route.continue();
  });
}

describe("a goal", () => {
  it("is made and changed by a form that keeps what it does not show", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const project = await opened(page, "editor");
    await project.sdk.track({ body: { userId: "ada", event: "paid" } });
    await page.goto(addressOf(project, "goals"));
    await page.getByText("There is no goal yet.").waitFor();
    await page.getByRole("button", { name: "New goal" }).click();
    await title(page, "New goal");
    await page.getByLabel("Name", { exact: true }).fill("Sales");
    const event = page.getByRole("combobox", { name: "Event that means success" });
    await event.fill("paid");
    await page.getByLabel("Held out (%)").fill("51");
    await page.getByLabel("Most unsubscriptions (%)").fill("2");
    await page.getByLabel("Forbidden phrases").fill("free\nguarantee*");
    await page.getByLabel("Other keys").fill('{"team": "growth"}');
    await page.reload();
    assert.equal(await page.getByLabel("Forbidden phrases").inputValue(), "free\nguarantee*");
    await page.getByRole("button", { name: "Make the goal" }).click();
    const heldOut = page.getByRole("textbox", { name: "Held out (%)" });
    await page.getByRole("alert").waitFor();
    assert.equal(await heldOut.getAttribute("aria-invalid"), "true", "the message stands at its field");
    await heldOut.fill("10");
    await page.getByRole("textbox", { name: "Campaigns at once" }).fill("1.5");
    await page.getByRole("button", { name: "Make the goal" }).click();
    await page.getByText("must be a whole number from 0 to 1000").first().waitFor();
    assert.equal(
      await page.getByRole("textbox", { name: "Campaigns at once" }).getAttribute("aria-invalid"),
      "true",
    );
    await page.getByRole("textbox", { name: "Campaigns at once" }).fill("3");
    await page.keyboard.press("ControlOrMeta+Enter");
    await title(page, "Sales");
    const [{ id = "" } = {}] = (await project.api.listGoals()).goals;
    assert.deepEqual((await stored(project, id)).guardrails, {
      maxActiveCampaigns: 3,
      forbiddenPhrases: ["free", "guarantee*"],
      maxUnsubscribeRate: 0.02,
      team: "growth",
    });
    await page.getByRole("button", { name: "Edit" }).click();
    await title(page, "Edit Sales");
    await page.getByRole("textbox", { name: "Campaigns at once" }).fill("");
    await page.getByLabel("Most complaints (%)").fill("0.1");
    // A program changes another limit meanwhile, which the form must not undo.
    const theirs = { ...(await stored(project, id)).guardrails, minControlShare: 0.4 };
    await project.api.updateGoal({ path: { id }, body: { guardrails: theirs } });
    await page.reload();
    await page.getByLabel("Most complaints (%)").focus();
    await page.keyboard.press("ControlOrMeta+s");
    await title(page, "Sales");
    assert.deepEqual((await stored(project, id)).guardrails, {
      forbiddenPhrases: ["free", "guarantee*"],
      maxUnsubscribeRate: 0.02,
      maxComplaintRate: 0.001,
      minControlShare: 0.4,
      team: "growth",
    });
    await page.getByRole("link", { name: "Audit log" }).click();
    await page
      .getByRole("row", { name: /changed a goal/ })
      .getByText("maxComplaintRate", { exact: false })
      .waitFor();
    assert.deepEqual(complaints, []);
  });

  it("that two people change at once loses nothing of either, and asks where both changed the same", async (t) => {
    const page = await newPage(t);
    const project = await opened(page, "editor");
    const { goal } = await project.api.createGoal({ body: { name: "Sales", targetEvent: "paid" } });
    const path = { id: goal.id };
    const change = (body: object) => project.api.updateGoal({ path, body });
    const answered = (status: number) =>
      page.waitForResponse((answer) => answer.request().method() === "PATCH" && answer.status() === status);
    await page.goto(addressOf(project, `goals/${goal.id}/edit`));
    await page.getByLabel("Description").fill("Mine");
    await page.getByRole("textbox", { name: "Most complaints (%)" }).fill("1");
    await delayReads(page);
    await change({ holdoutPercent: 20, guardrails: { maxUnsubscribeRate: 0.02 } });
    const [late] = await Promise.all([
      answered(409),
      answered(200),
      page.getByRole("button", { name: "Save" }).click(),
    ]);
    assert.equal((await late.json()).reason, "stale_revision");
    await title(page, "Sales");
    const both = { maxUnsubscribeRate: 0.02, maxComplaintRate: 0.01 };
    const merged = { ...goal, description: "Mine", holdoutPercent: 20, guardrails: both, revision: 3 };
    assert.deepEqual(await stored(project, goal.id), merged, "theirs and mine are both there");

    await page.unrouteAll({ behavior: "wait" });
    await page.getByRole("button", { name: "Edit" }).click();
    await title(page, "Edit Sales");
    await page.getByLabel("Name", { exact: true }).fill("Mine");
    await page.getByLabel("Description").fill("All of it mine");
    await page.getByText("An agent may change campaigns without approval", { exact: false }).click();
    await delayReads(page);
    await change({ name: "Theirs", attributionDays: 3 });
    await Promise.all([answered(409), page.getByRole("button", { name: "Save" }).click()]);
    await page.getByText("You have changed as well: Name.", { exact: false }).waitFor();
    const texts = page.getByRole("group", { name: "Name", exact: true });
    assert.deepEqual(await texts.locator("del, ins").allTextContents(), ["Theirs", "Mine"]);
    assert.equal((await stored(project, goal.id)).name, "Theirs", "nothing is overwritten unseen");
    assert.equal(await page.getByRole("textbox", { name: "Name", exact: true }).inputValue(), "Mine");
    await page.reload();
    await page.getByText("You have changed as well: Name.", { exact: false }).waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await title(page, "Mine");
    const last = {
      name: "Mine",
      description: "All of it mine",
      approvalMode: "auto",
      attributionDays: 3,
      revision: 5,
    };
    assert.deepEqual(await stored(project, goal.id), { ...merged, ...last });
  });

  it("is saved by keys, though not where its button is disabled or a question is open above it", async (t) => {
    const page = await newPage(t);
    const project = await opened(page, "editor");
    const { goal } = await project.api.createGoal({ body: { name: "Sales" } });
    const sent: string[] = [];
    page.on("request", (request) => request.method() === "PATCH" && sent.push(request.url()));
    await page.goto(addressOf(project, `goals/${goal.id}/edit`));
    await page.getByText("Nothing is changed yet.").waitFor();
    // This listener comes after the page's own: what those have prevented, the browser does not do.
    await page.evaluate(() =>
      addEventListener("keydown", ({ key, defaultPrevented }) => {
        if (key === "s") document.title = `prevented: ${defaultPrevented}`;
      }),
    );
    await page.keyboard.press("ControlOrMeta+s");
    assert.equal(await page.title(), "prevented: true", "the browser saves no page");
    await page.keyboard.press("ControlOrMeta+Enter");
    await page.getByLabel("Name", { exact: true }).fill("Revenue");
    await page.getByRole("link", { name: "Back to the goal" }).click();
    const asking = page.getByRole("dialog", { name: "Leave with changes that are not saved?" });
    await hasFocus(asking.getByRole("button", { name: "Stay" }));
    await page.keyboard.press("ControlOrMeta+s");
    await page.keyboard.press("ControlOrMeta+Shift+s");
    await page.keyboard.press("Escape");
    await asking.waitFor({ state: "detached" });
    assert.deepEqual(sent, []);
    await page.keyboard.press("ControlOrMeta+s");
    await title(page, "Revenue");
    assert.equal(sent.length, 1);
    assert.equal((await stored(project, goal.id)).name, "Revenue");
  });

  it("takes no word while it is saved that the server would not get", async (t) => {
    const page = await newPage(t);
    const project = await opened(page, "editor");
    const { goal } = await project.api.createGoal({ body: { name: "Sales" } });
    const saving = Promise.withResolvers<void>();
    await page.route("**/api/v1/goals/goal_*", async (route) => {
      if (route.request().method() === "PATCH") await saving.promise;
      await route.continue();
    });
    await page.goto(addressOf(project, `goals/${goal.id}/edit`));
    const [name, description] = [page.getByLabel("Name", { exact: true }), page.getByLabel("Description")];
    await name.fill("Revenue");
    const request = page.waitForRequest((request) => request.method() === "PATCH");
    await page.keyboard.press("ControlOrMeta+s");
    await request;
    await page.keyboard.type(" of the shop");
    await description.fill("All of it");
    assert.deepEqual([await name.inputValue(), await description.inputValue()], ["Revenue", ""]);
    assert.ok(await page.getByRole("button", { name: "Discard" }).isDisabled());
    saving.resolve();
    await title(page, "Revenue");
    assert.equal((await stored(project, goal.id)).description, goal.description);
  });

  it("says what its messages do, what certainty costs, and what its campaigns observe", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const project = await opened(page, "viewer");
    const id = await measured(project);
    const { holdout } = await project.api.getGoalConversions({ path: { id } });
    assert.equal(holdout.verdict, "better");
    await page.goto(addressOf(project, "goals"));
    await page.getByRole("link", { name: "Sales" }).click();
    await page.getByText("Messages bring conversions", { exact: false }).waitFor();
    const row = page.getByRole("row", { name: /Got messages/ });
    assert.equal(
      await row.getByRole("cell").nth(1).textContent(),
      String(holdout.served.matured.exposedUsers),
    );
    await page.getByRole("img", { name: "Users: 70% may get messages, 30% get none" }).waitFor();
    await page
      .getByRole("img", { name: "Verdicts of agents: 95% have to be right, 5% may be wrong" })
      .waitFor();
    await page.getByText("at most 1 of 40", { exact: false }).waitFor();
    await page.getByRole("tab", { name: "Campaigns" }).click();
    await page.getByRole("row", { name: /Offer/ }).getByText("Running").waitFor();
    await page.getByRole("tab", { name: "Limits" }).click();
    await page.getByRole("row", { name: /Most unsubscriptions.*2%.*0%/ }).waitFor();
    await page.getByText('"team": "growth"', { exact: false }).waitFor();
    await page.getByText("No campaign of this goal was ever paused for a limit.").waitFor();
    await page.getByRole("button", { name: "Edit" }).hover();
    await page.getByText("Needs the role editor").waitFor();
    assert.deepEqual(complaints, []);
  });

  it("shows what broke a limit, and is archived and made active again by keyboard alone", async (t) => {
    const page = await newPage(t);
    const project = await opened(page, "editor");
    const { goalId } = await pausedByGuardrail(house, project);
    await page.goto(addressOf(project, `goals/${goalId}?view=limits`));
    const breach = page.getByRole("row", { name: /Risky/ });
    await breach.getByText("Mend the text or the limit", { exact: false }).waitFor();
    await breach.getByText("which the goal forbids", { exact: false }).waitFor();
    await house.database.pool.query(
      "update guardrail_breaches set guardrail = 'maxComplaintRate' where project_id = $1",
      [project.projectId],
    );
    await page.reload();
    await breach.getByText("Not cleared").waitFor();
    await page.getByRole("link", { name: "Clear it" }).click();
    await title(page, "Approvals");
    await page.goBack();
    await page.getByRole("button", { name: "Archive" }).focus();
    await page.keyboard.press("Enter");
    const asking = page.getByRole("dialog", { name: "Archive “Careful”?" });
    await hasFocus(asking.getByRole("button", { name: "Cancel" }));
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Make active again" }).waitFor();
    assert.equal((await stored(project, goalId)).status, "archived");
    await page.goto(addressOf(project, "goals?status=active"));
    await page.getByText("No goal is like that.").waitFor();
    await page.goto(addressOf(project, `goals/${goalId}`));
    await page.getByRole("button", { name: "Make active again" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Archive" }).waitFor();
    assert.equal((await stored(project, goalId)).status, "active");
  });
});

describe("the pages of goals", () => {
  it("are free of faults in every width and colour", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const project = await opened(page, "editor");
    const look = (path: string, ready: string) => assertPageFaultless(page, addressOf(project, path), ready);
    await look("goals", "There is no goal yet.");
    const id = await measured(project);
    const long = "x".repeat(60);
    const { goal } = await project.api.createGoal({
      body: {
        name: long,
        targetEvent: long,
        description: long.repeat(10),
        guardrails: { forbiddenPhrases: [long, "free"], quietUntil: Date.now() + DAY_MS, [long]: long },
      },
    });
    const { goalId } = await pausedByGuardrail(house, project);
    await look("goals", "Sales");
    await look(`goals/${id}`, "may be wrong");
    await look(`goals/${id}?view=limits`, "Most unsubscriptions");
    await look(`goals/${goalId}?view=limits`, "Mend the text");
    await look(`goals/${goal.id}`, "Nobody is held out");
    await look(`goals/${goal.id}/edit`, "Forbidden phrases");
    await page.goto(addressOf(project, "goals/new"));
    await page.getByLabel("Least conversions (%)").fill("150");
    await page.getByLabel("Other keys").fill('{"errorBudget": 1}');
    await page.getByText("has a field of its own above", { exact: false }).waitFor();
    await page.getByLabel("Other keys").fill("");
    await page.getByLabel("Name", { exact: true }).fill("Upgrades");
    await page.getByRole("button", { name: "Make the goal" }).click();
    await page.getByText("0.02 is 2 %", { exact: false }).first().waitFor();
    await assertFaultlessEverywhere(page, "a new goal with what is wrong");
    await page.getByRole("link", { name: "All goals" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Leave" }).click();
    await page.getByRole("link", { name: "Sales" }).click();
    await page.getByRole("button", { name: "Archive" }).click();
    await page.getByRole("dialog").waitFor();
    await assertFaultlessEverywhere(page, "the question before a goal is archived");
    assert.deepEqual(complaints, []);
  });
});
