import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { messagesOf, toast } from "../apps/server/test/factories.ts";
import { giveRole, makePerson } from "../apps/server/test/people.ts";
import { assertFaultless, complaintsOf, title } from "./dashboard.ts";
import { editorStage, saved, stored } from "./editor.ts";

const { house, newPage, opened, addressOf, editing } = editorStage();

describe("what is saved in the editor", () => {
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
});
