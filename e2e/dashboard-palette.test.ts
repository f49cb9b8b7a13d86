import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import type { Page as DashboardPage, PagePlace } from "../apps/dashboard/src/platform/pages.ts";
import { expression, trait } from "../apps/server/test/audience/trees.ts";
import { launchCampaign } from "../apps/server/test/factories.ts";
import { assertFaultlessEverywhere, complaintsOf, hasFocus, openedBy, pageOf, title } from "./dashboard.ts";
import { everyPage } from "./every-page.ts";
import { testStage } from "./stage.ts";

const { house, page: newPage } = testStage();

const fieldIn = (page: Page) => page.getByRole("combobox", { name: /^Search for a page/ });

/** Opens the palette by its key; from then on what is typed goes into its field. */
async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press("ControlOrMeta+k");
  await hasFocus(fieldIn(page));
}

/** Whether a person sees something without scrolling. */
const isInSight = (locator: Locator): Promise<boolean> =>
  locator.evaluate((element) => {
    const { top, bottom, height } = element.getBoundingClientRect();
    return height > 0 && top >= 0 && bottom <= innerHeight;
  });

/** Every part of a page of a project that the palette finds, with its page. */
async function everyPlace(): Promise<(PagePlace & { page: DashboardPage })[]> {
  const found = [];
  for (const page of await everyPage())
    for (const place of (await page.places?.()) ?? [])
      if (place.at !== "organization") found.push({ ...place, page });
  assert.ok(found.length > 40, "there are settings among them");
  return found;
}

describe("the palette", () => {
  it("leads to pages, things and actions by keyboard alone", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    house.at(Date.now());
    const [project] = await openedBy(house, page, "owner");
    await launchCampaign(project, { name: "Summer sale" });
    await project.sdk.identify({ body: { userId: "summer-fan", traits: {} } });
    await project.api.createJourney({
      body: { name: "Summer trial", entry: { on: "request" }, steps: [{ id: "done", kind: "end" }] },
    });
    await project.api.createCampaign({
      body: {
        name: "Summer receipt",
        purpose: "transactional",
        channel: "email",
        key: "summer-receipt",
        message: { subject: "Your order", body: "Thank you." },
      },
    });
    await project.api.createSegment({
      body: { key: "warm-days", name: "Summer people", expression: expression(trait("plan", "eq", "pro")) },
    });
    await project.api.createGoal({ body: { name: "Summer sales", targetEvent: "paid" } });
    await page.goto(pageOf(house, project, "overview"));
    await title(page, "Test");
    const field = fieldIn(page);
    const chosen = page.getByRole("option", { selected: true });

    await openPalette(page);
    await page.keyboard.type("audit");
    await chosen.filter({ hasText: "Audit log" }).waitFor();
    await page.keyboard.press("Enter");
    await title(page, "Audit log");
    await field.waitFor({ state: "detached" });

    await openPalette(page);
    await page.keyboard.type("summer");
    const user = page.getByRole("option", { name: "summer-fan" });
    await page.getByRole("group", { name: "Campaigns" }).getByRole("option").waitFor();
    await page
      .getByRole("group", { name: "Journeys" })
      .getByRole("option", { name: "Summer trial" })
      .waitFor();
    await page
      .getByRole("group", { name: "Templates" })
      .getByRole("option", { name: "Summer receipt" })
      .waitFor();
    await page.getByRole("option", { name: "Summer people" }).waitFor();
    const goal = page.getByRole("option", { name: "Summer sales" });
    await goal.waitFor();
    await user.waitFor();
    await page.keyboard.press("End");
    assert.equal(await goal.getAttribute("aria-selected"), "true");
    assert.equal(await field.getAttribute("aria-activedescendant"), await goal.getAttribute("id"));
    await page.keyboard.press("Enter");
    await title(page, "Summer sales");

    await openPalette(page);
    await page.keyboard.type("summer-fan");
    await chosen.filter({ hasText: "summer-fan" }).waitFor();
    await page.keyboard.press("Enter");
    await title(page, "summer-fan");

    // A segment is also found by its key.
    await openPalette(page);
    await page.keyboard.type("warm-days");
    await chosen.filter({ hasText: "Summer people" }).waitFor();
    await page.keyboard.press("Enter");
    await title(page, "Summer people");

    // Parts of pages are found by other words for them, and settings by what they are called.
    for (const [typed, found, opened] of [
      ["unsub", "Gets no mail", "view=suppressions"],
      ["smtp sender", "Sender", "view=sender"],
      ["agent runs", "Runs", "view=runs"],
      ["nametrait", "Trait that users are called by", "q=users.nameTrait"],
    ] as const) {
      await openPalette(page);
      await page.keyboard.type(typed);
      await chosen.filter({ hasText: found }).waitFor();
      await page.keyboard.press("Enter");
      await page.waitForURL((url) => url.search.includes(opened));
    }
    await page.getByLabel("Trait that users are called by").waitFor();

    for (const made of ["New segment", "New goal"]) {
      await openPalette(page);
      await page.keyboard.type(made);
      await chosen.filter({ hasText: made }).waitFor();
      await page.keyboard.press("Enter");
      await title(page, made);
    }

    await openPalette(page);
    await page.keyboard.type("invite");
    await chosen.filter({ hasText: "Invite a person" }).waitFor();
    await page.keyboard.press("Enter");
    const inviting = page.getByRole("dialog", { name: "Invite a person" });
    await inviting.waitFor();
    await page.keyboard.press("Escape");
    await inviting.waitFor({ state: "detached" });

    await page.getByRole("button", { name: "Search", exact: true }).click();
    await hasFocus(field);
    await page.keyboard.type("no such thing");
    await page.getByText("Nothing is called so.").waitFor();
    await page.keyboard.press("Escape");
    await field.waitFor({ state: "detached" });
    assert.deepEqual(complaints, []);
  });

  for (const [on, viewport] of [
    ["a desktop", { width: 1440, height: 900 }],
    ["a phone", { width: 390, height: 844 }],
  ] as const)
    it(`leads on ${on} to the place of every part of a page that it finds, with the focus in the field of a setting`, async (t) => {
      const page = await newPage(t, { viewport });
      const complaints = complaintsOf(page);
      const [project] = await openedBy(house, page, "owner");
      await page.goto(pageOf(house, project, "overview"));
      await title(page, "Test");
      for (const { label, search, page: within } of await everyPlace()) {
        await openPalette(page);
        await page.keyboard.insertText(label);
        const named = page.getByRole("option").filter({ has: page.getByText(label, { exact: true }) });
        const option = named.filter({ has: page.getByText(within.label, { exact: true }) }).last();
        await option.click();
        await title(page, within.label);
        const what = `${within.label}: ${label}`;
        if (search.view !== undefined)
          await page.getByRole("tab", { name: label, exact: true, selected: true }).waitFor();
        else if (search.export !== undefined) {
          await page.getByRole("dialog", { name: label }).waitFor();
          await page.keyboard.press("Escape");
          await page.getByRole("dialog").waitFor({ state: "detached" });
        } else {
          const row = page.getByRole("main").getByText(label, { exact: true }).first();
          await row.waitFor();
          assert.ok(await isInSight(row), what);
          if (search.q !== "identity.secret") await hasFocus(page.getByLabel(label, { exact: true }));
        }
      }
      assert.deepEqual(complaints, []);
    });

  it("offers nothing that a role does not allow", async (t) => {
    const page = await newPage(t);
    const [project] = await openedBy(house, page, "viewer");
    await page.goto(pageOf(house, project, "overview"));
    await title(page, "Test");
    await openPalette(page);
    await page.getByRole("option", { name: "Campaigns" }).waitFor();
    for (const name of ["People", "Invite a person", "New campaign", "New segment", "New goal", "System"])
      assert.equal(await page.getByRole("option", { name, exact: true }).count(), 0, name);
  });
});

describe("single keys", () => {
  it("open pages, the search and the list of keys, and belong to fields that have the focus", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const [project] = await openedBy(house, page, "viewer");
    await page.goto(pageOf(house, project, "overview"));
    await title(page, "Test");
    await page.keyboard.press("g");
    await page.getByRole("status").filter({ hasText: "Press the letter of a page." }).waitFor();
    await page.keyboard.press("c");
    await title(page, "Campaigns");
    await page.locator("main:focus").waitFor();
    const search = page.getByLabel("Search by name");
    await search.waitFor();
    await page.keyboard.press("/");
    await hasFocus(search);
    await page.keyboard.type("g/u?");
    assert.equal(await search.inputValue(), "g/u?");
    await title(page, "Campaigns");
    await search.blur();
    await page.keyboard.press("?");
    const list = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await list.getByRole("row", { name: "g then u Open Users" }).waitFor();
    await list.getByRole("row", { name: /^(Ctrl|⌘) S Save the form/ }).waitFor();
    await list.getByRole("row", { name: /^(Ctrl|⌘) ↵ Press the main button/ }).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("u");
    await list.waitFor();
    await page.keyboard.press("Escape");
    await list.waitFor({ state: "detached" });
    const visited: string[] = [];
    page.on("framenavigated", (frame) => visited.push(frame.url()));
    // The system is no page of a project.
    await page.keyboard.press("g");
    await page.keyboard.press("y");
    await page.keyboard.press("g");
    await page.keyboard.press("i");
    await title(page, "Your account");
    assert.deepEqual(visited, [pageOf(house, project, "account")]);
    await page.getByLabel("Single keys open pages").press("Space");
    await page.locator("main").focus();
    await page.keyboard.press("?");
    await page.keyboard.press("g");
    await page.keyboard.press("c");
    await page.reload();
    await title(page, "Your account");
    assert.equal(await page.getByLabel("Single keys open pages").isChecked(), false);
    assert.equal(await page.getByRole("dialog").count(), 0);
    await openPalette(page);
    assert.deepEqual(complaints, []);
  });
});

describe("what lies above the pages", () => {
  it("is free of faults in every width and colour", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const [project] = await openedBy(house, page, "owner");
    await launchCampaign(project, { name: `A ${"very ".repeat(12)}long name` });
    await page.goto(pageOf(house, project, "account"));
    await page.getByLabel("Single keys open pages").waitFor();
    await assertFaultlessEverywhere(page, "the account with its keys");
    await openPalette(page);
    await page.getByRole("option", { name: "Overview" }).waitFor();
    await assertFaultlessEverywhere(page, "the palette");
    await page.keyboard.type("very");
    await page.getByRole("option", { name: /^A very/ }).waitFor();
    await assertFaultlessEverywhere(page, "the palette with a long name");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await assertFaultlessEverywhere(page, "the list of keys");
    assert.deepEqual(complaints, []);
  });
});
