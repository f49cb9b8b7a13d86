import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import { people, sendingProject } from "../apps/server/test/email.ts";
import { messagesOf } from "../apps/server/test/factories.ts";
import type { TestProject } from "../apps/server/test/harness.ts";
import { type ApnsPeer, startApns } from "../apps/server/test/peers/apns.ts";
import { type SmtpPeer, startSmtp } from "../apps/server/test/peers/smtp.ts";
import { giveRole, makePerson } from "../apps/server/test/people.ts";
import { APP, putCredential, reachable } from "../apps/server/test/push.ts";
import { assertFaultlessEverywhere, cameIn, complaintsOf, pageOf, title } from "./dashboard.ts";
import { testStage } from "./stage.ts";

const apns: ApnsPeer = await startApns({ clock: () => house.now() });
const { house, page: newPage } = testStage({ apnsUrl: apns.url });
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(() => Promise.all([smtp.close(), apns.close()]));

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const addressOf = (project: TestProject, path: string) => pageOf(house, project, path);

/** A project that sends mail and pushes, with ada, whose phone takes pushes, and bo; and an editor whose browser it is. */
async function opened(page: Page): Promise<TestProject> {
  house.at(Date.now());
  const project = await sendingProject(house, smtp.port);
  await putCredential(project, apns.credential);
  await people(project, ["ada", "bo"], "journey.example");
  await reachable(project, "ada", { installationId: "phone-of-ada" });
  const person = await makePerson(house);
  await giveRole(house, project.projectId, person, "editor");
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

const stepAt = (page: Page, name: string) => page.getByRole("group", { name, exact: true });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const alert = (page: Page, text: string) => page.getByRole("alert").filter({ hasText: text });
const field = (within: Locator, label: string) => within.getByLabel(label, { exact: true });

/** Waits until a field says that something is wrong with it. */
const isRefused = (named: Locator): Promise<void> =>
  named.and(named.page().locator("[aria-invalid=true]")).waitFor();

/** A journey of a message in the app, a wait and a condition, which runs, with ada at the wait. */
async function journeyWithAda(project: TestProject) {
  const { journey } = await project.api.createJourney({
    body: {
      name: "Trial",
      entry: { on: "event", event: "trial_started" },
      steps: [
        {
          id: "tour",
          kind: "send",
          channel: "web_inapp",
          name: "Tour",
          message: { presentation: "toast", title: "Look around" },
        },
        { id: "pause", kind: "wait", for: { amount: 3, unit: "days" }, orEvent: { event: "paid" } },
        {
          id: "plan",
          kind: "if",
          else: "end",
          audience: {
            kind: "expression",
            expression: {
              version: 1,
              root: { kind: "field", field: { kind: "trait", key: "plan" }, op: "eq", value: "pro" },
            },
          },
        },
        {
          id: "news",
          kind: "send",
          channel: "email",
          name: "News",
          message: { subject: "News", body: "What is new." },
        },
      ],
    },
  });
  await project.api.setJourneyStatus({ path: { id: journey.id }, body: { action: "launch" } });
  await project.api.track({ body: { userId: "ada", event: "trial_started" } });
  await pass(MINUTE_MS);
  return journey;
}

describe("messages of a journey", () => {
  it("go by all channels, are refused at their fields, and reach a user", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const project = await opened(page);
    await page.goto(addressOf(project, "journeys/new"));
    await title(page, "New journey");
    await page.getByLabel("Name", { exact: true }).fill("Trial");
    await page.getByLabel("Event", { exact: true }).fill("trial_started");
    const mail = stepAt(page, "1. Send an email");
    await field(mail, "Name of the message").fill("Welcome");
    await field(mail, "Subject").fill("Welcome");
    await field(mail, "Text (Markdown)").fill("Here is how to begin.");
    // What was written for another channel is still there on the way back.
    await field(mail, "Channel").selectOption("Push");
    await field(stepAt(page, "1. Send a push"), "Channel").selectOption("Email");
    assert.equal(await field(mail, "Subject").inputValue(), "Welcome");

    const add = page
      .getByRole("group", { name: "Add a step:", exact: true })
      .getByRole("button", { name: "Send a message", exact: true });
    await add.click();
    await field(stepAt(page, "2. Send an email"), "Channel").selectOption("In the app");
    const shown = stepAt(page, "2. Show a message in the app");
    await field(shown, "Name of the message").fill("Tour");
    await field(shown, "Shown as").selectOption("Modal, in the middle");
    await field(shown, "Pages").fill("plans");
    await field(shown, "Text of the button").fill("See the plans");
    await field(shown, "Link of the button").fill("/plans");
    await add.click();
    await field(stepAt(page, "3. Send an email"), "Channel").selectOption("Push");
    const pushed = stepAt(page, "3. Send a push");
    await field(pushed, "Name of the message").fill("Ping");
    await field(pushed, "Title").fill("How is it going?");
    await field(pushed, "Text").fill("Your trial goes on.");
    await field(pushed, "Opens").fill("example://news");

    const make = button(page, "Make the journey");
    await make.click();
    await alert(page, "Step 2: ").waitFor();
    await isRefused(field(shown, "Pages"));
    await field(shown, "Pages").fill("/plans");
    await make.click();
    await alert(page, "Step 3: ").waitFor();
    await isRefused(field(pushed, "App"));
    await field(pushed, "App").fill(APP);
    await make.click();
    await alert(page, "Step 2: ").waitFor();
    await isRefused(field(shown, "Title"));
    await assertFaultlessEverywhere(page, "messages of all channels");
    await field(shown, "Title").fill("Look around");
    await make.click();
    await title(page, "Trial");
    for (const step of ["1. Email “Welcome”", "2. In the app “Tour”", "3. Push “Ping”"])
      await page.getByRole("heading", { name: step, exact: true }).waitFor();

    await button(page, "Launch").click();
    const launch = page.getByRole("dialog", { name: "Launch “Trial”?", exact: true });
    await launch.getByRole("button", { name: "Launch", exact: true }).click();
    await button(page, "Pause").waitFor();
    await project.api.track({ body: { userId: "ada", event: "trial_started" } });
    await pass(2 * MINUTE_MS, 8);
    const [message, ...more] = await messagesOf(project, "ada");
    assert.deepEqual(more, []);
    assert.equal(message?.content.title, "Look around");
    assert.equal(message.content.presentation, "modal");
    assert.deepEqual(await messagesOf(project, "ada", "/elsewhere"), []);
    assert.deepEqual(await messagesOf(project, "bo"), []);
    await page.reload();
    for (const [step, figure] of [
      ["1. Email “Welcome”", "Sent: 1"],
      ["2. In the app “Tour”", "Offered: 1"],
      ["3. Push “Ping”", "Sent: 1"],
    ])
      await stepAt(page, `Figures of ${step}`).getByText(String(figure), { exact: true }).waitFor();
    await assertFaultlessEverywhere(page, "figures of all channels");

    // What it says is changed at its campaign from now on.
    await button(page, "Edit").click();
    await title(page, "Edit Trial");
    await shown.getByRole("link", { name: "Tour", exact: true }).waitFor();
    assert.equal(await page.getByLabel("Channel", { exact: true }).count(), 0);
    assert.deepEqual(complaints, []);
  });
});

describe("why a user is where they are in a journey", () => {
  it("is said in sentences, for those inside, those who left, and those who never entered", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const project = await opened(page);
    const { id } = await journeyWithAda(project);
    await page.goto(addressOf(project, `journeys/${id}?view=users`));
    await page
      .getByRole("row", { name: /^ada / })
      .getByRole("link", { name: "Why here?", exact: true })
      .click();
    const answer = page.getByRole("main").getByRole("status");
    await answer.getByText("ada is at 2. Wait 3 days, or until they do paid", { exact: true }).waitFor();
    await answer.getByText(/^They wait until .+\.$/).waitFor();
    await answer.getByText("They go on sooner once they do “paid”.", { exact: true }).waitFor();
    await page
      .getByRole("group", { name: "3. If", exact: true })
      .getByText("They do not match, and would be through.", { exact: true })
      .waitFor();
    await page
      .getByRole("row", { name: /2|1\. In the app “Tour”/ })
      .getByText("Their message was there for them to see.", { exact: true })
      .waitFor();
    await assertFaultlessEverywhere(page, "why a user is at a step");

    const ask = async (user: string): Promise<void> => {
      await page.locator("input[name=user]").fill(user);
      await button(page, "Find out").click();
    };
    await ask("bo");
    await answer.getByText("bo is not inside", { exact: true }).waitFor();
    await answer.getByText("They may enter now.", { exact: true }).waitFor();
    await page.getByText("They were never inside.", { exact: true }).waitFor();
    await ask("ad");
    await page.getByText("Nobody has this id.", { exact: true }).waitFor();
    await page.getByRole("button", { name: "ada", exact: true }).click();
    await answer.getByText(/^ada is at /).waitFor();

    await project.api.setJourneyStatus({ path: { id }, body: { action: "pause" } });
    await page.reload();
    await answer
      .getByText("The journey is paused, so they stay where they are until it is resumed.", { exact: true })
      .waitFor();
    await answer.getByText(/^Their wait is over .+\.$/).waitFor();
    await project.api.setJourneyStatus({ path: { id }, body: { action: "launch" } });
    await pass(4 * DAY_MS, 8);
    await page.reload();
    await answer.getByText("ada is not inside", { exact: true }).waitFor();
    await answer.getByText("They were in before, and each user enters once.", { exact: true }).waitFor();
    await page.getByRole("row", { name: /They had waited\.$/ }).waitFor();
    await page.getByRole("row", { name: /3\. If They did not match\.$/ }).waitFor();
    await assertFaultlessEverywhere(page, "what a user went through");
    assert.deepEqual(complaints, []);
  });
});
