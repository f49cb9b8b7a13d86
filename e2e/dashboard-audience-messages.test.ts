import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { expression, message } from "../apps/server/test/audience/trees.ts";
import { launchEmail } from "../apps/server/test/email.ts";
import { launchCampaign, makeMany } from "../apps/server/test/factories.ts";
import type { TestProject } from "../apps/server/test/harness.ts";
import { click, sentMail } from "../apps/server/test/mail.ts";
import {
  assertFaultlessEverywhere,
  assertPageFaultless,
  complaintsOf,
  openedBy,
  pageOf,
  title,
} from "./dashboard.ts";
import { testStage } from "./stage.ts";

const { house, page: newPage } = testStage();

const addressOf = (project: TestProject, path: string) => pageOf(house, project, path);

/** A campaign that three of four users got by email, of whom one clicked it; newer ones stand before it in every list. */
async function scene(page: Page, { newer = 0 } = {}) {
  house.at(Date.now());
  const [project] = await openedBy(house, page, "editor");
  const { id } = await launchEmail(project, { name: "Spring sale", launch: false });
  for (const userId of ["ada", "bo", "cy"]) {
    const mail = await sentMail(house, project, { userId, campaignId: id.slice("cmp_".length) });
    house.advance(3_600_000);
    if (userId === "ada") assert.equal((await click(mail)).status, 302);
  }
  await house.drain();
  await project.sdk.identify({ body: { userId: "di" } });
  await makeMany(newer, (index) => launchCampaign(project, { name: `Hint ${index}`, launch: false }));
  return { project, id };
}

/** A condition of the builder, by its place. */
const conditionAt = (page: Page, place: string) => page.locator(`[data-place="/root${place}"]`);

describe("an audience of what users did with messages", () => {
  it("is built with campaigns by their names, counted, saved, and read as it was built", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const { project, id } = await scene(page, { newer: 21 });
    await page.goto(addressOf(project, "segments/new"));
    await page.getByLabel("Name", { exact: true }).fill("Not clicked yet");
    await page.getByRole("button", { name: "Add messages", exact: true }).click();
    await page.getByRole("button", { name: "Remove this condition" }).first().click();
    await page.getByText("3 of 4 users").waitFor();
    const [got, clicked] = [conditionAt(page, "/children/0"), conditionAt(page, "/children/1/child")];
    const only = conditionAt(page, "");
    const deeds = only.getByLabel("What they did", { exact: true });
    await deeds.selectOption("dismissed");
    await page.getByText("0 of 4 users").waitFor();
    await only.getByLabel("How it came", { exact: true }).selectOption({ label: "by email" });
    assert.equal(await deeds.inputValue(), "received", "mail cannot be dismissed");
    assert.deepEqual(await deeds.locator("option").allTextContents(), ["received", "opened", "clicked"]);
    await page.getByText("3 of 4 users").waitFor();
    const campaigns = only.getByRole("combobox", { name: "Campaigns", exact: true });
    await campaigns.click();
    await page
      .getByRole("option", { name: /^Hint \d+ In the app$/ })
      .first()
      .waitFor();
    assert.equal(await page.getByRole("option", { name: "Spring sale" }).count(), 0);
    await campaigns.fill("no such thing");
    await page.getByText("No campaign has such a name.", { exact: true }).waitFor();
    await campaigns.fill("spring");
    await page.getByRole("option", { name: "Spring sale Email", exact: true }).click();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Add messages", exact: true }).click();
    await conditionAt(page, "/children/1").getByLabel("Whether it must be met").selectOption("not");
    await page.getByText("0 of 4 users").waitFor();
    await clicked.getByLabel("What they did", { exact: true }).selectOption("clicked");
    await clicked.getByRole("combobox", { name: "Campaigns", exact: true }).fill("spring");
    await page.keyboard.press("ArrowDown");
    await page.getByRole("option", { name: "Spring sale Email", exact: true }).click();
    await page.keyboard.press("Escape");
    await page.getByText("2 of 4 users").waitFor();
    await got.getByText("3 users", { exact: true }).waitFor();
    await clicked.getByLabel("In a time").selectOption("window");
    await page.getByRole("button", { name: "Make the segment" }).click();
    await title(page, "Not clicked yet");
    await page
      .getByText(
        'received a message of "Spring sale" by email and not (clicked a message of "Spring sale" in the last 7 days)',
        { exact: true },
      )
      .first()
      .waitFor();
    const lines = page.getByRole("listitem");
    await lines
      .filter({ hasText: /^received a message of “Spring sale” by email at any time3 users$/ })
      .waitFor();
    await lines
      .filter({ hasText: /^clicked a message of “Spring sale” within the last 7 days1 user$/ })
      .waitFor();
    const { segment } = await project.api.getSegment({ path: { id: "not-clicked-yet" } });
    const count = { op: "gte" as const, value: 1 };
    assert.deepEqual(segment.expression.root, {
      kind: "all",
      children: [
        message("received", { campaigns: [id], channel: "email", count }),
        {
          kind: "not",
          child: message("clicked", { campaigns: [id], count, window: { amount: 7, unit: "days" } }),
        },
      ],
    });
    await assertFaultlessEverywhere(page, "a segment of messages");
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByText("2 of 4 users").waitFor();
    for (const condition of [got, clicked])
      await condition.getByText("Spring sale", { exact: true }).waitFor();
    await assertFaultlessEverywhere(page, "conditions on messages");
    assert.deepEqual(complaints, []);
  });

  it("says at a condition what the server refuses there", async (t) => {
    const page = await newPage(t);
    const { project } = await scene(page);
    await page.goto(addressOf(project, "segments/new"));
    await page.getByRole("button", { name: "Add messages", exact: true }).click();
    await page.getByRole("button", { name: "Remove this condition" }).first().click();
    await page.getByText("3 of 4 users").waitFor();
    const only = conditionAt(page, "");
    await only.getByLabel("messages", { exact: true }).fill("20000");
    await only
      .getByText("10,000", { exact: false })
      .or(only.getByText("10000", { exact: false }))
      .waitFor();
    await page.getByText("It cannot be counted yet.").waitFor();
    await only.getByLabel("messages", { exact: true }).fill("1");
    await only.getByLabel("How often", { exact: true }).selectOption({ label: "fewer than" });
    await page.getByText("1 of 4 users").waitFor();
  });

  it("says of one user with how many messages they did so, by the names of the campaigns", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const { project, id } = await scene(page);
    const { id: other } = await launchCampaign(project, { name: "May", launch: false });
    const clickedOne = (campaign: string) =>
      expression({
        kind: "all",
        children: [
          message("received", { window: { amount: 30, unit: "days" } }),
          message("clicked", { campaigns: [campaign] }),
        ],
      });
    const { segment } = await project.api.createSegment({
      body: { key: "clicked", name: "Clicked", expression: clickedOne(other) },
    });
    await project.api.updateSegment({
      path: { id: segment.id },
      body: { expression: clickedOne(id), expectedVersion: 1, reason: "Spring" },
    });
    await assertPageFaultless(
      page,
      addressOf(project, `segments/${segment.id}?view=user&user=bo`),
      "never did so",
    );
    await page.getByText(/^did so with 1 message, counted since /).waitFor();
    await page
      .getByText("clicked a message of “Spring sale” at any time", { exact: false })
      .first()
      .waitFor();
    await page.goto(addressOf(project, `segments/${segment.id}`));
    await page.locator("del").getByText("May", { exact: true }).waitFor();
    await page.locator("ins").getByText("Spring sale", { exact: true }).waitFor();
    await page.getByRole("row", { name: /clicked a message of "May"/ }).waitFor();
    await page.goto(addressOf(project, "segments"));
    await page.getByRole("row", { name: /clicked a message of "Spring sale"/ }).waitFor();
    const { id: campaign } = await launchCampaign(project, {
      name: "Thanks",
      audience: { kind: "segment", segment: "clicked" },
    });
    await page.goto(addressOf(project, `campaigns/${campaign}`));
    await page.getByText(/^Audience: .* clicked a message of "Spring sale"/).waitFor();
    await page.goto(addressOf(project, `campaigns/${campaign}?view=why&user=bo`));
    await page
      .getByText(/clicked a message of "Spring sale"/)
      .first()
      .waitFor();
    assert.equal(await page.getByText(/\bcmp_/).count(), 0);
    // What a change of a running campaign would do is said by names, too.
    const { id: running } = await launchCampaign(project, {
      audience: { kind: "expression", expression: expression(message("opened", { campaigns: [other] })) },
    });
    await page.goto(addressOf(project, `campaigns/${running}/edit`));
    const field = page.getByRole("combobox", { name: "Campaigns", exact: true });
    await conditionAt(page, "").getByText("May", { exact: true }).waitFor();
    await field.press("Backspace");
    await conditionAt(page, "").getByText("May", { exact: true }).waitFor({ state: "detached" });
    await field.fill("spring");
    await page.getByRole("option", { name: "Spring sale Email", exact: true }).click();
    await page.keyboard.press("Escape");
    await page.getByText("1 change waits").waitFor();
    await page.keyboard.press("ControlOrMeta+s");
    const changes = page.getByRole("dialog", { name: "Apply these changes?" });
    await changes.locator("del").getByText("May", { exact: true }).waitFor();
    await changes.locator("ins").getByText("Spring sale", { exact: true }).waitFor();
    assert.equal(await changes.getByText(/cmp_/).count(), 0);
    assert.deepEqual(complaints, []);
  });
});
