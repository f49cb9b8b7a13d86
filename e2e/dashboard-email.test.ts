import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import type { PersonRole } from "../apps/server/src/platform/http/contract/person.ts";
import { launchEmail, people, progressOf, setSettings } from "../apps/server/test/email.ts";
import type { TestProject } from "../apps/server/test/harness.ts";
import { startDnsServer } from "../apps/server/test/peers/dns-server.ts";
import { type SmtpPeer, startSmtp } from "../apps/server/test/peers/smtp.ts";
import {
  assertFaultlessEverywhere,
  complaintsOf,
  HANDS,
  hasFocus,
  openedBy,
  pageOf,
  title,
} from "./dashboard.ts";
import { testStage } from "./stage.ts";

const dns = await startDnsServer();
const { house, page: newPage } = testStage({ dnsServer: dns.address });
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(async () => {
  await smtp.close();
  await dns.close();
});

const SENDER = { "email.from": "Acme News <news@acme.example>", "email.postalAddress": "1 Main Street" };

/** A project whose page about email is open to a person with a role. */
async function opened(page: Page, role: PersonRole, settings: Readonly<Record<string, string>> = {}) {
  house.at(Date.now());
  const [project, person] = await openedBy(house, page, role);
  if (Object.keys(settings).length > 0) await setSettings(house, project, settings);
  return { project, person };
}

const bySmtp = () => ({
  ...SENDER,
  "email.domainVerified": "true",
  "email.smtpUrl": `smtp://127.0.0.1:${smtp.port}`,
  "email.capMax": "0",
});

/** Sends what is due, and lets campaigns that are sent once look whether they may end. */
async function endsByItself(): Promise<void> {
  await house.drain();
  house.advance(10_000);
  await house.drain();
}

const addressOf = (project: TestProject, view: string) => pageOf(house, project, `email?view=${view}`);

/** Mail of which the mail server never said whether it took it. */
async function lose(project: TestProject, ids: readonly string[], name = "Spring sale") {
  smtp.behave({ onMessage: () => "drop" });
  await people(project, ids);
  const campaign = await launchEmail(project, { name });
  await house.drain();
  smtp.behave({});
  smtp.taken.length = 0;
  return campaign;
}

describe("a newsletter", () => {
  const choice = (page: Page, name: RegExp) => page.getByRole("radio", { name });
  const ONCE = /^Everybody who matches when it is launched, once/;
  const ONWARD = /^Also everybody who matches later, as long as it runs/;

  it("is written in the dashboard, reaches who matches at its launch, and ends by itself", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const { project } = await opened(page, "editor", bySmtp());
    await people(project, ["ada", "ben"]);
    await page.goto(pageOf(house, project, "campaigns/new"));
    const channel = (name: RegExp) => page.getByRole("radio", { name }).check();
    assert.equal(await choice(page, ONCE).count(), 0, "a message in the page goes on while it runs");
    await channel(/^Push/);
    assert.equal(await choice(page, ONWARD).isChecked(), true);
    await channel(/^Email/);
    assert.equal(await choice(page, ONCE).isChecked(), true);
    await assertFaultlessEverywhere(page, "a new campaign by mail");
    await page.getByLabel("Name", { exact: true }).fill("December");
    await page.getByLabel("Subject").fill("News of December");
    await page.getByLabel("Text (Markdown)").fill("Hello.");
    await page.getByRole("button", { name: "Save as a draft" }).click();
    await title(page, "Edit December");
    await page.getByRole("button", { name: "Launch" }).click();
    const dialog = page.getByRole("dialog", { name: "Launch “December”?" });
    await dialog
      .getByText("2 users get this mail. Then it ends by itself; whoever matches later gets nothing.")
      .waitFor();
    await dialog.getByRole("button", { name: "Launch" }).click();
    await dialog.waitFor({ state: "detached" });
    smtp.taken.length = 0;
    await endsByItself();
    await people(project, ["late"]);
    house.advance(5 * 60_000);
    await house.drain();
    assert.deepEqual(smtp.taken.map(({ to }) => to).sort(), ["ada@example.com", "ben@example.com"]);
    await page.goto(pageOf(house, project, "campaigns"));
    await page.getByText(/^Ended by itself, /).waitFor();
    await page.getByRole("link", { name: "December", exact: true }).click();
    await page.getByText(/ended .* by itself: it was sent once/).waitFor();
    await page.goto(`${page.url().replace(/\?.*/, "")}?view=why&user=late`);
    await page.getByText(/other conditions?, of which/).click();
    const row = page.getByRole("row", { name: "Sent once" });
    await row.getByText("it does not come to users who could not get it then", { exact: false }).waitFor();
    await page.getByRole("button", { name: "Duplicate" }).click();
    await title(page, "December (copy)");
    await page.getByText("Is sent once: whoever matches when it is launched", { exact: false }).waitFor();
    assert.deepEqual(complaints, []);
  });

  it("says how far it is, and may go on to those who match later", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const { project } = await opened(page, "editor", bySmtp());
    await people(project, ["ada", "ben"]);
    smtp.behave({ onRecipient: (to) => (to.startsWith("ada") ? { code: 451, text: "4.7.1 Later" } : null) });
    const { id } = await launchEmail(project, { name: "December", once: true });
    await endsByItself();
    smtp.behave({});
    await page.goto(pageOf(house, project, "campaigns"));
    await page.getByText("Sent once: ends by itself when all of it is finished").waitFor();
    await page.goto(pageOf(house, project, `campaigns/${id}`));
    await page.getByText("Sending once: 1 mail left. Then it ends by itself.", { exact: false }).waitFor();
    await assertFaultlessEverywhere(page, "a campaign that is being sent once");
    await page.goto(pageOf(house, project, `campaigns/${id}/edit`));
    await choice(page, ONWARD).check();
    await page.getByRole("button", { name: "Look at the changes" }).click();
    const changes = page.getByRole("dialog", { name: "Apply these changes?" });
    const recipients = changes.getByRole("group", { name: "Who gets it" });
    await recipients.getByText("Also everybody who matches later, as long as it runs").waitFor();
    await changes
      .getByText("It goes on to whoever matches later, until you end it or its time is over.")
      .waitFor();
    await assertFaultlessEverywhere(page, "a campaign that is to go on");
    await changes.getByRole("button", { name: "Apply" }).click();
    await changes.waitFor({ state: "detached" });
    await page.goto(pageOf(house, project, `campaigns/${id}`));
    await page.getByText("Goes on to whoever matches later, until you end it or its time is over.").waitFor();
    const { campaign } = await project.api.getCampaign({ path: { id } });
    assert.deepEqual([campaign.once, campaign.status], [false, "running"]);
    assert.deepEqual(complaints, []);
  });

  it("does not end before a person has decided about mail whose fate is unknown", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const { project } = await opened(page, "editor", bySmtp());
    await people(project, ["ada"]);
    smtp.behave({ onMessage: () => "drop" });
    const { id } = await launchEmail(project, { name: "December", once: true });
    await endsByItself();
    smtp.behave({});
    await page.goto(pageOf(house, project, `campaigns/${id}`));
    await page
      .getByText("It does not end before a person decides about 1 mail whose fate is unknown.", {
        exact: false,
      })
      .waitFor();
    await page.getByRole("link", { name: "Decide" }).click();
    await title(page, "Email");
    assert.equal(new URL(page.url()).search, "?view=unknown");
    await page.getByRole("checkbox", { name: "Choose the mail to ada@example.com" }).waitFor();
    assert.deepEqual(complaints, []);
  });
});

describe("the sender", () => {
  it("is prepared by an owner who runs the server, from nothing to a signed mail in the own mailbox", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    house.at(Date.now());
    // The mail server of this test lies on this machine, which takes an operator.
    const [project, person] = await openedBy(house, page, "owner", { isOperator: true });
    await page.goto(pageOf(house, project, "email"));
    await title(page, "Email");
    await page.getByText("Campaigns cannot be launched yet").waitFor();
    await page.getByRole("button", { name: "Prepare the sender" }).click();
    const step = (name: string) => page.locator("section").filter({ hasText: name });
    await step("1. Who writes").getByText("To do").waitFor();
    await page.getByLabel("From", { exact: true }).fill("Shop <hello@shop.example>");
    await page.getByLabel("Postal address").fill("Shop Inc.\n1 Main Street");
    // Of the forms of this page, the one that has the focus is saved.
    await page.keyboard.press("ControlOrMeta+s");
    await step("1. Who writes").getByText("Done").waitFor();
    await page.getByText("Campaigns cannot be launched yet").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Name a mail server" }).click();
    const dialog = page.getByRole("dialog", { name: "Name a mail server" });
    await dialog.getByLabel("Address with user and password").fill(`smtp://127.0.0.1:${smtp.port}`);
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("This project has a mail server of its own.").waitFor();
    await page.getByText("The domain of the sender is not verified.").waitFor();
    assert.equal((await page.content()).includes(String(smtp.port)), false, "the secret is in no page");

    const copied = async (name: string) => (await page.getByLabel(name, { exact: true }).textContent()) ?? "";
    await page.getByRole("button", { name: "Check now" }).click();
    await page.getByText("The record is not there.").first().waitFor();
    for (const purpose of ["DKIM: proves that mail is yours", "SPF: says who may send it"]) {
      const value = await copied(`${purpose}, Value`);
      dns.zone.set(await copied(`${purpose}, Name`), [value.match(/.{1,255}/g) ?? []]);
    }
    await page.getByRole("button", { name: "Check now" }).click();
    await page.getByText("DNS shows both records.", { exact: false }).waitFor();
    await step("3. The domain shop.example").getByText("Done").waitFor();
    await page.getByText("The domain of the sender is not verified.").waitFor({ state: "detached" });

    await page.getByRole("button", { name: "Send me a test mail" }).click();
    await page.getByText(`Sent to ${person.email}.`, { exact: false }).waitFor();
    const mail = smtp.taken.at(-1);
    assert.deepEqual([mail?.to, mail?.from], [person.email, "hello@shop.example"]);
    assert.match(String(mail?.raw), /^DKIM-Signature:/m);
    await page.getByRole("link", { name: "Audit log" }).click();
    await page.getByRole("row", { name: /changed the sender of mail.*email\.smtpUrl/ }).waitFor();
    assert.deepEqual(complaints, []);
  });

  it("is seen, and not changed, by those who are no owners", async (t) => {
    const page = await newPage(t);
    const { project } = await opened(page, "editor", SENDER);
    await page.goto(addressOf(project, "sender"));
    const from = page.getByLabel("From", { exact: true });
    assert.equal(await from.inputValue(), SENDER["email.from"]);
    assert.equal(await from.isEditable(), false);
    await page.getByRole("button", { name: "Name a mail server" }).press("Enter");
    await page.getByText("Needs the role owner").first().waitFor();
    assert.equal(await page.getByRole("dialog").count(), 0);
    // A test mail is the work of editors.
    await page.getByRole("button", { name: "Send me a test mail" }).click();
    await page
      .getByText("and caught in the outbox, because no mail server is named.", { exact: false })
      .waitFor();
  });
});

it("owners who run no server send without the check by a mail server of the project alone", async (t) => {
  const page = await newPage(t);
  const { project } = await opened(page, "owner", SENDER);
  await page.goto(addressOf(project, "sender"));
  await page.getByRole("button", { name: "Make the key and show the records" }).press("Enter");
  const marking = page.getByRole("button", { name: "Send without the check" });
  await marking.press("Enter");
  await page.getByText("Needs an operator, unless the project has a mail server of its own").waitFor();
  assert.equal(await page.getByRole("dialog").count(), 0);
  await setSettings(house, project, { ...bySmtp(), "email.domainVerified": "" });
  await page.reload();
  await marking.press("Enter");
  await page.getByRole("dialog", { name: "Send from the domain without asking DNS?" }).waitFor();
});

describe("mail whose fate is unknown", () => {
  for (const { on, use, press } of HANDS)
    it(`is decided about ${on}: one arrived, one is sent again`, async (t) => {
      const page = await newPage(t, use);
      const complaints = complaintsOf(page);
      const { project } = await opened(page, "editor", bySmtp());
      const campaign = await lose(project, ["ada", "ben"]);
      await page.goto(addressOf(project, "unknown"));
      const check = (box: Locator) => (use.hasTouch ? box.tap() : box.press("Space"));
      const mailTo = (name: string) => page.getByLabel(`Choose the mail to ${name}@example.com`);
      await check(mailTo("ada"));
      await page.getByText("1 is chosen").waitFor();
      await press(page.getByRole("button", { name: "It arrived" }));
      const marking = page.getByRole("dialog", { name: "Mark 1 mail as sent?" });
      // A dialog gives the focus to its way out first.
      await hasFocus(marking.getByRole("button", { name: "Cancel" }));
      await press(marking.getByRole("button", { name: "It arrived" }));
      await page.getByText("1 mail marked as sent.").waitFor();
      await mailTo("ada").waitFor({ state: "detached" });
      await check(page.getByLabel("Choose all on this page"));
      await press(page.getByRole("button", { name: "Send again" }));
      const again = page.getByRole("dialog", { name: "Send 1 mail again?" });
      await hasFocus(again.getByRole("button", { name: "Cancel" }));
      await press(again.getByRole("button", { name: "Send again" }));
      await page.getByText("There is no mail whose fate is unknown.").waitFor();
      await house.drain();
      assert.deepEqual(
        smtp.taken.map(({ to }) => to),
        ["ben@example.com"],
      );
      assert.equal((await progressOf(project, campaign.id)).accepted, 2);
      assert.deepEqual(complaints, []);
    });

  it("says where a colleague was faster", async (t) => {
    const page = await newPage(t);
    const { project } = await opened(page, "editor", bySmtp());
    await lose(project, ["ada"]);
    await page.goto(addressOf(project, "unknown"));
    await page.getByLabel("Choose the mail to ada@example.com").check();
    await page.getByRole("button", { name: "Send again" }).click();
    const asking = page.getByRole("dialog", { name: "Send 1 mail again?" });
    await asking.waitFor();
    await house.database.pool.query(
      "update email_sends set status = 'waiting', due_at = due_at + 1 where project_id = $1",
      [project.projectId],
    );
    await asking.getByRole("button", { name: "Send again" }).click();
    await page.getByText("Somebody else decided", { exact: false }).waitFor();
  });
});

describe("mail beyond the cap", () => {
  /** A project whose cap one campaign has used up, and the draft of a further one. */
  async function beyondTheCap(page: Page, overCap: "skip" | "postpone") {
    const cap = { "email.capMax": "1", "email.capHours": "24", "email.overCap": overCap };
    const { project } = await opened(page, "editor", { ...bySmtp(), ...cap });
    await people(project, ["ada"]);
    await launchEmail(project, { name: "First" });
    await house.drain();
    const { id } = await launchEmail(project, { name: "Second", launch: false });
    await page.goto(pageOf(house, project, `campaigns/${id}`));
    await page.getByRole("button", { name: "Launch" }).click();
    return { project, id, dialog: page.getByRole("dialog", { name: "Launch “Second”?" }) };
  }
  const explanationOf = (project: TestProject, id: string) =>
    pageOf(house, project, `campaigns/${id}?view=why&user=ada`);

  it("is called left out on every page where it never comes", async (t) => {
    const page = await newPage(t);
    const { project, id, dialog } = await beyondTheCap(page, "skip");
    await dialog.getByText("Left out: had as many mails as the cap allows").waitFor();
    await dialog.getByRole("button", { name: "Launch" }).click();
    await dialog.waitFor({ state: "detached" });
    await house.drain();
    await page.goto(pageOf(house, project, `campaigns/${id}?view=results`));
    await page.getByText("Left out by the cap").waitFor();
    await page.goto(explanationOf(project, id));
    await page.getByText("ada: did not get it").waitFor();
    await page.goto(addressOf(project, "glance"));
    await page.getByRole("row", { name: /^Left out by the cap.* 1$/ }).waitFor();
  });

  it("is called waiting on every page where it comes later, and given up with its campaign", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const { project, id, dialog } = await beyondTheCap(page, "postpone");
    await dialog.getByText("Get it later, once the cap allows it, if the campaign still runs").waitFor();
    await dialog.getByRole("button", { name: "Launch" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.goto(explanationOf(project, id));
    await page.getByText("ada: gets it later, if the campaign still runs").waitFor();
    await house.drain();
    await page.reload();
    await page.getByText("ada: gets it later, if the campaign still runs").waitFor();
    await page.getByText("⧗ delays it").waitFor();
    await page.getByText("This mail was postponed, and waits until", { exact: false }).waitFor();
    await page.goto(pageOf(house, project, `campaigns/${id}?view=results`));
    await page.getByText("1 mail waits for the cap of recipients.", { exact: false }).waitFor();
    await assertFaultlessEverywhere(page, "results while mail waits for the cap");
    await page.goto(addressOf(project, "glance"));
    await page.getByRole("row", { name: /^Leaves later.* 1$/ }).waitFor();
    await project.api.setCampaignStatus({ path: { id }, body: { action: "end" } });
    await page.reload();
    await page.getByRole("row", { name: /^Never leaves.* 1$/ }).waitFor();
    await page.goto(explanationOf(project, id));
    await page.getByText("ada: was to get it, and does not now").waitFor();
    await page.goto(pageOf(house, project, `campaigns/${id}?view=deliveries`));
    await page.getByText("Never leaves: the campaign ended").waitFor();
    await page.goto(pageOf(house, project, "users/ada?view=messages"));
    await page.getByText("Never leaves: the campaign ended").waitFor();
    await assertFaultlessEverywhere(page, "the messages of a user, one of which never leaves");
    await page.goto(pageOf(house, project, `campaigns/${id}?view=results`));
    await page.getByText("1 mail never leaves: the campaign ended before.").waitFor();
    assert.deepEqual(complaints, []);
  });
});

describe("addresses and caught mail", () => {
  it("an address is stopped, found and lifted, after a question that says what that means", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const { project, person } = await opened(page, "editor", SENDER);
    await page.goto(addressOf(project, "suppressions"));
    await page.getByText("Every address gets mail.").waitFor();
    for (const address of ["ada@example.com", "ben@example.com"]) {
      await page.getByRole("button", { name: "Stop mail to an address" }).click();
      const asking = page.getByRole("dialog");
      await asking.getByLabel("Address").fill(address);
      await asking.getByRole("button", { name: "Stop mail" }).click();
      await page.getByText(`${address} gets no mail any more.`).waitFor();
    }
    const rows = page.getByRole("table").first().getByRole("row");
    await page.getByLabel("Search by address").fill("BEN");
    await rows.filter({ hasText: "ada@example.com" }).waitFor({ state: "detached" });
    const row = rows.filter({ hasText: "ben@example.com" });
    assert.match((await row.textContent()) ?? "", new RegExp(`Stopped by your team.*${person.name}`));
    await row.getByRole("button", { name: "Lift" }).click();
    const lifting = page.getByRole("dialog", { name: "Let mail to ben@example.com leave again?" });
    await lifting
      .getByText("Somebody of your team stopped mail to this address.", { exact: false })
      .waitFor();
    await lifting.getByRole("button", { name: "Let mail leave again" }).click();
    await page.getByText("No address is like that.").waitFor();
    await page.getByRole("row", { name: /ben@example\.com Stopped by your team → gets mail/ }).waitFor();
    const { rows: left } = await house.database.pool.query(
      "select address from email_addresses where project_id = $1 and suppressed_at is not null",
      [project.projectId],
    );
    assert.deepEqual(left, [{ address: "ada@example.com" }]);
    assert.deepEqual(complaints, []);
  });

  it("a caught mail is read as its reader sees it, and looking at it counts no opening", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const { project } = await opened(page, "editor", SENDER);
    await people(project, ["ada"]);
    const campaign = await launchEmail(project);
    await house.drain();
    await page.goto(addressOf(project, "outbox"));
    await page.getByRole("link", { name: "Hello ada" }).click();
    await page.getByRole("heading", { name: "Hello ada" }).waitFor();
    await page.frameLocator("iframe").getByText("Hi ada!").waitFor();
    await page.getByRole("button", { name: "Headers" }).click();
    await page.getByRole("row", { name: /^List-Unsubscribe-Post/ }).waitFor();
    await page.reload();
    await page.frameLocator("iframe").getByText("Hi ada!").waitFor();
    const { campaign: seen } = await project.api.getCampaign({ path: { id: campaign.id } });
    assert.deepEqual([seen.stats.sent, seen.stats.opened], [1, 0]);
    await page.getByRole("link", { name: "All caught mail" }).click();
    await page.getByRole("link", { name: "Hello ada" }).waitFor();
    assert.deepEqual(complaints, []);
  });
});

describe("the pages about email", () => {
  it("say at a glance what became of mail, and why nothing leaves; free of faults in every width and colour", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const { project } = await opened(page, "owner");
    const look = async (view: string, ready: string | RegExp, what = view) => {
      await page.goto(addressOf(project, view));
      await page.getByText(ready).first().waitFor();
      await assertFaultlessEverywhere(page, what);
    };
    await look("glance", "No mail was written yet.", "glance, empty");
    await look("suppressions", "Every address gets mail.", "suppressions, empty");
    await look("unknown", "There is no mail whose fate is unknown.", "unknown, empty");
    await look("outbox", "Nothing was caught.", "outbox, empty");
    await setSettings(house, project, SENDER);
    const long = `${"long-".repeat(11)}x`;
    await people(project, [long], `${"very-".repeat(11)}long.example`);
    await launchEmail(project, { name: "L".repeat(80) });
    await house.drain();
    await look("outbox", `Hello ${long}`, "outbox");
    await page.getByRole("link", { name: `Hello ${long}` }).click();
    await page.frameLocator("iframe").getByText(`Hi ${long}!`).waitFor();
    await page.getByRole("button", { name: "Plain text" }).click();
    await assertFaultlessEverywhere(page, "a caught mail");

    await setSettings(house, project, { ...bySmtp(), "email.perMinute": "600" });
    await lose(project, ["ada", "ben"], "Spring sale");
    for (const name of ["suppressed", long]) {
      await page.goto(addressOf(project, "suppressions"));
      await page.getByRole("button", { name: "Stop mail to an address" }).click();
      await page.getByRole("dialog").getByLabel("Address").fill(`${name}@example.com`);
      await page.getByRole("dialog").getByRole("button", { name: "Stop mail" }).click();
      await page.getByRole("row", { name: new RegExp(`^${name}@example`) }).waitFor();
    }
    await look("suppressions", "suppressed@example.com");
    await page.getByRole("button", { name: "Lift" }).first().click();
    await page.getByRole("dialog").waitFor();
    await assertFaultlessEverywhere(page, "the question before an address is lifted");
    await look("unknown", "ada@example.com", "unknown");
    await page.getByLabel("Choose all on this page").check();
    await page.getByRole("button", { name: "Send again" }).click();
    await page.getByRole("dialog").waitFor();
    await assertFaultlessEverywhere(page, "the question before mail is sent again");

    smtp.behave({ onSender: () => ({ code: 550, text: "5.7.1 this server wants another sender" }) });
    await people(project, ["eve"]);
    house.advance(600_000);
    await house.drain();
    smtp.behave({});
    await page.goto(addressOf(project, "glance"));
    await page.getByText("this server wants another sender", { exact: false }).first().waitFor();
    await page.getByText("At most 600 mails leave in a minute.", { exact: false }).waitFor();
    assert.match(
      (await page.getByRole("row", { name: /^Sent/ }).textContent()) ?? "",
      /^SentIt was handed over and answered, whatever became of it then\.\d/,
    );
    await assertFaultlessEverywhere(page, "glance");

    await setSettings(house, project, { "email.domainVerified": "", "email.provider": "postmark" });
    await look("sender", "2. The mail server", "sender");
    await page.getByRole("button", { name: "Make the key and show the records" }).click();
    await page.getByLabel("DKIM: proves that mail is yours, Value", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Reports of a provider" }).click();
    await page.getByText("The password that the webhook sends.", { exact: false }).waitFor();
    await page.getByLabel("From", { exact: true }).fill("nobody");
    await page
      .locator("section")
      .filter({ hasText: "1. Who writes" })
      .getByRole("button", { name: "Save" })
      .click();
    await page.getByText("From must be an address", { exact: false }).waitFor();
    await page.getByLabel("From", { exact: true }).fill(`Acme <news@${"sub.".repeat(30)}acme.example>`);
    await page
      .locator("section")
      .filter({ hasText: "1. Who writes" })
      .getByRole("button", { name: "Save" })
      .click();
    await page.getByRole("heading", { name: /^3\. The domain sub\.sub/ }).waitFor();
    await page.getByRole("button", { name: "Check now" }).click();
    await page.getByText("The record is not there.").first().waitFor();
    await assertFaultlessEverywhere(page, "sender, wrong");
    for (const name of ["Replace it", "New key", "Send without the check"]) {
      await page.getByRole("button", { name, exact: true }).click();
      await page.getByRole("dialog").waitFor();
      await assertFaultlessEverywhere(page, name);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
    assert.deepEqual(complaints, []);
  });
});
