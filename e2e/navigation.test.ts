import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type { Page } from "playwright-core";
import { launchCampaign, toast } from "../apps/server/test/factories.ts";
import { messageIn, requestsOf, seesNothing, twoFrames } from "./seen.ts";
import { testStage } from "./stage.ts";
import { counts, countsOf } from "./truth.ts";

const { site, shop, page: newPage } = testStage();

const go = (page: Page, how: "pushState" | "replaceState", to: string): Promise<void> =>
  page.evaluate(([name, path]) => history[name](null, "", path), [how, to] as const);

for (const kind of ["with the Navigation API", "without it"] as const) {
  /** A page of a browser that has the Navigation API, or has it not. */
  const open = async (t: TestContext): Promise<Page> => {
    const page = await newPage(t);
    if (kind === "without it") {
      await page.addInitScript(() => Reflect.deleteProperty(window, "navigation"));
      await page.goto("about:blank");
    }
    return page;
  };
  const hasNavigation = (page: Page): Promise<boolean> => page.evaluate(() => "navigation" in window);

  describe(`a single-page app in a browser ${kind}`, () => {
    it("takes a change of path for a new page, by push, replace, back and forth", async (t) => {
      const project = await shop();
      const only = (name: string) =>
        launchCampaign(project, { message: toast(`On ${name}`), pages: [`/${name}`] });
      const [one, two, three] = [await only("one"), await only("two"), await only("three")];
      const page = await open(t);
      await seesNothing(page, () => page.goto(site.url));
      assert.equal(await hasNavigation(page), kind === "with the Navigation API");
      await go(page, "pushState", "/one");
      await page.getByText("On one").waitFor();
      await go(page, "pushState", "/two");
      await page.getByText("On two").waitFor();
      assert.equal(await messageIn(page).count(), 1);
      await go(page, "replaceState", "/three");
      await page.getByText("On three").waitFor();
      assert.equal(await messageIn(page).count(), 1);
      await page.goBack();
      await page.getByText("On one").waitFor();
      assert.equal(await messageIn(page).count(), 1);
      await page.goForward();
      await page.getByText("On three").waitFor();
      assert.equal(await messageIn(page).count(), 1);
      for (const { id } of [one, two, three]) {
        await counts(project, id, "shown");
        assert.deepEqual(await countsOf(project, id), { shown: 1, clicked: 0, dismissed: 0 });
      }
    });

    it("stays on the page while only query and hash change", async (t) => {
      const project = await shop();
      const { id } = await launchCampaign(project);
      const page = await open(t);
      const requests = requestsOf(page);
      await page.goto(`${site.url}/list`);
      await page.getByText("Hello").waitFor();
      await messageIn(page).evaluate((host) => host.setAttribute("data-same", ""));
      await go(page, "pushState", "/list?sort=price");
      await go(page, "replaceState", "?sort=name");
      await go(page, "pushState", "#third");
      await page.evaluate(() => {
        location.hash = "fourth";
      });
      await page.goBack();
      await page.waitForFunction(() => location.hash === "#third");
      await twoFrames(page);
      assert.equal(await page.locator("tidings-message[data-same]").count(), 1);
      assert.equal(requests.filter((request) => request === "GET /messages").length, 1);
      await counts(project, id, "shown");
    });

    it("takes the message away when the page is left, and counts no dismissal", async (t) => {
      const project = await shop();
      const { id } = await launchCampaign(project, { pages: ["/here"] });
      const page = await open(t);
      await page.goto(`${site.url}/here`);
      await page.getByText("Hello").waitFor();
      await counts(project, id, "shown");
      await seesNothing(page, () => go(page, "pushState", "/there"));
      await go(page, "pushState", "/here");
      await page.getByText("Hello").waitFor();
      assert.deepEqual(await countsOf(project, id), { shown: 1, clicked: 0, dismissed: 0 });
    });

    it("drops the answer for a page that was left meanwhile", async (t) => {
      const project = await shop();
      const { id } = await launchCampaign(project, { pages: ["/slow"] });
      const page = await open(t);
      let asks = 0;
      let answer = (): void => {};
      const left = new Promise<void>((resolve) => {
        answer = resolve;
      });
      await page.route("**/api/v1/messages?*slow*", async (route) => {
        asks++;
        const response = await route.fetch();
        await left;
        await route.fulfill({ response }).catch(() => undefined);
      });
      const requested = page.waitForRequest(/messages\?.*slow/);
      await page.goto(`${site.url}/slow`);
      await requested;
      await seesNothing(page, () => go(page, "pushState", "/quick"));
      answer();
      await page.unrouteAll({ behavior: "wait" });
      await twoFrames(page);
      assert.equal(await messageIn(page).count(), 0);
      assert.equal(asks, 1);
      assert.deepEqual(await countsOf(project, id), { shown: 0, clicked: 0, dismissed: 0 });
    });
  });
}
