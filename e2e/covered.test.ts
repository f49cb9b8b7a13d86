import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { launchCampaign, toast } from "../apps/server/test/factories.ts";
import { allSent, messageIn, messagesAfter, requestsOf, tell } from "./seen.ts";
import { testStage } from "./stage.ts";
import { counts, countsOf } from "./truth.ts";

const { site, shop, page: newPage } = testStage();

const NOTHING = { shown: 0, clicked: 0, dismissed: 0 };

/** What a page lays over its messages or makes inert, and how it ends. Called by the page, from a click on its button. */
type Cover = { begin: () => unknown; end: () => unknown };
const COVERS: Readonly<Record<string, Cover>> = {
  "a modal dialog": {
    begin: () => document.querySelector("dialog")?.showModal(),
    end: () => document.querySelector("dialog")?.close(),
  },
  "a modal dialog of a web component": {
    begin: () => {
      const host = document.createElement("shop-dialog");
      const dialog = document.createElement("dialog");
      host.attachShadow({ mode: "closed" }).append(dialog);
      document.body.append(host);
      dialog.showModal();
      Object.assign(window, { closeDialog: () => dialog.close() });
    },
    end: () => (window as unknown as { closeDialog(): void }).closeDialog(),
  },
  "an element in fullscreen": {
    begin: () => document.querySelector("h1")?.requestFullscreen(),
    end: () => document.exitFullscreen(),
  },
  "a body that is inert": {
    begin: () => {
      document.body.inert = true;
    },
    end: () => {
      document.body.inert = false;
    },
  },
  "a layer that lies in front": {
    begin: () => {
      const layer = document.createElement("div");
      layer.id = "layer";
      layer.style.cssText = "position: fixed; inset: 0; z-index: 2147483647";
      document.documentElement.append(layer);
    },
    end: () => document.getElementById("layer")?.remove(),
  },
};

const content = '<button id="begin">Begin</button><dialog>Of the shop <button>Go on</button></dialog>';

/** Goes to a page whose message is ready while something covers it. */
async function covered(page: Page, { begin, end }: Cover): Promise<void> {
  await messagesAfter(page, () => page.goto(site.url));
  await page.evaluate(
    `document.getElementById("begin").addEventListener("click", ${begin}); window.endCover = ${end}`,
  );
  await page.locator("#begin").click();
  await page.waitForFunction(() => {
    const { left, top } = document.getElementById("begin")?.getBoundingClientRect() ?? { left: 0, top: 0 };
    return document.elementFromPoint(left + 1, top + 1)?.id !== "begin";
  });
  await messagesAfter(page, () => page.evaluate(() => history.pushState(null, "", "/there")));
}

describe("a toast where the page covers its place", () => {
  for (const [what, cover] of Object.entries(COVERS))
    it(`waits for the end of ${what}: it is not there, not counted, and works afterwards`, async (t) => {
      const project = await shop({ content });
      const { id } = await launchCampaign(project, { pages: ["/there"] });
      const page = await newPage(t);
      await covered(page, cover);
      assert.equal(await page.getByText("Hello").count(), 0);
      await allSent(page);
      assert.deepEqual(await countsOf(project, id), NOTHING);

      await page.evaluate("window.endCover()");
      await page.getByText("Hello").waitFor();
      await counts(project, id, "shown");
      await page.getByRole("button", { name: "Close" }).press("Enter");
      await counts(project, id, "dismissed");
      assert.deepEqual(await countsOf(project, id), { shown: 1, clicked: 0, dismissed: 1 });
    });

  it("does not come once its campaign was paused meanwhile", async (t) => {
    const project = await shop({ content });
    const { id } = await launchCampaign(project, { pages: ["/there"] });
    const page = await newPage(t);
    await covered(page, COVERS["a modal dialog"] as Cover);
    await project.api.setCampaignStatus({ path: { id }, body: { action: "pause" } });
    await messagesAfter(page, () => page.evaluate("window.endCover()"));
    assert.equal(await messageIn(page).count(), 0);
    assert.deepEqual(await countsOf(project, id), NOTHING);
  });

  it("is asked for again when more becomes known of the visitor while it waits", async (t) => {
    const project = await shop({ content });
    const { id } = await launchCampaign(project, { pages: ["/there"] });
    const page = await newPage(t);
    await covered(page, COVERS["a modal dialog"] as Cover);
    await launchCampaign(project, {
      pages: ["/there"],
      message: { presentation: "modal", title: "For the pro plan" },
      targeting: { traits: { plan: "pro" } },
    });
    await tell(page, ["identify", "ada", { plan: "pro" }]);
    await page.getByText("For the pro plan").waitFor();
    assert.deepEqual(await countsOf(project, id), NOTHING);
  });

  it("asks the server nothing while it waits, and nothing more once the page is left", async (t) => {
    const project = await shop({ content });
    await launchCampaign(project, { pages: ["/there"] });
    const page = await newPage(t);
    await page.clock.install();
    await covered(page, COVERS["a modal dialog"] as Cover);
    const requests = requestsOf(page);
    await page.clock.runFor(30_000);
    assert.deepEqual(requests, []);
    await messagesAfter(page, () => page.evaluate(() => history.pushState(null, "", "/elsewhere")));
    await page.evaluate("window.endCover()");
    await page.clock.runFor(30_000);
    assert.equal(await messageIn(page).count(), 0);
    assert.deepEqual(requests, ["GET /messages"]);
  });

  it("stays where it is when a dialog opens over it, and can be used again afterwards", async (t) => {
    const project = await shop({ content });
    const { id } = await launchCampaign(project, { message: toast() });
    const page = await newPage(t);
    await page.goto(site.url);
    await counts(project, id, "shown");
    await page.evaluate(() => document.querySelector("dialog")?.showModal());
    assert.equal(await page.getByText("Hello").count(), 1);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Close" }).click();
    await counts(project, id, "dismissed");
    assert.deepEqual(await countsOf(project, id), { shown: 1, clicked: 0, dismissed: 1 });
  });
});

describe("a modal where the page has a dialog open", () => {
  it("comes before it, and leaves it open when it is closed", async (t) => {
    const project = await shop({ content });
    const modal = { presentation: "modal" as const, title: "Hello" };
    const { id } = await launchCampaign(project, { message: modal, pages: ["/there"] });
    const page = await newPage(t);
    await covered(page, COVERS["a modal dialog"] as Cover);
    await page.getByText("Hello").waitFor();
    await counts(project, id, "shown");
    await page.keyboard.press("Escape");
    await counts(project, id, "dismissed");
    assert.equal(await page.locator("dialog:modal").count(), 1);
  });

  it("does not lock a page whose styles hide it, and is not counted", async (t) => {
    const project = await shop({ content, head: "<style>tidings-message { display: none }</style>" });
    const modal = { presentation: "modal" as const, title: "Hello" };
    const { id } = await launchCampaign(project, { message: modal });
    const page = await newPage(t);
    await messagesAfter(page, () => page.goto(site.url));
    await page.locator("#begin").click();
    await allSent(page);
    assert.deepEqual(await countsOf(project, id), NOTHING);
  });
});
