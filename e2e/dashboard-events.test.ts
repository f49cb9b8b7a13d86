import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import type { TestProject } from "../apps/server/test/harness.ts";
import {
  assertFaultlessEverywhere,
  assertPageFaultless,
  complaintsOf,
  openedBy,
  pageOf,
  takeByKeys,
  title,
} from "./dashboard.ts";
import { testStage } from "./stage.ts";

const { house, page: newPage } = testStage();

/** An event at an instant of its own. */
async function track({ sdk }: TestProject, userId: string, event: string, props?: object): Promise<void> {
  house.advance(1_000);
  await sdk.track({ body: { userId, event, ...(props && { props: { ...props } }) } });
}

const rowsOf = (page: Page) => page.getByRole("table").getByRole("row");

/** The names of the events that are shown, from the newest on. */
const shown = async (page: Page): Promise<string[]> =>
  (await page.getByRole("button", { name: /^Open / }).allTextContents()).map((text) => text.trim());

describe("the stream of events", () => {
  it("begins with the first event, goes on by itself, and stands still while it is read", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    house.at(Date.now());
    const [project] = await openedBy(house, page, "viewer");
    await page.goto(pageOf(house, project, "events"));
    await title(page, "Events");
    await page.getByText("No event yet.").waitFor();
    assert.match(
      (await page.getByLabel("The first event").textContent()) ?? "",
      new RegExp(`/api/v1/track[^]*Bearer ${project.publishableKey}[^]*"event":"signed_up"`),
    );
    await track(project, "ada", "came", { from: "mail" });
    await page.getByRole("button", { name: "Open came" }).waitFor();
    await track(project, "grace", "bought", { price: 12 });
    await page.getByRole("button", { name: "Open bought" }).waitFor();
    assert.deepEqual(await shown(page), ["bought", "came"]);
    await page.getByRole("button", { name: "Stand still" }).click();
    await page.getByText("Nothing new").waitFor();
    await track(project, "ada", "left");
    await page.getByText("1 new").waitFor();
    assert.deepEqual(await shown(page), ["bought", "came"]);
    await page.reload();
    await page.getByText("1 new").waitFor();
    assert.deepEqual(await shown(page), ["bought", "came"]);
    await page.getByRole("button", { name: "Go on" }).click();
    await page.getByRole("button", { name: "Open left" }).waitFor();
    await page
      .getByRole("row", { name: /bought/ })
      .getByRole("link", { name: "grace" })
      .click();
    await title(page, "grace");
    assert.deepEqual(complaints, []);
  });

  it("is narrowed, and an event opened whole and as curl, by keyboard alone", async (t) => {
    const page = await newPage(t);
    house.at(Date.now());
    const [project] = await openedBy(house, page, "viewer");
    await track(project, "ada", "came");
    await track(project, "ada", "bought", { price: 12, text: "it's" });
    await track(project, "grace", "bought", { price: 7 });
    await page.goto(pageOf(house, project, "events"));
    await rowsOf(page).nth(3).waitFor();
    await page.getByLabel("User, by your own id").focus();
    await page.keyboard.type("ada");
    await page.getByRole("link", { name: "grace" }).waitFor({ state: "detached" });
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.type("bought");
    await takeByKeys(page, "bought");
    await page.getByRole("button", { name: "Open came" }).waitFor({ state: "detached" });
    assert.deepEqual(await shown(page), ["bought"]);
    await page.getByRole("button", { name: "Open bought" }).focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "bought" });
    const json: unknown = JSON.parse((await dialog.getByLabel("As it is kept").textContent()) ?? "");
    assert.deepEqual((json as { props: unknown }).props, { price: 12, text: "it's" });
    const curl = (await dialog.getByLabel("As curl").textContent()) ?? "";
    assert.match(curl, new RegExp(`Bearer ${project.publishableKey}`));
    assert.match(curl, /"userId":"ada","event":"bought","props":\{"text":"it'\\''s","price":12\}/);
    await page.reload();
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await page.getByText("Live", { exact: true }).waitFor();
    await page.getByRole("tab", { name: "By name" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("row", { name: /bought 2 2 .*price \(number\)/ }).waitFor();
  });
});

describe("the pages of events", () => {
  it("are free of faults in every width and colour", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    house.at(Date.now());
    const [project] = await openedBy(house, page, "viewer");
    const look = (path: string, ready: string) =>
      assertPageFaultless(page, pageOf(house, project, path), ready);
    await look("events", "No event yet.");
    await look("events?view=names", "No event has a name yet.");
    const long = "x".repeat(80);
    await track(project, "ada", "came", { from: "mail", campaign: "Summer sale" });
    await track(project, long.repeat(3), long, { [long]: long.repeat(10) });
    await track(project, "grace", "bought", { price: 12, articles: ["tea", "pot"] });
    await look("events", "bought");
    await look("events?name=nothing", "No event is like that.");
    await look("events?view=names", "bought");
    await page.goto(pageOf(house, project, "events"));
    await page.getByRole("button", { name: `Open ${long}` }).click();
    await page.getByRole("dialog").waitFor();
    await assertFaultlessEverywhere(page, "an event that is open");
    assert.deepEqual(complaints, []);
  });
});
