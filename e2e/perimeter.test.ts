import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { until } from "../apps/server/test/commands/spawned.ts";
import { setSettings } from "../apps/server/test/email.ts";
import { launchCampaign } from "../apps/server/test/factories.ts";
import type { TestProject } from "../apps/server/test/harness.ts";
import { hashOf, provingProject } from "../apps/server/test/perimeter.ts";
import { allSent, messageIn, messagesAfter, seesNothing, step, tell, twoFrames } from "./seen.ts";
import { pageWith, testSite } from "./site.ts";
import { testStage } from "./stage.ts";
import { allArrived, counts, countsOf } from "./truth.ts";

const { house, site, page: newPage, visitor } = testStage();
const otherSite = testSite();

/** A page that says who is looking, in the calls or in the tag. */
const pageOf = ({ publishableKey }: TestProject, identify: unknown[], attributes = ""): string =>
  pageWith(`<script>(window.tidings ??= []).push(...${JSON.stringify(identify.length > 0 ? [identify] : [])})</script>
<script async src="${house.url}/tidings.js" data-key="${publishableKey}" ${attributes}></script>`);

/** All that a page's console says from now on. */
function consoleOf(page: Page): string[] {
  const lines: string[] = [];
  page.on("console", (message) => lines.push(message.text()));
  page.on("pageerror", ({ message }) => lines.push(message));
  return lines;
}

describe("a project whose users have to be proven", () => {
  it("shows a message to who is proven, and counts what they do", async (t) => {
    const { project, secret } = await provingProject(house);
    const { id } = await launchCampaign(project);
    const userHash = hashOf(secret, "ada");
    site.serve({ "/": { html: pageOf(project, ["identify", "ada", { plan: "free" }, { userHash }]) } });
    const page = await newPage(t);
    const lines = consoleOf(page);
    const addresses: string[] = [];
    page.on("request", (request) => addresses.push(request.url()));
    await page.goto(site.url);
    await page.getByText("Hello").waitFor();
    await counts(project, id, "shown");
    await page.getByRole("button", { name: "Close" }).click();
    await counts(project, id, "dismissed");
    await tell(page, step(1));
    assert.deepEqual(await allArrived(house, project, 1), [1]);
    await allSent(page);
    assert.deepEqual(lines, []);
    assert.deepEqual(
      addresses.filter((address) => address.includes(userHash)),
      [],
    );
  });

  it("takes the hash from the tag", async (t) => {
    const { project, secret } = await provingProject(house);
    await launchCampaign(project);
    const attributes = `data-user="ada" data-user-hash="${hashOf(secret, "ada")}"`;
    site.serve({ "/": { html: pageOf(project, [], attributes) } });
    const page = await newPage(t);
    await page.goto(site.url);
    await page.getByText("Hello").waitFor();
  });

  it("sends what waited with its hash, after an outage and a reload", async (t) => {
    const { project, secret } = await provingProject(house);
    const { id } = await launchCampaign(project);
    const proof = { userHash: hashOf(secret, "ada") };
    site.serve({
      "/": { html: pageOf(project, ["identify", "ada", {}, proof]) },
      "/bye": { html: pageOf(project, []) },
    });
    const context = await visitor(t);
    const page = await context.newPage();
    await page.goto(site.url);
    await page.getByText("Hello").waitFor();
    await counts(project, id, "shown");
    await context.route("**/api/v1/**", (route) => route.abort());
    await page.getByRole("button", { name: "Close" }).click();
    await messageIn(page).waitFor({ state: "detached" });
    await page.goto(`${site.url}/bye`);
    assert.equal((await countsOf(project, id)).dismissed, 0);
    await context.unroute("**/api/v1/**");
    // This page names no user: the events that wait name theirs.
    await page.reload();
    await counts(project, id, "dismissed");
  });

  for (const [what, proofOf] of [
    ["no hash", () => ({})],
    ["an empty hash", () => ({ userHash: "" })],
    ["the hash of another user", (secret: string) => ({ userHash: hashOf(secret, "bob") })],
  ] as const) {
    it(`shows nothing to a visitor with ${what}, and goes on taking their events`, async (t) => {
      const { project, secret } = await provingProject(house);
      const { id } = await launchCampaign(project);
      site.serve({ "/": { html: pageOf(project, ["identify", "ada", {}, proofOf(secret)]) } });
      const page = await newPage(t);
      const lines = consoleOf(page);
      await seesNothing(page, () => page.goto(site.url));
      await tell(page, step(1));
      assert.deepEqual(await allArrived(house, project, 1), [1]);
      await allSent(page);
      assert.equal((await countsOf(project, id)).shown, 0);
      assert.ok(!lines.join("\n").includes(hashOf(secret, "bob")));
    });
  }

  it("shows the message once a visitor who was not proven is", async (t) => {
    const { project, secret } = await provingProject(house);
    await launchCampaign(project);
    site.serve({ "/": { html: pageOf(project, ["identify", "ada"]) } });
    const page = await newPage(t);
    assert.equal((await messagesAfter(page, () => page.goto(site.url))).status(), 401);
    await tell(page, ["identify", "ada", {}, { userHash: hashOf(secret, "ada") }]);
    await page.getByText("Hello").waitFor();
  });
});

describe("a project that lists its origins", () => {
  it("shows a message on them, and nothing on others, whose pages learn nothing", async (t) => {
    const { project, secret } = await provingProject(house);
    const { id } = await launchCampaign(project);
    await setSettings(house, project, { "origins.allowed": site.url });
    const userHash = hashOf(secret, "ada");
    const page = { html: pageOf(project, ["identify", "ada", {}, { userHash }]) };
    site.serve({ "/": page });
    otherSite.serve({ "/": page });

    const stranger = await newPage(t);
    const lines = consoleOf(stranger);
    const failed: string[] = [];
    stranger.on("requestfailed", (request) => failed.push(new URL(request.url()).pathname));
    await stranger.goto(otherSite.url);
    await until(
      () => ["/api/v1/identify", "/api/v1/messages"].every((path) => failed.includes(path)),
      "the page is refused",
      60_000,
    );
    await twoFrames(stranger);
    assert.equal(await messageIn(stranger).count(), 0);
    // The console says that the browser keeps answers back, and nothing of what was in them, or in the requests.
    assert.ok(lines.length > 0);
    for (const secretOfTheirs of [project.publishableKey, userHash, secret, "Hello"])
      assert.ok(!lines.join("\n").includes(secretOfTheirs), lines.join("\n"));
    assert.deepEqual((await project.api.listUsers()).users, []);

    const own = await newPage(t);
    await own.goto(site.url);
    await own.getByText("Hello").waitFor();
    await counts(project, id, "shown");
  });
});
