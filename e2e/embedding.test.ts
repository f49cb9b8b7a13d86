import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { until } from "../apps/server/test/commands/spawned.ts";
import { launchCampaign, toast } from "../apps/server/test/factories.ts";
import { allSent, messageIn, requestsOf, step, tell, twoFrames } from "./seen.ts";
import { pageWith, snippet } from "./site.ts";
import { testStage } from "./stage.ts";
import { allArrived, arrived, counts, countsOf } from "./truth.ts";

const { house, site, shop, visitor, page: newPage } = testStage();

const ROOT = new URL("..", import.meta.url).pathname;
const PACKAGE = join(ROOT, "packages/web");

/** Runs a program to its end; fails, with what it said, when it does not end well. */
function run(command: string, args: string[], cwd: string): { stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8" });
  assert.equal(status, 0, stdout + stderr);
  return { stdout, stderr };
}

describe("the npm package", () => {
  before(() => {
    run("npm", ["run", "prepack", "-w", "packages/web"], ROOT);
  });

  it("works as a module of the customer's own bundle", async (t) => {
    const project = await house.project();
    const { id } = await launchCampaign(project);
    const options = JSON.stringify({
      key: project.publishableKey,
      url: `${house.url}/`,
      closeLabel: "Schließen",
    });
    site.serve({
      "/": {
        html: pageWith(`<script type="module">
import { identify, init, track } from "/sdk.js";
track("step", { n: 1 });
init(${options});
identify("ada", { plan: "pro" });
init({ key: "another" });
track("step", { n: 2 }, { eventId: "order-1" });
track("step", { n: 2 }, { eventId: "order-1" });
</script>`),
      },
      "/sdk.js": { html: await readFile(join(PACKAGE, "dist/index.js"), "utf8"), type: "text/javascript" },
      "/show.js": { html: await readFile(join(PACKAGE, "dist/show.js"), "utf8"), type: "text/javascript" },
    });
    const page = await newPage(t, { locale: "en-GB" });
    await page.goto(site.url);
    await page.getByText("Hello").waitFor();
    await page.getByRole("button", { name: "Schließen" }).click();
    await counts(project, id, "dismissed");
    await allSent(page);
    const user = { userId: "ada" };
    assert.deepEqual(await arrived(house, project, user), [1, 2]);
    const { users } = await project.api.listUsers({ query: {} });
    const { $browser, $os, $locale, $timezone, plan } = users[0]?.traits ?? {};
    assert.deepEqual(
      { $browser, $os, $locale, plan, hasZone: typeof $timezone === "string" },
      { $browser: "Chrome", $os: "Linux", $locale: "en-GB", plan: "pro", hasZone: true },
    );
  });

  it("does nothing on a server, and lets its process end", () => {
    const script = `import * as tidings from ${JSON.stringify(join(PACKAGE, "dist/index.js"))};
tidings.init({ key: "pk_pub_x", url: "http://127.0.0.1:1" });
tidings.identify("ada", {});
tidings.track("step", { n: 1 });
tidings.reset();`;
    const { stdout, stderr } = run(process.execPath, ["--input-type=module", "-e", script], ROOT);
    assert.equal(stdout + stderr, "");
  });

  it("has types that a strict project can use", async (t) => {
    const folder = await mkdtemp(join(tmpdir(), "tidings-types-"));
    t.after(() => rm(folder, { recursive: true }));
    await mkdir(join(folder, "node_modules/@tidings"), { recursive: true });
    await symlink(PACKAGE, join(folder, "node_modules/@tidings/web"));
    await writeFile(join(folder, "package.json"), '{"type":"module"}');
    await writeFile(
      join(folder, "use.ts"),
      `import { identify, init, type Options, reset, track } from "@tidings/web";
const options: Options = { key: "pk_pub_x", theme: "dark", navigate: (url) => void url.pathname };
init(options);
identify("ada", { plan: "pro" });
track("step", { n: 1 }, { eventId: "1" });
reset();
// @ts-expect-error a key is needed
init({});
// @ts-expect-error not a theme
init({ key: "pk_pub_x", theme: "blue" });
`,
    );
    for (const module of ["nodenext", "preserve"]) {
      const compilerOptions = { module, strict: true, noEmit: true, target: "es2022", types: [] };
      await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
      run(join(ROOT, "node_modules/.bin/tsc"), [], folder);
    }
  });
});

describe("a page without TLS", () => {
  it("shows, records and tells two tabs of each other", async (t) => {
    const project = await shop();
    const { id } = await launchCampaign(project);
    const context = await visitor(t);
    const [one, two] = [await context.newPage(), await context.newPage()];
    const errors: Error[] = [];
    for (const tab of [one, two]) {
      tab.on("pageerror", (error) => errors.push(error));
      await tab.goto(`http://shop.example:${site.port}`);
      await tab.getByText("Hello").waitFor();
    }
    const has = await one.evaluate(() => [isSecureContext, "randomUUID" in crypto, "locks" in navigator]);
    assert.deepEqual(has, [false, false, false]);
    await Promise.all([
      tell(one, ...[1, 2, 3].map((n) => ["track", "step", { n }])),
      tell(two, ...[4, 5, 6].map((n) => ["track", "step", { n }])),
    ]);
    assert.deepEqual(await allArrived(house, project, 6), [1, 2, 3, 4, 5, 6]);
    await one.getByRole("button", { name: "Close" }).click();
    await messageIn(two).waitFor({ state: "detached" });
    await counts(project, id, "dismissed");
    await Promise.all([allSent(one), allSent(two)]);
    assert.deepEqual(await countsOf(project, id), { shown: 1, clicked: 0, dismissed: 1 });
    assert.deepEqual(await arrived(house, project), [1, 2, 3, 4, 5, 6]);
    assert.deepEqual(errors, []);
  });
});

describe("identify and reset", () => {
  it("is one request however often the same is said", async (t) => {
    await shop();
    const page = await newPage(t);
    const requests = requestsOf(page);
    await page.goto(site.url);
    await tell(page, ["identify", "ada", {}], ["identify", "ada", { plan: "pro" }]);
    await tell(page, ["identify", "ada", { plan: "pro" }], ["track", "end"]);
    await page.waitForResponse((response) => response.url().endsWith("/track"));
    assert.equal(requests.filter((request) => request === "POST /identify").length, 2);
  });

  it("asks nothing and records nothing after reset, until somebody is identified", async (t) => {
    const project = await shop();
    await launchCampaign(project, { pages: ["/shown"] });
    const page = await newPage(t);
    await page.goto(site.url, { waitUntil: "networkidle" });
    const requests = requestsOf(page);
    await tell(page, ["reset"], step(1));
    await page.evaluate(() => history.pushState(null, "", "/shown"));
    await twoFrames(page);
    assert.deepEqual(requests, []);
    assert.equal(await messageIn(page).count(), 0);
    await tell(page, ["identify", "bob"]);
    await page.getByText("Hello").waitFor();
    assert.deepEqual(await allArrived(house, project, 1, { userId: "bob" }), [1]);
    assert.deepEqual(await arrived(house, project), []);
    // The same user again, after leaving: said again.
    await tell(page, ["reset"], ["identify", "ada", {}]);
    await page.waitForRequest((request) => request.url().endsWith("/identify"));
  });
});

describe("links of messages", () => {
  const options = (url: string, key: string): string => `<script async src="${url}/tidings.js"></script>
<script>
  window.routed = [];
  (window.tidings ??= []).push(
    ["init", { key: "${key}", navigate: (to) => routed.push(to.href), appSchemes: ["shop"] }],
    ["identify", "ada"]);
</script>`;
  const routed = (page: Awaited<ReturnType<typeof newPage>>): Promise<string[]> =>
    page.evaluate(() => (window as unknown as { routed: string[] }).routed);

  async function linkTo(url: string) {
    const project = await house.project();
    const { id } = await launchCampaign(project, { message: { ...toast(), cta: { label: "Go", url } } });
    site.serve({ "/": { html: pageWith(options(house.url, project.publishableKey)) } });
    return { project, id };
  }

  it("are the router's where they lead into the site, for a plain click", async (t) => {
    const { project, id } = await linkTo("/offer?from=tidings#top");
    const page = await newPage(t);
    await page.goto(site.url);
    await page.getByRole("link", { name: "Go" }).click();
    await counts(project, id, "clicked");
    assert.deepEqual(await routed(page), [`${site.url}/offer?from=tidings#top`]);
    assert.equal(new URL(page.url()).pathname, "/");
    await messageIn(page).waitFor({ state: "detached" });
  });

  it("are the router's when opened by Enter too", async (t) => {
    const { project, id } = await linkTo("/offer");
    const page = await newPage(t);
    await page.goto(site.url);
    await page.getByRole("link", { name: "Go" }).press("Enter");
    await counts(project, id, "clicked");
    assert.deepEqual(await routed(page), [`${site.url}/offer`]);
  });

  it("are the browser's with a key held down", async (t) => {
    const { project, id } = await linkTo("/offer");
    const page = await newPage(t);
    await page.goto(site.url);
    assert.ok(!site.requested.includes("/offer"), "the router has taken those before");
    await page.getByRole("link", { name: "Go" }).click({ modifiers: ["Control"] });
    await counts(project, id, "clicked");
    assert.deepEqual(await routed(page), []);
    // The site tells of the new tab: a browser that is busy may announce a tab in the background late, or not at all.
    await until(() => site.requested.includes("/offer"), "another tab asks for the offer");
    assert.equal(page.url(), `${site.url}/`);
  });

  it("are the browser's where they leave the site", async (t) => {
    const { project, id } = await linkTo(`http://shop.example:${site.port}/offer`);
    const page = await newPage(t);
    await page.goto(site.url);
    await page.getByRole("link", { name: "Go" }).click();
    await page.waitForURL(`http://shop.example:${site.port}/offer`);
    await counts(project, id, "clicked");
    assert.deepEqual(await routed(page), []);
  });

  it("lead into an app with a scheme that the page has named, and only then", async (t) => {
    const project = await house.project();
    const message = (scheme: string) => ({
      ...toast(scheme),
      cta: { label: "Go", destination: { kind: "app" as const, url: `${scheme}://basket` } },
    });
    await launchCampaign(project, { message: message("shop"), pages: ["/shop"] });
    await launchCampaign(project, { message: message("other"), pages: ["/other"] });
    site.serve({ "/": { html: pageWith(options(house.url, project.publishableKey)) } });
    const page = await newPage(t);
    await page.goto(`${site.url}/shop`);
    assert.equal(await page.getByRole("link", { name: "Go" }).getAttribute("href"), "shop://basket");
    await page.goto(`${site.url}/other`);
    await page.getByText("other").waitFor();
    assert.equal(await page.locator("tidings-message [part=action]").count(), 0);
  });

  it("is a button that only says yes where there is no link", async (t) => {
    const project = await house.project();
    const { id } = await launchCampaign(project, { message: { ...toast(), cta: { label: "Yes, please" } } });
    site.serve({ "/": { html: pageWith(snippet(house.url, project.publishableKey, "ada")) } });
    const page = await newPage(t);
    await page.goto(site.url);
    await page.getByRole("button", { name: "Yes, please" }).click();
    await messageIn(page).waitFor({ state: "detached" });
    await counts(project, id, "clicked");
    assert.deepEqual(await countsOf(project, id), { shown: 1, clicked: 1, dismissed: 0 });
  });
});
