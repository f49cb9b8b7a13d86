import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { launchCampaign } from "../apps/server/test/factories.ts";
import { messageIn } from "./seen.ts";
import { testStage } from "./stage.ts";
import { counts, countsOf } from "./truth.ts";

const { site, shop, page: newPage } = testStage();

/** What has the focus, looked for inside the message too: its part, its id or its tag. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const active = document.activeElement?.shadowRoot?.activeElement ?? document.activeElement;
    return active?.getAttribute("part") ?? (active?.id || active?.tagName.toLowerCase()) ?? "";
  });

const message = (presentation: "toast" | "modal") => ({
  presentation,
  title: "Hello",
  body: "With a body.",
  cta: { label: "Go", url: "/offer" },
});

const content = '<button id="before">Before</button><a id="link" href="/other">Other</a>';

describe("a toast with the keyboard alone", () => {
  it("is reached after the page's own links, and its link opened by Enter", async (t) => {
    const project = await shop({ content });
    const { id } = await launchCampaign(project, { message: message("toast") });
    const page = await newPage(t);
    await page.goto(site.url);
    await page.getByText("Hello").waitFor();
    assert.equal(await focused(page), "body");
    const path: string[] = [];
    for (let i = 0; i < 4; i++) {
      await page.keyboard.press("Tab");
      path.push(await focused(page));
    }
    assert.deepEqual(path, ["before", "link", "action", "close"]);
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/offer");
    await counts(project, id, "clicked");
  });

  it("is closed by Enter on its button, and by Escape only inside it", async (t) => {
    const project = await shop({ content });
    const { id } = await launchCampaign(project, { message: message("toast") });
    const page = await newPage(t);
    await page.goto(site.url);
    await page.getByText("Hello").waitFor();
    await page.locator("#link").focus();
    await page.keyboard.press("Escape");
    assert.equal(await messageIn(page).count(), 1);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Escape");
    await messageIn(page).waitFor({ state: "detached" });
    await counts(project, id, "dismissed");
    assert.deepEqual(await countsOf(project, id), { shown: 1, clicked: 0, dismissed: 1 });
  });

  it("gives the focus back to what had it when it came", async (t) => {
    const project = await shop({ content });
    await launchCampaign(project, { message: message("toast") });
    const page = await newPage(t);
    await page.route("**/api/v1/messages?*", async (route) => {
      await page.locator("#before").focus();
      await route.continue();
    });
    await page.goto(site.url);
    await page.getByText("Hello").waitFor();
    assert.equal(await focused(page), "before");
    for (let i = 0; i < 3; i++) await page.keyboard.press("Tab");
    assert.equal(await focused(page), "close");
    await page.keyboard.press("Enter");
    await messageIn(page).waitFor({ state: "detached" });
    assert.equal(await focused(page), "before");
  });
});

describe("a modal with the keyboard alone", () => {
  it("takes the focus without pressing anything, keeps it, and gives it back", async (t) => {
    const project = await shop({ content });
    const { id } = await launchCampaign(project, { message: message("modal") });
    const page = await newPage(t);
    await page.route("**/api/v1/messages?*", async (route) => {
      await page.locator("#before").focus();
      await route.continue();
    });
    await page.goto(site.url);
    await page.getByText("Hello").waitFor();
    assert.equal(await focused(page), "dialog");
    // A person who was typing goes on for a moment.
    await page.keyboard.press("Enter");
    await page.keyboard.press("Space");
    assert.equal(await messageIn(page).count(), 1);
    const path: string[] = [];
    for (const key of ["Tab", "Tab", "Tab", "Shift+Tab", "Shift+Tab", "Shift+Tab"]) {
      await page.keyboard.press(key);
      path.push(await focused(page));
    }
    assert.deepEqual(path, ["action", "close", "action", "close", "action", "close"]);
    await page.keyboard.press("Escape");
    await messageIn(page).waitFor({ state: "detached" });
    assert.equal(await focused(page), "before");
    await counts(project, id, "dismissed");
    assert.deepEqual(await countsOf(project, id), { shown: 1, clicked: 0, dismissed: 1 });
  });

  it("keeps the focus with Shift+Tab as the first key, and with a close button alone", async (t) => {
    const project = await shop({ content });
    await launchCampaign(project, { message: { presentation: "modal", body: "Only a body" } });
    const page = await newPage(t);
    await page.goto(site.url);
    const dialog = page.getByRole("dialog", { name: "Only a body" });
    await dialog.waitFor();
    for (const key of ["Shift+Tab", "Shift+Tab", "Tab", "Tab"]) {
      await page.keyboard.press(key);
      assert.equal(await focused(page), "close");
    }
    await page.keyboard.press("Space");
    await messageIn(page).waitFor({ state: "detached" });
  });

  it("leaves nothing behind it to be pressed", async (t) => {
    const project = await shop({ content });
    await launchCampaign(project, { message: message("modal") });
    const page = await newPage(t);
    await page.goto(site.url);
    await page.getByRole("dialog", { name: "Hello", exact: true }).waitFor();
    await page.evaluate(() => document.getElementById("before")?.focus());
    assert.notEqual(await focused(page), "before");
    const [x, y] = await page.locator("#link").evaluate((link) => {
      const { left, top } = link.getBoundingClientRect();
      return [left + 5, top + 5] as const;
    });
    const hit = await page.evaluate(([left, top]) => document.elementFromPoint(left, top)?.id, [
      x,
      y,
    ] as const);
    assert.notEqual(hit, "link");
  });

  it("is dismissed by a click beside it, not by one on it", async (t) => {
    const project = await shop({ content });
    const { id } = await launchCampaign(project, { message: message("modal") });
    const page = await newPage(t);
    await page.goto(site.url);
    await page.getByText("With a body.").click();
    await page.getByText("Hello").click({ position: { x: 1, y: 1 } });
    const card = await page.locator("tidings-message .card").boundingBox();
    assert.ok(card);
    await page.mouse.click(card.x + 3, card.y + card.height / 2);
    assert.equal(await messageIn(page).count(), 1);
    await page.mouse.click(5, 5);
    await messageIn(page).waitFor({ state: "detached" });
    await counts(project, id, "dismissed");
    assert.deepEqual(await countsOf(project, id), { shown: 1, clicked: 0, dismissed: 1 });
  });

  it("stays when a text in it is marked with the mouse and let go of beside it", async (t) => {
    const project = await shop({ content });
    await launchCampaign(project, { message: message("modal") });
    const page = await newPage(t);
    await page.goto(site.url);
    const text = page.getByText("With a body.");
    await text.waitFor();
    const box = await text.boundingBox();
    assert.ok(box);
    await page.mouse.move(box.x + 40, box.y + 8);
    await page.mouse.down();
    await page.mouse.move(5, 5, { steps: 4 });
    await page.mouse.up();
    assert.equal(await messageIn(page).count(), 1);
  });
});
