import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
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

const DAY_MS = 86_400_000;
const USERS = Array.from({ length: 24 }, (_, index) => `user-${index}`);

const addressOf = (project: TestProject, path: string) => pageOf(house, project, path);

/** A project that sends mail, with users, and an editor whose browser it is. */
async function opened(page: Page): Promise<TestProject> {
  house.at(Date.now());
  const project = await sendingProject(house, smtp.port);
  await people(project, USERS, "journey.example");
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

const group = (within: Page | Locator, name: string) => within.getByRole("group", { name, exact: true });
const button = (within: Page | Locator, name: string) => within.getByRole("button", { name, exact: true });
const field = (within: Locator, label: string) => within.getByLabel(label, { exact: true });
const section = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

/** Writes a mail in a step of the form. */
async function writeMail(step: Locator, name: string): Promise<void> {
  await field(step, "Name of the message").fill(name);
  await field(step, "Subject").fill(name);
  await field(step, "Text (Markdown)").fill(`This is ${name}.`);
}

describe("the paths of a journey", () => {
  it("are written in the form, launched, gone by users, and compared", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const project = await opened(page);
    await page.goto(addressOf(project, "journeys/new"));
    await title(page, "New journey");
    await page.getByLabel("Name", { exact: true }).fill("Trial");
    await page.getByLabel("Your code names them", { exact: true }).check();
    const kinds = group(page, "Add a step:");
    await button(kinds, "Split into paths").click();
    await button(kinds, "Split into paths").waitFor({ state: "detached" });
    await button(kinds, "End").click();
    await button(kinds, "Send a message").click();
    await writeMail(group(page, "2. Send an email"), "Welcome");
    await writeMail(group(page, "4. Send an email"), "First steps");
    const split = group(page, "1. Split into paths");
    for (const name of ["Move step 1 down", "Move step 2 up"])
      assert.equal(await button(page, name).isDisabled(), true, name);
    await button(split, "Add a path").click();
    await button(split, "Remove Path 3").click();
    const [one, other] = [group(split, "Path 1"), group(split, "Path 2")];
    await field(one, "Name of the path").fill("At once");
    await field(other, "Leads to").selectOption("4. Email “First steps”");
    await field(other, "The others are compared with it").check();
    await field(one, "The others are compared with it").check();
    assert.equal(await field(other, "The others are compared with it").isChecked(), false);
    await button(page, "Make the journey").click();
    await page.getByRole("alert").filter({ hasText: "Step 1: Path 2: Name " }).waitFor();
    await field(other, "Name of the path").and(page.locator("[aria-invalid=true]")).waitFor();
    await assertFaultlessEverywhere(page, "a path that is refused");
    await field(other, "Name of the path").fill("Step by step");
    await button(page, "Make the journey").click();
    await title(page, "Trial");
    await page
      .getByText("At once, with weight 50: goes to 2. Email “Welcome”. The others are compared with it.", {
        exact: true,
      })
      .waitFor();
    await page.getByRole("tab", { name: "Paths", exact: true }).click();
    await section(page, "What may be claimed")
      .getByText("The journey has no goal, so nothing says which path does better.", { exact: false })
      .waitFor();
    const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    const { goal } = await project.api.createGoal({
      body: { name: "Sales", targetEvent: "paid", attributionDays: 1 },
    });
    await project.api.updateJourney({ path: { id }, body: { goalId: goal.id } });
    await page.reload();
    await section(page, "Users by path").waitFor();
    assert.equal(await section(page, "What may be claimed").count(), 0);

    await button(page, "Launch").click();
    await button(page.getByRole("dialog"), "Launch").click();
    await button(page, "Pause").waitFor();
    await project.api.addJourneyEntries({ path: { id }, body: { userIds: USERS } });
    await pass(DAY_MS / 24);
    for (const userId of USERS.slice(0, 12)) await project.api.track({ body: { userId, event: "paid" } });
    await pass(2 * DAY_MS);
    const { arms, statistics } = await project.api.getJourneyResults({ path: { id } });
    assert.equal(
      statistics?.arms.reduce((sum, { matured }) => sum + matured.exposedUsers, 0),
      USERS.length,
    );
    await page.reload();
    for (const { name, entered } of arms)
      await section(page, "Users by path")
        .getByRole("row", { name: new RegExp(`^${name}.* 50 ${entered}$`) })
        .waitFor();
    const claims = section(page, "What may be claimed");
    await claims.getByText("Nothing may be claimed yet", { exact: true }).waitFor();
    await claims.getByText("Users are split as the weights say.", { exact: true }).waitFor();
    await claims.getByRole("row", { name: /^Step by step .* Open$/ }).waitFor();
    await assertFaultlessEverywhere(page, "paths of a journey");

    await page.getByRole("tab", { name: "Users", exact: true }).click();
    const { entries } = await project.api.listJourneyEntries({ path: { id } });
    const [first] = entries;
    assert.ok(first !== undefined && first.arm !== null);
    const row = page.getByRole("row", { name: new RegExp(`^${first.externalUserId} `) });
    await row.getByText(first.arm, { exact: true }).waitFor();
    await row.getByRole("link", { name: "What happened?", exact: true }).click();
    await page
      .getByText(`Their path is “${first.arm}”, which they drew when they first entered.`, { exact: true })
      .waitFor();

    await button(page, "Edit").click();
    await title(page, "Edit Trial");
    await page.getByText("The journey was launched, so its paths stay", { exact: false }).waitFor();
    assert.equal(await field(one, "Name of the path").isEditable(), false);
    for (const name of ["Remove step 1", "Add a path", "Remove Path 1", "Split into paths"])
      assert.equal(await button(page, name).count(), 0, name);
    await field(one, "Weight").fill("80");
    await field(other, "Leads to").selectOption("the end: they have finished");
    await assertFaultlessEverywhere(page, "a split that was launched");
    await button(page, "Save").click();
    await title(page, "Trial");
    await page.getByText("At once, with weight 80: goes to", { exact: false }).waitFor();
    await page.getByText("Step by step, with weight 50: has finished.", { exact: true }).waitFor();
    assert.deepEqual(complaints, []);
  });
});
