import { before, describe, it } from "node:test";
import type { Page as Tab } from "playwright-core";
import { assertFaultless, assertReflows } from "./dashboard.ts";
import { untilLoaded, visitAll } from "./every-page.ts";
import { PHONE, pagesStage, partsOf } from "./pages-stage.ts";

const { prepare, pages, addressOf, ownersBrowser } = pagesStage();

const isOfPeople = (url: URL): boolean =>
  url.pathname.startsWith("/api/people/auth/") || url.pathname === "/api/people/me";
const isRead = (url: URL): boolean => url.pathname.startsWith("/api/") && !isOfPeople(url);

const retries = (tab: Tab) => tab.getByRole("main").getByRole("button", { name: "Try again" });

/**
 * Has all that a page reads fail, as a server does that has lost its database; answers how often. What a page has read before it may read again at
 * any instant, and shows as it was: `known` are the addresses of such reads, which are not counted.
 */
async function failReads(tab: Tab, known: ReadonlySet<string> = new Set()): Promise<() => number> {
  let failed = 0;
  await tab.unroute(isRead);
  await tab.route(isRead, (route) => {
    if (!known.has(route.request().url())) failed++;
    return route.fulfill({
      status: 500,
      headers: { "x-request-id": "req-of-the-test" },
      json: { error: "Internal error" },
    });
  });
  return () => failed;
}

/** The addresses that a tab has read and was answered, as they come. */
function readsOf(tab: Tab): ReadonlySet<string> {
  const read = new Set<string>();
  tab.on("response", (response) => {
    if (response.ok() && isRead(new URL(response.url()))) read.add(response.url());
  });
  return read;
}

describe("every page", () => {
  before(prepare);

  it("says what failed, with its request, and goes on when the server does", async (t) => {
    const context = await ownersBrowser(t);
    await visitAll(context, pages(), async (tab, page) => {
      const { path } = page;
      const read = readsOf(tab);
      const failed = await failReads(tab);
      await tab.goto(addressOf(page));
      await untilLoaded(tab);
      await assertReflows(tab, `${path}, failing`);
      await tab.setViewportSize(PHONE);
      await tab.getByRole("navigation", { name: "Pages" }).waitFor({ state: "attached" });
      if (failed() === 0) return;
      await retries(tab).first().waitFor();
      await tab.getByText("Request req-of-the-test").first().waitFor();
      await assertFaultless(tab, `${path}, failing`);
      await tab.unroute(isRead);
      await retries(tab).evaluateAll((buttons) => buttons.map((button) => (button as HTMLElement).click()));
      await retries(tab).first().waitFor({ state: "detached" });
      await untilLoaded(tab);
      // Its parts fail by themselves, under a page that lives.
      for (let part = 1; part < (await partsOf(tab).count()); part++) {
        const failedPart = await failReads(tab, read);
        await partsOf(tab).nth(part).click();
        await untilLoaded(tab);
        if (failedPart() > 0) await retries(tab).first().waitFor();
        await tab.unroute(isRead);
      }
    });
  });
});
