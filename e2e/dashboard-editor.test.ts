import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { launchCampaign, messagesOf, toast } from "../apps/server/test/factories.ts";
import { assertFaultlessEverywhere, complaintsOf, HANDS, hasFocus, title } from "./dashboard.ts";
import { editorStage, frameOf, MAIL, saved } from "./editor.ts";

const { newPage, opened, addressOf, editing } = editorStage();

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
