import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { days, trait } from "../apps/server/test/audience/trees.ts";
import { assertFaultlessEverywhere, complaintsOf } from "./dashboard.ts";
import { editorStage, saved, stored } from "./editor.ts";

const { house, newPage, opened, addressOf, editing } = editorStage();

describe("the audience in the editor", () => {
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
});
