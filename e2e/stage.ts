import type { TestContext } from "node:test";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { type TestHouse, type TestProject, testHouse } from "../apps/server/test/harness.ts";
import { PATIENCE_MS, testBrowser } from "./browser.ts";
import { pageWith, type Site, snippet, testSite } from "./site.ts";

/** What a test's site looks like beside the three lines of Tidings. */
export type Look = { userId?: string; traits?: object; head?: string; content?: string };

/** A house, a browser and a customer's site for the tests of one file. */
export type Stage = {
  house: TestHouse;
  site: Site;
  browser: () => Browser;
  /** A new project; every page of the site has its three lines from now on. */
  shop(look?: Look): Promise<TestProject>;
  /** A person's browser of their own, gone with the test. Nothing moves in it, so that places can be measured. */
  visitor(t: TestContext, options?: BrowserContextOptions): Promise<BrowserContext>;
  /** A page of a new visitor, still empty. */
  page(t: TestContext, options?: BrowserContextOptions): Promise<Page>;
};

/** Call at the top of a file. */
export function testStage(overrides: Parameters<typeof testHouse>[0] = {}): Stage {
  const house = testHouse(overrides);
  const browser = testBrowser();
  const site = testSite();
  const visitor: Stage["visitor"] = async (t, options) => {
    const context = await browser().newContext({ reducedMotion: "reduce", ...options });
    context.setDefaultTimeout(PATIENCE_MS);
    t.after(() => context.close());
    return context;
  };
  return {
    house,
    site,
    browser,
    visitor,
    page: async (t, options) => (await visitor(t, options)).newPage(),
    async shop({ userId = "ada", traits, head = "", content } = {}) {
      const project = await house.project();
      const scripts = head + snippet(house.url, project.publishableKey, userId, traits);
      site.serve({ "/": { html: pageWith(scripts, content) } });
      return project;
    },
  };
}
