import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { feedback, messagesOf, toast } from "../apps/server/test/factories.ts";
import { editorStage, saved, stored } from "./editor.ts";

const { house, newPage, opened, addressOf, editing } = editorStage();

describe("the variants in the editor", () => {
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
