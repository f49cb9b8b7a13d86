import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import type { TestProject } from "../apps/server/test/harness.ts";
import { giveRole, makePerson, PASSWORD, signedInAgo } from "../apps/server/test/people.ts";
import { keepSecrets } from "../apps/server/test/secrets/secrets-of-the-run.ts";
import { type Answer, openReceiver } from "../apps/server/test/webhooks.ts";
import {
  assertFaultlessEverywhere,
  cameIn,
  complaintsOf,
  openedBy,
  PHONE,
  pageOf,
  title,
} from "./dashboard.ts";
import { testStage } from "./stage.ts";

const { house, page: newPage, visitor } = testStage({ webhooksPrivate: true });

const MINUTE_MS = 60_000;
/** Within this time a change of a session is felt. */
const BELIEVED_MS = 5_000;
const HOUR_MS = 60 * MINUTE_MS;
/** A bit more than a message waits after each attempt that failed. */
const WAITS_MS = [MINUTE_MS, 10 * MINUTE_MS, ...[1, 3, 7, 13, 18, 25, 30].map((hours) => hours * HOUR_MS)];

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const dialogOf = (page: Page, name: string) => page.getByRole("dialog", { name, exact: true });

/** Fills the form of a webhook, for all but deliveries and for clicks, and sends it. */
async function addBy(page: Page, url: string): Promise<void> {
  await button(page, "Add a webhook").click();
  const form = dialogOf(page, "Add a webhook");
  await form.getByRole("textbox", { name: "Address" }).fill(url);
  await form.getByLabel("What it is for").fill("Keeps the CRM in step");
  assert.ok(await form.getByRole("button", { name: "Add", exact: true }).isDisabled());
  await form.getByLabel("All but deliveries").check();
  assert.ok(await form.getByLabel("A campaign has ended.").isChecked());
  await form.getByLabel("A user followed a link or a button.").check();
  await form.getByRole("button", { name: "Add", exact: true }).click();
}

/** A webhook that the API has made, by its id. */
async function madeFor({ api }: TestProject, url: string): Promise<string> {
  const { webhook, secret } = await api.createWebhook({ body: { url, types: ["*"] } });
  keepSecrets(secret);
  return webhook.id;
}

/** A receiver whose server is broken until it is mended. */
async function openBroken() {
  const broken: Answer = { status: 500, body: "The database is away." };
  let answer: Answer = broken;
  const receiver = await openReceiver(() => answer);
  return {
    ...receiver,
    mend(): void {
      answer = { status: 204 };
    },
  };
}

describe("a webhook", () => {
  it("is added by an owner, who sees its secret once, and a test arrive", async (t) => {
    house.at(Date.now());
    const { url, received } = await openReceiver(() => ({ status: 202, body: "Thank you." }));
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const [project, person] = await openedBy(house, page, "owner");
    await page.goto(pageOf(house, project, "webhooks"));
    await page.getByText("There is no webhook yet.").waitFor();
    await signedInAgo(house, person, 11 * MINUTE_MS);
    house.advance(BELIEVED_MS + 1_000);
    await addBy(page, url);
    await dialogOf(page, "Is it you?").locator("input[name=password]").fill(PASSWORD);
    await button(page, "Confirm").click();
    const made = dialogOf(page, "Add a webhook");
    const secret = (await made.getByLabel("Secret", { exact: true }).textContent()) ?? "";
    keepSecrets(secret);
    assert.match(secret, /^whsec_[\w+/]{43}=$/);
    await made.getByText("Copy the secret now: it is shown this once.").waitFor();
    await made.getByRole("button", { name: "Close", exact: true }).click();
    const row = page.getByRole("row").filter({ hasText: url });
    await row.getByText("all but deliveries, and 1 type of deliveries").waitFor();
    assert.ok(!(await page.content()).includes(secret));

    await row.getByRole("link", { name: url }).click();
    await title(page, url);
    await page.getByText("Nothing was sent yet.").waitFor();
    await button(page, "Send a test").click();
    const test = dialogOf(page, "A test.");
    await test.getByText("It was not tried yet.").waitFor();
    await house.drain();
    await test.getByText("202", { exact: true }).waitFor();
    await test.getByText("Thank you.").waitFor();
    await test.getByText("delivered", { exact: true }).waitFor();
    assert.deepEqual(
      received.map(({ type }) => type),
      ["test"],
    );
    await test.getByRole("button", { name: "Close", exact: true }).click();
    await page.getByRole("row").filter({ hasText: "A test." }).getByText("answered 202").waitFor();

    const context = await visitor(t, PHONE);
    await cameIn(context, house, person);
    await signedInAgo(house, person, 0);
    house.advance(BELIEVED_MS + 1_000);
    const phone = await context.newPage();
    await phone.goto(pageOf(house, project, "webhooks"));
    await phone.getByRole("link", { name: url }).tap();
    await button(phone, "New secret").tap();
    const rotating = dialogOf(phone, "New secret");
    await rotating.getByRole("button", { name: "Make a new secret" }).tap();
    const next = (await rotating.getByLabel("Secret", { exact: true }).textContent()) ?? "";
    keepSecrets(next);
    assert.notEqual(next, secret);
    await rotating.getByText(/^The former one signs until/).waitFor();
    await rotating.getByRole("button", { name: "Close", exact: true }).tap();
    await phone.getByText(/^A former secret signs beside the present one until/).waitFor();
    await button(phone, "Send a test").tap();
    const again = dialogOf(phone, "A test.");
    await again.getByText("It was not tried yet.").waitFor();
    await house.drain();
    await again.getByText("202", { exact: true }).waitFor();
    assert.equal(String(received.at(-1)?.headers["webhook-signature"]).split(" ").length, 2);
    assert.deepEqual(complaints, []);
  });

  it("whose server fails says how, and what was given up is sent again once it is mended", async (t) => {
    house.at(Date.now());
    const { url, received, mend } = await openBroken();
    const page = await newPage(t);
    const [project, person] = await openedBy(house, page, "owner");
    const id = await madeFor(project, url);
    const { messageId } = await project.api.testWebhook({ path: { id } });
    await house.drain();
    await page.goto(pageOf(house, project, `webhooks/${id}`));
    await page.getByText(/^It has been failing since/).waitFor();
    await page.getByText("The last attempt: It answered 500.").waitFor();
    const row = page.getByRole("row").filter({ hasText: "A test." });
    await row.getByText("answered 500").waitFor();
    await row.getByText(/^next attempt/).waitFor();

    for (const ms of WAITS_MS) {
      house.advance(ms);
      await house.drain();
    }
    const { message } = await project.api.getWebhookMessage({ path: { id, messageId } });
    assert.deepEqual([message.state, message.attempts], ["given_up", 10]);
    await project.api.testWebhook({ path: { id } });
    house.advance(24 * HOUR_MS);
    await house.drain();
    const { webhook } = await project.api.getWebhook({ path: { id } });
    assert.deepEqual([webhook.state, webhook.offBecause], ["off", "failing"]);
    await page.goto(pageOf(house, project, "overview"));
    const line = page.getByRole("listitem").filter({ hasText: "nothing arrived there for five days" });
    await line.getByRole("link").click();
    await page.getByText(/nothing arrived there for five days$/).waitFor();
    await row.getByText("given up").waitFor();

    mend();
    await signedInAgo(house, person, 0);
    house.advance(BELIEVED_MS + 1_000);
    await button(page, "Switch on").click();
    await dialogOf(page, "Switch this webhook on?").getByRole("button", { name: "Switch on" }).click();
    await page.getByText("The webhook is on.").waitFor();
    await row
      .filter({ hasText: "given up" })
      .getByRole("button", { name: /^A test\./ })
      .click();
    const opened = dialogOf(page, "A test.");
    await opened.getByText("The database is away.").nth(9).waitFor();
    await opened.getByRole("button", { name: "Send again" }).click();
    await page.getByText("It is sent again.").waitFor();
    await house.drain();
    await opened.getByText("204", { exact: true }).waitFor();
    assert.equal(received.filter((each) => each.id === messageId).length, 11);
    await opened.getByRole("button", { name: "Close", exact: true }).click();
    await button(page, "Send again what was given up").click();
    const replay = dialogOf(page, "Send again what was given up");
    await replay.getByRole("button", { name: "Send again", exact: true }).click();
    await replay.getByText("Nothing was given up in that time.").waitFor();
  });

  it("shows its messages by their state, page by page, and is deleted after a question", async (t) => {
    house.at(Date.now());
    const { url } = await openReceiver();
    const page = await newPage(t);
    const [project] = await openedBy(house, page, "owner");
    const id = await madeFor(project, url);
    for (let sent = 0; sent < 26; sent++) await project.api.testWebhook({ path: { id } });
    await page.goto(pageOf(house, project, `webhooks/${id}`));
    await page.getByText("26 messages wait.").waitFor();
    const rows = page.getByRole("row").filter({ hasText: "A test." });
    await rows.nth(24).waitFor();
    assert.equal(await rows.count(), 25);
    await button(page, "Older").click();
    await button(page, "Newest").waitFor();
    await rows.nth(1).waitFor({ state: "detached" });
    assert.equal(await rows.count(), 1);
    await button(page, "Newest").click();
    await page.getByRole("combobox", { name: "State" }).click();
    await page.getByRole("option", { name: "delivered" }).click();
    await page.getByText("No message is in this state.").waitFor();
    await house.drain();
    await rows.nth(24).waitFor();

    await button(page, "Delete").click();
    await dialogOf(page, "Delete this webhook?").getByRole("button", { name: "Delete" }).click();
    await page.getByText("There is no webhook yet.").waitFor();
  });

  it("is seen by an approver, who changes nothing of it, and by nobody below", async (t) => {
    house.at(Date.now());
    const { url } = await openReceiver();
    const page = await newPage(t);
    const [project] = await openedBy(house, page, "approver");
    const id = await madeFor(project, url);
    await page.goto(pageOf(house, project, "webhooks"));
    const add = button(page, "Add a webhook");
    assert.equal(await add.getAttribute("aria-disabled"), "true");
    await page.getByRole("link", { name: url }).click();
    await title(page, url);
    for (const name of ["Send a test", "Switch off", "Change", "New secret", "Delete"])
      assert.equal(await button(page, name).getAttribute("aria-disabled"), "true", name);

    const editor = await makePerson(house);
    await giveRole(house, project.projectId, editor, "editor");
    const context = await visitor(t);
    await cameIn(context, house, editor);
    const below = await context.newPage();
    await below.goto(pageOf(house, project, `webhooks/${id}`));
    await below.getByText("This page needs the role approver").waitFor();
    assert.equal(await below.getByText(url).count(), 0);
  });
});

describe("the pages of webhooks", () => {
  it("are free of faults in every width and colour", async (t) => {
    house.at(Date.now());
    const { url, mend } = await openBroken();
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const [project] = await openedBy(house, page, "owner");
    await page.goto(pageOf(house, project, "webhooks"));
    await page.getByText("There is no webhook yet.").waitFor();
    await assertFaultlessEverywhere(page, "no webhook");
    await button(page, "Add a webhook").click();
    await page.getByText("Choose one thing or more.").waitFor();
    await assertFaultlessEverywhere(page, "add a webhook");
    await page.keyboard.press("Escape");

    const id = await madeFor(project, url);
    const gone = await openReceiver(() => ({ status: 410 }));
    const goneId = await madeFor(project, `${gone.url}/${"a-long-path-of-an-address/".repeat(8)}`);
    for (const each of [id, goneId]) await project.api.testWebhook({ path: { id: each } });
    await house.drain();
    mend();
    await project.api.testWebhook({ path: { id } });
    await page.goto(pageOf(house, project, "webhooks"));
    await page.getByText("its server is gone").waitFor();
    await assertFaultlessEverywhere(page, "webhooks");
    await page.goto(pageOf(house, project, `webhooks/${goneId}`));
    await page.getByText(/its server answered that it does not exist any more$/).waitFor();
    await assertFaultlessEverywhere(page, "a webhook that is gone");
    await page.goto(pageOf(house, project, `webhooks/${id}`));
    await page.getByText(/^It has been failing since/).waitFor();
    await assertFaultlessEverywhere(page, "a webhook that fails");
    await page
      .getByRole("button", { name: /^A test\./ })
      .last()
      .click();
    await page.getByText("The database is away.").waitFor();
    await assertFaultlessEverywhere(page, "a message");
    assert.deepEqual(complaints, []);
  });
});
