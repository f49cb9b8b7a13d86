import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { launchCampaign } from "../apps/server/test/factories.ts";
import { allSent, messageIn, step, tell } from "./seen.ts";
import { testStage } from "./stage.ts";
import { allArrived, arrived, counts, countsOf, oneTo } from "./truth.ts";

const { house, site, shop, page: newPage, visitor } = testStage();

const DAY_MS = 86_400_000;

/** Sets the clock of the device of a page, from its next document on: so many milliseconds beside the right time. */
const setClock = (page: Page, by: number): Promise<unknown> =>
  page.addInitScript((shift) => {
    const { now } = Date;
    Date.now = () => now() + shift;
  }, by);

/** Sets it while the page is there. */
const moveClock = (page: Page, by: number): Promise<void> =>
  page.evaluate((shift) => {
    const { now } = Date;
    Date.now = () => now() + shift;
  }, by);

describe("a device whose clock was wrong, and is right again", () => {
  for (const [how, by] of [
    ["a year ahead", 365 * DAY_MS],
    ["thirty days behind", -30 * DAY_MS],
    ["in 1970", -Date.now() + DAY_MS],
  ] as const) {
    it(`says again who the visitor is, after it was ${how}`, async (t) => {
      await shop();
      const context = await visitor(t);
      const wrong = await context.newPage();
      await setClock(wrong, by);
      await wrong.goto(site.url);
      await allSent(wrong);
      const right = await context.newPage();
      const identified = right.waitForRequest("**/api/v1/identify");
      await right.goto(site.url);
      await identified;
    });

    it(`sends what was done offline meanwhile, once each and in order, after it was ${how}`, async (t) => {
      const project = await shop();
      const context = await visitor(t);
      await context.route("**/api/v1/**", (route) => route.abort());
      const wrong = await context.newPage();
      await setClock(wrong, by);
      await wrong.goto(site.url);
      await tell(wrong, ...oneTo(5).map(step));
      const right = await context.newPage();
      await right.goto(site.url);
      await tell(right, ...[6, 7, 8].map(step));
      const sent: unknown[] = [];
      context.on("request", (request) => {
        if (request.url().endsWith("/track")) sent.push(request.postDataJSON().props.n);
      });
      await wrong.close();
      await context.unroute("**/api/v1/**");
      await right.reload();
      assert.deepEqual(await allArrived(house, project, 8), oneTo(8));
      await allSent(right);
      assert.deepEqual(await arrived(house, project), oneTo(8));
      // What leaves with a page goes in parallel; the next page sends all of it again, one after another.
      assert.deepEqual([...new Set(sent.slice(sent.lastIndexOf(1)))], oneTo(8));
    });
  }

  it("counts a click that came after the clock was set back, behind its impression", async (t) => {
    const project = await shop();
    const message = { presentation: "toast" as const, title: "Hello", cta: { label: "Yes" } };
    const { id } = await launchCampaign(project, { message });
    const context = await visitor(t);
    const page = await context.newPage();
    await context.route("**/api/v1/deliveries/**", (route) => route.abort());
    await page.goto(site.url);
    const reported = page.waitForRequest("**/api/v1/deliveries/**");
    await page.getByText("Hello").waitFor();
    await reported;
    await moveClock(page, -DAY_MS);
    await page.getByRole("button", { name: "Yes" }).click();
    await messageIn(page).waitFor({ state: "detached" });
    await context.unroute("**/api/v1/deliveries/**");
    await page.reload();
    await counts(project, id, "clicked");
    assert.deepEqual(await countsOf(project, id), { shown: 1, clicked: 1, dismissed: 0 });
  });

  it("says nothing twice within a visit while it is right", async (t) => {
    const project = await shop();
    const page = await newPage(t);
    await page.goto(site.url);
    await allSent(page);
    const identifies: string[] = [];
    page.on("request", (request) => request.url().endsWith("/identify") && identifies.push(request.url()));
    await page.reload();
    await tell(page, step(1));
    await allArrived(house, project, 1);
    assert.deepEqual(identifies, []);
  });
});
