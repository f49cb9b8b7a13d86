import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { launchCampaign, toast } from "../apps/server/test/factories.ts";
import type { TestProject } from "../apps/server/test/harness.ts";
import { messageIn, messagesAfter, seesNothing, twoFrames } from "./seen.ts";
import { pageWith } from "./site.ts";
import { testStage } from "./stage.ts";
import { counts, countsOf } from "./truth.ts";

const { house, site, shop, page: newPage } = testStage();

const DIST = new URL("../packages/web/dist/", import.meta.url);
const fileOf = (name: string): Promise<string> => readFile(new URL(name, DIST), "utf8");
/** The name under which `tidings.js` loads what draws messages. */
const NAME = /show-[0-9a-f]{16}\.js/;
const DRAWING = "**/show*.js*";

/** Addresses from which a page loads what draws messages, from now on. */
function drawingsOf(page: Page): string[] {
  const addresses: string[] = [];
  page.on("request", (request) => /\/show[^/]*\.js/.test(request.url()) && addresses.push(request.url()));
  return addresses;
}

/** What a page did not catch, from now on: errors, and promises without an answer. */
function errorsOf(page: Page): string[] {
  const errors: string[] = [];
  page.on("pageerror", ({ message }) => errors.push(message));
  return errors;
}

const move = (page: Page, to: string): Promise<void> =>
  page.evaluate((path) => history.pushState(null, "", path), to);

describe("what draws messages", () => {
  it("is not loaded by a page without a message, and once by one that has several after another", async (t) => {
    const project = await shop();
    for (const path of ["/one", "/two"])
      await launchCampaign(project, { message: toast(`On ${path}`), pages: [path] });
    const page = await newPage(t);
    const drawings = drawingsOf(page);
    await seesNothing(page, () => page.goto(site.url));
    assert.deepEqual(drawings, []);
    for (const path of ["/one", "/two"]) {
      await move(page, path);
      await page.getByText(`On ${path}`).waitFor();
    }
    const [, file = ""] = (await fileOf("tidings.js")).match(new RegExp(`(${NAME.source})`)) ?? [];
    assert.deepEqual(drawings, [`${house.url}/tidings/${file}`]);
  });

  it("comes from the server where the script comes from another place", async (t) => {
    const project = await house.project();
    const { id } = await launchCampaign(project);
    const tag = `<script async src="/copies/t.js" data-key="${project.publishableKey}" data-user="ada" data-url="${house.url}"></script>`;
    site.serve({
      "/": { html: pageWith(tag) },
      "/copies/t.js": { html: await fileOf("tidings.js"), type: "text/javascript" },
    });
    const page = await newPage(t);
    await page.goto(site.url);
    await counts(project, id, "shown");
  });

  it("draws for a page whose script is of another version", async (t) => {
    const project = await shop();
    const { id } = await launchCampaign(project);
    const script = (await fileOf("tidings.js")).replace(NAME, `show-${"0".repeat(16)}.js`);
    const page = await newPage(t);
    await page.route("**/tidings.js", (route) =>
      route.fulfill({ body: script, contentType: "text/javascript" }),
    );
    await page.goto(site.url);
    await counts(project, id, "shown");
  });

  /** A page that could not load it: nothing is shown and nothing counted, however often the page asks. */
  async function withoutDrawing(page: Page, project: TestProject, paths: readonly string[]) {
    const { id } = await launchCampaign(project);
    const errors = errorsOf(page);
    await page.route(DRAWING, (route) => route.abort());
    for (const path of paths) {
      const failed = page.waitForEvent("requestfailed", (request) => request.url().includes("/show"));
      await (page.url() === "about:blank" ? page.goto(site.url + path) : move(page, path));
      await failed;
      await twoFrames(page);
      assert.equal(await messageIn(page).count(), 0);
    }
    assert.deepEqual(await countsOf(project, id), { shown: 0, clicked: 0, dismissed: 0 });
    await page.unroute(DRAWING);
    return { id, errors };
  }

  it("is loaded again by the next path of the same page where it could not be had", async (t) => {
    const page = await newPage(t);
    const project = await shop();
    const { id, errors } = await withoutDrawing(page, project, ["/1", "/2"]);
    await messagesAfter(page, () => move(page, "/3"));
    await counts(project, id, "shown");
    assert.equal(await messageIn(page).count(), 1);
    assert.deepEqual(errors, []);
  });

  it("is loaded again by the next page of the npm package, whose address browsers remember to have failed", async (t) => {
    const page = await newPage(t);
    const project = await house.project();
    const options = JSON.stringify({ key: project.publishableKey, url: house.url });
    const module = `import { identify, init } from "/sdk.js"; init(${options}); identify("ada");`;
    const type = "text/javascript";
    site.serve({
      "/": { html: pageWith(`<script type="module">${module}</script>`) },
      "/sdk.js": { html: await fileOf("index.js"), type },
      "/show.js": { html: await fileOf("show.js"), type },
    });
    const { id, errors } = await withoutDrawing(page, project, ["/1"]);
    await page.reload();
    await counts(project, id, "shown");
    assert.deepEqual(errors, []);
  });

  it("shows nothing on a page that was left while it was loaded", async (t) => {
    const project = await shop();
    const { id } = await launchCampaign(project, { pages: ["/here"] });
    const page = await newPage(t);
    const left = Promise.withResolvers<void>();
    await page.route(DRAWING, async (route) => {
      await left.promise;
      await route.continue();
    });
    const requested = page.waitForRequest(DRAWING);
    await page.goto(`${site.url}/here`);
    await requested;
    await seesNothing(page, () => move(page, "/there"));
    const loaded = page.waitForResponse(DRAWING);
    left.resolve();
    await (await loaded).finished();
    await twoFrames(page);
    assert.equal(await messageIn(page).count(), 0);
    assert.deepEqual(await countsOf(project, id), { shown: 0, clicked: 0, dismissed: 0 });
  });
});
