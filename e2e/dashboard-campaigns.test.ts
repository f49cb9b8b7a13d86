import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import type { PersonRole } from "../apps/server/src/platform/http/contract/person.ts";
import { dueCampaign, leasedCampaign, mutate, PAUSE, showExactly } from "../apps/server/test/agent.ts";
import { launchEmail, setSettings } from "../apps/server/test/email.ts";
import {
  feedback,
  launchCampaign,
  messagesOf,
  pausedByGuardrail,
  toast,
} from "../apps/server/test/factories.ts";
import type { TestProject } from "../apps/server/test/harness.ts";
import { open, sentMail } from "../apps/server/test/mail.ts";
import { giveRole, makePerson } from "../apps/server/test/people.ts";
import { launchPush, MESSAGE as PUSH_MESSAGE } from "../apps/server/test/push.ts";
import {
  assertFaultlessEverywhere,
  assertPageFaultless,
  cameIn,
  complaintsOf,
  HANDS,
  hasFocus,
  messageOf,
  openedBy,
  pageOf,
  reads,
  title,
} from "./dashboard.ts";
import { testStage } from "./stage.ts";

const { house, page: newPage } = testStage();

const DAY_MS = 86_400_000;
const VISITORS_A_DAY = 60;
const DAYS = 3;

const opened = (page: Page, role: PersonRole) => openedBy(house, page, role);
const addressOf = (project: TestProject, path: string) => pageOf(house, project, path);

/** Some days in which users see two texts: those who see "Plain" pay never, the others always. A part of the users is held out. */
async function experiment(project: TestProject): Promise<string> {
  const { api } = project;
  house.at(Date.now() - (DAYS + 1) * DAY_MS);
  const { goal } = await api.createGoal({
    body: { name: "Sales", targetEvent: "paid", attributionDays: 1, holdoutPercent: 20 },
  });
  const { id } = await launchCampaign(project, {
    name: "Two texts",
    goalId: goal.id,
    variants: [
      { name: "Plain", message: toast("Plain") },
      { name: "Promise", message: toast("Promise") },
    ],
  });
  for (let day = 0; day < DAYS; day++) {
    const payers: string[] = [];
    for (let visitor = 0; visitor < VISITORS_A_DAY; visitor++) {
      const userId = `visitor-${day}-${visitor}`;
      for (const { deliveryId, content } of await messagesOf(project, userId)) {
        await feedback(project, deliveryId, userId, "shown");
        if (content.title === "Promise") payers.push(userId);
      }
    }
    await api.trackBatch({
      body: { events: payers.map((userId) => ({ userId, event: "paid", ts: house.now() })) },
    });
    house.advance(DAY_MS);
  }
  house.at(Date.now());
  return id;
}

describe("the list of campaigns", () => {
  it("is searched and filtered by the address, which a reload and the way back keep", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const [project] = await opened(page, "viewer");
    await launchCampaign(project, { name: "Summer sale" });
    await launchCampaign(project, { name: "Summer draft", launch: false });
    await launchCampaign(project, { name: "Winter sale" });
    await page.goto(addressOf(project, "overview"));
    await page.getByRole("link", { name: "Campaigns", exact: true }).click();
    await title(page, "Campaigns");
    const link = (name: string) => page.getByRole("link", { name, exact: true });
    await link("Winter sale").waitFor();
    await page.getByLabel("Search by name").fill("summer");
    await link("Winter sale").waitFor({ state: "detached" });
    const search = page.getByLabel("Search by name");
    assert.equal(await search.evaluate((field) => field === document.activeElement), true);
    await page.getByRole("combobox", { name: "Status" }).click();
    await page.getByRole("option", { name: "Draft" }).click();
    await link("Summer sale").waitFor({ state: "detached" });
    assert.equal(new URL(page.url()).search, "?q=summer&status=draft");
    await page.reload();
    await link("Summer draft").click();
    await title(page, "Summer draft");
    await page.goBack();
    await link("Summer draft").waitFor();
    assert.equal(await page.getByLabel("Search by name").inputValue(), "summer");
    assert.equal(await link("Winter sale").count(), 0);
    await page.getByLabel("Search by name").fill("no such");
    await page.getByRole("button", { name: "Show all" }).click();
    await link("Winter sale").waitFor();
    assert.equal(await page.getByLabel("Search by name").inputValue(), "");
    assert.deepEqual(complaints, []);
  });

  it("counts of each campaign what its channel has", async (t) => {
    const page = await newPage(t);
    const [project] = await opened(page, "viewer");
    const columns = () => page.getByRole("columnheader").allTextContents();
    const figuresOf = async (name: string) =>
      (await page.getByRole("row", { name }).getByRole("cell").allTextContents()).slice(2, -1);
    const first = await sentMail(house, project, { userId: "ada" });
    const second = await sentMail(house, project, { userId: "bo", campaignId: first.campaignId });
    await sentMail(house, project, { userId: "cy", campaignId: first.campaignId });
    house.advance(10_000);
    // One of them is opened twice, which is one person still.
    for (const mail of [first, second, second]) await open(mail);
    await page.goto(addressOf(project, "campaigns"));
    await page.getByRole("cell", { name: "3", exact: true }).waitFor();
    const common = ["Clicked", "Converted", "Made"];
    assert.deepEqual(await columns(), ["Name", "Status", "Sent", "Opened", ...common]);
    assert.deepEqual(await figuresOf("News"), ["3", "2", "0", "–"]);
    const { id } = await launchCampaign(project, { name: "In the page" });
    const [shown] = await messagesOf(project, "ada");
    await feedback(project, shown?.deliveryId ?? "", "ada", "shown");
    assert.equal(shown?.campaignId, id);
    await page.reload();
    await page.getByRole("cell", { name: "1", exact: true }).waitFor();
    assert.deepEqual(await columns(), ["Name", "Status", "Sent", "Shown", "Opened", ...common]);
    assert.deepEqual(await figuresOf("In the page"), ["", "1", "", "0", "–"]);
    assert.deepEqual(await figuresOf("News"), ["3", "", "2", "0", "–"]);
    await page.getByLabel("Search by name").fill("page");
    await page.getByRole("link", { name: "News", exact: true }).waitFor({ state: "detached" });
    assert.deepEqual(await columns(), ["Name", "Status", "Shown", ...common]);
    await page.getByLabel("Search by name").fill("");
    await page.getByRole("link", { name: "News", exact: true }).waitFor();
    await assertFaultlessEverywhere(page, "the list of campaigns of all channels");
  });

  it("turns its pages", async (t) => {
    const page = await newPage(t);
    const [project] = await opened(page, "viewer");
    for (let n = 0; n < 26; n++) {
      house.advance(1);
      await launchCampaign(project, { name: `Campaign ${n}`, launch: false });
    }
    await page.goto(addressOf(project, "campaigns"));
    await page.getByText("26 in all").waitFor();
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByRole("link", { name: "Campaign 0", exact: true }).waitFor();
    await page.getByText("Page 2 of 2").waitFor();
    assert.equal(await page.getByRole("button", { name: "Next" }).isDisabled(), true);
  });
});

describe("a campaign", () => {
  it("says what may be claimed, how it came to be, and what messages are worth", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const [project] = await opened(page, "viewer");
    const id = await experiment(project);
    const query = { event: "paid", series: "day" as const };
    const { statistics } = await project.api.getCampaignConversions({ path: { id }, query });
    await page.goto(addressOf(project, `campaigns/${id}`));
    await page.getByText("Promise is better than the control").waitFor();
    const promise = page.getByRole("row", { name: /Promise/ });
    await promise.getByText("Better").waitFor();
    const [, better] = statistics.variants;
    assert.equal(better?.comparison?.verdict, "better");
    assert.equal(
      await promise.getByRole("cell").nth(2).textContent(),
      String(better?.matured.exposedUsers),
      "all of them have had their time",
    );
    await page.getByRole("img", { name: /The band around the lift of Promise/ }).waitFor();
    await page.getByText("As a table").click();
    const days = page.getByRole("table").filter({ hasText: "Day (UTC)" }).getByRole("row");
    // No user paid who saw "Plain": the band begins with the first day on which a difference was claimed, and ends with now.
    const claimed = (statistics.series ?? []).filter(({ variants }) => (variants[1]?.lower ?? -1) > 0);
    await days.nth(claimed.length + 1).waitFor();
    assert.equal(await days.count(), 1 + claimed.length + 1);
    await page.getByText("Messages bring conversions", { exact: false }).waitFor();
    await page.getByText("Users are split as the weights say.").waitFor();
    await page.getByRole("link", { name: "Goal: Sales" }).click();
    await title(page, "Sales");
    assert.deepEqual(complaints, []);
  });

  it("shows what users read, variant by variant, with who gets it and what came of it", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const [project] = await opened(page, "viewer");
    const id = await experiment(project);
    const { statistics } = await project.api.getCampaignConversions({
      path: { id },
      query: { event: "paid" },
    });
    await page.goto(addressOf(project, `campaigns/${id}`));
    await page.getByRole("tab", { name: "Results", selected: true }).waitFor();
    const row = page.getByRole("row", { name: /^Promise/ });
    await row.getByRole("link", { name: "“Promise”" }).click();
    await page.waitForURL(/\?view=message$/);
    for (const [index, name] of ["Plain", "Promise"].entries()) {
      const { exposedUsers = 0 } = statistics.variants[index]?.matured ?? {};
      const message = messageOf(page, name);
      await message.getByText("50% of users", { exact: true }).waitFor();
      await message.getByText(`${index * 100}% of ${exposedUsers} users converted`).waitFor();
      await reads(page, name, name);
    }
    await messageOf(page, "Plain").getByText("Control", { exact: true }).waitFor();
    assert.equal(await messageOf(page, "Promise").getByText("Control", { exact: true }).count(), 0);
    const places = async () =>
      Promise.all(["Plain", "Promise"].map((name) => messageOf(page, name).boundingBox()));
    const [left, right] = await places();
    assert.equal(left?.y, right?.y, "beside each other");
    await page.setViewportSize({ width: 390, height: 844 });
    const [upper, lower] = await places();
    assert.ok(upper && lower && lower.y >= upper.y + upper.height, "below each other on a phone");
    await assertFaultlessEverywhere(page, "the messages of a campaign");
    await page.getByRole("tab", { name: "Results" }).click();
    await page.waitForURL((url) => url.search === "");
    await page.getByRole("tab", { name: "Deliveries" }).click();
    await page
      .getByRole("row", { name: /visitor-/ })
      .first()
      .getByRole("link", { name: /^“P/ })
      .click();
    await page.getByRole("tab", { name: "Message", selected: true }).waitFor();
    assert.deepEqual(complaints, []);
  });

  it("opens as its message while it is a draft, as the user whom one names, and as its results once it is launched", async (t) => {
    const page = await newPage(t);
    const [project] = await opened(page, "editor");
    await project.sdk.identify({ body: { userId: "ada", traits: { name: "Ada" } } });
    const message = toast('Hello {{ user.name | default: "there" }}');
    const { id } = await launchCampaign(project, { name: "Hello", launch: false, message });
    await page.goto(addressOf(project, `campaigns/${id}`));
    await page.getByRole("tab", { name: "Message", selected: true }).waitFor();
    await reads(page, "A", "Hello there");
    await page.getByText("Personal fields say what a user without traits reads", { exact: false }).waitFor();
    await page.getByRole("combobox", { name: "As this user" }).fill("ada");
    await reads(page, "A", "Hello Ada");
    assert.equal(new URL(page.url()).search, "?as=ada");
    assert.equal(await page.getByText("Nothing was sent yet", { exact: false }).count(), 0);
    await page.getByRole("button", { name: "Launch" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("100%, A: “Hello there”").waitFor();
    await dialog.getByRole("button", { name: "Launch" }).click();
    await page.getByRole("tab", { name: "Results", selected: true }).waitFor();
  });

  it("shows mails and pushes as their readers see them, and how many got them where there is no goal", async (t) => {
    const page = await newPage(t);
    const [project] = await opened(page, "viewer");
    const mails = ["Old", "New"].map((name) => ({
      name,
      message: { subject: `${name} news`, body: `# ${name} things\n\nHi **there**.` },
    }));
    const mail = await launchEmail(project, { variants: mails, launch: false });
    await page.goto(addressOf(project, `campaigns/${mail.id}`));
    for (const name of ["Old", "New"]) {
      await messageOf(page, name).getByText(`Subject: ${name} news`).waitFor();
      await reads(page, name, `${name} things`);
    }
    await assertFaultlessEverywhere(page, "the messages of a campaign by mail");
    const pushes = ["Old", "New"].map((name) => ({
      name,
      message: { ...PUSH_MESSAGE, title: `${name} push` },
    }));
    const push = await launchPush(project, { variants: pushes, launch: false });
    await page.goto(addressOf(project, `campaigns/${push.id}`));
    for (const name of ["Old", "New"])
      await page
        .getByRole("region", { name: `The push: ${name}` })
        .getByText(`${name} push`)
        .waitFor();
    await assertFaultlessEverywhere(page, "the messages of a campaign by push");
    const { id } = await launchCampaign(project, { message: toast("Shown") });
    const [shown] = await messagesOf(project, "ada");
    await feedback(project, shown?.deliveryId ?? "", "ada", "shown");
    await page.goto(addressOf(project, `campaigns/${id}?view=message`));
    await messageOf(page, "A").getByText("Shown to 1 user").waitFor();
  });

  it("warns of rates beside each other where users are split otherwise than the weights say", async (t) => {
    const page = await newPage(t);
    const [project] = await opened(page, "viewer");
    const made = await dueCampaign(house, project, { goal: { targetEvent: "paid", attributionDays: 1 } });
    await showExactly(project, { A: { shown: 150, paid: 6 }, B: { shown: 4, paid: 4 } });
    house.advance(2 * DAY_MS);
    await page.goto(addressOf(project, `campaigns/${made.id}?view=message`));
    await page
      .getByRole("alert")
      .getByText(/so these rates may not be compared/)
      .waitFor();
    await messageOf(page, "B").getByText("100% of 4 users converted").waitFor();
    house.at(Date.now());
  });

  it("counts what users did where there is no goal, and says so where they did nothing", async (t) => {
    const page = await newPage(t);
    const [project] = await opened(page, "viewer");
    const { id } = await launchCampaign(project);
    await page.goto(addressOf(project, `campaigns/${id}`));
    await page
      .getByText("Your users have done nothing that could be counted yet.", { exact: false })
      .waitFor();
    for (const event of ["came", "paid"])
      await project.api.trackBatch({ body: { events: [{ userId: "ada", event, ts: house.now() }] } });
    await page.reload();
    await page.getByText("One variant, so there is nothing to compare").waitFor();
    await page.getByRole("combobox", { name: "Counted event" }).click();
    await page.getByRole("option", { name: "paid" }).click();
    await page.waitForURL(/\?event=paid$/);
    await page.goto(addressOf(project, `campaigns/${id}?event=${"x".repeat(81)}`));
    await page.getByRole("alert").getByText("event", { exact: false }).first().waitFor();
    await page.goto(addressOf(project, "campaigns?page=-7&status=none"));
    await page.getByText("1 in all").waitFor();
  });

  it("lists its deliveries by state", async (t) => {
    const page = await newPage(t);
    const [project] = await opened(page, "viewer");
    const { id } = await launchCampaign(project);
    for (const userId of ["ada", "grace"]) {
      const [message] = await messagesOf(project, userId);
      if (userId === "ada") await feedback(project, message?.deliveryId ?? "", userId, "shown");
    }
    await page.goto(addressOf(project, `campaigns/${id}`));
    await page.getByRole("tab", { name: "Deliveries" }).click();
    await page.getByText("grace").waitFor();
    await page.getByRole("combobox", { name: "State" }).click();
    await page.getByRole("option", { name: "Shown" }).click();
    await page.getByText("grace").waitFor({ state: "detached" });
    await page.getByText("1 in all").waitFor();
    assert.equal(new URL(page.url()).search, "?view=deliveries&state=shown");
  });

  for (const { on, use, press } of HANDS)
    it(`says why one user does not get it, ${on}, by an address that a colleague can open`, async (t) => {
      const page = await newPage(t, use);
      const [project] = await opened(page, "viewer");
      await project.sdk.identify({ body: { userId: "ada", traits: { plan: "pro" } } });
      const root = {
        kind: "field" as const,
        field: { kind: "trait" as const, key: "plan" },
        op: "eq" as const,
        value: "free",
      };
      const { id } = await launchCampaign(project, {
        name: "Upgrade",
        audience: { kind: "expression", expression: { version: 1, root } },
      });
      await page.goto(addressOf(project, `campaigns/${id}`));
      await press(page.getByRole("tab", { name: "Why (not)?" }));
      await page.getByRole("textbox", { name: "User", exact: true }).fill("ada");
      await page.keyboard.press("Enter");
      await page.getByText("ada: does not get it").waitFor();
      const colleague = await newPage(t);
      const person = await makePerson(house);
      await giveRole(house, project.projectId, person, "viewer");
      await cameIn(colleague.context(), house, person);
      await colleague.goto(page.url());
      await colleague.getByText("ada: does not get it").waitFor();
      await colleague.getByText("Audience ✕ stops it").waitFor();
    });

  it("is copied, launched for those whom the census names, paused and ended by an editor", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const [project, editor] = await opened(page, "editor");
    const { api } = project;
    await api.trackBatch({
      body: {
        events: ["ada", "grace", "joan"].map((userId) => ({ userId, event: "came", ts: house.now() })),
      },
    });
    const { id } = await launchCampaign(project, { name: "Hello", launch: false });
    await page.goto(addressOf(project, `campaigns/${id}`));
    await page.getByRole("button", { name: "Duplicate" }).click();
    await title(page, "Hello (copy)");
    const copyId = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    const stored = async () => (await api.getCampaign({ path: { id: copyId } })).campaign;
    const { variants, audience, status, createdBy } = await stored();
    const { campaign: original } = await api.getCampaign({ path: { id } });
    assert.deepEqual(
      { content: variants[0]?.content, audience, status, createdBy },
      {
        content: original.variants[0]?.content,
        audience: original.audience,
        status: "draft",
        createdBy: "human",
      },
    );
    await page.getByRole("button", { name: "Launch" }).click();
    const dialog = page.getByRole("dialog", { name: "Launch “Hello (copy)”?" });
    await dialog.getByText("3 known users get it when they come").waitFor();
    await dialog.getByRole("button", { name: "Launch" }).click();
    await page.getByText("Running", { exact: true }).waitFor();
    assert.equal((await stored()).status, "running");
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("Paused", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Resume" }).click();
    await page.getByText("Running", { exact: true }).waitFor();
    await page.getByRole("button", { name: "End" }).click();
    await page.getByRole("dialog", { name: /^End/ }).getByRole("button", { name: "End" }).click();
    await page.getByText("Ended", { exact: true }).waitFor();
    assert.equal((await stored()).status, "ended");
    assert.equal(await page.getByRole("button", { name: "Launch" }).count(), 0);
    await page.getByRole("link", { name: "Audit log" }).click();
    await page.getByText("status: running → ended").waitFor();
    assert.equal(await page.getByRole("cell", { name: editor.name }).count(), 5);
    assert.deepEqual(complaints, []);
  });

  it("says before a launch who lacks what it says, and what is likely a slip, and leads to the field", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const [project] = await opened(page, "editor");
    const { api } = project;
    for (const userId of ["ada", "grace", "joan"])
      await api.identify({
        body: {
          userId,
          traits: { email: `${userId}@example.com`, ...(userId === "ada" && { first_name: "Ada" }) },
        },
      });
    const variants = [
      { name: "A", weight: 1, message: { subject: "Hi {{ user.first_name }}", body: "News" } },
      { name: "B", weight: 0, message: { subject: "Hi {{ user.first_nmae }}", body: "<b>News</b>" } },
    ];
    const { id } = await launchEmail(project, { name: "Greeting", variants, launch: false });
    await setSettings(house, project, {
      "email.from": "Acme <news@acme.example>",
      "email.postalAddress": "Acme, 1 Main Street",
    });
    await page.goto(addressOf(project, `campaigns/${id}`));
    await page.getByRole("button", { name: "Launch" }).click();
    const dialog = page.getByRole("dialog", { name: "Launch “Greeting”?" });
    const findings = dialog.getByRole("alert", { name: "Look at the texts before they go out" });
    await findings.getByText("2 of 3 have no first_name, and there is no default.").waitFor();
    await findings.getByText("B, Text: HTML is shown as text, as in <b>: a body is Markdown.").waitFor();
    await assertFaultlessEverywhere(page, "what is found before a launch");
    await findings
      .getByText('B, Subject: No trait "first_nmae" was seen so far. Perhaps it is first_name.')
      .getByRole("link", { name: "Change it" })
      .click();
    await dialog.waitFor({ state: "detached" });
    const subject = page.getByLabel("Subject", { exact: true });
    assert.equal(await subject.inputValue(), "Hi {{ user.first_nmae }}");
    await hasFocus(subject);
    await page.getByText('No trait "first_nmae" was seen so far.').waitFor();
    const [described] = await page.getByText('No trait "first_nmae" was seen so far.').all();
    assert.ok(
      described &&
        (await described.locator("xpath=ancestor::*[contains(@class,'InputWrapper-root')]").count()) > 0,
    );
    await page.getByRole("button", { name: "Launch" }).click();
    await findings.waitFor();
    await dialog.getByRole("button", { name: "Launch" }).click();
    await dialog.waitFor({ state: "detached" });
    assert.equal((await api.getCampaign({ path: { id } })).campaign.status, "running");
    assert.deepEqual(complaints, []);
  });

  it("says who paused it, when and why, and when it begins or was over", async (t) => {
    const page = await newPage(t);
    const [project, editor] = await opened(page, "editor");
    const { api, agent } = project;
    house.at(Date.now());
    const show = (id: string) => page.goto(addressOf(project, `campaigns/${id}`));
    const { id: byHand } = await launchCampaign(project, { name: "By hand" });
    await show(byHand);
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText(new RegExp(`^Paused by ${editor.name}, `)).waitFor();
    await api.setCampaignStatus({ path: { id: byHand }, body: { action: "launch" } });
    await api.setCampaignStatus({ path: { id: byHand }, body: { action: "pause" } });
    await page.reload();
    await page.getByText(/^Paused by a program, /).waitFor();
    await house.database.pool.query("update campaigns set pause = null where 'cmp_' || id = $1", [byHand]);
    await page.reload();
    await page.getByText("Nobody knows any more who paused it").waitFor();

    const leased = await leasedCampaign(house, project);
    const variant = leased.campaign.variants[1];
    const rationale = `Users of ${variant?.id} leave.`;
    const { run } = await agent.createAgentRun({
      body: { kind: "evaluate", campaignId: leased.id, rationale },
    });
    await mutate(project, leased, PAUSE, { runId: run.id });
    await show(leased.id);
    await page.getByText(/^Paused by an agent, .+: Users of B leave\.$/).waitFor();
    await assertFaultlessEverywhere(page, "a campaign that an agent has paused");
    await page.getByRole("link", { name: "See why" }).click();
    await title(page, "Decision");

    const { id: limited } = await pausedByGuardrail(house, project);
    await show(limited);
    await page.getByText(/^Paused for a limit of its goal \(Forbidden phrases\), /).waitFor();
    await page.getByRole("link", { name: "Decide about the limit" }).click();
    await title(page, "Approvals");

    const [from, until] = [house.now() + DAY_MS, house.now() + 2 * DAY_MS];
    const window = { deliverFrom: from, deliverUntil: until };
    const { id: later } = await launchCampaign(project, { name: "Later", ...window });
    await show(later);
    await page.getByText(/launched .+, begins .+, until /).waitFor();
    assert.equal(await page.getByText(/started /).count(), 0);
    house.at(until);
    await page.reload();
    await page.getByText(/, ended .+ by its window$/).waitFor();
    house.at(Date.now());
  });

  it("says why it was not launched, and which role it takes", async (t) => {
    const page = await newPage(t);
    const [project, person] = await opened(page, "viewer");
    const { goal } = await project.api.createGoal({
      body: { name: "Careful", guardrails: { forbiddenPhrases: ["hello"] } },
    });
    const { id } = await launchCampaign(project, { name: "Risky", launch: false, message: toast("Fine") });
    await page.goto(addressOf(project, `campaigns/${id}`));
    const launch = page.getByRole("button", { name: "Launch" });
    await launch.focus();
    await page.getByText("Needs the role editor").waitFor();
    await launch.press("Enter");
    assert.equal(await page.getByRole("dialog").count(), 0);
    await giveRole(house, project.projectId, person, "editor");
    house.advance(6_000);
    await page.reload();
    await launch.click();
    await page.getByRole("dialog").getByText("No page carries Tidings yet: nobody can see this").waitFor();
    const until = house.now() + 1_000;
    await project.api.updateCampaign({ path: { id }, body: { deliverUntil: until, goalId: goal.id } });
    house.at(until);
    await page.getByRole("dialog").getByRole("button", { name: "Launch" }).click();
    await page.getByRole("dialog").getByText("The delivery window is over", { exact: false }).waitFor();
  });
});

describe("the pages of campaigns", () => {
  it("are free of faults in every width and colour", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const [project] = await opened(page, "editor");
    const look = (path: string, ready: string) => assertPageFaultless(page, addressOf(project, path), ready);
    await look("campaigns", "There is no campaign yet.");
    const id = await experiment(project);
    await launchCampaign(project, { name: "x".repeat(80), launch: false });
    await look("campaigns", "Two texts");
    await look(`campaigns/${id}`, "With and without messages");
    await page.getByText("As a table").click();
    await assertFaultlessEverywhere(page, "the band as a table");
    await look(`campaigns/${id}?view=deliveries`, "visitor-");
    await look(`campaigns/${id}?view=why&user=visitor-0-0`, "visitor-0-0: ");
    await page.getByRole("button", { name: "End" }).click();
    await page.getByRole("dialog").waitFor();
    await assertFaultlessEverywhere(page, "the question before the end");
    await page.goto(addressOf(project, `campaigns/${id}`));
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByText("Queued for it or sent it before").waitFor();
    await assertFaultlessEverywhere(page, "the census");
    assert.deepEqual(complaints, []);
  });
});
