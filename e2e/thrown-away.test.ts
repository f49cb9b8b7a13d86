import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { launchCampaign } from "../apps/server/test/factories.ts";
import { allSent, messageIn, twoFrames } from "./seen.ts";
import { testStage } from "./stage.ts";
import { counts, countsOf } from "./truth.ts";

const { site, shop, page: newPage } = testStage();

/** What libraries and pages do to a page that they draw anew, each as they do it. */
const REDRAWN: Readonly<Record<string, () => void>> = {
  "as Turbo does, with a new body": () => {
    document.documentElement.replaceChild(document.body.cloneNode(true), document.body);
  },
  "with the HTML of its body": () => {
    document.body.innerHTML = "<main>Another page</main>";
  },
  "by a merge that removes what it does not know": () => {
    for (const child of [...document.body.children]) if (child.localName !== "main") child.remove();
  },
  "with all of the document's HTML": () => {
    document.documentElement.innerHTML = "<head></head><body><main>Another page</main></body>";
  },
};

const message = (presentation: "toast" | "modal") => ({
  presentation,
  title: "Hello",
  cta: { label: "Go", url: "/offer" },
});

/** A page with its message, which was counted as shown. */
async function showing(page: Page, presentation: "toast" | "modal") {
  const project = await shop();
  const { id } = await launchCampaign(project, { message: message(presentation) });
  await page.goto(site.url);
  await page.getByText("Hello").waitFor();
  await counts(project, id, "shown");
  await allSent(page);
  return { project, id };
}

const focusedPart = (page: Page): Promise<string | null | undefined> =>
  page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.getAttribute("part"));

describe("a page that is drawn anew under its message", () => {
  for (const presentation of ["toast", "modal"] as const)
    for (const [how, redraw] of Object.entries(REDRAWN))
      it(`${how}, keeps a ${presentation} that works, and counts it once`, async (t) => {
        const page = await newPage(t);
        const { project, id } = await showing(page, presentation);
        await page.evaluate(redraw);
        await page.evaluate(redraw);
        await twoFrames(page);
        const isModal = await page
          .locator("tidings-message :is(dialog, .toast)")
          .evaluate((frame) => frame.matches(":modal"));
        assert.equal(isModal, presentation === "modal");
        assert.equal(await messageIn(page).count(), 1, "no copies of it stay");
        await page.getByRole("button", { name: "Close" }).click();
        await counts(project, id, "dismissed");
        assert.deepEqual(await countsOf(project, id), { shown: 1, clicked: 0, dismissed: 1 });
        await page.evaluate(redraw);
        await twoFrames(page);
        assert.equal(await page.getByText("Hello").count(), 0, "what was closed stays away");
      });

  it("counts a message once that it throws away before that was drawn", async (t) => {
    const project = await shop();
    const { id } = await launchCampaign(project, { message: message("toast") });
    const page = await newPage(t);
    await page.addInitScript(() => {
      const { append } = Element.prototype;
      Element.prototype.append = function (...nodes) {
        append.apply(this, nodes);
        const isFirst = nodes.some((node) => node instanceof Element && node.localName === "tidings-message");
        if (!isFirst) return;
        Element.prototype.append = append;
        document.documentElement.replaceChild(document.createElement("body"), document.body);
      };
    });
    await page.goto(site.url);
    await page.getByText("Hello").waitFor();
    await counts(project, id, "shown");
    await allSent(page);
    assert.deepEqual(await countsOf(project, id), { shown: 1, clicked: 0, dismissed: 0 });
  });

  it("leaves the focus where it is: in the message, or in the page", async (t) => {
    const page = await newPage(t);
    await showing(page, "toast");
    const redraw = () => {
      document.documentElement.replaceChild(document.body.cloneNode(true), document.body);
      document.querySelector("main")?.insertAdjacentHTML("beforeend", '<input id="search">');
    };
    await page.locator("tidings-message .action").focus();
    await page.evaluate(redraw);
    assert.equal(await focusedPart(page), "action");
    await page.locator("#search").focus();
    await page.evaluate(() => {
      document.querySelector("tidings-message")?.remove();
    });
    await twoFrames(page);
    assert.equal(await page.evaluate(() => document.activeElement?.id), "search");
    assert.equal(await messageIn(page).count(), 1);
  });

  it("gives a modal its focus again", async (t) => {
    const page = await newPage(t);
    await showing(page, "modal");
    await page.locator("tidings-message .close").focus();
    await page.evaluate(() =>
      document.documentElement.replaceChild(document.createElement("body"), document.body),
    );
    assert.equal(await focusedPart(page), "close");
    await page.keyboard.press("Tab");
    assert.equal(await focusedPart(page), "action");
  });

  it("is not locked by a modal without listeners where it is written as a new document", async (t) => {
    const page = await newPage(t);
    await showing(page, "modal");
    await page.evaluate(() => {
      document.open();
      document.write(
        "<title>Shop</title><main><button onclick='this.textContent = \"Bought\"'>Buy</button></main>",
      );
      document.close();
    });
    await twoFrames(page);
    await page.getByRole("button", { name: "Buy" }).click();
    assert.equal(await page.getByText("Bought").count(), 1);
  });

  it("gets its way where it removes the message again and again", async (t) => {
    const page = await newPage(t);
    const { project, id } = await showing(page, "modal");
    const removals = await page.evaluate(async () => {
      let removals = 0;
      const remove = (): void => {
        const found = document.querySelector("tidings-message");
        if (found === null) return;
        removals++;
        found.remove();
      };
      new MutationObserver(remove).observe(document.body, { childList: true });
      remove();
      await new Promise((done) => setTimeout(done));
      return removals;
    });
    assert.ok(removals > 1 && removals <= 20, `removed ${removals} times`);
    assert.equal(await messageIn(page).count(), 0);
    assert.equal(await page.evaluate(() => document.querySelector(":modal")), null);
    assert.deepEqual(await countsOf(project, id), { shown: 1, clicked: 0, dismissed: 0 });
  });
});
