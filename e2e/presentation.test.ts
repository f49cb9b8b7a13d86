import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import { launchCampaign, toast } from "../apps/server/test/factories.ts";
import { smuggle } from "./hostile.ts";
import { messageIn } from "./seen.ts";
import { pageWith } from "./site.ts";
import { testStage } from "./stage.ts";
import { counts } from "./truth.ts";

const { house, site, shop, page: newPage } = testStage();

const styleOf = (element: Locator, name: string): Promise<string> =>
  element.evaluate((found, property) => getComputedStyle(found).getPropertyValue(property), name);

const part = (page: Page, name: string): Locator => page.locator(`tidings-message [part~=${name}]`);

const LIGHT = "rgb(255, 255, 255)";
const DARK = "rgb(32, 33, 36)";
const linked = { ...toast("Hello"), body: "With a body.", cta: { label: "Go", url: "/offer" } };

describe("the look of a message", () => {
  for (const { theme, page: scheme, expected } of [
    { theme: "auto", page: "light", expected: LIGHT },
    { theme: "auto", page: "dark", expected: DARK },
    { theme: "light", page: "dark", expected: LIGHT },
    { theme: "dark", page: "light", expected: DARK },
  ]) {
    it(`is ${expected === LIGHT ? "light" : "dark"} with theme ${theme} on a ${scheme} page`, async (t) => {
      const project = await house.project();
      await launchCampaign(project);
      site.serve({
        "/": {
          html: pageWith(
            `<style>:root { color-scheme: ${scheme} }</style>
<script async src="${house.url}/tidings.js" data-key="${project.publishableKey}" data-user="ada" data-theme="${theme}"></script>`,
          ),
        },
      });
      const page = await newPage(t);
      await page.goto(site.url);
      await page.getByText("Hello").waitFor();
      assert.equal(await styleOf(part(page, "card"), "background-color"), expected);
    });
  }

  it("follows a page that follows the visitor's own choice, also when that changes", async (t) => {
    const project = await shop({ head: "<style>:root { color-scheme: light dark }</style>" });
    await launchCampaign(project);
    const page = await newPage(t, { colorScheme: "dark" });
    await page.goto(site.url);
    await page.getByText("Hello").waitFor();
    assert.equal(await styleOf(part(page, "card"), "background-color"), DARK);
    await page.emulateMedia({ colorScheme: "light" });
    assert.equal(await styleOf(part(page, "card"), "background-color"), LIGHT);
  });

  it("takes the page's custom properties and ::part rules, and nothing else of its styles", async (t) => {
    const head = `<style>
:root { --tidings-accent: #123456; --tidings-accent-text: #fedcba; --tidings-radius: 3px; --tidings-background: #fafafa;
  --tidings-text: #010203; --tidings-muted: #040506; --tidings-font: monospace; --tidings-z-index: 77 }
tidings-message::part(title) { letter-spacing: 3px }
p, a, button, div, dialog, .card, .title { color: red !important; display: inline-grid !important; margin: 99px !important }
body { font: 40px/3 cursive; text-transform: uppercase; direction: ltr; visibility: visible; text-align: center }
* { letter-spacing: 9px }
</style>`;
    const project = await shop({ head });
    await launchCampaign(project, { message: linked });
    const page = await newPage(t);
    await page.goto(site.url);
    await page.getByText("Hello").waitFor();
    const expected = [
      ["action", "background-color", "rgb(18, 52, 86)"],
      ["action", "color", "rgb(254, 220, 186)"],
      ["action", "display", "inline-block"],
      ["card", "border-radius", "3px"],
      ["card", "background-color", "rgb(250, 250, 250)"],
      ["card", "font-family", "monospace"],
      ["card", "font-size", "15px"],
      ["card", "text-transform", "none"],
      ["title", "color", "rgb(1, 2, 3)"],
      ["title", "letter-spacing", "3px"],
      ["title", "display", "block"],
      ["title", "margin-top", "0px"],
      ["body", "color", "rgb(4, 5, 6)"],
      ["close", "display", "block"],
    ] as const;
    for (const [name, property, value] of expected)
      assert.equal(await styleOf(part(page, name), property), value, `${name} ${property}`);
    assert.equal(await styleOf(page.locator("tidings-message .toast"), "z-index"), "77");
  });

  it("does not move anything of the page", async (t) => {
    const head = `<style>
body { display: flex; flex-direction: column; justify-content: space-between; gap: 40px; min-height: 100vh; margin: 0 }
</style>`;
    const project = await shop({ head });
    site.serve({
      "/": {
        html: pageWith(head + (await threeLines(project.publishableKey)), "").replace(
          "</main>",
          "</main><footer>Footer</footer>",
        ),
      },
    });
    const { id } = await launchCampaign(project, { pages: ["/there"] });
    const page = await newPage(t);
    await page.goto(site.url);
    const before = await page.locator("footer").boundingBox();
    await page.evaluate(() => history.pushState(null, "", "/there"));
    await page.getByText("Hello").waitFor();
    await counts(project, id, "shown");
    assert.deepEqual(await page.locator("footer").boundingBox(), before);
  });

  it("lies above what the page has put in front", async (t) => {
    const content = `<div style="position: fixed; inset: 0; z-index: 9999"></div>`;
    const project = await shop({ content });
    const { id } = await launchCampaign(project, { message: linked });
    const page = await newPage(t);
    await page.goto(site.url);
    await page.getByRole("button", { name: "Close" }).click();
    await counts(project, id, "dismissed");
  });

  it("comes without motion for who asked for that, and with some for others", async (t) => {
    const project = await shop();
    await launchCampaign(project);
    for (const [reducedMotion, expected] of [
      ["reduce", "none"],
      ["no-preference", "arrive"],
    ] as const) {
      const page = await newPage(t, { reducedMotion });
      await page.goto(site.url);
      await page.getByText("Hello").waitFor();
      assert.equal(await styleOf(part(page, "card"), "animation-name"), expected);
    }
  });
});

const threeLines = async (key: string): Promise<string> =>
  `<script async src="${house.url}/tidings.js" data-key="${key}" data-user="ada"></script>`;

describe("a message on a phone of 390 pixels", () => {
  const viewport = { width: 390, height: 844 };
  const word = "Donaudampfschifffahrt".repeat(10).slice(0, 200);

  for (const presentation of ["toast", "modal"] as const) {
    it(`is a ${presentation} without sideways scrolling, whose close button is in sight`, async (t) => {
      const project = await shop();
      const { id } = await launchCampaign(project);
      await smuggle(house, project, id, {
        presentation,
        title: word,
        body: `${word} ${"A long body. ".repeat(30)}`,
        cta: { label: word.slice(0, 80), url: "/offer" },
      });
      const page = await newPage(t, { viewport, hasTouch: true, isMobile: true });
      await page.goto(site.url);
      await page.getByText("A long body.").waitFor();
      const overflow = await page.evaluate(() => {
        const scrolls = (element: Element) => element.scrollWidth > element.clientWidth;
        const inside = document.querySelector("tidings-message")?.shadowRoot?.querySelectorAll("*") ?? [];
        return [document.documentElement, ...inside].filter(scrolls).map((element) => element.className);
      });
      assert.deepEqual(overflow, []);
      const card = await part(page, "card").boundingBox();
      assert.ok(card && card.x >= 0 && card.x + card.width <= viewport.width, JSON.stringify(card));
      const close = await part(page, "close").boundingBox();
      assert.ok(close && close.x >= card.x && close.x + close.width <= card.x + card.width);
      assert.ok(close.y >= 0 && close.y + close.height <= viewport.height, JSON.stringify(close));
      const title = await part(page, "title").evaluate((element) => {
        const range = document.createRange();
        range.selectNodeContents(element);
        return [...range.getClientRects()].map(({ right, top }) => ({ right, top }));
      });
      const under = title.filter(({ right, top }) => right > close.x && top < close.y + close.height - 1);
      assert.deepEqual(under, [], "no text under the close button");
      await page.getByRole("button", { name: "Close" }).tap();
      await counts(project, id, "dismissed");
    });
  }

  it("lets a modal that is taller than the screen be read to its end, its close button still in sight", async (t) => {
    const project = await shop();
    const { id } = await launchCampaign(project, {
      message: {
        presentation: "modal",
        title: "Title",
        body: "Line of a body.\n".repeat(37),
        cta: { label: "Go", url: "/offer" },
      },
    });
    const page = await newPage(t, { viewport: { width: 390, height: 500 } });
    await page.goto(site.url);
    const link = page.getByRole("link", { name: "Go" });
    await link.waitFor();
    await link.scrollIntoViewIfNeeded();
    const close = await part(page, "close").boundingBox();
    assert.ok(close && close.y >= 0 && close.y + close.height <= 500, JSON.stringify(close));
    await link.click();
    await counts(project, id, "clicked");
  });
});

describe("a message in Arabic", () => {
  const title = "توصيل مجاني اليوم";
  for (const presentation of ["toast", "modal"] as const) {
    for (const cta of [undefined, { label: "Go", url: "/offer" }, { label: "تسوق الآن", url: "/offer" }]) {
      it(`lays a ${presentation} out from right to left, ${cta ? `its link "${cta.label}"` : "no link"}`, async (t) => {
        const project = await shop();
        await launchCampaign(project, {
          message: { presentation, title, body: "حتى منتصف الليل.", ...(cta && { cta }) },
        });
        const page = await newPage(t);
        await page.goto(site.url);
        await page.getByText(title).waitFor();
        const card = await part(page, "card").boundingBox();
        const close = await part(page, "close").boundingBox();
        assert.ok(card && close);
        assert.ok(close.x < card.x + card.width / 2, "the close button is on the left");
        const right = await part(page, "title").evaluate((element) => {
          const range = document.createRange();
          range.selectNodeContents(element);
          return element.getBoundingClientRect().right - range.getBoundingClientRect().right;
        });
        assert.ok(right < 40, `the title begins ${right} px from the right`);
      });
    }
  }

  it("keeps a paragraph in another script in its own direction", async (t) => {
    const project = await shop();
    await launchCampaign(project, { message: { presentation: "modal", title, body: "Hello (world)!" } });
    const page = await newPage(t);
    await page.goto(site.url);
    const left = await part(page, "body").evaluate((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      return range.getBoundingClientRect().left - element.getBoundingClientRect().left;
    });
    assert.ok(left < 2, `the body begins ${left} px from the left`);
  });
});

describe("the image of a message", () => {
  const withImage = async (presentation: "toast" | "modal") => {
    const project = await shop();
    const bytes = await readFile(new URL("../apps/server/src/features/demo/shop/offer.jpg", import.meta.url));
    const file = new Blob([new Uint8Array(bytes)], { type: "image/jpeg" });
    const { media } = await project.api.uploadCampaignMedia({ file });
    const { id } = await launchCampaign(project, {
      message: { presentation, title: "Hello", media: { url: media.url, alt: "A cup" } },
    });
    return { project, id, url: media.url };
  };

  it("is a thumbnail in a toast, and as wide as the card of a modal", async (t) => {
    for (const [presentation, width] of [
      ["toast", 48],
      ["modal", 478],
    ] as const) {
      await withImage(presentation);
      const page = await newPage(t);
      await page.goto(site.url);
      const image = page.getByRole("img", { name: "A cup" });
      await image.waitFor();
      await page.waitForFunction(
        () => document.querySelector("tidings-message")?.shadowRoot?.querySelector("img")?.complete,
      );
      assert.equal((await image.boundingBox())?.width, width);
      const [card, picture] = [await part(page, "card").boundingBox(), await image.boundingBox()];
      assert.ok(card && picture && picture.y >= card.y && picture.x >= card.x);
    }
  });

  it("disappears when it cannot be loaded, and the message stays", async (t) => {
    const { project, id, url } = await withImage("modal");
    const page = await newPage(t);
    await page.route(url, (route) => route.abort());
    await page.goto(site.url);
    await page.getByText("Hello").waitFor();
    await page.locator("tidings-message img").waitFor({ state: "detached" });
    assert.equal(await messageIn(page).count(), 1);
    await counts(project, id, "shown");
  });
});
