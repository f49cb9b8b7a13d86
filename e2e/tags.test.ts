import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { launchCampaign } from "../apps/server/test/factories.ts";
import { pageWith } from "./site.ts";
import { testStage } from "./stage.ts";
import { counts } from "./truth.ts";

const { house, site, page: newPage } = testStage();

const SCRIPT = new URL("../packages/web/dist/tidings.js", import.meta.url);

/** What a page has of a server and a key, for a tag or a call. */
type Given = { src: string; key: string; init: string };

const runText = (run: string): string =>
  `<script>fetch("/text.js").then((answer) => answer.text()).then((text) => { ${run} });</script>`;

/** Ways in which tag managers, consent managers and bundlers get a script to run, and lose what stands in its tag. */
const WAYS: Readonly<Record<string, (given: Given) => string>> = {
  "a module": ({ src, key }) => `<script type="module" src="${src}" data-key="${key}"></script>`,
  "a tag without attributes, and init in the queue": ({ src, init }) =>
    `<script>(window.tidings ??= []).push(${init})</script><script async src="${src}"></script>`,
  "a tag without attributes, and the key in its address": ({ src, key }) =>
    `<script async src="${src}?v=1&key=${key}#top"></script>`,
  "a text that is evaluated, beside a tag that never ran": ({ src, key }) =>
    `<script type="text/plain" src="${src}" data-key="${key}"></script>${runText("(0, eval)(text)")}`,
  "a text that is evaluated, and init in the queue": ({ init }) =>
    `<script>(window.tidings ??= []).push(${init})</script>${runText("(0, eval)(text)")}`,
  "a text in a new tag, and init in the queue": ({ init }) =>
    `<script>(window.tidings ??= []).push(${init})</script>${runText(
      'document.head.append(Object.assign(document.createElement("script"), { text }))',
    )}`,
  "a text in a new tag that has the attributes": ({ key }) =>
    runText(`const tag = Object.assign(document.createElement("script"), { text });
      Object.assign(tag.dataset, { key: "${key}", url: "${house.url}" }); document.head.append(tag)`),
  "a blob, beside a tag that never ran": ({ src, key }) =>
    `<script type="text/plain" src="${src}" data-key="${key}"></script>${runText(
      `const src = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
      document.head.append(Object.assign(document.createElement("script"), { src }))`,
    )}`,
  "a tag in a shadow root": ({ src, init }) =>
    `<script>(window.tidings ??= []).push(${init});
      addEventListener("DOMContentLoaded", () => document.querySelector("main").attachShadow({ mode: "closed" }).append(
        Object.assign(document.createElement("script"), { src: "${src}" })));</script>`,
};

describe("a script that does not find its own tag, or finds nothing in it", () => {
  for (const [way, tagOf] of Object.entries(WAYS))
    it(`works as ${way}`, async (t) => {
      const project = await house.project();
      const { id } = await launchCampaign(project);
      const key = project.publishableKey;
      const init = JSON.stringify(["init", { key, url: house.url }]);
      const tags = tagOf({ src: `${house.url}/tidings.js`, key, init });
      const identify = '<script>(window.tidings ??= []).push(["identify", "ada"])</script>';
      site.serve({
        "/": { html: pageWith(identify + tags) },
        "/text.js": { html: await readFile(SCRIPT, "utf8"), type: "text/javascript" },
      });
      const page = await newPage(t);
      const errors: string[] = [];
      page.on("pageerror", ({ message }) => errors.push(message));
      await page.goto(site.url);
      await counts(project, id, "shown");
      assert.deepEqual(errors, []);
    });

  it("says that it has no key, and throws nothing, where it finds neither", async (t) => {
    site.serve({
      "/": { html: pageWith(runText("(0, eval)(text)")) },
      "/text.js": { html: await readFile(SCRIPT, "utf8"), type: "text/javascript" },
    });
    const page = await newPage(t);
    const errors: string[] = [];
    page.on("pageerror", ({ message }) => errors.push(message));
    const warned = page.waitForEvent("console", (message) => message.text() === "tidings no key");
    await page.goto(site.url);
    await warned;
    assert.deepEqual(errors, []);
  });
});
