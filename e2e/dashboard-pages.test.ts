import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Locator, Page as Tab } from "playwright-core";
import { giveRole, makePerson } from "../apps/server/test/people.ts";
import { assertFaultless, assertReflows, cameIn } from "./dashboard.ts";
import { untilLoaded, visitAll } from "./every-page.ts";
import { PHONE, pagesStage, partsOf } from "./pages-stage.ts";

const { prepare, house, visitor, pages, project, addressOf, ownersBrowser } = pagesStage();

const isOfPeople = (url: URL): boolean =>
  url.pathname.startsWith("/api/people/auth/") || url.pathname === "/api/people/me";
const isRead = (url: URL): boolean => url.pathname.startsWith("/api/") && !isOfPeople(url);

const retries = (tab: Tab) => tab.getByRole("main").getByRole("button", { name: "Try again" });

/** Has all that a page reads fail, as a server does that has lost its database; answers how often. */
async function failReads(tab: Tab): Promise<() => number> {
  let failed = 0;
  await tab.unroute(isRead);
  await tab.route(isRead, (route) => {
    failed++;
    return route.fulfill({
      status: 500,
      headers: { "x-request-id": "req-of-the-test" },
      json: { error: "Internal error" },
    });
  });
  return () => failed;
}

/** Each button of a part that has another name than those before it. */
async function buttonsOf(part: Locator): Promise<Map<string, Locator>> {
  const found = new Map<string, Locator>();
  for (const button of await part.getByRole("button").all())
    found.set((await button.textContent()) ?? "", button);
  return found;
}

const isClosed = async (button: Locator): Promise<boolean> =>
  (await button.getAttribute("aria-disabled")) === "true";

/** Fails where something is closed to the role of the person and does not say which one it takes. */
async function assertClosedSaysWhy(tab: Tab): Promise<void> {
  for (const button of (await buttonsOf(tab.getByRole("main"))).values()) {
    if (!(await isClosed(button))) continue;
    await button.hover();
    const reason = tab.getByRole("tooltip").filter({ hasText: /^Needs the role / });
    await reason.waitFor();
    await tab.mouse.move(0, 0);
    await reason.waitFor({ state: "detached" });
  }
}

/** Presses all that is open to a person, and what a dialog then has to send. What a page asks of the server meanwhile is for the caller to judge. */
async function pressAll(tab: Tab): Promise<void> {
  const address = tab.url();
  const main = tab.getByRole("main");
  const names = [...(await buttonsOf(main)).keys()];
  for (const name of names) {
    const button = main.getByRole("button").filter({ hasText: name }).first();
    if ((await button.count()) === 0 || (await isClosed(button)) || (await button.isDisabled())) continue;
    await button.click();
    const send = tab.getByRole("dialog").locator("button[type=submit]:enabled");
    if ((await send.count()) > 0) await send.first().click();
    await tab.keyboard.press("Escape");
    if (new URL(tab.url()).pathname === new URL(address).pathname) continue;
    await tab.goto(address);
    await untilLoaded(tab);
  }
}

describe("every page", () => {
  before(prepare);

  it("says what failed, with its request, and goes on when the server does", async (t) => {
    const context = await ownersBrowser(t);
    await visitAll(context, pages(), async (tab, page) => {
      const { path } = page;
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
        const failedPart = await failReads(tab);
        await partsOf(tab).nth(part).click();
        await untilLoaded(tab);
        if (failedPart() > 0) await retries(tab).first().waitFor();
        await tab.unroute(isRead);
      }
    });
  });

  it("is closed to a viewer with its role, or has nothing that the server refuses them", async (t) => {
    const context = await visitor(t, { viewport: PHONE });
    const viewer = await makePerson(house);
    await giveRole(house, project().projectId, viewer, "viewer");
    await cameIn(context, house, viewer);
    await visitAll(context, pages(), async (tab, page) => {
      // Their own sessions are theirs to end.
      if (page.path === "account") return;
      const refused: string[] = [];
      tab.on("response", (response) => {
        if (response.status() === 403) refused.push(`${page.path}: ${response.url()}`);
      });
      await tab.goto(addressOf(page));
      await untilLoaded(tab);
      if (page.ofServer) {
        await tab.getByText("There is nothing here").waitFor();
      } else if (page.role !== null && page.role !== "viewer") {
        await tab.getByText(`This page needs the role ${page.role}`).waitFor();
      } else {
        const parts = await partsOf(tab).count();
        for (let part = 0; part < Math.max(parts, 1); part++) {
          if (part > 0) await partsOf(tab).nth(part).click();
          await untilLoaded(tab);
          await assertClosedSaysWhy(tab);
          await pressAll(tab);
        }
      }
      // What was pressed last may read the next page of a list.
      await untilLoaded(tab);
      await assertFaultless(tab, `${page.path}, for a viewer`);
      assert.deepEqual(refused, []);
    });
  });
});
