import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import type { PersonRole } from "../apps/server/src/platform/http/contract/person.ts";
import { launchEmail, people, sendingProject, setSettings } from "../apps/server/test/email.ts";
import { launchCampaign } from "../apps/server/test/factories.ts";
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

const HOUR_MS = 3_600_000;

/** The time of the day some hours from now, in UTC, which is the zone of readers of whom no other one is known. */
const utcIn = (hours: number): string => new Date(house.now() + hours * HOUR_MS).toISOString().slice(11, 16);

const button = (place: Page | Locator, name: string) => place.getByRole("button", { name, exact: true });
const addressOf = (project: TestProject, path: string) => pageOf(house, project, path);

/** A project that can send to ada and ben, and a person with a role in it whose browser it is. */
async function opened(page: Page, role: PersonRole, settings: Record<string, string> = {}) {
  house.at(Date.now());
  const project = await sendingProject(house, smtp.port, settings);
  const person = await makePerson(house);
  await giveRole(house, project.projectId, person, role);
  await cameIn(page.context(), house, person);
  await people(project, ["ada", "ben"]);
  return project;
}

/** Opens the launch of a campaign, and waits until it says who gets it. */
async function launching(page: Page, project: TestProject, id: string): Promise<Locator> {
  await page.goto(addressOf(project, `campaigns/${id}`));
  await button(page, "Launch").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("2 users get this mail", { exact: false }).waitFor();
  return dialog;
}

async function launch(dialog: Locator): Promise<void> {
  await button(dialog, "Launch").click();
  await dialog.waitFor({ state: "detached" });
  await house.drain();
}

describe("when a campaign leaves", () => {
  it("is chosen in its editor, said in a sentence, and said of those who wait at its launch", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const project = await opened(page, "editor");
    const { id } = await launchEmail(project, { launch: false, name: "Digest" });
    const at = utcIn(1);
    await page.goto(addressOf(project, `campaigns/${id}/edit`));
    const section = page.getByRole("region", { name: "When it leaves" });
    const hour = section.getByRole("radio", { name: "At a time of the day" });
    const [time, zone] = [
      section.getByLabel("Time of the day", { exact: true }),
      section.getByLabel("Time zone"),
    ];
    const patience = section.getByLabel("Patience (hours)");
    await section.getByRole("radio", { name: "At once" }).and(page.locator(":checked")).waitFor();
    assert.equal(await time.count(), 0);
    await hour.check();
    await time.fill(at);
    assert.equal(await zone.locator("option:checked").textContent(), "That of each reader");
    await zone.selectOption("Asia/Tokyo");
    await section.getByRole("checkbox", { name: "Friday" }).check();
    await section.getByRole("checkbox", { name: "Monday" }).check();
    await section.getByLabel("Priority").selectOption({ label: "5, the highest" });
    await section.getByRole("checkbox", { name: "Urgent" }).check();
    await patience.fill("721");
    await patience.blur();
    await page.getByRole("status").getByText("Not saved", { exact: true }).waitFor();
    assert.equal(await patience.getAttribute("aria-invalid"), "true");
    await assertFaultlessEverywhere(page, "editing when a campaign leaves");
    await patience.fill("24");
    await page.getByRole("status").getByText("Saved", { exact: true }).waitFor();
    await page.reload();
    await hour.and(page.locator(":checked")).waitFor();
    assert.equal(await time.inputValue(), at);
    assert.equal(await zone.inputValue(), "Asia/Tokyo");
    assert.equal(await patience.inputValue(), "24");
    const { campaign } = await project.api.getCampaign({ path: { id } });
    assert.deepEqual(campaign.sendTime, { at, zone: "Asia/Tokyo", weekdays: ["mon", "fri"] });
    assert.deepEqual([campaign.priority, campaign.patienceHours, campaign.urgent], [5, 24, true]);
    await page.goto(addressOf(project, `campaigns/${id}`));
    await page
      .getByText(
        `Leaves at ${at} in the zone Asia/Tokyo, Monday and Friday. It is urgent: neither quiet hours nor what else a reader got keep it. Its priority is 5 of 5. What has to wait is withdrawn after 24 hours.`,
        { exact: true },
      )
      .waitFor();

    // The same time for each reader, on any day.
    await page.goto(addressOf(project, `campaigns/${id}/edit`));
    await zone.selectOption({ label: "That of each reader" });
    await section.getByRole("checkbox", { name: "Friday" }).uncheck();
    await section.getByRole("checkbox", { name: "Monday" }).uncheck();
    await page.getByRole("status").getByText("Saved", { exact: true }).waitFor();
    const dialog = await launching(page, project, id);
    await dialog.getByText("Of them, as of now, 2 wait for their hour.", { exact: true }).waitFor();
    await assertFaultlessEverywhere(page, "a launch of which all wait for their hour");
    await launch(dialog);
    await page
      .getByText(`Leaves at ${at} in the time zone of each reader.`, { exact: false })
      .first()
      .waitFor();
    await page.goto(addressOf(project, `campaigns/${id}?view=results`));
    await page
      .getByText("2 mails wait for the hour at which the campaign leaves for their reader.", { exact: true })
      .waitFor();
    await page.goto(addressOf(project, `campaigns/${id}?view=why&user=ada`));
    await page.getByText("ada: gets it later, if the campaign still runs", { exact: true }).waitFor();
    await page.getByText("Hour of the campaign ⧗ delays it", { exact: true }).first().waitFor();
    await assertFaultlessEverywhere(page, "why a user gets a campaign at its hour");

    await page.goto(addressOf(project, `campaigns/${id}/edit`));
    await section.getByRole("radio", { name: "At once" }).check();
    await button(page, "Look at the changes").click();
    const changes = page.getByRole("dialog", { name: "Apply these changes?" });
    await changes.getByText(`Leaves at ${at} in the time zone of each reader`, { exact: true }).waitFor();
    await changes.getByText("Leaves at once", { exact: true }).waitFor();
    await button(changes, "Apply").click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await house.drain();
    assert.equal(smtp.taken.filter(({ to }) => to === "ada@example.com").length, 1);
    assert.deepEqual(complaints, []);
  });

  it("is nothing that a campaign on the web has", async (t) => {
    const page = await newPage(t);
    const project = await opened(page, "editor");
    const { id } = await launchCampaign(project, { name: "Web", launch: false });
    await page.goto(addressOf(project, `campaigns/${id}`));
    await title(page, "Web");
    await page.getByText("Audience: all users", { exact: true }).waitFor();
    assert.equal(await page.getByText("Leaves at once", { exact: false }).count(), 0);
    await page.goto(addressOf(project, `campaigns/${id}/edit`));
    await page.getByRole("region", { name: "Where, when and what for" }).waitFor();
    assert.equal(await page.getByRole("region", { name: "When it leaves" }).count(), 0);
    await page.goto(addressOf(project, "campaigns/new"));
    await page.getByRole("radio", { name: /^Push/ }).check();
    await page.getByRole("region", { name: "When it leaves" }).waitFor();
  });
});

describe("quiet hours", () => {
  it("are typed with what they would have done last week, saved, and then have mail wait", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const project = await opened(page, "owner");
    await launchEmail(project, { name: "Before" });
    await house.drain();
    await page.goto(addressOf(project, "settings?q=quiet"));
    const quiet = page.getByRole("textbox", { name: "Quiet hours", exact: true });
    const count = button(page, "What would have waited?");
    await quiet.fill("at night");
    await count.click();
    await page.getByRole("alert").getByText("Quiet hours must be two times", { exact: false }).waitFor();
    await quiet.fill(`${utcIn(-2)}-${utcIn(3)}`);
    await count.click();
    await page.getByText("2 messages of campaigns left since", { exact: false }).waitFor();
    await page
      .getByText("2 of them would have waited for the end of quiet hours.", { exact: true })
      .waitFor();
    const none = "None of them would have waited because a reader had got enough.";
    await page.getByText(none, { exact: true }).waitFor();
    await assertFaultlessEverywhere(page, "quiet hours with what they would have done");
    await button(page, "Look at the changes").click();
    await button(page.getByRole("dialog"), "Save").click();
    await page.getByText("1 setting is changed.").waitFor();
    await count.click();
    await page
      .getByText("2 of them would have waited for the end of quiet hours.", { exact: true })
      .waitFor();

    const { id } = await launchEmail(project, { launch: false, name: "Later", patienceHours: 1 });
    const dialog = await launching(page, project, id);
    await dialog
      .getByText("Of them, as of now, 2 wait for the end of their quiet hours.", { exact: true })
      .waitFor();
    await launch(dialog);
    await page.goto(addressOf(project, `campaigns/${id}?view=results`));
    await page.getByText("2 mails wait for the end of the reader’s quiet hours.", { exact: true }).waitFor();
    await page.goto(addressOf(project, "email?view=glance"));
    await page.getByRole("row", { name: /^Leaves later.* 2$/ }).waitFor();

    // Past the patience of the campaign, and still within quiet hours.
    house.at(house.now() + 2 * HOUR_MS);
    await house.drain();
    await page.reload();
    await page.getByRole("row", { name: /^Withdrawn.* 2$/ }).waitFor();
    await assertFaultlessEverywhere(page, "email of which some was withdrawn");
    await page.goto(addressOf(project, `campaigns/${id}?view=results`));
    await page.getByText("2 mails were withdrawn:", { exact: false }).waitFor();
    await assertFaultlessEverywhere(page, "results with mail that was withdrawn");
    await page.goto(addressOf(project, `campaigns/${id}?view=deliveries`));
    await page
      .getByRole("cell", { name: "Withdrawn: waited too long, or the campaign ended", exact: true })
      .first()
      .waitFor();
    await page.goto(addressOf(project, `campaigns/${id}?view=why&user=ada`));
    await page.getByText("ada: did not get it", { exact: true }).waitFor();
    assert.deepEqual(complaints, []);
  });

  it("are counted beside readers who got enough, at a launch too", async (t) => {
    const page = await newPage(t);
    const project = await opened(page, "owner");
    await launchEmail(project, { name: "First" });
    await house.drain();
    house.at(house.now() + HOUR_MS);
    await launchEmail(project, { name: "Second" });
    await house.drain();
    await page.goto(addressOf(project, "settings?q=reader"));
    await page.getByRole("textbox", { name: "Messages per reader", exact: true }).fill("1");
    await button(page, "What would have waited?").click();
    await page.getByText("4 messages of campaigns left since", { exact: false }).waitFor();
    await page
      .getByText("2 of them would have waited because 2 readers had got enough.", { exact: true })
      .waitFor();
    await setSettings(house, project, { "pressure.max": "1" });
    const { id } = await launchEmail(project, { launch: false, name: "Third" });
    const dialog = await launching(page, project, id);
    await dialog
      .getByText("Of them, as of now, 2 wait because they got enough lately.", { exact: true })
      .waitFor();
    await launch(dialog);
    await page.goto(addressOf(project, `campaigns/${id}?view=results`));
    await page.getByText("2 mails wait because the reader got as many", { exact: false }).waitFor();
  });
});

describe("the limit of a topic", () => {
  it("is so many messages within so many days, or none", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const project = await opened(page, "editor");
    await page.goto(addressOf(project, "topics"));
    await button(page, "New topic").first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: false }).fill("News");
    const limit = dialog.getByRole("group", { name: "How much of it one reader gets" });
    const [most, days] = [limit.getByLabel("Messages at most"), limit.getByLabel("Within days")];
    await most.fill("2");
    await button(dialog, "Make the topic").click();
    await limit.getByText("is needed too, or leave both empty", { exact: true }).waitFor();
    assert.equal(await days.getAttribute("aria-invalid"), "true");
    await assertFaultlessEverywhere(page, "a topic with half a limit");
    await days.fill("7");
    await button(dialog, "Make the topic").click();
    await dialog.waitFor({ state: "detached" });
    const row = page.getByRole("row", { name: /News/ });
    await row.getByText("2 messages in 7 days", { exact: true }).waitFor();
    await assertFaultlessEverywhere(page, "a topic with a limit");
    await button(row, "Change").click();
    assert.equal(await days.inputValue(), "7");
    await most.fill("");
    await days.fill("");
    await button(dialog, "Save").click();
    await dialog.waitFor({ state: "detached" });
    await row.getByText("any number", { exact: true }).waitFor();
    const { topic } = await project.api.getTopic({ path: { id: "news" } });
    assert.deepEqual([topic.max, topic.days], [null, null]);
    assert.deepEqual(complaints, []);
  });
});
