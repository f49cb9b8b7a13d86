import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it, type TestContext } from "node:test";
import type { Page } from "playwright-core";
import { launchCampaign, toast } from "../apps/server/test/factories.ts";
import { smuggle } from "./hostile.ts";
import { messageIn, tell, twoFrames } from "./seen.ts";
import { pageWith } from "./site.ts";
import { testStage } from "./stage.ts";
import { allArrived, counts } from "./truth.ts";

const { house, site, shop, page: newPage } = testStage();

const IMAGE = new URL("../apps/server/src/features/demo/shop/offer.jpg", import.meta.url);

/** Ways in which a strict policy allows the SDK: its `script-src`, and the tags of the page. */
const ALLOWED: Readonly<Record<string, (tidings: string, attributes: string) => readonly [string, string]>> =
  {
    "names the server": (tidings, attributes) => [
      tidings,
      `<script async src="${tidings}/tidings.js" ${attributes}></script>`,
    ],
    "names the files of the server": (tidings, attributes) => [
      `${tidings}/tidings.js ${tidings}/tidings/`,
      `<script async src="${tidings}/tidings.js" ${attributes}></script>`,
    ],
    "trusts the tag": (tidings, attributes) => [
      "'nonce-once' 'strict-dynamic'",
      `<script async nonce="once" src="${tidings}/tidings.js" ${attributes}></script>`,
    ],
    "trusts what loads the tag": (tidings, attributes) => [
      "'nonce-once' 'strict-dynamic'",
      `<template><script src="${tidings}/tidings.js" ${attributes}></script></template>
<script nonce="once">
  const urls = trustedTypes.createPolicy("loader", { createScriptURL: (url) => url });
  const { attributes } = document.querySelector("template").content.firstChild;
  const tag = document.createElement("script");
  for (const { name, value } of attributes) {
    if (name === "src") tag.src = urls.createScriptURL(value);
    else tag.setAttribute(name, value);
  }
  document.head.append(tag);
</script>`,
    ],
  };

describe("a strict Content-Security-Policy", () => {
  for (const [presentation, how] of [
    ["toast", "names the server"],
    ["modal", "names the files of the server"],
    ["toast", "trusts the tag"],
    ["toast", "trusts what loads the tag"],
  ] as const) {
    it(`that ${how} lets a ${presentation} be shown with its styles and its image`, async (t) => {
      const project = await house.project();
      const file = new Blob([new Uint8Array(await readFile(IMAGE))], { type: "image/jpeg" });
      const { media } = await project.api.uploadCampaignMedia({ file });
      const { id } = await launchCampaign(project, {
        message: { presentation, title: "Hello", media: { url: media.url, alt: "A cup" } },
      });
      const attributes = `data-key="${project.publishableKey}" data-user="ada" data-theme="dark"`;
      const [sources, tags] = ALLOWED[how]?.(house.url, attributes) ?? [];
      const csp = [
        "default-src 'none'",
        `script-src ${sources}`,
        `connect-src ${house.url}`,
        `img-src ${house.url}`,
        "require-trusted-types-for 'script'",
        "trusted-types loader",
      ].join("; ");
      site.serve({ "/": { html: pageWith(tags ?? ""), headers: { "content-security-policy": csp } } });
      const page = await newPage(t);
      await page.addInitScript(() => {
        const violations: string[] = [];
        Object.assign(window, { violations });
        document.addEventListener("securitypolicyviolation", (event) =>
          violations.push(`${event.violatedDirective} ${event.blockedURI}`),
        );
      });
      await page.goto(site.url);
      await page.getByText("Hello").waitFor();
      await counts(project, id, "shown");
      const card = page.locator("tidings-message .card");
      assert.equal(await card.evaluate((element) => getComputedStyle(element).display), "flex");
      assert.equal(
        await card.evaluate((element) => getComputedStyle(element).backgroundColor),
        "rgb(32, 33, 36)",
      );
      await page.waitForFunction(() => {
        const image = document.querySelector("tidings-message")?.shadowRoot?.querySelector("img");
        return image?.complete && image.naturalWidth > 0;
      });
      await tell(page, ["track", "step", { n: 1 }]);
      assert.deepEqual(await allArrived(house, project, 1), [1]);
      const violations = await page.evaluate(
        () => (window as unknown as { violations: string[] }).violations,
      );
      assert.deepEqual(violations, []);
    });
  }
});

/** A page that notices when anything runs, opens or throws. */
async function watched(t: TestContext): Promise<{ page: Page; trouble: string[] }> {
  const page = await newPage(t);
  const trouble: string[] = [];
  page.on("pageerror", ({ message }) => trouble.push(`error: ${message}`));
  page.on("dialog", (dialog) => {
    trouble.push(`dialog: ${dialog.message()}`);
    return dialog.dismiss();
  });
  page.context().on("page", (opened) => trouble.push(`opened: ${opened.url()}`));
  return { page, trouble };
}

describe("a hostile message", () => {
  it("is text, whatever it says", async (t) => {
    const project = await shop();
    const { id } = await launchCampaign(project);
    const evil = "<img src=x onerror=alert(1)><script>alert(2)</script>";
    await smuggle(house, project, id, {
      presentation: "modal",
      title: evil,
      body: `${evil} body`,
      cta: { label: `${evil} label`, url: "/offer" },
    });
    const { page, trouble } = await watched(t);
    await page.goto(site.url);
    await page.getByText(evil, { exact: true }).waitFor();
    await page.getByText(`${evil} body`, { exact: true }).waitFor();
    await page.getByRole("link", { name: `${evil} label`, exact: true }).waitFor();
    await counts(project, id, "shown");
    assert.equal(await page.locator("tidings-message :is(img, script)").count(), 0);
    assert.deepEqual(trouble, []);
  });

  it("gets no link that could run, and no image that is not fetched", async (t) => {
    const project = await house.project();
    const { id } = await launchCampaign(project);
    const note = JSON.stringify({
      key: project.publishableKey,
      appSchemes: ["javascript", "data", "vbscript", "blob", "file", "JavaScript", "shop"],
    });
    site.serve({
      "/": {
        html: pageWith(`<script async src="${house.url}/tidings.js"></script>
<script>(window.tidings ??= []).push(["init", ${note}], ["identify", "ada"])</script>`),
      },
    });
    const { page, trouble } = await watched(t);
    const urls = [
      "javascript:alert(1)",
      "JaVaScRiPt:alert(1)",
      " java\nscript:alert(1)",
      "\u0001javascript:alert(1)",
      "data:text/html,<script>alert(1)</script>",
      "vbscript:msgbox(1)",
      "blob:https://shop.example/1",
      "file:///etc/passwd",
      "about:blank",
      "http://",
      "",
      " ",
      5,
      null,
      {},
    ];
    const ctas = urls.flatMap((url) => [
      { label: "Go", url },
      { label: "Go", destination: { kind: "website", url } },
      { label: "Go", destination: { kind: "app", url } },
      { label: "Go", url, destination: { kind: "app", url } },
    ]);
    const contents = [
      ...ctas.map((cta) => ({ cta })),
      ...urls.map((url) => ({ media: { url, alt: "An image" } })),
      { cta: { label: "Go", destination: { kind: "website", url: "shop://basket" } } },
      { cta: { label: "Go", destination: { kind: "app", url: "https://shop.example/" } } },
      { cta: { label: "Go", destination: { kind: "app", url: "other://basket" } } },
      { cta: { label: " ", url: "/offer" } },
      { cta: { label: 5, url: "/offer" } },
    ];
    await page.goto(site.url);
    for (const [index, content] of contents.entries()) {
      await smuggle(house, project, id, { presentation: "toast", title: `Message ${index}.`, ...content });
      await page.evaluate((path) => history.pushState(null, "", path), `/${index}`);
      await page.getByText(`Message ${index}.`).waitFor();
      assert.equal(
        await page.locator("tidings-message :is(a, img, [part=action])").count(),
        0,
        JSON.stringify(content),
      );
    }
    await smuggle(house, project, id, {
      presentation: "toast",
      title: "Sound",
      cta: { label: "Go", destination: { kind: "app", url: "shop://basket" } },
    });
    await page.evaluate(() => history.pushState(null, "", "/sound"));
    await page.getByRole("link", { name: "Go" }).waitFor();
    assert.deepEqual(trouble, []);
  });

  it("throws nothing with nonsense in it, and leaves its place to the next one", async (t) => {
    const project = await shop();
    const { id: next } = await launchCampaign(project, { message: toast("Next") });
    house.advance(1_000);
    const { id } = await launchCampaign(project);
    const { page, trouble } = await watched(t);
    const empty = [
      {},
      { presentation: "toast" },
      { presentation: "toast", title: 5, body: null },
      { presentation: "modal", title: { a: 1 }, body: ["x"] },
      { presentation: "modal", title: " ", body: "\n" },
      { presentation: "modal", title: null, cta: { label: "Go", url: "/" }, media: { url: "/x.png" } },
    ];
    await page.goto("about:blank");
    for (const [index, content] of empty.entries()) {
      await smuggle(house, project, id, content);
      await page.goto(`${site.url}/${index}`);
      await page.getByText("Next").waitFor();
      await twoFrames(page);
      assert.equal(await messageIn(page).count(), 1);
    }
    await counts(project, next, "shown");
    const odd = [
      { presentation: "banner" },
      { presentation: 5, cta: 5, media: "x" },
      { presentation: null, cta: "Go", media: null },
      { presentation: "toast", cta: null, media: 5, body: 7 },
      { presentation: "modal", cta: [], media: [] },
      {
        presentation: "modal",
        cta: { label: null, url: null, destination: "x" },
        media: { url: null, alt: 5 },
      },
    ];
    for (const [index, content] of odd.entries()) {
      await smuggle(house, project, id, { title: `Odd ${index}.`, ...content });
      await page.goto(`${site.url}/odd/${index}`);
      await page.getByText(`Odd ${index}.`).waitFor();
      await twoFrames(page);
      assert.equal(await messageIn(page).count(), 1);
    }
    assert.deepEqual(trouble, []);
  });
});
