import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import type { PersonRole } from "../apps/server/src/platform/http/contract/person.ts";
import { sendingProject } from "../apps/server/test/email.ts";
import type { TestProject } from "../apps/server/test/harness.ts";
import { type SmtpPeer, startSmtp } from "../apps/server/test/peers/smtp.ts";
import { giveRole, makePerson } from "../apps/server/test/people.ts";
import {
  assertFaultlessEverywhere,
  assertPageFaultless,
  cameIn,
  complaintsOf,
  pageOf,
  title,
} from "./dashboard.ts";
import { testStage } from "./stage.ts";

const { house, page: newPage } = testStage();
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(() => smtp.close());

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const link = (page: Page, name: string) => page.getByRole("link", { name, exact: true });
const tab = (page: Page, name: string) => page.getByRole("tab", { name, exact: true });

/** A project that can send, and a person with a role in it whose browser it is. */
async function opened(page: Page, role: PersonRole): Promise<TestProject> {
  const project = await sendingProject(house, smtp.port);
  const person = await makePerson(house);
  await giveRole(house, project.projectId, person, role);
  await cameIn(page.context(), house, person);
  return project;
}

/** A template that is live. */
async function liveTemplate({ api }: TestProject, more = {}): Promise<string> {
  const { campaign } = await api.createCampaign({
    body: {
      name: "Receipt of a purchase",
      channel: "email",
      purpose: "transactional",
      key: "purchase",
      launch: true,
      message: {
        subject: "Your receipt {{ data.number }}",
        body: "{% for item in data.items %}- {{ item.name }}: {{ item.price }}\n{% endfor %}\nTotal: **{{ data.total }}**",
      },
      ...more,
    },
  });
  return campaign.id;
}

const DATA = { number: "A-1", items: [{ name: "Tea", price: "€ 4.00" }], total: "€ 4.00" };

const send = async ({ api }: TestProject, email: string, more = {}): Promise<string> =>
  (await api.sendMail({ body: { template: "purchase", to: { email }, data: DATA, ...more } })).send.id;

describe("the templates", () => {
  it("say what they are while there is none, and one is written, made live and sent", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const project = await opened(page, "editor");
    await page.goto(pageOf(house, project, "overview"));
    await link(page, "Templates").click();
    await title(page, "Templates");
    await page.getByText("There is no template yet.").waitFor();
    const example = await page.getByLabel("The request that sends a receipt").textContent();
    assert.match(example ?? "", /^curl \S+\/api\/v1\/send .*"template":"receipt"/s);
    await assertFaultlessEverywhere(page, "templates, while there is none");

    await button(page, "New template").click();
    await title(page, "New template");
    await page.getByLabel("Name", { exact: true }).fill("Your Bill, Émile!");
    assert.equal(await page.getByLabel("Key", { exact: true }).inputValue(), "your-bill-emile");
    await page.getByLabel("Key", { exact: true }).fill("bill");
    await page.getByLabel("Name", { exact: true }).fill("Bill");
    assert.equal(await page.getByLabel("Key", { exact: true }).inputValue(), "bill");
    assert.equal(await page.getByText("Audience", { exact: true }).count(), 0);
    await page.getByLabel("Subject", { exact: true }).fill("Bill {{ data.number }}");
    await page.getByLabel("Text (Markdown)").fill("Total: {{ data.order.total }}");
    const mail = page.frameLocator('iframe[title="The mail"]');
    await mail.getByText("Total: total").waitFor();
    const data = page.getByLabel("Data of a request (JSON)");
    assert.deepEqual(JSON.parse(await data.inputValue()), { number: "number", order: { total: "total" } });
    await data.fill('{"number": 7, "order": {}}');
    await page
      .getByText("data.order.total", { exact: false })
      .filter({ hasNot: page.locator("textarea") })
      .last()
      .waitFor();
    await button(page, "Add what is missing").click();
    await mail.getByText("Total: total").waitFor();
    await data.fill('{"number": 7, "order": {"total": "12 €"}}');
    await mail.getByText("Total: 12 €").waitFor();
    await page.getByText("Subject: Bill 7").waitFor();
    await data.fill("no");
    await page.getByText("This is no JSON object", { exact: false }).waitFor();
    await button(page, "Back to samples").click();
    await mail.getByText("Total: total").waitFor();
    await assertFaultlessEverywhere(page, "a new template");
    await button(page, "Save as a draft").click();
    await title(page, "Edit Bill");
    await assertFaultlessEverywhere(page, "a template that is edited");
    await link(page, "Back to the template").click();
    await title(page, "Bill");
    await page.getByText("Key: bill").waitFor();
    await button(page, "Make live").click();
    await page.getByRole("dialog").getByRole("button", { name: "Make live", exact: true }).click();
    await page.getByText("It is live: your code can send it now.").waitFor();
    await page.getByRole("main").getByText("Live", { exact: true }).waitFor();
    await tab(page, "How to send it").click();
    const line = await page.getByLabel("The request that sends “Bill”").textContent();
    const body = JSON.parse(/-d '(.*)'$/s.exec(line ?? "")?.[1] ?? "") as { template: string; data: object };
    assert.deepEqual(body.data, { number: "number", order: { total: "total" } });
    await page.getByText(/^RESEND_BASE_URL=\S+\/compat\/resend/).waitFor();
    await assertFaultlessEverywhere(page, "how a template is sent");
    const taken = smtp.taken.length;
    await project.api.sendMail({
      body: { template: body.template, to: { email: "ada@example.com" }, data: body.data },
    });
    await house.drain();
    assert.equal(smtp.taken.length, taken + 1);
    assert.deepEqual(complaints, []);
  });

  it("are no campaigns, and what links to one as a campaign leads to it", async (t) => {
    const page = await newPage(t);
    const project = await opened(page, "editor");
    const id = await liveTemplate(project);
    await page.goto(pageOf(house, project, "campaigns"));
    await page.getByText("There is no campaign yet.").waitFor();
    await page.goto(pageOf(house, project, `campaigns/${id}`));
    await title(page, "Receipt of a purchase");
    await page.waitForURL(pageOf(house, project, `templates/${id}`));
    await page.goto(pageOf(house, project, `campaigns/${id}/edit`));
    await page.waitForURL(pageOf(house, project, `templates/${id}/edit`));
    await page.getByLabel("Data of a request (JSON)").waitFor();
  });

  it("count their mails, and list each with what became of it", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const project = await opened(page, "editor");
    await liveTemplate(project);
    await liveTemplate(project, {
      name: "Code",
      key: "code",
      sensitive: true,
      message: { subject: "Your code", body: "{{ data.code }}" },
    });
    await send(project, "ada@example.com", {
      attachments: [{ name: "receipt.txt", contentType: "text/plain", content: btoa("EUR 4.00") }],
    });
    await house.drain();
    const sendAt = house.now() + 3_600_000;
    await send(project, "cy@example.com", { sendAt });
    await project.api.sendMail({
      body: { template: "code", to: { email: "bo@example.com" }, data: { code: "4711" }, sendAt },
    });
    await page.goto(pageOf(house, project, "templates"));
    const row = page.getByRole("row", { name: /Receipt of a purchase/ });
    await row.waitFor();
    assert.deepEqual((await row.getByRole("cell").allTextContents()).slice(2, 6), ["1", "1", "0", "0"]);
    await assertFaultlessEverywhere(page, "templates");
    await tab(page, "Receipts").click();
    await page
      .getByRole("row", { name: /cy@example\.com/ })
      .getByText("Waits")
      .waitFor();
    const body = page.getByRole("row").filter({ has: page.getByRole("cell") });
    assert.equal(await body.count(), 3);
    await page.getByText("Not shown").waitFor();
    await assertFaultlessEverywhere(page, "receipts");
    await page.getByLabel("State", { exact: true }).selectOption({ label: "Waits" });
    await page.getByRole("row", { name: /ada@example\.com/ }).waitFor({ state: "detached" });
    assert.equal(await body.count(), 2);
    await page.getByLabel("Template", { exact: true }).selectOption({ label: "Code" });
    await page.getByRole("row", { name: /cy@example\.com/ }).waitFor({ state: "detached" });
    assert.equal(await body.count(), 1);
    await page.getByLabel("State", { exact: true }).selectOption({ label: "Bounced" });
    await page.getByText("No receipt is like that.").waitFor();
    await button(page, "Show all").click();
    await page
      .getByRole("row", { name: /ada@example\.com/ })
      .getByRole("link")
      .click();
    await title(page, "Your receipt A-1");
    await page.getByRole("row", { name: /Arrived/ }).waitFor();
    await page.getByRole("row", { name: /receipt\.txt/ }).waitFor();
    await page
      .getByRole("region", { name: "The data of the request" })
      .getByText('"total": "€ 4.00"')
      .waitFor();
    await page.getByRole("row", { name: /Taken/ }).first().waitFor();
    await assertFaultlessEverywhere(page, "a receipt");
    await link(page, "ada@example.com").click();
    await tab(page, "Messages").click();
    await page.getByRole("link", { name: "Receipts to this user, with what became of each" }).click();
    await page.getByText("Only receipts to mailto:ada@example.com.").waitFor();
    await page.getByRole("row", { name: /ada@example\.com/ }).waitFor();
    assert.equal(await body.count(), 1);
    await page.goto(pageOf(house, project, "templates?view=sends&template=code"));
    await page
      .getByRole("row", { name: /bo@example\.com/ })
      .getByRole("link")
      .click();
    await page.getByText("It is secret, so it is not shown.").waitFor();
    assert.equal((await page.getByRole("main").textContent())?.includes("4711"), false);
    await assertFaultlessEverywhere(page, "a receipt that is secret");
    await page.getByRole("link", { name: "code", exact: true }).click();
    await title(page, "Code");
    await tab(page, "Figures").click();
    await page.getByText("Opens and clicks of this template are not counted", { exact: false }).waitFor();
    await assertFaultlessEverywhere(page, "the figures of a template");
    await tab(page, "Receipts").click();
    await page.getByRole("row", { name: /bo@example\.com/ }).waitFor();
    assert.equal(await body.count(), 1);
    await button(page, "Pause").click();
    await page.getByText("It is paused: requests to send it are refused", { exact: false }).waitFor();
    assert.deepEqual(complaints, []);
  });

  it("show the mail that code writes itself as one of their own, without a text", async (t) => {
    const page = await newPage(t);
    const project = await opened(page, "viewer");
    await project.api.sendMail({
      body: { to: { email: "ada@example.com" }, message: { subject: "By code", text: "Hello" } },
    });
    await house.drain();
    await assertPageFaultless(page, pageOf(house, project, "templates"), "Mail written by your code");
    await link(page, "Mail written by your code").click();
    await page.getByText("The text comes with each request", { exact: false }).waitFor();
    assert.equal(await tab(page, "How to send it").count(), 0);
    await tab(page, "Receipts").click();
    await link(page, "By code").click();
    await page.getByText("Your code wrote this mail itself", { exact: false }).waitFor();
  });
});
