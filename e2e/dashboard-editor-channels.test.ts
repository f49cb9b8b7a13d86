import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setSettings } from "../apps/server/test/email.ts";
import { assertFaultlessEverywhere, complaintsOf, hasFocus, title } from "./dashboard.ts";
import { editorStage, frameOf, MAIL, saved } from "./editor.ts";

const { house, newPage, opened, addressOf, editing } = editorStage();

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
    const credential = { provider: "webpush", subject: "mailto:push@acme.dev" } as const;
    await project.api.putPushCredential({
      body: {
        appId: "acme.dev",
        platform: "web",
        environment: "production",
        expectedRevision: 0,
        credential,
      },
    });
    await page.goto(addressOf(project, "campaigns/new"));
    await page.getByRole("radio", { name: "Push: a notification on phones and in browsers" }).check();
    await page.getByLabel("Name", { exact: true }).fill("News");
    await page.getByLabel("Title").fill("Hello {{ user.name | default: 'you' }}");
    await page.getByLabel("Text", { exact: true }).fill("Have a look");
    await page.getByLabel("Opens").fill("acme://news");
    await page.getByRole("region", { name: "The push" }).getByText("Hello you").waitFor();
    await page.getByRole("button", { name: "What Apple is given" }).click();
    await page.getByText('"category"').or(page.getByText('"mutable-content": 1')).first().waitFor();
    await page.getByRole("button", { name: "What a browser is given", exact: true }).click();
    await page.getByText('"tidings_tag"', { exact: false }).filter({ visible: true }).waitFor();
    const app = page.getByLabel("App", { exact: true });
    const hint = page.getByText("acme.dev has browsers, which open no place in an app", { exact: false });
    await app.fill("acme.dev");
    await hint.waitFor();
    await page.getByLabel("Opens").fill("https://acme.dev/news");
    await hint.waitFor({ state: "detached" });
    await page.getByLabel("Opens").fill("acme://news");
    await hint.waitFor();
    await app.fill("com.example.app");
    await hint.waitFor({ state: "detached" });
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
