import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { assertFaultless, assertFitsTablet, assertReflows, complaintsOf } from "./dashboard.ts";
import { untilLoaded, visitAll } from "./every-page.ts";
import { pagesStage, partsOf } from "./pages-stage.ts";

const { prepare, pages, addressOf, ownersBrowser } = pagesStage();

describe("every page", () => {
  before(prepare);

  it("fits a tablet and reflows at 320 px with all that a month brings, and its targets can be met", async (t) => {
    const context = await ownersBrowser(t);
    await visitAll(context, pages(), async (tab, page) => {
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
    await visitAll(context, pages(), async (tab, page) => {
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
});
