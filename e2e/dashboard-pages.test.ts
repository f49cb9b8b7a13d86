import assert from "node:assert/strict";
import { before, describe, it, type TestContext } from "node:test";
import type { BrowserContext, Locator, Page as Tab } from "playwright-core";
import type { Page } from "../apps/dashboard/src/platform/pages.ts";
import { defaultLimits } from "../apps/server/src/platform/limits.ts";
import { mirrorsFolder } from "../apps/server/test/from-code.ts";
import type { TestProject } from "../apps/server/test/harness.ts";
import { giveRole, makePerson } from "../apps/server/test/people.ts";
import { assertFaultless, assertFitsTablet, assertReflows, cameIn, complaintsOf } from "./dashboard.ts";
import {
  addressIn,
  everyPage,
  filesFolder,
  fullProject,
  namesIn,
  untilLoaded,
  visitAll,
} from "./every-page.ts";
import { testStage } from "./stage.ts";

/** Enough for everything that the month shows: a proposal, a claim, a split that is wrong. */
const CUSTOMERS = 650;

const { house, visitor } = testStage({
  dataDir: mirrorsFolder(),
  syncsFolder: filesFolder(),
  limits: { ...defaultLimits, demoCustomers: CUSTOMERS },
});

let pages: Page[];
let project: TestProject;
let names: Record<string, string>;

const PHONE = { width: 390, height: 844 };
const addressOf = (page: Page): string => addressIn(house, project, page, names);
const isOfPeople = (url: URL): boolean =>
  url.pathname.startsWith("/api/people/auth/") || url.pathname === "/api/people/me";
const isRead = (url: URL): boolean => url.pathname.startsWith("/api/") && !isOfPeople(url);

/** A browser in which an owner is signed in, who runs the server as well. */
async function ownersBrowser(t: TestContext): Promise<BrowserContext> {
  const context = await visitor(t, { viewport: PHONE });
  await cameIn(context, house, await makePerson(house, { role: "owner", isOperator: true }));
  return context;
}

/** The parts of the page that its tabs open. */
const partsOf = (tab: Tab) => tab.getByRole("main").getByRole("tab");
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
  before(async () => {
    pages = await everyPage();
    project = await fullProject(house);
    names = await namesIn(house, project);
  });

  it("says what failed, with its request, and goes on when the server does", async (t) => {
    const context = await ownersBrowser(t);
    await visitAll(context, pages, async (tab, page) => {
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

  it("fits a tablet and reflows at 320 px with all that a month brings, and its targets can be met", async (t) => {
    const context = await ownersBrowser(t);
    await visitAll(context, pages, async (tab, page) => {
      const complaints = complaintsOf(tab);
      await tab.goto(addressOf(page));
      await untilLoaded(tab);
      const parts = await partsOf(tab).count();
      for (let part = 0; part < Math.max(parts, 1); part++) {
        if (part > 0) await partsOf(tab).nth(part).click();
        await untilLoaded(tab);
        const what = `${page.path}, part ${part + 1}`;
        await assertFitsTablet(tab, what);
        await assertReflows(tab, what);
        await assertFaultless(tab, what);
      }
      assert.deepEqual(complaints, [], page.path);
    });
  });

  it("is printed in the light, without what can be pressed and no wider than the paper", async (t) => {
    const context = await ownersBrowser(t);
    await visitAll(context, pages, async (tab, page) => {
      await tab.setViewportSize({ width: 1280, height: 800 });
      await tab.emulateMedia({ colorScheme: "dark" });
      await tab.goto(addressOf(page));
      await untilLoaded(tab);
      await tab.emulateMedia({ colorScheme: "dark", media: "print" });
      await tab.locator('html[data-mantine-color-scheme="light"]').waitFor();
      const pressed = tab
        .locator("header, nav, .mantine-Button-root, .mantine-ActionIcon-root")
        .filter({ visible: true });
      assert.deepEqual(await pressed.allTextContents(), [], page.path);
      // Scripts do not run between the window and the paper, so the style sheet alone has to make it fit.
      const beyond = await tab.getByRole("main").evaluate((main) => {
        const { width } = Object.assign(main.style, { width: "688px" });
        const { right } = main.getBoundingClientRect();
        const parts = [...main.querySelectorAll("table, svg")].filter(
          (part) => part.checkVisibility() && part.getBoundingClientRect().right > right + 1,
        );
        return parts.map(({ outerHTML }) => `${width}: ${outerHTML.slice(0, 200)}`);
      });
      assert.deepEqual(beyond, [], page.path);
      await tab.emulateMedia({ colorScheme: "dark", media: "screen" });
      await tab.locator('html[data-mantine-color-scheme="dark"]').waitFor();
    });
  });

  it("is closed to a viewer with its role, or has nothing that the server refuses them", async (t) => {
    const context = await visitor(t, { viewport: PHONE });
    const viewer = await makePerson(house);
    await giveRole(house, project.projectId, viewer, "viewer");
    await cameIn(context, house, viewer);
    await visitAll(context, pages, async (tab, page) => {
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
