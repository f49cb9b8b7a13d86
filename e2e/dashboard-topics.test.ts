import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import type { PersonRole } from "../apps/server/src/platform/http/contract/person.ts";
import { launchEmail, people, sendingProject } from "../apps/server/test/email.ts";
import { makeMany } from "../apps/server/test/factories.ts";
import type { TestProject } from "../apps/server/test/harness.ts";
import { type SmtpPeer, startSmtp } from "../apps/server/test/peers/smtp.ts";
import { giveRole, makePerson } from "../apps/server/test/people.ts";
import { makeTopic } from "../apps/server/test/topics.ts";
import { assertFaultlessEverywhere, cameIn, complaintsOf, hasFocus, pageOf, title } from "./dashboard.ts";
import { testStage } from "./stage.ts";

const { house, page: newPage } = testStage();
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(() => smtp.close());

type Place = Page | Locator;
const button = (place: Place, name: string) => place.getByRole("button", { name, exact: true });
const field = (place: Place, name: string) => place.getByRole("textbox", { name, exact: true });
const rowOf = (page: Page, name: string | RegExp) => page.getByRole("row", { name });

/** A project that can send, and a person with a role in it whose browser it is. */
async function opened(page: Page, role: PersonRole): Promise<TestProject> {
  house.at(Date.now());
  const project = await sendingProject(house, smtp.port);
  const person = await makePerson(house);
  await giveRole(house, project.projectId, person, role);
  await cameIn(page.context(), house, person);
  return project;
}

const stored = async ({ api }: TestProject, key: string) => (await api.getTopic({ path: { id: key } })).topic;

/** The cells of a row but for the last one, which has its buttons. */
const cellsOf = async (row: Locator): Promise<string[]> =>
  (await row.getByRole("cell").allTextContents()).slice(0, -1);

describe("the topics", () => {
  it("are made with a key that follows the name, and a taken key is refused at its field", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const project = await opened(page, "editor");
    await page.goto(pageOf(house, project, "overview"));
    await page.getByRole("link", { name: "Topics", exact: true }).click();
    await title(page, "Topics");
    await page.getByText("There is no topic yet.").waitFor();
    await makeTopic(project, { key: "tips", name: "Tips", isDefault: "out" });
    await button(page, "New topic").click();
    const dialog = page.getByRole("dialog", { name: "New topic" });
    await hasFocus(field(dialog, "Name"));
    assert.equal(await button(dialog, "Make the topic").isDisabled(), true);
    await field(dialog, "Name").fill("Tips");
    assert.equal(await field(dialog, "Key").inputValue(), "tips");
    await page.keyboard.press("Enter");
    await dialog.getByRole("alert").waitFor();
    assert.equal(await field(dialog, "Key").getAttribute("aria-invalid"), "true");
    await dialog.getByText("is taken by another topic: tips", { exact: true }).waitFor();
    await assertFaultlessEverywhere(page, "a new topic whose key is taken");
    await field(dialog, "Name").fill("Émile’s News & Offers");
    assert.equal(await field(dialog, "Key").inputValue(), "emile-s-news-offers");
    await field(dialog, "Key").fill("news");
    await field(dialog, "Name").fill("News");
    assert.equal(await field(dialog, "Key").inputValue(), "news");
    await field(dialog, "What readers get").fill("What is new, once a month.");
    assert.equal(await dialog.getByRole("radio", { name: "Only who joined it" }).isChecked(), true);
    await dialog.getByRole("radio", { name: "Everybody who has not left it" }).check();
    await dialog.getByRole("checkbox", { name: "Ask the owner of an address first" }).uncheck();
    await button(dialog, "Make the topic").click();
    await dialog.waitFor({ state: "detached" });
    await rowOf(page, /News/).waitFor();
    const [name, ...cells] = await cellsOf(rowOf(page, /News/));
    assert.equal(name, "NewsWhat is new, once a month.");
    assert.deepEqual(cells.slice(0, 3), ["news", "Everybody who has not left it", "at once"]);
    const { isDefault, doubleOptIn } = await stored(project, "news");
    assert.deepEqual({ isDefault, doubleOptIn }, { isDefault: "in", doubleOptIn: false });
    await assertFaultlessEverywhere(page, "topics");
    assert.deepEqual(complaints, []);
  });

  it("are changed, but for what readers chose by", async (t) => {
    const page = await newPage(t);
    const project = await opened(page, "editor");
    const before = await makeTopic(project);
    await page.goto(pageOf(house, project, "topics"));
    await button(rowOf(page, /News/), "Change").click();
    const dialog = page.getByRole("dialog", { name: "Change News" });
    await hasFocus(field(dialog, "Name"));
    assert.equal(await field(dialog, "Key").count(), 0);
    assert.equal(await dialog.getByRole("radio").count(), 0);
    await field(dialog, "Name").fill("Monthly news");
    await field(dialog, "What readers get").fill("");
    await dialog.getByRole("checkbox", { name: "Ask the owner of an address first" }).check();
    await assertFaultlessEverywhere(page, "a topic that is changed");
    await button(dialog, "Save").click();
    await dialog.waitFor({ state: "detached" });
    await rowOf(page, /Monthly news/).waitFor();
    const after = await stored(project, "news");
    assert.deepEqual(
      { ...after, updatedAt: before.updatedAt },
      { ...before, name: "Monthly news", description: "", doubleOptIn: true },
    );
  });

  it("are archived once nothing of them runs, and made active again", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const project = await opened(page, "editor");
    const { id: topicId } = await makeTopic(project);
    const { id } = await launchEmail(project, { topicId });
    await page.goto(pageOf(house, project, "topics"));
    const row = rowOf(page, /News/);
    await button(row, "Archive").click();
    const dialog = page.getByRole("dialog", { name: "Archive “News”?" });
    await button(dialog, "Archive").click();
    await dialog.getByText("A campaign of this topic runs or is paused: end it first.").waitFor();
    await assertFaultlessEverywhere(page, "a topic that cannot be archived yet");
    assert.equal((await stored(project, "news")).status, "active");
    await project.api.setCampaignStatus({ path: { id }, body: { action: "end" } });
    await button(dialog, "Archive").click();
    await dialog.waitFor({ state: "detached" });
    await row.getByText("archived", { exact: true }).waitFor();
    assert.equal((await stored(project, "news")).status, "archived");
    await assertFaultlessEverywhere(page, "topics, one of them archived");

    // As many as a project may have: there is no room for one more.
    const others = await makeMany(50, (nth) => makeTopic(project, { key: `t${nth}`, name: `Topic ${nth}` }));
    await button(row, "Make active again").click();
    await row.getByText("A project has at most 50 topics: archive one first.").waitFor();
    await project.api.updateTopic({ path: { id: others[0]?.id ?? "" }, body: { status: "archived" } });
    await button(row, "Make active again").click();
    await row.getByText("archived", { exact: true }).waitFor({ state: "detached" });
    assert.equal((await stored(project, "news")).status, "active");
    await page.getByRole("link", { name: "Audit log" }).click();
    const changed = page.getByRole("row", { name: /changed a topic/ });
    await changed.getByRole("link", { name: "News", exact: true }).first().click();
    await title(page, "Topics");
    assert.deepEqual(complaints, []);
  });

  it("are what a campaign by mail is about", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const project = await opened(page, "editor");
    await makeTopic(project);
    await makeTopic(project, { key: "tips", name: "Tips", isDefault: "out" });
    const { id } = await makeTopic(project, { key: "old", name: "Old" });
    await project.api.updateTopic({ path: { id }, body: { status: "archived" } });
    await people(project, ["ada", "ben"]);
    await project.api.putUserSubscriptions({
      path: { id: "ben" },
      body: { choices: [{ topic: "news", wants: "out" }] },
    });
    const topic = page.getByRole("combobox", { name: "Topic", exact: true });
    await page.goto(pageOf(house, project, "campaigns/new"));
    await page.getByRole("radio", { name: /^Email/ }).waitFor();
    assert.equal(await topic.count(), 0, "a message in the page is left by closing it");
    await page.getByRole("radio", { name: /^Email/ }).check();
    await topic.locator("option", { hasText: "News" }).waitFor({ state: "attached" });
    assert.deepEqual(await topic.locator("option").allTextContents(), ["About everything", "News", "Tips"]);
    await topic.selectOption({ label: "News" });
    // A look at another channel finds the topic there, and so does the way back.
    await page.getByRole("radio", { name: /^Push/ }).check();
    assert.equal(await topic.locator("option:checked").textContent(), "News");
    await page.getByRole("radio", { name: /^Email/ }).check();
    assert.equal(await topic.locator("option:checked").textContent(), "News");
    await assertFaultlessEverywhere(page, "a new campaign about a topic");
    await field(page, "Name").fill("March");
    await page.getByLabel("Subject").fill("News of March");
    await page.getByLabel("Text (Markdown)").fill("Hello.");
    await button(page, "Save as a draft").click();
    await title(page, "Edit March");
    await button(page, "Launch").click();
    const launching = page.getByRole("dialog", { name: "Launch “March”?" });
    await launching.getByText("1 user gets this mail.", { exact: false }).waitFor();
    await launching.getByText("Left the topic, or never joined it").waitFor();
    await button(launching, "Launch").click();
    await title(page, "March");
    await page.getByRole("link", { name: "Topic: News", exact: true }).waitFor();
    const address = page.url().replace(/\?.*/, "");

    await page.goto(`${address}/edit`);
    await topic.selectOption({ label: "Tips" });
    await button(page, "Look at the changes").click();
    const changes = page.getByRole("dialog", { name: "Apply these changes?" });
    const changed = changes.getByRole("group", { name: "Topic", exact: true });
    await changed.getByText("News", { exact: true }).waitFor();
    await changed.getByText("Tips", { exact: true }).waitFor();
    await changes.getByText("It goes through its audience once more, now.", { exact: false }).waitFor();
    await changes.getByText("Of these, only readers who want the topic get it.").waitFor();
    await assertFaultlessEverywhere(page, "a campaign that is to be about another topic");
    await button(changes, "Apply").click();
    await changes.waitFor({ state: "detached" });
    await page.goto(address);
    await page.getByRole("link", { name: "Topic: Tips", exact: true }).click();
    await title(page, "Topics");
    await rowOf(page, /Old/).waitFor();
    assert.deepEqual(complaints, []);
  });

  it("are chosen for a user by hand, which the log of consents says", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const project = await opened(page, "editor");
    await makeTopic(project);
    await makeTopic(project, { key: "tips", name: "Tips", isDefault: "out" });
    await people(project, ["ada", "ben"]);
    await project.sdk.identify({ body: { userId: "cy" } });
    await project.api.putUserSubscriptions({
      path: { id: "ben" },
      body: { choices: [{ topic: "tips", wants: "in" }] },
    });
    await page.goto(pageOf(house, project, "topics?view=consents"));
    await rowOf(page, /ben@example\.com/)
      .getByText("your server")
      .waitFor();

    await page.goto(pageOf(house, project, "users/ada"));
    await page.getByRole("tab", { name: "Topics", exact: true }).click();
    await rowOf(page, /News/).getByText("Gets it", { exact: true }).first().waitFor();
    await button(page, "Unsubscribe: News, by email").click();
    await button(page, "Subscribe: News, by email").waitFor();
    await rowOf(page, /News/)
      .getByText(/^Does not get it, chosen /)
      .waitFor();
    await button(page, "Subscribe: Tips, by push").click();
    await button(page, "Unsubscribe: Tips, by push").waitFor();
    await assertFaultlessEverywhere(page, "the topics of a user");
    const { subscriptions } = await project.api.getUserSubscriptions({ path: { id: "ada" } });
    assert.deepEqual(
      subscriptions.topics.map(({ topic, email, push }) => [topic, email?.wants, push.wants]),
      [
        ["news", "out", "in"],
        ["tips", "out", "in"],
      ],
    );
    await page.goto(pageOf(house, project, "users/cy?view=topics"));
    await rowOf(page, /News/).getByText("no address", { exact: true }).waitFor();

    await page.goto(pageOf(house, project, "topics"));
    await page.getByRole("tab", { name: "Consents", exact: true }).click();
    await rowOf(page, /user ada \(push\)/)
      .getByText("joined", { exact: true })
      .waitFor();
    await assertFaultlessEverywhere(page, "consents");
    const address = page.getByRole("searchbox", { name: "Address of a reader", exact: true });
    await address.fill("Ada@Example.com");
    await rowOf(page, /ben@example\.com/).waitFor({ state: "detached" });
    const row = rowOf(page, /ada@example\.com/);
    await row.waitFor();
    const [, ...rest] = await cellsOf(row);
    assert.match(rest.join(" | "), /^left \| news \| by hand, Person \d+$/);
    assert.equal(await page.getByRole("row").count(), 2, "the heads and one choice");
    await address.fill("eve@example.com");
    await page.getByText("Nothing is known of this address.").waitFor();
    await button(page, "Show all").click();
    await rowOf(page, /ben@example\.com/).waitFor();
    assert.deepEqual(complaints, []);
  });

  it("are there for viewers to look at, and to change nothing", async (t) => {
    const page = await newPage(t);
    const project = await opened(page, "viewer");
    await makeTopic(project);
    await people(project, ["ada"]);
    const isClosed = async (closed: Locator): Promise<void> => {
      await closed.hover();
      await page.getByRole("tooltip", { name: "Needs the role editor" }).waitFor();
      assert.equal(await closed.getAttribute("aria-disabled"), "true");
      await closed.press("Enter");
      await page.mouse.move(0, 0);
      await page.getByRole("tooltip").waitFor({ state: "detached" });
      assert.equal(await page.getByRole("dialog").count(), 0);
    };
    await page.goto(pageOf(house, project, "topics"));
    for (const name of ["New topic", "Change", "Archive"]) await isClosed(button(page, name));
    await page.goto(pageOf(house, project, "users/ada?view=topics"));
    await isClosed(button(page, "Unsubscribe: News, by email"));
    assert.equal((await stored(project, "news")).status, "active");
    assert.deepEqual((await project.api.listConsents()).consents, []);
  });
});
