import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { entered, entryToken } from "../apps/server/test/demo-entry.ts";
import { launchCampaign, toast } from "../apps/server/test/factories.ts";
import { testHouse } from "../apps/server/test/harness.ts";
import { accessibilityFaults } from "./axe.ts";
import { messageIn } from "./seen.ts";
import { testStage } from "./stage.ts";

const { house, visitor, page: newPage } = testStage({ demo: true });

const demo = (): string => `${house.url}/demo`;

const OFFER = "Free delivery for first orders";

/** Waits until the page's own table says so of the offer. */
async function offerCounts(page: Page, shown: number, clicked: number, bought: number): Promise<void> {
  const row = page.getByRole("row", { name: `${OFFER} ${shown} ${clicked} ${bought}`, exact: true });
  await row.waitFor();
}

const numbers = async (): Promise<{ campaigns: { name: string; shown: number; converted: number }[] }> =>
  (await fetch(`${demo()}/assets/numbers.json`)).json();

describe("the demo shop", () => {
  it("is made once, however many come at the same time", async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => fetch(demo())));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    const pages = await Promise.all(answers.map((answer) => answer.text()));
    assert.equal(new Set(pages).size, 1);
    const count = async (table: string, where: string): Promise<unknown> =>
      (await house.database.pool.query(`select count(*)::int as n from ${table} where ${where}`)).rows[0].n;
    assert.equal(await count("projects", "name = 'Demo shop'"), 1);
    assert.equal(await count("campaigns", "project_id = (select project_id from demo_shop)"), 3);
  });

  it("shows, counts a click and a sale, and says thanks", async (t) => {
    const page = await newPage(t);
    const errors: string[] = [];
    page.on("pageerror", ({ message }) => errors.push(message));
    page.on("console", (line) => line.type() === "error" && errors.push(line.text()));
    await page.goto(demo());
    await page.getByText("Your first order travels free").waitFor();
    await offerCounts(page, 1, 0, 0);
    await page.getByRole("link", { name: "Show me the coffee" }).click();
    await page.getByRole("heading", { name: "Morning Blend" }).waitFor();
    assert.equal(new URL(page.url()).pathname, "/demo/morning-blend");
    await offerCounts(page, 1, 1, 0);
    await page.getByRole("button", { name: "Add to basket" }).click();
    await page.getByRole("button", { name: "Buy now" }).click();
    await page.getByRole("dialog", { name: "Thank you for your order!" }).waitFor();
    await page.getByRole("button", { name: "Yes, please" }).click();
    await messageIn(page).waitFor({ state: "detached" });
    await offerCounts(page, 1, 1, 1);
    for (const step of ["A toast appears", "You click its button", "You buy"])
      assert.match(
        (await page.getByRole("listitem").filter({ hasText: step }).getAttribute("class")) ?? "",
        /done/,
      );
    assert.deepEqual(await house.differences(), {});

    await page.getByRole("button", { name: "Start again as a new visitor" }).click();
    await page.getByText("Your first order travels free").waitFor();
    await offerCounts(page, 2, 1, 1);
    assert.deepEqual(errors, []);
  });

  it("tells of its own campaigns only", async () => {
    const project = await house.project();
    await launchCampaign(project, { name: "A campaign of somebody else" });
    const { campaigns } = await numbers();
    assert.deepEqual(
      campaigns.map(({ name }) => name),
      [OFFER, "Thanks after an order"],
    );
    assert.deepEqual(Object.keys(campaigns[0] ?? {}).sort(), [
      "clicked",
      "converted",
      "dismissed",
      "name",
      "shown",
    ]);
  });

  for (const place of ["", "/morning-blend", "/basket", "/thanks", "/no-such-place"])
    it(`is a page of its own at /demo${place}`, async (t) => {
      const page = await newPage(t);
      await page.goto(demo() + place);
      await page.getByRole("heading", { level: 1 }).waitFor();
      assert.equal(await page.getByRole("heading", { level: 1 }).count(), 1);
    });

  for (const colorScheme of ["light", "dark"] as const)
    it(`has nothing that axe-core finds, ${colorScheme}`, async (t) => {
      const page = await newPage(t, { colorScheme, reducedMotion: "reduce" });
      for (const place of ["", "/night-shift", "/basket", "/thanks"]) {
        await page.goto(demo() + place);
        await page.getByRole("row", { name: OFFER }).waitFor();
        await page.getByRole("row", { name: "Welcome" }).waitFor();
        if (place === "") await page.getByText("Your first order travels free").waitFor();
        assert.deepEqual(await accessibilityFaults(page), [], place);
      }
    });

  it("fits a phone of 390 pixels", async (t) => {
    const page = await newPage(t, { viewport: { width: 390, height: 844 }, isMobile: true });
    for (const place of ["", "/slow-sunday", "/basket", "/thanks"]) {
      await page.goto(demo() + place);
      await page.getByRole("row", { name: OFFER }).waitFor();
      const { scrollWidth, clientWidth } = await page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement;
        return { scrollWidth, clientWidth };
      });
      assert.ok(
        scrollWidth <= clientWidth && clientWidth === 390,
        `${place}: ${scrollWidth} of ${clientWidth}`,
      );
    }
  });
});

/** As a person's browser says it: the name of the tests' own tells a machine. */
const AGENT =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";

describe("the demo shop's mail", () => {
  it("comes within seconds, is opened, clicked and unsubscribed from, and counted", async (t) => {
    await fetch(demo());
    await house.tidings.startWorker();
    const context = await visitor(t, { userAgent: AGENT });
    const page = await context.newPage();
    await page.goto(`${demo()}/thanks?token=${entryToken(house)}`);
    const counted = (numbers: string) =>
      page.getByRole("row", { name: `Welcome ${numbers}`, exact: true }).waitFor();
    await counted("0 0 0 0");
    await page.getByLabel("Where may we write").fill("ada@example.com");
    await page.getByRole("button", { name: "Write to me" }).click();
    const left = performance.now();
    await counted("1 0 0 0");
    const took = performance.now() - left;
    // Seconds, and not the next time that a person happens to look.
    assert.ok(took < 10_000, `${took} ms`);
    const mails = await (await fetch(`${house.url}/demo/outbox`, { headers: entered(house) })).text();
    assert.match(mails, /Welcome, early riser[\s\S]*to <bdi>ada@example\.com/);

    house.advance(10_000);
    const reader = await context.newPage();
    await reader.goto(demo());
    await reader.bringToFront();
    await page.getByRole("link", { name: "Read it in the outbox" }).click();
    await page.getByRole("link", { name: /Welcome, early riser/ }).click();
    const frame = page.frameLocator("iframe");
    const showsCounts = (numbers: string) =>
      reader.getByRole("row", { name: `Welcome ${numbers}`, exact: true }).waitFor();
    await showsCounts("1 1 0 0");
    const opened = context.waitForEvent("page");
    await frame.getByRole("link", { name: "Meet Slow Sunday" }).click();
    const product = await opened;
    await product.getByRole("heading", { level: 1, name: "Slow Sunday" }).waitFor();
    assert.equal(new URL(product.url()).pathname, "/demo/slow-sunday");
    await reader.bringToFront();
    await showsCounts("1 1 1 0");
    const leaving = context.waitForEvent("page");
    await frame.getByRole("link", { name: "Unsubscribe" }).click();
    await (await leaving).getByRole("button").first().click();
    await reader.bringToFront();
    await showsCounts("1 1 1 1");
    assert.deepEqual(await house.differences(), {});
  });
});

it("fits its numbers beside the shop", async (t) => {
  const page = await newPage(t, { viewport: { width: 1_000, height: 800 } });
  await page.goto(demo());
  await page.getByRole("row", { name: "Welcome" }).waitFor();
  const aside = await page
    .locator("aside")
    .evaluate(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth]);
  assert.equal(aside[0], aside[1]);
});

describe("a server without the demo", () => {
  const closed = testHouse({ demo: false });

  it("has no page, no file and no project of it", async () => {
    const project = await closed.project();
    await launchCampaign(project, { message: toast() });
    for (const path of ["/demo", "/demo/basket", "/demo/assets/shop.js", "/demo/assets/numbers.json"])
      assert.equal((await fetch(closed.url + path)).status, 404, path);
    const { rows } = await closed.database.pool.query("select count(*)::int as n from demo_shop");
    assert.equal(rows[0].n, 0);
  });
});
