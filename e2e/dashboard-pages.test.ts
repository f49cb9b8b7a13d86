import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Locator, Page as Tab } from "playwright-core";
import { giveRole, makePerson } from "../apps/server/test/people.ts";
import { assertFaultless, cameIn } from "./dashboard.ts";
import { untilLoaded, visitAll } from "./every-page.ts";
import { PHONE, pagesStage, partsOf } from "./pages-stage.ts";

const { prepare, house, visitor, pages, project, addressOf } = pagesStage();

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
