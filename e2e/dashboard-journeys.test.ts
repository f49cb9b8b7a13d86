import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { people, sendingProject } from "../apps/server/test/email.ts";
import type { TestProject } from "../apps/server/test/harness.ts";
import { type SmtpPeer, startSmtp } from "../apps/server/test/peers/smtp.ts";
import { giveRole, makePerson } from "../apps/server/test/people.ts";
import { assertFaultlessEverywhere, cameIn, complaintsOf, pageOf, title } from "./dashboard.ts";
import { testStage } from "./stage.ts";

const { house, page: newPage } = testStage();
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(() => smtp.close());

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const addressOf = (project: TestProject, path: string) => pageOf(house, project, path);

/** A project that sends mail, and a person with a role in it whose browser it is. */
async function opened(page: Page, role: "viewer" | "editor" = "editor"): Promise<TestProject> {
  house.at(Date.now());
  const project = await sendingProject(house, smtp.port);
  const person = await makePerson(house);
  await giveRole(house, project.projectId, person, role);
  await cameIn(page.context(), house, person);
  return project;
}

/** Lets time pass, in pieces in which everything that is due is done. */
async function pass(ms: number, pieces = 4): Promise<void> {
  for (let left = pieces; left > 0; left--) {
    house.advance(ms / pieces);
    await house.drain();
  }
}

const mail = (id: string, name: string) =>
  ({
    id,
    kind: "send",
    channel: "email",
    name,
    message: { subject: name, body: `This is ${name}.` },
  }) as const;

/** A journey of a message, a wait and another message, which runs, with ada at the wait. */
async function journeyWithAda(project: TestProject) {
  await people(project, ["ada", "bo"], "journey.example");
  const { journey } = await project.api.createJourney({
    body: {
      name: "Trial",
      entry: { on: "event", event: "trial_started" },
      steps: [
        mail("welcome", "Welcome"),
        { id: "pause", kind: "wait", for: { amount: 3, unit: "days" } },
        mail("reminder", "Reminder"),
      ],
    },
  });
  await project.api.setJourneyStatus({ path: { id: journey.id }, body: { action: "launch" } });
  await project.api.track({ body: { userId: "ada", event: "trial_started" } });
  await pass(MINUTE_MS);
  return journey;
}

/** A part of the form, by its legend. */
const stepAt = (page: Page, name: string) => page.getByRole("group", { name, exact: true });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const alert = (page: Page, text: string) => page.getByRole("alert").filter({ hasText: text });

describe("journeys", () => {
  it("are made step by step, refused at the field, launched, followed, and left", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const project = await opened(page);
    await people(project, ["ada", "bo"], "journey.example");
    await page.goto(addressOf(project, "journeys"));
    await title(page, "Journeys");
    await page.getByText("There is no journey yet.", { exact: true }).waitFor();
    await assertFaultlessEverywhere(page, "no journey");
    await button(page, "Make the first journey").click();
    await title(page, "New journey");
    await page.getByLabel("Name", { exact: true }).fill("Trial");
    await page.getByLabel("Event", { exact: true }).fill("trial_started");
    const first = stepAt(page, "1. Send an email");
    await first.getByLabel("Name of the message", { exact: true }).fill("Welcome");
    await first.getByLabel("Subject", { exact: true }).fill("Welcome");
    await first.getByLabel("Text (Markdown)", { exact: true }).fill("Here is how to begin.");
    await first.getByText("Its id in the API is “welcome”.", { exact: false }).waitFor();
    const kinds = page.getByRole("group", { name: "Add a step:", exact: true });
    await kinds.getByRole("button", { name: "If", exact: true }).click();
    await kinds.getByRole("button", { name: "Wait", exact: true }).click();
    await kinds.getByRole("button", { name: "Send a message", exact: true }).click();
    await button(page, "Move step 3 up").click();
    await stepAt(page, "2. Wait").getByLabel("How long", { exact: true }).fill("0");
    const asks = stepAt(page, "3. If");
    await asks.getByLabel("Audience", { exact: true }).selectOption("expression");
    await asks.getByLabel("Trait, id or time", { exact: true }).fill("plan");
    await asks.getByLabel("Value", { exact: true }).fill("free");
    assert.deepEqual(
      await asks.getByLabel("Everyone else goes to", { exact: true }).locator("option").allTextContents(),
      ["4. a message without a name yet", "the end: they have finished"],
    );
    const last = stepAt(page, "4. Send an email");
    await last.getByLabel("Name of the message", { exact: true }).fill("Reminder");
    await last.getByLabel("Subject", { exact: true }).fill("How is it going?");
    await last.getByLabel("Text (Markdown)", { exact: true }).fill("Your trial goes on.");
    await button(page, "Make the journey").click();
    await alert(page, "Step 2: ").waitFor();
    await stepAt(page, "2. Wait").locator("[aria-invalid=true]").waitFor();
    await assertFaultlessEverywhere(page, "a journey that is refused");
    await stepAt(page, "2. Wait").getByLabel("How long", { exact: true }).fill("3");
    await button(page, "Make the journey").click();
    await title(page, "Trial");
    await page.getByText("Users enter when they do “trial_started”.", { exact: true }).waitFor();
    await page.getByRole("heading", { name: "1. Email “Welcome”", exact: true }).waitFor();
    await page.getByRole("heading", { name: "2. Wait 3 days", exact: true }).waitFor();
    await page.getByText("Everyone else has finished.", { exact: true }).waitFor();

    await button(page, "Launch").click();
    const launch = page.getByRole("dialog", { name: "Launch “Trial”?", exact: true });
    await launch.getByRole("button", { name: "Launch", exact: true }).click();
    await button(page, "Pause").waitFor();
    await project.api.track({ body: { userId: "ada", event: "trial_started" } });
    await pass(MINUTE_MS);
    await page.reload();
    const wait = page.getByRole("group", { name: "Figures of 2. Wait 3 days", exact: true });
    await wait.getByText("Here: 1", { exact: true }).waitFor();
    await page
      .getByRole("group", { name: "Figures of 1. Email “Welcome”", exact: true })
      .getByText("Sent: 1", { exact: true })
      .waitFor();
    await assertFaultlessEverywhere(page, "a journey that runs");
    await wait.getByRole("link", { name: "See who is here", exact: true }).click();
    const row = page.getByRole("row", { name: /^ada / });
    await row.getByText("2. Wait 3 days", { exact: true }).waitFor();

    await button(page, "Add users").click();
    const add = page.getByRole("dialog", { name: "Add users to the journey", exact: true });
    await add.getByLabel("Ids", { exact: true }).fill("ada\nbo, unknown");
    await add.getByRole("button", { name: "Let them in", exact: true }).click();
    await add.getByRole("row", { name: /^ada .*is inside already$/ }).waitFor();
    await add.getByRole("row", { name: /^bo .*is in$/ }).waitFor();
    await add.getByRole("row", { name: "unknown is nobody's id", exact: true }).waitFor();
    await assertFaultlessEverywhere(page, "users who were added");
    await add.getByRole("button", { name: "Close", exact: true }).click();
    await row.getByRole("button", { name: "Take out", exact: true }).click();
    const out = page.getByRole("dialog", { name: "Take ada out of the journey?", exact: true });
    await out.getByLabel("Why, for people who read it later", { exact: true }).fill("Called us");
    await out.getByRole("button", { name: "Take out", exact: true }).click();
    await row.waitFor({ state: "detached" });
    await page.goto(
      addressOf(project, page.url().split("/").slice(-2).join("/").split("?")[0] + "?view=users"),
    );
    await page.getByRole("row", { name: /^ada .*taken out/ }).waitFor();
    await assertFaultlessEverywhere(page, "users of a journey");
    await page.goto(addressOf(project, "journeys"));
    await page.getByRole("row", { name: /^Trial Running By “trial_started” 4 / }).waitFor();
    await page.getByLabel("Search by name").fill("win");
    await page.getByText("No journey is like that.").waitFor();
    await page.getByLabel("Search by name").fill("tri");
    await page.getByRole("row", { name: /^Trial Running / }).waitFor();
    await assertFaultlessEverywhere(page, "journeys");
    assert.deepEqual(complaints, []);
  });

  it("say how many users are at a step that is taken away, and change around them", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const project = await opened(page);
    const { id } = await journeyWithAda(project);
    await page.goto(addressOf(project, `journeys/${id}/edit`));
    await stepAt(page, "1. Send an email").getByRole("link", { name: "Welcome", exact: true }).waitFor();
    await button(page, "Remove step 2").click();
    await page
      .getByRole("dialog", { name: "Remove step 2?", exact: true })
      .getByRole("button", { name: "Remove it", exact: true })
      .click();
    await button(page, "Save").click();
    await alert(page, "Wait 3 days: 1 user is there").waitFor();
    await assertFaultlessEverywhere(page, "a step where users are");
    await button(page, "Discard").click();
    await button(page, "Give it up").click();
    await stepAt(page, "2. Wait").getByLabel("How long", { exact: true }).fill("2");
    // Another person, or a program, is faster.
    await project.api.updateJourney({ path: { id }, body: { name: "Trial of two weeks" } });
    await button(page, "Save").click();
    await page.getByText("This journey was changed meanwhile", { exact: true }).waitFor();
    await assertFaultlessEverywhere(page, "a journey that was changed meanwhile");
    await button(page, "Take theirs").click();
    await button(page, "Give it up").click();
    assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "Trial of two weeks");
    await stepAt(page, "2. Wait").getByLabel("How long", { exact: true }).fill("1");
    await button(page, "Save").click();
    await title(page, "Trial of two weeks");
    await page.getByRole("heading", { name: "2. Wait 1 day", exact: true }).waitFor();
    await pass(2 * DAY_MS, 8);
    await page.reload();
    await page
      .getByRole("group", { name: "Figures of 3. Email “Reminder”", exact: true })
      .getByText("Sent: 1", { exact: true })
      .waitFor();
    await page.getByText("1 user after the last step.", { exact: true }).waitFor();
    await button(page, "End").click();
    await page
      .getByRole("dialog", { name: "End “Trial of two weeks”?", exact: true })
      .getByRole("button", { name: "End", exact: true })
      .click();
    await page.getByRole("main").getByText("Ended", { exact: true }).waitFor();
    assert.equal(await page.getByRole("main").getByRole("button", { name: "End", exact: true }).count(), 0);
    assert.deepEqual(complaints, []);
  });

  it("wait until a time of the day, or a date of the user's, or until they do an event", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const project = await opened(page);
    await people(project, ["ada"], "journey.example");
    await project.api.identify({ body: { userId: "ada", traits: { trialEndsAt: "2099-01-31" } } });
    await page.goto(addressOf(project, "journeys/new"));
    await title(page, "New journey");
    await page.getByLabel("Name", { exact: true }).fill("Trial");
    await page.getByText("Your code names them", { exact: true }).click();
    const kinds = page.getByRole("group", { name: "Add a step:", exact: true });
    await kinds.getByRole("button", { name: "Wait", exact: true }).click();
    await kinds.getByRole("button", { name: "Wait", exact: true }).click();
    await button(page, "Remove step 1").click();
    const hour = stepAt(page, "1. Wait");
    await hour.getByLabel("How the wait ends", { exact: true }).selectOption("At a time of the day");
    assert.equal(await hour.getByLabel("Time of the day", { exact: true }).inputValue(), "09:00");
    await hour.getByText("Tuesday", { exact: true }).click();
    await hour.getByText("Monday", { exact: true }).click();
    const date = stepAt(page, "2. Wait");
    await date.getByLabel("How the wait ends", { exact: true }).selectOption("At a date of the user's");
    await date.getByLabel("Days", { exact: true }).fill("366");
    await date.getByLabel("Trait with the date", { exact: true }).fill("trialEndsAt");
    await date.getByText("Go on sooner when they do an event", { exact: true }).click();
    await date.getByLabel("Event", { exact: true }).fill("invoice_paid");
    await date.getByRole("button", { name: "Add a property", exact: true }).click();
    await date.getByLabel("Property of the event", { exact: true }).fill("plan");
    await date.getByLabel("Value", { exact: true }).fill("pro");
    await button(page, "Make the journey").click();
    await alert(page, "Step 2: Days must be at most 365").waitFor();
    await date.locator("[aria-invalid=true]").waitFor();
    await assertFaultlessEverywhere(page, "waits that are refused");
    await date.getByLabel("Days", { exact: true }).fill("3");
    await button(page, "Make the journey").click();
    await title(page, "Trial");
    const step = (name: string) => page.getByRole("heading", { name, exact: true });
    await step("1. Wait until 09:00 of each reader, on Mon, Tue").waitFor();
    await step(
      "2. Wait until 3 days before trialEndsAt, at 09:00 of each reader, or until they do invoice_paid",
    ).waitFor();
    await page
      .getByText("Users go on sooner once they do “invoice_paid”, where plan is “pro”.", { exact: true })
      .waitFor();
    await assertFaultlessEverywhere(page, "waits of a journey");

    // What the form does not change stays as it is.
    await button(page, "Edit").click();
    await stepAt(page, "1. Wait").getByLabel("Time of the day", { exact: true }).fill("17:30");
    await button(page, "Save").click();
    await step("1. Wait until 17:30 of each reader, on Mon, Tue").waitFor();
    await page.getByText(/once they do “invoice_paid”, where plan is “pro”\.$/).waitFor();

    await button(page, "Launch").click();
    const launch = page.getByRole("dialog", { name: "Launch “Trial”?", exact: true });
    await launch.getByRole("button", { name: "Launch", exact: true }).click();
    await button(page, "Pause").waitFor();
    const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    await project.api.addJourneyEntries({ path: { id }, body: { userIds: ["ada"] } });
    // A week has a Monday, whatever day it is.
    await pass(8 * DAY_MS, 8);
    await page.getByRole("tab", { name: "Users", exact: true }).click();
    await page.reload();
    await page
      .getByRole("row", { name: /^ada / })
      .getByText("When the date comes", { exact: true })
      .waitFor();
    await page.getByRole("tab", { name: "Steps", exact: true }).click();
    await project.api.track({
      body: { userId: "ada", event: "invoice_paid", props: { plan: "pro" } },
    });
    await pass(MINUTE_MS);
    await page.reload();
    await page
      .getByRole("group", { name: /^Figures of 2\. Wait until 3 days before/ })
      .getByText("Did the event: 1", { exact: true })
      .waitFor();
    await page.getByText("1 user after the last step.", { exact: true }).waitFor();
    assert.deepEqual(complaints, []);
  });

  it("are entered out of an audience, or at an hour, as the form says", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const project = await opened(page);
    await people(project, ["ada", "bo"], "journey.example");
    await project.api.identify({ body: { userId: "ada", traits: { plan: "pro" } } });
    await page.goto(addressOf(project, "journeys/new"));
    await title(page, "New journey");
    await page.getByLabel("Name", { exact: true }).fill("Digest");
    await page.getByLabel("An hour comes, for all in the audience below", { exact: true }).check();
    await page.getByLabel("Days of the month", { exact: true }).fill("1, 40");
    await assertFaultlessEverywhere(page, "a schedule");
    const first = stepAt(page, "1. Send an email");
    await first.getByLabel("Name of the message", { exact: true }).fill("News");
    await first.getByLabel("Subject", { exact: true }).fill("News");
    await first.getByLabel("Text (Markdown)", { exact: true }).fill("What is new.");
    await button(page, "Make the journey").click();
    await page
      .getByText("Number must be at most 28", { exact: false })
      .or(alert(page, "28"))
      .first()
      .waitFor();
    await page.getByLabel("Days of the month", { exact: true }).fill("1, 15");
    await button(page, "Make the journey").click();
    await title(page, "Digest");
    await page
      .getByText("Users enter at 09:00 in UTC, on day 1, 15 of the month.", { exact: true })
      .waitFor();
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await title(page, "Edit Digest");
    await page.getByLabel("They come to be in the audience below", { exact: true }).check();
    const allowed = page.getByRole("region", { name: "Who may enter", exact: true });
    await allowed.getByLabel("Audience", { exact: true }).selectOption("expression");
    await allowed.getByLabel("Trait, id or time", { exact: true }).fill("plan");
    await allowed.getByLabel("Value", { exact: true }).fill("pro");
    await button(page, "Save").click();
    await title(page, "Digest");
    await page.getByText("Users enter as soon as they match:", { exact: false }).waitFor();
    await button(page, "Launch").click();
    await page.getByRole("dialog").getByRole("button", { name: "Launch", exact: true }).click();
    await page.getByText("It runs.", { exact: true }).waitFor();
    await pass(MINUTE_MS);
    const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    const { entered } = await project.api.getJourneyResults({ path: { id } });
    assert.equal(entered, 1);
    await button(page, "Pause").click();
    await page.getByRole("dialog").getByRole("button", { name: "Pause", exact: true }).click();
    await page.getByText("It is paused.", { exact: true }).waitFor();
    await button(page, "Resume").click();
    await page.getByText("Now no user would go on at once.", { exact: true }).waitFor();
    await assertFaultlessEverywhere(page, "what resuming moves");
    assert.deepEqual(complaints, []);
  });

  it("move users on whose step is taken away, to where a person says", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const project = await opened(page);
    const { id } = await journeyWithAda(project);
    await page.goto(addressOf(project, `journeys/${id}/edit`));
    await stepAt(page, "1. Send an email").getByRole("link", { name: "Welcome", exact: true }).waitFor();
    await button(page, "Remove step 2").click();
    const removal = page.getByRole("dialog", { name: "Remove step 2?", exact: true });
    await removal.getByText(/If users are at it, you say where they go on\.$/).waitFor();
    await removal.getByRole("button", { name: "Remove it", exact: true }).click();
    const kinds = page.getByRole("group", { name: "Add a step:", exact: true });
    await kinds.getByRole("button", { name: "Wait", exact: true }).click();
    await button(page, "Save").click();
    const question = page.getByRole("group", { name: "Wait 3 days: 1 user is there", exact: true });
    const place = question.getByLabel("Where do they go on?", { exact: true });
    await place.waitFor();
    assert.deepEqual(await place.locator("option").allTextContents(), [
      "Choose a step",
      "2. Email “Reminder”",
      "3. Wait 3 days",
      "the end: they have finished",
    ]);
    await place.selectOption("3. Wait 3 days");
    await assertFaultlessEverywhere(page, "where users go on");
    await button(page, "Save").click();
    await title(page, "Trial");
    await pass(MINUTE_MS);
    await page.reload();
    const wait = page.getByRole("group", { name: "Figures of 3. Wait 3 days", exact: true });
    await wait.getByText("Here: 1", { exact: true }).waitFor();
    await wait.getByRole("link", { name: "See who is here", exact: true }).click();
    await page.getByRole("row", { name: /^ada / }).getByText("3. Wait 3 days", { exact: true }).waitFor();
    assert.deepEqual(complaints, []);
  });

  it("say where users go on who are still on their way to a step that is taken away", async (t) => {
    const page = await newPage(t);
    const project = await opened(page);
    const { id } = await journeyWithAda(project);
    // Paused, so that she stays where she is.
    await project.api.setJourneyStatus({ path: { id }, body: { action: "pause" } });
    const body = {
      steps: ["welcome", "reminder"].map((step) => ({ id: step, kind: "send", channel: "email" }) as const),
      moves: { pause: "reminder" },
    };
    await project.api.updateJourney({ path: { id }, body });
    await page.goto(addressOf(project, `journeys/${id}/edit`));
    await button(page, "Remove step 2").click();
    const removal = page.getByRole("dialog", { name: "Remove step 2?", exact: true });
    await removal.getByRole("button", { name: "Remove it", exact: true }).click();
    await button(page, "Save").click();
    const question = page.getByRole("group", {
      name: "Email “Reminder”: 1 user is there",
      exact: true,
    });
    await question
      .getByLabel("Where do they go on?", { exact: true })
      .selectOption("the end: they have finished");
    await button(page, "Save").click();
    await title(page, "Trial");
    await project.api.setJourneyStatus({ path: { id }, body: { action: "launch" } });
    await pass(MINUTE_MS);
    await page.reload();
    await page.getByText("1 user after the last step.", { exact: true }).waitFor();
  });

  it("have a page for the message of a step, without what the journey says", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const project = await opened(page);
    const { id, steps } = await journeyWithAda(project);
    const [welcome] = steps;
    assert.ok(welcome?.kind === "send");
    const answers: string[] = [];
    page.on("response", (answer) => {
      if (answer.status() === 409) answers.push(answer.url());
    });
    await page.goto(addressOf(project, `campaigns/${welcome.campaignId}`));
    await title(page, "Welcome");
    await page.getByText("Message of the step “welcome” of the journey", { exact: false }).waitFor();
    await page.getByRole("tab", { name: "Message", exact: true }).waitFor();
    assert.equal(await page.getByRole("tab", { name: "Why (not)?", exact: true }).count(), 0);
    for (const name of ["Launch", "End", "Duplicate", "Count who matches now"])
      assert.equal(await button(page, name).count(), 0, name);
    await page.getByRole("tab", { name: "Deliveries", exact: true }).click();
    await page.getByRole("row", { name: /^ada / }).waitFor();
    await assertFaultlessEverywhere(page, "the message of a step");
    await button(page, "Pause").click();
    await button(page, "Resume").click();
    await page
      .getByRole("dialog", { name: "Resume “Welcome”?", exact: true })
      .getByRole("button", { name: "Resume", exact: true })
      .click();
    await button(page, "Pause").waitFor();
    await button(page, "Edit").click();
    await page
      .getByText("Whom it is for, from when to when, and for which goal its journey says.", { exact: true })
      .waitFor();
    await page.getByLabel("Subject", { exact: true }).fill("Welcome aboard");
    await button(page, "Look at the changes").click();
    const changes = page.getByRole("dialog", { name: "Apply these changes?", exact: true });
    await changes.getByRole("button", { name: "Apply", exact: true }).click();
    await changes.waitFor({ state: "detached" });
    await page.goto(addressOf(project, `campaigns/${welcome.campaignId}`));
    await page.getByRole("link", { name: "“Trial”", exact: true }).click();
    await title(page, "Trial");
    assert.ok(page.url().endsWith(id));
    assert.deepEqual(answers, []);
    await page.goto(addressOf(project, `users/ada?view=why&campaign=${welcome.campaignId}`));
    await page
      .getByText("It is the message of a step of a journey: whoever comes to the step gets it.", {
        exact: true,
      })
      .waitFor();
    assert.deepEqual(complaints, []);
  });

  it("say which message refuses a launch, and lead to it", async (t) => {
    const page = await newPage(t);
    const project = await opened(page);
    const { goal } = await project.api.createGoal({
      body: { name: "Sales", targetEvent: "paid", guardrails: { maxActiveCampaigns: 0 } },
    });
    const { journey } = await project.api.createJourney({
      body: { name: "Trial", goalId: goal.id, entry: { on: "request" }, steps: [mail("welcome", "Welcome")] },
    });
    await page.goto(addressOf(project, `journeys/${journey.id}`));
    await page.getByText(/once they do “paid”, the event of the goal\. /).waitFor();
    await button(page, "Launch").click();
    const launch = page.getByRole("dialog", { name: "Launch “Trial”?", exact: true });
    await launch.getByRole("button", { name: "Launch", exact: true }).click();
    await launch.getByText("The message of a step refuses it", { exact: true }).waitFor();
    await assertFaultlessEverywhere(page, "a launch that a message refuses");
    await launch.getByRole("link", { name: "Look at the message “Welcome”", exact: true }).click();
    await title(page, "Welcome");
  });

  it("say once they are launched what is likely a slip in a message, until it is read", async (t) => {
    const page = await newPage(t);
    const project = await opened(page);
    const welcome = {
      ...mail("welcome", "Welcome"),
      message: { subject: "Hello {{ user.nmae }}", body: "Hello." },
    };
    const { journey } = await project.api.createJourney({
      body: { name: "Trial", entry: { on: "request" }, steps: [welcome] },
    });
    await page.goto(addressOf(project, `journeys/${journey.id}`));
    await button(page, "Launch").click();
    const launch = page.getByRole("dialog", { name: "Launch “Trial”?", exact: true });
    await launch.getByRole("button", { name: "Launch", exact: true }).click();
    const slip = '1. Email “Welcome”, Subject: No trait "nmae" was seen so far.';
    await page.getByText(slip, { exact: false }).waitFor();
    await assertFaultlessEverywhere(page, "a launched journey with a likely slip");
    await page.getByText(slip, { exact: false }).waitFor();
  });

  it("are for a viewer to read", async (t) => {
    const page = await newPage(t);
    const project = await opened(page, "viewer");
    const { id } = await journeyWithAda(project);
    await page.goto(addressOf(project, `journeys/${id}?view=users`));
    const out = button(page, "Take out");
    await out.waitFor();
    assert.equal(await out.getAttribute("aria-disabled"), "true");
    assert.equal(await button(page, "Launch").count(), 0);
  });
});
