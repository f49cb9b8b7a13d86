import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { entryToken } from "../apps/server/test/demo-entry.ts";
import { accessibilityFaults } from "./axe.ts";
import { testStage } from "./stage.ts";

const { house, page: emptyPage } = testStage({ demo: true });

/** A page of a browser that has come by the printed address of the shop. */
async function newPage(t: TestContext, options?: BrowserContextOptions): Promise<Page> {
  const page = await emptyPage(t, options);
  await page.goto(`${house.url}/demo?token=${entryToken(house)}`);
  return page;
}

const play = (page: Page) => page.getByRole("button", { name: "Play ten days of visitors" });
const over = (page: Page) => page.getByRole("heading", { name: "The ten days are over" });

/** How wide the parts of the bar are, in per cent of the bar. */
const shares = (page: Page): Promise<number[]> =>
  page.locator("#bar .part").evaluateAll((parts) => {
    const widths = parts.map((part) => part.getBoundingClientRect().width);
    const all = widths.reduce((sum, width) => sum + width, 0);
    return widths.map((width) => Math.round((100 * width) / all));
  });

async function assertFits(page: Page): Promise<void> {
  const { scrollWidth, clientWidth } = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return { scrollWidth, clientWidth };
  });
  assert.ok(scrollWidth <= clientWidth, `${scrollWidth} of ${clientWidth}`);
}

describe("the page of the experiment", () => {
  it("is found from the shop, moves its bar while days are played, and says why", async (t) => {
    const page = await newPage(t);
    const errors: string[] = [];
    page.on("pageerror", ({ message }) => errors.push(message));
    page.on("console", (line) => line.type() === "error" && errors.push(line.text()));
    await page.goto(`${house.url}/demo`);
    await page.getByRole("link", { name: "Watch the agent" }).click();
    await page.getByText("No visitor has come yet").waitFor();
    await page.getByText("Wake up to hazelnut and honey").waitFor();
    assert.deepEqual(await shares(page), [50, 50]);
    assert.deepEqual(await accessibilityFaults(page), []);

    await play(page).click();
    await page.getByText("“Plain” 50 -> 31, “Promise” 50 -> 69").waitFor();
    await over(page).waitFor();
    assert.deepEqual(await shares(page), [0, 100]);
    await page.getByText("649 saw it, 21 ordered (3.2 %)").waitFor();
    await page.getByText("1,751 saw it, 144 ordered (8.2 %)").waitFor();
    const runs = await page.locator("#runs li b").allTextContents();
    assert.deepEqual(runs.slice(3, 6), ["Ships", "Is refused", "Wants to ship"]);
    assert.equal(await page.getByRole("link", { name: "the API reference" }).getAttribute("href"), "/docs");
    assert.equal(await play(page).count(), 0);
    assert.deepEqual(await accessibilityFaults(page), []);
    assert.deepEqual(errors, []);
    await house.drain();
    assert.deepEqual(await house.differences(), {});
  });

  it("shows everyone who looks the same, in the dark and on a phone", async (t) => {
    for (const colorScheme of ["light", "dark"] as const) {
      const viewport = { width: 390, height: 844 };
      const page = await newPage(t, { colorScheme, viewport, isMobile: true });
      await page.goto(`${house.url}/demo/agent`);
      await over(page).waitFor();
      assert.deepEqual(await accessibilityFaults(page), [], colorScheme);
      await assertFits(page);
    }
  });

  it("begins again, and two pages that press at once play ten days together", async (t) => {
    const [one, two] = [await newPage(t), await newPage(t)];
    for (const page of [one, two]) {
      await page.goto(`${house.url}/demo/agent`);
      await over(page).waitFor();
    }
    await one.getByRole("button", { name: "Begin again with a new campaign" }).click();
    await one.getByText("No visitor has come yet").waitFor();
    await two.getByText("No visitor has come yet").waitFor();
    await Promise.all([play(one).click(), play(two).click()]);
    for (const page of [one, two]) {
      await over(page).waitFor();
      await page.getByText("1,751 saw it, 144 ordered (8.2 %)").waitFor();
    }
  });

  it("says what went wrong, and can be pressed again", async (t) => {
    const page = await newPage(t);
    await page.goto(`${house.url}/demo/agent`);
    await page.getByRole("button", { name: "Begin again with a new campaign" }).click();
    await page.route("**/demo/agent/days", (route) => route.abort());
    await play(page).click();
    await page.getByRole("alert").getByText("That did not work").waitFor();
    await page.unroute("**/demo/agent/days");
    await play(page).click();
    await over(page).waitFor();
    assert.equal(await page.getByRole("alert").count(), 0);
  });
});
