import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it, type TestContext } from "node:test";
import type { Frame, Page } from "playwright-core";
import { inWords } from "../apps/dashboard/src/platform/faults.ts";
import type { PersonRole } from "../apps/server/src/platform/http/contract/person.ts";
import { days, trait } from "../apps/server/test/audience/trees.ts";
import { setSettings } from "../apps/server/test/email.ts";
import { feedback, launchCampaign, messagesOf, toast } from "../apps/server/test/factories.ts";
import type { TestProject } from "../apps/server/test/harness.ts";
import { giveRole, makePerson } from "../apps/server/test/people.ts";
import { accessibilityFaults } from "./axe.ts";
import {
  assertFaultless,
  assertFaultlessEverywhere,
  complaintsOf,
  HANDS,
  hasFocus,
  openedBy,
  pageOf,
  title,
} from "./dashboard.ts";
import { pageWith } from "./site.ts";
import { testStage } from "./stage.ts";

const { house, site, page: newPage } = testStage();

const opened = (page: Page, role: PersonRole) => openedBy(house, page, role);
const addressOf = (project: TestProject, path: string) => pageOf(house, project, path);

const MAIL = { subject: "Hi {{ user.name | default: 'there' }}", body: "# Big news\n\nWe **did** it." };

/** A draft, opened in the editor. */
async function editing(page: Page, project: TestProject, body: object = {}): Promise<string> {
  const { id } = await launchCampaign(project, { name: "Spring", launch: false, ...body });
  await page.goto(addressOf(project, `campaigns/${id}/edit`));
  await title(page, "Edit Spring");
  return id;
}

/** A server of another host, and what was requested of it. */
async function startStranger(t: TestContext): Promise<{ url: string; requested: string[] }> {
  const requested: string[] = [];
  const server = createServer((request, answer) => {
    requested.push(request.url ?? "");
    answer.setHeader("content-type", "image/png").end();
  }).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requested };
}

const stored = async ({ api }: TestProject, id: string) => (await api.getCampaign({ path: { id } })).campaign;
const saved = (page: Page) => page.getByText("Saved", { exact: true }).waitFor();

/** The frame in which a message is drawn. */
async function frameOf(page: Page, name: string): Promise<Frame> {
  const element = await page.locator(`iframe[title="${name}"]`).elementHandle();
  // Browsers draw nothing in a frame that is out of sight, as it is on a phone until a person scrolls to it.
  await element?.scrollIntoViewIfNeeded();
  const frame = await element?.contentFrame();
  assert.ok(frame, name);
  return frame;
}

/** What the SDK has drawn, without the scheme of the page around it. */
const drawnIn = (frame: Frame): Promise<string> =>
  frame.locator("tidings-message").evaluate((host) => {
    const root = host.shadowRoot;
    const sheets = root?.adoptedStyleSheets.flatMap(({ cssRules }) =>
      [...cssRules].map(({ cssText }) => cssText),
    );
    return `${root?.innerHTML}\n${sheets?.join("\n")}`;
  });

describe("the pictures of a message", () => {
  it("come from this server at once, and from another host only when a person says so", async (t) => {
    const page = await newPage(t);
    const stranger = await startStranger(t);
    const [project] = await opened(page, "editor");
    await setSettings(house, project, {
      "email.from": "Acme News <news@acme.example>",
      "email.postalAddress": "1 Main Street",
    });
    const own: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/media/")) own.push(request.url());
    });
    const picture = (url: string): string => `![A picture](${url})`;
    const body = `Look\n\n${picture(`${stranger.url}/spy.png`)}\n\n${picture(`${house.url}/media/own.png`)}`;
    await editing(page, project, { channel: "email", message: { subject: "Hello", body } });
    const show = page.getByRole("button", { name: `Show pictures from ${new URL(stranger.url).host}` });
    await show.waitFor();
    await (await frameOf(page, "The mail")).getByText("Look").waitFor();
    assert.deepEqual([stranger.requested, own.length > 0], [[], true]);
    assert.deepEqual(await accessibilityFaults(page), []);
    const loaded = page.waitForResponse(`${stranger.url}/spy.png`);
    await show.click();
    await loaded;
    await (await frameOf(page, "The mail")).getByText("Look").waitFor();
    assert.deepEqual([stranger.requested, await show.count()], [["/spy.png"], 0]);
  });

  it("come from no host that an address of the frame only seems to name", async () => {
    const policyFor = async (...given: string[]): Promise<string> => {
      const query = new URLSearchParams(given.map((each) => ["pictures", each]));
      const { headers } = await fetch(`${house.url}/app/preview?${query}`);
      const directives = (headers.get("content-security-policy") ?? "").split("; ");
      assert.equal(directives.length, 8, "one policy, of the directives that it has without an address");
      return directives.find((each) => each.startsWith("img-src ")) ?? "";
    };
    const plain = await policyFor();
    assert.equal(plain, `img-src 'self' data: ${house.url}`);
    for (const bad of [
      "*",
      "https:",
      "https://a.example; script-src *",
      "https://a.example/x",
      "data:",
      "https://*.example *",
      "",
    ])
      assert.equal(await policyFor(bad), plain, bad);
    assert.equal(
      await policyFor("https://a.example", "http://b.example:81"),
      `${plain} https://a.example http://b.example:81`,
    );
  });
});

describe("the editor", () => {
  for (const { on, use, press } of HANDS)
    it(`takes a person from nothing to a message that a user is served, ${on}, without a call by hand`, async (t) => {
      const page = await newPage(t, use);
      const complaints = complaintsOf(page);
      const [project] = await opened(page, "editor");
      await project.sdk.identify({ body: { userId: "ada", traits: { name: "Ada", plan: "free" } } });
      await project.sdk.identify({ body: { userId: "grace", traits: { name: "Grace", plan: "pro" } } });
      await page.goto(addressOf(project, "campaigns"));
      await press(page.getByRole("button", { name: "New campaign" }));
      await title(page, "New campaign");
      await press(page.getByRole("button", { name: "Save as a draft" }));
      await page.getByRole("alert").getByText("name must not be empty").waitFor();
      await page.getByLabel("Name", { exact: true }).fill("Offer");
      await page.getByLabel("Title").fill("Hello {{ user.name }}");
      await page.getByLabel("Text of the button").fill("Upgrade");
      await page.getByLabel("Link of the button").fill("/pricing");
      await page.getByRole("combobox", { name: "As this user" }).fill("ada");
      const frame = await frameOf(page, "The message in a page");
      await frame.getByText("Hello Ada").waitFor();
      await page.getByRole("combobox", { name: "Audience" }).selectOption("expression");
      await page.getByText("It cannot be counted yet.").waitFor();
      await page.getByLabel("Trait, id or time").fill("plan");
      await page.getByLabel("Value", { exact: true }).fill("free");
      await page.getByText("1 of 2 users").waitFor();
      await page.getByText("For example ada").waitFor();
      await page.reload();
      assert.equal(
        await page.getByLabel("Title").inputValue(),
        "Hello {{ user.name }}",
        "a reload loses nothing",
      );
      await press(page.getByRole("button", { name: "Save as a draft" }));
      await title(page, "Edit Offer");
      await saved(page);
      await press(page.getByRole("button", { name: "Launch" }));
      const dialog = page.getByRole("dialog", { name: "Launch “Offer”?" });
      await dialog.getByText("1 known user gets it when they come").waitFor();
      await press(dialog.getByRole("button", { name: "Launch" }));
      await dialog.waitFor({ state: "detached" });
      await title(page, "Offer");
      await page.getByRole("tab", { name: "Results", selected: true }).waitFor();
      const main = page.getByRole("main");
      await main.getByText(/^Live since .* The first numbers appear at the next page view/).waitFor();
      await press(page.getByRole("button", { name: "Edit" }));
      await page.getByText("It runs, so your changes gather", { exact: false }).waitFor();
      await page.getByLabel("Text", { exact: true }).fill("At once");
      await press(page.getByRole("button", { name: "Look at the changes" }));
      await page.getByRole("insertion").getByText("At once").waitFor();
      await press(page.getByRole("button", { name: "Apply", exact: true }));
      await saved(page);
      assert.deepEqual(await messagesOf(project, "grace"), []);
      const [message] = await messagesOf(project, "ada");
      assert.deepEqual(message?.content, {
        presentation: "toast",
        title: "Hello Ada",
        body: "At once",
        cta: { label: "Upgrade", url: "/pricing" },
      });
      await press(page.getByRole("link", { name: "Back to the campaign" }));
      await title(page, "Offer");
      assert.deepEqual(complaints, []);
    });

  it("starts a new campaign over, and leaves an ended one as it was", async (t) => {
    const page = await newPage(t);
    const [project] = await opened(page, "editor");
    await page.goto(addressOf(project, "campaigns/new"));
    assert.equal(await page.getByRole("button", { name: "Start over" }).count(), 0);
    await page.getByLabel("Title").fill("Never to be seen");
    await page.getByRole("link", { name: "All campaigns" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Leave" }).click();
    await title(page, "Campaigns");
    await page.getByRole("button", { name: "New campaign" }).click();
    assert.equal(await page.getByLabel("Title").inputValue(), "Never to be seen");
    await page.getByRole("radio", { name: "Email" }).check();
    await page.getByLabel("Subject").fill("By mail");
    await page.getByRole("radio", { name: "In the app" }).check();
    assert.equal(
      await page.getByLabel("Title").inputValue(),
      "Never to be seen",
      "another channel loses nothing",
    );
    const question = page.getByRole("dialog", { name: "Give up what you wrote?" });
    await page.getByRole("button", { name: "Start over" }).click();
    await question.getByRole("button", { name: "Cancel" }).click();
    await question.waitFor({ state: "detached" });
    assert.equal(await page.getByLabel("Title").inputValue(), "Never to be seen");
    await page.getByRole("button", { name: "Start over" }).click();
    await question.getByRole("button", { name: "Give it up" }).click();
    await question.waitFor({ state: "detached" });
    assert.equal(await page.getByLabel("Title").inputValue(), "");
    await page.getByRole("radio", { name: "Email" }).check();
    assert.equal(await page.getByLabel("Subject").inputValue(), "");
    const { id } = await launchCampaign(project);
    await project.api.setCampaignStatus({ path: { id }, body: { action: "end" } });
    await page.goto(addressOf(project, `campaigns/${id}/edit`));
    await page.getByText("It has ended, so it stays as it was.", { exact: false }).waitFor();
    assert.equal(await page.getByLabel("Title").count(), 0);
  });

  it("draws a message as the page of a customer does, to the last element and rule", async (t) => {
    const page = await newPage(t);
    const [project] = await opened(page, "editor");
    await project.sdk.identify({ body: { userId: "ada", traits: { name: "Ada <b>" } } });
    const contents = [
      {
        ...toast("Hello {{ user.name }}"),
        body: "Two\nlines",
        cta: { label: "Go", url: "https://shop.example/" },
      },
      { presentation: "modal" as const, title: "مرحبا", body: "x".repeat(600) },
    ];
    for (const message of contents) {
      const id = await editing(page, project, { message });
      await page.getByRole("combobox", { name: "As this user" }).fill("ada");
      const frame = await frameOf(page, "The message in a page");
      await frame
        .getByText("presentation" in message && message.presentation === "modal" ? "مرحبا" : "Hello Ada")
        .waitFor();
      await project.api.setCampaignStatus({ path: { id }, body: { action: "launch" } });
      const script = `<script async src="${house.url}/tidings.js" data-key="${project.publishableKey}" data-user="ada" data-theme="light"></script>`;
      site.serve({ "/": { html: pageWith(script) } });
      const visitor = await newPage(t);
      await visitor.goto(site.url);
      await visitor.locator("tidings-message [part~=card]").waitFor();
      assert.equal(await drawnIn(frame), await drawnIn(visitor.mainFrame()));
      await project.api.setCampaignStatus({ path: { id }, body: { action: "end" } });
    }
  });

  it("gives a message no way to the page around it, and takes no focus from the person who types", async (t) => {
    const page = await newPage(t);
    const [project] = await opened(page, "editor");
    await editing(page, project, { message: { presentation: "modal", title: "Hello" } });
    await page.getByLabel("Title").fill("Hello there");
    const frame = await frameOf(page, "The message in a page");
    await frame.getByText("Hello there").waitFor();
    assert.equal(await page.getByLabel("Title").evaluate((field) => field === document.activeElement), true);
    const origin = await frame.evaluate(() => {
      try {
        return [self.origin, String(document.cookie), String(parent.document)];
      } catch (error) {
        return [self.origin, (error as Error).name];
      }
    });
    assert.deepEqual(origin, ["null", "SecurityError"]);
  });

  it("saves a draft by itself, refuses what is wrong by its field, and leaves only once all is saved", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const [project, editor] = await opened(page, "editor");
    const id = await editing(page, project);
    const until = page.waitForResponse((response) => response.request().method() === "PATCH");
    await page.getByLabel("Title").fill("Hello again");
    await until;
    await saved(page);
    assert.deepEqual((await stored(project, id)).variants[0]?.content, { ...toast("Hello again") });
    await page.getByLabel("Title").fill("");
    await page.getByText("Not saved", { exact: true }).waitFor();
    await page.getByText("must have a title or a text").first().waitFor();
    assert.deepEqual((await stored(project, id)).variants[0]?.content, { ...toast("Hello again") });
    await page.getByRole("link", { name: "Back to the campaign" }).click();
    const leaving = page.getByRole("dialog", { name: "Leave with changes that are not saved?" });
    await leaving.getByRole("button", { name: "Stay" }).click();
    await page.getByLabel("Text", { exact: true }).fill("A body instead");
    await page.getByRole("link", { name: "Back to the campaign" }).click();
    await title(page, "Spring");
    const { content } = (await stored(project, id)).variants[0] ?? {};
    assert.deepEqual(content, { presentation: "toast", title: "", body: "A body instead" });
    const { entries } = await fetch(`${house.url}/api/people/audit`, {
      headers: editor.headers(project.projectId),
    }).then((response) => response.json());
    assert.deepEqual(
      entries.map(({ operation, by }: { operation: string; by: { name: string } }) => [operation, by.name]),
      [
        ["updateCampaign", editor.name],
        ["updateCampaign", editor.name],
      ],
    );
    assert.deepEqual(complaints, []);
  });

  it("gathers changes of what runs, shows them word by word, and applies them at once", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const [project] = await opened(page, "editor");
    const id = await editing(page, project, { launch: true, message: toast("Buy one of these now") });
    await messagesOf(project, "ada");
    const before = await stored(project, id);
    await page.getByLabel("Title").fill("Buy two of these now");
    await page.getByRole("textbox", { name: "Pages" }).fill("/shop*");
    await page.getByText("2 changes wait").waitFor();
    await page.reload();
    await page.getByText("2 changes wait").waitFor();
    await page.keyboard.press("ControlOrMeta+s");
    const dialog = page.getByRole("dialog", { name: "Apply these changes?" });
    await dialog.getByRole("deletion").getByText("one").waitFor();
    await dialog.getByRole("insertion").getByText("two").waitFor();
    await dialog.getByText("It is for 1 user then, of whom 0 have not got it yet.").waitFor();
    assert.deepEqual(await stored(project, id), before, "nothing is changed before it is applied");
    await assertFaultless(page, "the changes");
    await page.keyboard.press("ControlOrMeta+s");
    await page.keyboard.press("ControlOrMeta+Enter");
    await saved(page);
    const after = await stored(project, id);
    assert.deepEqual([after.pages, after.variants[0]?.content], [["/shop*"], toast("Buy two of these now")]);
    await page.getByLabel("Title").fill("Never applied");
    await page.getByRole("button", { name: "Discard" }).click();
    await page.getByRole("button", { name: "Give it up" }).click();
    assert.equal(await page.getByLabel("Title").inputValue(), "Buy two of these now");
    assert.deepEqual(complaints, []);
  });

  it("shows theirs beside yours where somebody else was faster, and overwrites neither by itself", async (t) => {
    const page = await newPage(t);
    const [project, editor] = await opened(page, "editor");
    const id = await editing(page, project);
    const theirs = (name: string) => project.api.updateCampaign({ path: { id }, body: { name } });
    await theirs("By a colleague");
    await page.getByLabel("Name", { exact: true }).fill("By me");
    const stale = page.getByText("This campaign was changed meanwhile");
    await stale.waitFor();
    const alert = page.getByRole("alert").filter({ has: stale });
    await alert.getByText("A program or an agent changed it.", { exact: false }).waitFor();
    const ofName = alert.getByRole("group", { name: "Name" });
    await ofName.getByRole("deletion").getByText("a colleague").waitFor();
    await ofName.getByRole("insertion").getByText("me").waitFor();
    assert.doesNotMatch((await alert.textContent()) ?? "", /[{}]|expectedRevision/, "no word for programs");
    assert.equal((await stored(project, id)).name, "By a colleague");
    await assertFaultless(page, "theirs beside yours");
    await page.getByRole("button", { name: "Keep mine" }).click();
    await saved(page);
    assert.equal((await stored(project, id)).name, "By me");
    const { entries } = await fetch(`${house.url}/api/people/audit`, {
      headers: editor.headers(project.projectId),
    }).then((response) => response.json());
    const { before, after } = entries[0];
    assert.deepEqual([before, after], [{ name: "By a colleague" }, { name: "By me" }]);
    await theirs("By a colleague again");
    await page.getByLabel("Title").fill("Mine, too");
    await stale.waitFor();
    await page.getByRole("button", { name: "Take theirs" }).click();
    await page.getByRole("button", { name: "Give it up" }).click();
    await saved(page);
    assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "By a colleague again");
    assert.equal(await page.getByLabel("Title").inputValue(), "Hello");
    await project.api.setCampaignStatus({ path: { id }, body: { action: "launch" } });
    await page.getByLabel("Title").fill("Written as a draft");
    await stale.waitFor();
    assert.deepEqual(
      (await stored(project, id)).variants[0]?.content,
      toast(),
      "what runs is not changed unseen",
    );
    await page.getByRole("button", { name: "Keep mine" }).click();
    await page.getByText("1 change waits").waitFor();
  });

  it("says who changed the campaign meanwhile, and keeps a variant that they have added", async (t) => {
    const page = await newPage(t);
    const [project] = await opened(page, "editor");
    const id = await editing(page, project);
    const other = await page.context().newPage();
    t.after(() => other.close());
    await other.goto(addressOf(project, `campaigns/${id}/edit`));
    await title(other, "Edit Spring");
    await other.getByRole("button", { name: "Add a variant" }).click();
    await other.getByLabel("Title").fill("From the other tab");
    await saved(other);
    await page.bringToFront();
    await page.getByRole("button", { name: "Add a variant" }).click();
    await page.getByLabel("Title").fill("From this tab");
    await page.getByText("You changed it in another tab or window", { exact: false }).waitFor();
    await page.getByRole("button", { name: "Keep mine" }).click();
    await saved(page);
    const texts = async () =>
      (await stored(project, id)).variants.map(({ name, content }) => [name, content]);
    const both = [
      ["A", toast()],
      ["B", toast("From the other tab")],
      ["C", toast("From this tab")],
    ];
    assert.deepEqual(await texts(), both);
    const colleague = await makePerson(house);
    await giveRole(house, project.projectId, colleague, "editor");
    const { status } = await fetch(`${house.url}/api/v1/campaigns/${id}`, {
      method: "PATCH",
      headers: { ...colleague.headers(project.projectId), "content-type": "application/json" },
      body: JSON.stringify({ name: "Theirs" }),
    });
    assert.equal(status, 200);
    await page.getByLabel("Title").fill("Mine again");
    await page.getByText(`${colleague.name} changed it, `, { exact: false }).waitFor();
  });

  it("builds an audience of nested conditions, counts it exactly, and says which one is wrong", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const [project] = await opened(page, "editor");
    for (const [userId, plan, seats] of [
      ["ada", "pro", 3],
      ["grace", "free", 9],
      ["joan", "team", 1],
      ["mary", "pro", 12],
    ] as const)
      await project.sdk.identify({ body: { userId, traits: { plan, seats, isAdmin: userId === "mary" } } });
    await project.sdk.track({ body: { userId: "ada", event: "bought", props: { price: 30 } } });
    const id = await editing(page, project);
    await page.getByText("4 of 4 users").waitFor();
    await page.getByRole("combobox", { name: "Audience" }).selectOption("expression");
    const names = page.getByLabel("Trait, id or time");
    const operators = page.getByLabel("Comparison");
    await names.fill("seats");
    await operators.selectOption("gte");
    await page.getByLabel("Value", { exact: true }).fill("3");
    await page.getByText("3 of 4 users").waitFor();
    await page.getByRole("button", { name: "Add a group" }).click();
    await names.nth(1).fill("isAdmin");
    await page.getByLabel("Value", { exact: true }).nth(1).selectOption("true");
    await page.getByText("1 of 4 users").waitFor();
    await page.getByRole("button", { name: "Add an event" }).first().click();
    await page.getByLabel("Event", { exact: true }).fill("bought");
    await page.getByLabel("In a time").selectOption("window");
    await page.getByText("2 of 4 users").waitFor();
    await page.getByRole("button", { name: "Add a property" }).click();
    await page.getByLabel("Property of the event").fill("price");
    await operators.nth(2).selectOption("gt");
    await page.getByText("This must", { exact: false }).first().waitFor();
    await page.getByLabel("Value", { exact: true }).last().fill("30");
    await page.getByText("1 of 4 users").waitFor();
    await page.locator('[data-place$="/where/0"]').getByText("0 users", { exact: true }).waitFor();
    await page.getByLabel("Whether it must be met").nth(3).selectOption("not");
    await page.getByText("3 of 4 users").waitFor();
    await saved(page);
    const { audience } = await stored(project, id);
    assert.ok(audience.kind === "expression");
    const {
      evaluatedAt: _,
      samples,
      matchedCount,
    } = await project.api.checkAudience({
      body: { expression: audience.expression },
    });
    assert.deepEqual(
      [matchedCount, samples.map(({ externalUserId }) => externalUserId)],
      [3, ["ada", "grace", "mary"]],
    );
    // The page of the campaign counts the same, once it is asked to.
    await page.goto(addressOf(project, `campaigns/${id}`));
    await page.getByText(/^Audience: /).waitFor();
    assert.equal(await page.getByText("of 4 users").count(), 0);
    await page.getByRole("button", { name: "Count who matches now" }).click();
    await page.getByText("3 of 4 users").waitFor();
    const lines = page.getByRole("listitem");
    await lines.filter({ hasText: /^isAdmin is true1 user$/ }).waitFor();
    await assertFaultlessEverywhere(page, "a campaign whose audience is counted");
    await page.goto(addressOf(project, `campaigns/${id}/edit`));
    await page.getByText("3 of 4 users").waitFor();
    assert.equal(await page.getByLabel("Property of the event").inputValue(), "price");
    await page.getByRole("button", { name: "Remove this group" }).click();
    const asking = page.getByRole("dialog", { name: "Remove 3 conditions?" });
    await asking.getByRole("button", { name: "Cancel" }).click();
    await asking.waitFor({ state: "detached" });
    assert.equal(await page.getByLabel("Property of the event").inputValue(), "price");
    await page.getByRole("button", { name: "Remove this group" }).click();
    await asking.getByRole("button", { name: "Remove them" }).click();
    await page.getByRole("button", { name: "Remove this condition" }).click();
    await page.getByText("It cannot be counted yet.").waitFor();
    assert.deepEqual(complaints, []);
  });

  it("reminds of what is ahead, and takes a pasted list of ids that is too long for one condition", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const [project] = await opened(page, "editor");
    const ids = Array.from({ length: 100 }, (_, index) => `tester-${index}`);
    const traits = { trial_ends: new Date(house.now() + 2 * 86_400_000).toISOString() };
    for (const userId of ["tester-7", "tester-93", "ada"])
      await project.sdk.identify({ body: { userId, traits } });
    const id = await editing(page, project);
    await page.getByRole("combobox", { name: "Audience" }).selectOption("expression");
    const names = page.getByLabel("Trait, id or time");
    await names.fill("trial_ends");
    await page.getByLabel("Comparison").selectOption({ label: "is within the next" });
    await page.getByLabel("How long").fill("3");
    await page.getByText("3 of 3 users").waitFor();
    await page.getByRole("button", { name: "Add a condition" }).click();
    await names.nth(1).fill("User id");
    const operators = page.getByLabel("Comparison").nth(1);
    assert.deepEqual(await operators.locator("option").allTextContents(), [
      "is",
      "is not",
      "is one of",
      "is none of",
      "contains",
      "starts with",
      "ends with",
    ]);
    await operators.selectOption({ label: "is one of" });
    const list = page.getByLabel("Values, one a line or with commas between");
    await list.evaluate(
      (field, text) => {
        (field as HTMLTextAreaElement).focus();
        document.execCommand("insertText", false, text);
      },
      `${ids.join("\r\n")}\r\n`,
    );
    await page.getByText("100 values").waitFor();
    await page.getByText("2 of 3 users").waitFor();
    await saved(page);
    const { audience } = await stored(project, id);
    assert.ok(audience.kind === "expression" && audience.expression.root.kind === "all");
    const [reminder, testers] = audience.expression.root.children;
    assert.deepEqual(reminder, trait("trial_ends", "within_next", days(3)));
    assert.ok(testers?.kind === "any");
    const listed = testers.children.flatMap((child) => ("value" in child ? child.value : []));
    assert.deepEqual(listed.toSorted(), ids.toSorted());
    await page.reload();
    await page.getByText("2 of 3 users").waitFor();
    await page.getByText("100 values").waitFor();
    assert.equal(await list.count(), 1, "it is one condition again");
    await operators.selectOption({ label: "is none of" });
    await page.getByText("1 of 3 users").waitFor();
    await saved(page);
    assert.deepEqual(complaints, []);
  });

  it("says what is wrong with a condition once a person has come to it, or wants it saved", async (t) => {
    const page = await newPage(t);
    const [project] = await opened(page, "editor");
    const id = await editing(page, project);
    const audiences = page.getByRole("combobox", { name: "Audience" });
    const faults = page.getByText("This must not be empty.", { exact: true });
    await audiences.selectOption("expression");
    await page.getByText("It cannot be counted yet.").waitFor();
    // What is written beside it is saved, and what was only begun is no fault.
    const renamed = page.waitForResponse((answer) => answer.request().method() === "PATCH");
    await page.getByLabel("Name", { exact: true }).fill("Summer");
    assert.equal((await renamed).status(), 200);
    await page.getByText("Not saved yet", { exact: true }).waitFor();
    const { name, audience } = await stored(project, id);
    assert.deepEqual([await faults.count(), name, audience.kind], [0, "Summer", "all"]);
    await page.getByLabel("Trait, id or time").focus();
    await page.getByLabel("Comparison").focus();
    await faults.waitFor();
    await page.getByLabel("Trait, id or time").fill("plan");
    await page.getByText("0 of 0 users").waitFor();
    await saved(page);
    await page.getByRole("button", { name: "Add an event" }).click();
    await page.getByText("It cannot be counted yet.").waitFor();
    await page.getByText("Not saved yet", { exact: true }).waitFor();
    assert.equal(await faults.count(), 0);
    await page.getByRole("button", { name: "Save now" }).click();
    await faults.waitFor();
    await page.getByText("In the audience: This must not be empty.").waitFor();
    await audiences.selectOption("segment");
    await page.getByText("There is no segment yet", { exact: false }).waitFor();
    await page.getByText("Not saved yet", { exact: true }).waitFor();
  });

  it("saves a new campaign by a key, and leaves a person in the field that they are in", async (t) => {
    const page = await newPage(t);
    const [project] = await opened(page, "editor");
    await page.goto(addressOf(project, "campaigns/new"));
    await page.getByLabel("Name", { exact: true }).fill("Offer");
    const field = page.getByLabel("Title");
    await field.fill("Hello");
    await field.press("ArrowLeft");
    await page.keyboard.press("ControlOrMeta+s");
    await title(page, "Edit Offer");
    await hasFocus(field);
    await page.waitForURL((url) => !url.search.includes("field="));
    await page.keyboard.type("w");
    assert.equal(await field.inputValue(), "Hellwo");
    await saved(page);
    await page.keyboard.press("ControlOrMeta+Enter");
    await page.getByRole("dialog", { name: "Launch “Offer”?" }).waitFor();
  });

  for (const [channel, fields] of [
    ["In the app", ["Title", "Text", "Text of the button"]],
    ["Email", ["Subject", "Text (Markdown)"]],
    ["Push", ["Title", "Text"]],
  ] as const)
    it(`writes a trait that is chosen where the cursor is, by keys: ${channel}`, async (t) => {
      const page = await newPage(t);
      const [project] = await opened(page, "editor");
      for (const userId of ["ada", "grace"])
        await project.sdk.identify({ body: { userId, traits: { plan: "pro" } } });
      await page.goto(addressOf(project, "campaigns/new"));
      await page.getByRole("radio", { name: channel }).check();
      for (const label of fields) {
        const field = page.getByLabel(label, { exact: true });
        await field.fill("Hi !");
        await field.press("ArrowLeft");
        await page.getByRole("button", { name: "Personal field" }).press("Enter");
        await hasFocus(page.getByLabel("Trait", { exact: true }));
        await page.keyboard.type("plan");
        await page.getByText("2 users have it, for example pro.").waitFor();
        await page.keyboard.press("Tab");
        await page.keyboard.type("no plan");
        await page.keyboard.press("Enter");
        await hasFocus(field);
        assert.equal(await field.inputValue(), 'Hi {{ user.plan | default: "no plan" }}!');
      }
    });

  it("keeps the last good picture of a message while a person writes", async (t) => {
    const page = await newPage(t);
    const [project] = await opened(page, "editor");
    await editing(page, project);
    const link = page.getByLabel("Link of the button");
    const frame = await frameOf(page, "The message in a page");
    await frame.getByText("Hello").waitFor();
    await page.getByLabel("Text of the button").fill("Go");
    await link.focus();
    await page.keyboard.type("ht");
    await page.getByText("As of your last complete text.").waitFor();
    await frame.getByText("Hello").waitFor();
    assert.equal(await link.getAttribute("aria-invalid"), null, "nothing is red while it is written");
    await page.getByLabel("Text", { exact: true }).focus();
    await page
      .getByText("must be an address such as https://example.com", { exact: false })
      .first()
      .waitFor();
    assert.equal(await link.getAttribute("aria-invalid"), "true");
  });

  it("says nothing against a field of a new message before a person was in it", async (t) => {
    const page = await newPage(t);
    const [project] = await opened(page, "editor");
    const refusal = () =>
      page.waitForResponse((answer) => answer.url().includes("/preview") && answer.status() === 400);
    const wrong = page.locator("[aria-invalid=true]");
    for (const [channel, field, other, fault] of [
      ["In the app", "Title", "Text", "must have a title or a text"],
      ["Email", "Subject", "Text (Markdown)", "must not be empty"],
      ["Push", "Title", "Text", "must not be empty"],
    ] as const) {
      const refused = refusal();
      if (channel === "In the app") await page.goto(addressOf(project, "campaigns/new"));
      else await page.getByRole("radio", { name: channel }).check();
      await refused;
      await page.getByText("Write something, and it is drawn here.").waitFor();
      assert.equal(await wrong.count(), 0, channel);
      await page.getByLabel(field, { exact: true }).focus();
      await page.getByLabel(other, { exact: true }).focus();
      await page.getByText(fault).first().waitFor();
      assert.equal(await wrong.count(), 1, channel);
    }
  });

  it("adds variants with shares, and compares them with the control that is chosen", async (t) => {
    const page = await newPage(t);
    const [project] = await opened(page, "editor");
    const id = await editing(page, project);
    await page.getByRole("button", { name: "Add a variant" }).click();
    await page.getByRole("tab", { name: "Variant B" }).waitFor();
    await page.getByLabel("Weight").fill("3");
    await page.getByText("75% of users", { exact: false }).waitFor();
    await page.getByLabel("Title").fill("Another one");
    await page.getByLabel("Name of the variant").fill("Bold");
    await page.getByRole("checkbox", { name: "Control" }).check();
    await saved(page);
    const { variants } = await stored(project, id);
    assert.deepEqual(
      variants.map(({ name, weight, isControl, content }) => [name, weight, isControl, content]),
      [
        ["A", 1, false, toast()],
        ["Bold", 3, true, toast("Another one")],
      ],
    );
    await page.getByRole("tab", { name: "Variant A" }).click();
    assert.equal(await page.getByLabel("Title").inputValue(), "Hello");
  });

  it("takes a variant out again until users have got it, and brings it back", async (t) => {
    const page = await newPage(t);
    const [project] = await opened(page, "editor");
    const removal = (name: string) => page.getByRole("button", { name: `Remove variant ${name}` });
    await page.goto(addressOf(project, "campaigns/new"));
    await page.getByLabel("Title").fill("Hello");
    await page.getByRole("button", { name: "Add a variant" }).click();
    await page.getByLabel("Title").fill("By mistake");
    await removal("B").click();
    await page.getByRole("dialog").getByRole("button", { name: "Give it up" }).click();
    assert.equal(await page.getByRole("tab").count(), 0, "one alone has no tabs");
    assert.equal(await page.getByLabel("Title").inputValue(), "Hello");
    const id = await editing(page, project, { variants: [{ message: toast("A") }, { message: toast("B") }] });
    const weights = async () => (await stored(project, id)).variants.map(({ weight }) => weight);
    await page
      .getByText("The others are compared with the control, so it stays.", { exact: false })
      .waitFor();
    assert.ok(await removal("A").isDisabled());
    await page.getByRole("tab", { name: "Variant B" }).click();
    await removal("B").click();
    await page.getByText("Variant B was removed").waitFor();
    await saved(page);
    assert.deepEqual(await weights(), [1, 0]);
    await page.goto(addressOf(project, `campaigns/${id}`));
    await page.getByRole("article", { name: "A", exact: true }).waitFor();
    assert.equal(await page.getByRole("article").count(), 1, "its readers see no more of it");
    await page.goto(addressOf(project, `campaigns/${id}/edit`));
    await page.getByRole("button", { name: "Bring it back" }).click();
    await page.getByRole("tab", { name: "Variant B" }).waitFor();
    await saved(page);
    assert.deepEqual(await weights(), [1, 1]);
    await project.api.setCampaignStatus({ path: { id }, body: { action: "launch" } });
    for (const user of Array.from({ length: 12 }, (_, index) => `user-${index}`)) {
      const [message] = await messagesOf(project, user);
      assert.ok(message);
      await feedback(project, message.deliveryId, user, "shown");
    }
    await house.drain();
    await page.reload();
    await page.getByRole("tab", { name: "Variant B" }).click();
    await page.getByText("Users have got it, so it stays", { exact: false }).waitFor();
    assert.ok(await removal("B").isDisabled());
  });
});

describe("what is refused in the editor", () => {
  const cta = { label: "Go", url: "https://shop.example/" };
  const mail = { subject: "Hello", body: "Hello", cta };
  const push = {
    title: "Hello",
    body: "Hello",
    destination: { kind: "website", url: "https://shop.example/" },
  };
  const wrongTexts = [
    "",
    " ",
    "x".repeat(60_000),
    "{{ user.id",
    "{% if %}",
    "/plans",
    "javascript:x",
    "\u202e",
  ];
  const messages = { web_inapp: { ...toast(), body: "Hello", cta }, email: mail, push };
  /** A message with each of its texts made wrong in turn. */
  function* wronged(message: object): Generator<object> {
    for (const [name, value] of Object.entries(message))
      if (typeof value === "object") for (const part of wronged(value)) yield { ...message, [name]: part };
      else for (const wrong of wrongTexts) yield { ...message, [name]: wrong };
  }

  it("is said with the names that the form has, and never with a path", async () => {
    const project = await house.project();
    const sentences = new Set<string>();
    const send = (body: object) =>
      fetch(`${house.url}/api/v1/campaigns`, {
        method: "POST",
        headers: { authorization: `Bearer ${project.secretKey}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      }).then(async (response) => response.ok || sentences.add(inWords((await response.json()).error)));
    const base = { name: "Spring", goalId: null };
    for (const [channel, message] of Object.entries(messages)) {
      const settings = channel === "push" ? { push: { appId: "app", selection: { kind: "all" } } } : {};
      for (const wrong of wronged(message))
        await send({ ...base, ...settings, channel, variants: [{ message: wrong }] });
    }
    const web = { ...base, message: toast() };
    for (const wrong of [
      { name: "" },
      { goalId: "goal_none" },
      { pages: ["x y"] },
      { deliverFrom: house.now() + 2_000, deliverUntil: house.now() + 1_000 },
      { deliverUntil: 1 },
      { audience: { kind: "segment", segment: "" } },
      { message: { ...toast(), media: { url: "none", decorative: true } } },
      { variants: [{ name: "", message: toast() }], message: undefined },
      { variants: [{ weight: 0, message: toast() }], message: undefined },
      { variants: ["A", "A"].map((name) => ({ name, message: toast() })), message: undefined },
    ])
      await send({ ...web, ...wrong });
    for (const wrong of [
      { appId: "", selection: { kind: "all" } },
      { appId: "app", selection: { kind: "specific", installationId: "" } },
      { appId: "app", selection: { kind: "all" }, ttlSeconds: 0 },
      { appId: "app", selection: { kind: "all" }, replacementKey: "x".repeat(100) },
    ])
      await send({ ...base, channel: "push", push: wrong, message: push });
    assert.ok(sentences.size > 40, [...sentences].join("\n"));
    const paths = [...sentences].filter((each) => /^[a-z]|^\S*[.[/]\S* (?:must|is)|\b[a-z]+[A-Z]/.test(each));
    assert.deepEqual(paths, [], "each begins with the name of a field");
  });
});

describe("the editor of mail and push", () => {
  it("shows the mail itself, sends it as a test, and says what keeps it from launching", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const [project, person] = await opened(page, "editor");
    await project.sdk.identify({
      body: { userId: "ada", traits: { name: "Ada", email: "ada@example.com" } },
    });
    await editing(page, project, { channel: "email", message: MAIL });
    await page.getByRole("combobox", { name: "As this user" }).fill("ada");
    await page.getByText("Hi Ada").first().waitFor();
    await page.getByText("Set email.from", { exact: false }).waitFor();
    const frame = await frameOf(page, "The mail");
    await frame.getByRole("heading", { name: "Big news" }).waitFor();
    const body = page.getByLabel("Text (Markdown)");
    await body.evaluate((area: HTMLTextAreaElement) => area.setSelectionRange(0, 0));
    await page.getByRole("button", { name: "Bold" }).click();
    assert.equal(await body.inputValue(), `**bold**${MAIL.body}`);
    // Both are waited for: what is shown before a fault is what stays while there is one.
    await frame.getByText("bold").waitFor();
    await body.fill(MAIL.body);
    await frame.getByRole("heading", { name: "Big news" }).waitFor();
    await body.fill("{{ user.name | explode }}");
    await page.getByText("explode", { exact: false }).last().waitFor();
    await frame.getByRole("heading", { name: "Big news" }).waitFor();
    await body.fill("Plainly, *{{ user.name }}*.");
    await frame.getByText("Plainly, Ada.").waitFor();
    await saved(page);
    await page.getByRole("button", { name: "Launch" }).click();
    await page.getByRole("dialog").getByText("It cannot launch now").waitFor();
    assert.equal(await page.getByRole("dialog").getByRole("button", { name: "Launch" }).isDisabled(), true);
    await page.keyboard.press("Escape");
    await setSettings(house, project, {
      "email.from": "Acme <news@acme.example>",
      "email.postalAddress": "Acme, 1 Main Street",
    });
    await page.getByRole("button", { name: "Send a test" }).click();
    const dialog = page.getByRole("dialog", { name: "Send a test" });
    assert.equal(await dialog.getByLabel("Address").inputValue(), person.email);
    await dialog.getByRole("button", { name: "Send", exact: true }).click();
    await dialog.getByText(`The test for ${person.email} did not leave this server.`).waitFor();
    await dialog.getByText("Mail goes nowhere yet: it is caught in the outbox").waitFor();
    await dialog.getByRole("link", { name: "Look at the outbox" }).waitFor();
    await page.reload();
    await page.getByText("news@acme.example").first().waitFor();
    await page.getByRole("button", { name: "Launch" }).click();
    await page
      .getByRole("dialog")
      .getByText("1 user gets this mail, and whoever matches later, until you end it.")
      .waitFor();
    await page.getByRole("dialog").getByText("Mail goes nowhere yet").waitFor();
    assert.deepEqual(complaints, []);
  });

  it("says above the mail what Gmail would hide of it, and that HTML is shown as text", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const [project] = await opened(page, "editor");
    const link = "[The story](https://shop.example/stories/one-of-many?of=the-week&sent=by-mail)\n\n";
    const body = `<table><tr><td>\n\n${link.repeat(290)}${"a".repeat(10_000)}`;
    await editing(page, project, { channel: "email", message: { subject: "News", body } });
    const size = page.getByText(
      "Gmail shows the first 102 kB and hides the rest behind a link, the link to unsubscribe and the picture that counts opens among it.",
      { exact: false },
    );
    const html = page.getByText("HTML is shown as text, as in <table><tr><td>", { exact: false });
    await Promise.all([size, html].map((remark) => remark.waitFor()));
    const [above, below] = [await size.boundingBox(), await page.locator("iframe").boundingBox()];
    assert.ok(above && below && above.y < below.y, "before all of a long mail is scrolled through");
    await assertFaultlessEverywhere(page, "a mail that is too long");
    await page.getByLabel("Text (Markdown)").fill(link.repeat(20));
    await Promise.all([size, html].map((remark) => remark.waitFor({ state: "detached" })));
    assert.deepEqual(complaints, []);
  });

  it("says at its field what is wrong, what the chosen user lacks, and again before a test leaves", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const [project] = await opened(page, "editor");
    await project.api.identify({ body: { userId: "ada", traits: { plan: "pro" } } });
    const message = {
      subject: "Hi {{ user.plan }}",
      body: "Dear {{ user.name }}, [read](http://localhost:3000/)",
    };
    await editing(page, project, { channel: "email", message });
    const local = "A link leads to localhost, which only your own computer or network can reach.";
    const body = page.getByRole("textbox", { name: "Text (Markdown)" });
    const about = async () => (await body.getAttribute("aria-describedby")) ?? "";
    await page.getByText(local).waitFor();
    assert.match(
      (await page.locator(`[id="${await about()}"]`).textContent()) ?? "",
      /A link leads to localhost/,
    );
    await page.getByRole("combobox", { name: "As this user" }).fill("ada");
    await page.getByText("This user has no name, and there is no default.").waitFor();
    assert.equal(await page.getByText("This user has no plan", { exact: false }).count(), 0);
    await page.getByRole("button", { name: "Send a test" }).click();
    const dialog = page.getByRole("dialog", { name: "Send a test" });
    await dialog.getByText(local).waitFor();
    await dialog.getByText("This user has no name, and there is no default.").waitFor();
    assert.deepEqual(complaints, []);
  });

  it("asks before a dialog goes in which a person has typed, and lets go of any other", async (t) => {
    const page = await newPage(t);
    const [project] = await opened(page, "editor");
    await editing(page, project, { channel: "email", message: MAIL });
    const dialog = page.getByRole("dialog", { name: "Send a test" });
    const open = async () => {
      await page.getByRole("button", { name: "Send a test" }).click();
      await hasFocus(dialog.getByLabel("Address"));
    };
    await open();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await open();
    await dialog.getByLabel("Address").fill("eve@example.com");
    await page.keyboard.press("Escape");
    await dialog.getByRole("button", { name: "Go on typing" }).click();
    assert.equal(await dialog.getByLabel("Address").inputValue(), "eve@example.com");
    await page.keyboard.press("Escape");
    await dialog.getByRole("button", { name: "Close", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
  });

  it("shows what a device is given, and to whom a push goes", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const [project] = await opened(page, "editor");
    await page.goto(addressOf(project, "campaigns/new"));
    await page.getByRole("radio", { name: "Push: a notification on phones" }).check();
    await page.getByLabel("Name", { exact: true }).fill("News");
    await page.getByLabel("Title").fill("Hello {{ user.name | default: 'you' }}");
    await page.getByLabel("Text", { exact: true }).fill("Have a look");
    await page.getByLabel("Opens").fill("acme://news");
    await page.getByRole("region", { name: "The push" }).getByText("Hello you").waitFor();
    await page.getByRole("button", { name: "What Apple is given" }).click();
    await page.getByText('"category"').or(page.getByText('"mutable-content": 1')).first().waitFor();
    await page.getByLabel("App", { exact: true }).fill("com.example.app");
    await page.getByLabel("Devices", { exact: true }).selectOption("all");
    await page.getByLabel("Worth delivering for (hours)").fill("2");
    await page.getByRole("button", { name: "Save as a draft" }).click();
    await title(page, "Edit News");
    const { campaigns } = await project.api.listCampaigns({});
    assert.deepEqual(campaigns[0]?.push, {
      appId: "com.example.app",
      selection: { kind: "all" },
      ttlSeconds: 7_200,
    });
    await page.getByRole("button", { name: "Launch" }).click();
    await page.getByRole("dialog").getByText("Put a push credential", { exact: false }).waitFor();
    assert.deepEqual(complaints, []);
  });
});

describe("the pages of the editor", () => {
  it("are free of faults in every width and colour", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const [project] = await opened(page, "editor");
    await project.sdk.identify({ body: { userId: "ada", traits: { plan: "x".repeat(90) } } });
    await page.goto(addressOf(project, "campaigns/new"));
    await page.getByText("1 of 1 user").waitFor();
    await assertFaultlessEverywhere(page, "a new campaign");
    const where = [{ kind: "field", field: { kind: "event_property", key: "price" }, op: "gt", value: 3 }];
    const days = { amount: 3, unit: "days" };
    const children = [
      { kind: "field", field: { kind: "trait", key: "plan" }, op: "in", value: ["pro", "x".repeat(90)] },
      {
        kind: "not",
        child: { kind: "event", event: "bought", count: { op: "lt", value: 3 }, window: days, where },
      },
      {
        kind: "any",
        children: [
          { kind: "field", field: { kind: "user", field: "lastSeenAt" }, op: "within_last", value: days },
        ],
      },
    ];
    const expression = { version: 1, root: { kind: "all", children } };
    await editing(page, project, {
      audience: { kind: "expression", expression },
      variants: [
        { message: { presentation: "modal", title: "x".repeat(120), body: "x".repeat(600) } },
        { message: toast("B") },
      ],
    });
    await page.getByText("of 1 user", { exact: false }).waitFor();
    await (await frameOf(page, "The message in a page")).getByText("xxx").first().waitFor();
    await assertFaultlessEverywhere(page, "a campaign of two variants");
    await editing(page, project, { channel: "email", message: MAIL, goalId: null });
    await (await frameOf(page, "The mail")).getByText("Big news").waitFor();
    await page.getByRole("button", { name: "Headers" }).click();
    await assertFaultlessEverywhere(page, "a mail");
    await page.getByRole("button", { name: "Send a test" }).click();
    await page.getByRole("dialog").waitFor();
    await assertFaultlessEverywhere(page, "a test mail");
    const push = { appId: "x".repeat(200), selection: { kind: "specific", installationId: "phone" } };
    const message = { title: "x".repeat(200), body: "Text", destination: { kind: "app", url: "acme://x" } };
    await editing(page, project, { channel: "push", push, message });
    await page.getByRole("region", { name: "The push" }).waitFor();
    await assertFaultlessEverywhere(page, "a push");
    await editing(page, project, { launch: true });
    await page.getByLabel("Title").fill("Another");
    await page.getByText("1 change waits").waitFor();
    await assertFaultlessEverywhere(page, "a campaign that runs");
    assert.deepEqual(complaints, []);
  });

  it("say which role they take", async (t) => {
    const page = await newPage(t);
    const [project] = await opened(page, "viewer");
    const { id } = await launchCampaign(project, { launch: false });
    await page.goto(addressOf(project, "campaigns/new"));
    await page.getByText("editor").first().waitFor();
    assert.equal(await page.getByLabel("Title").count(), 0);
    await page.goto(addressOf(project, `campaigns/${id}`));
    await page.getByRole("button", { name: "Edit" }).focus();
    await page.getByText("Needs the role editor").waitFor();
  });
});
