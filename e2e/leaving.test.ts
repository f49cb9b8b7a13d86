import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { until } from "../apps/server/test/commands/spawned.ts";
import { launchCampaign, toast } from "../apps/server/test/factories.ts";
import { allSent, messageIn, tell } from "./seen.ts";
import { pageWith, snippet } from "./site.ts";
import { testStage } from "./stage.ts";
import { allArrived, arrived, counts, countsOf, oneTo } from "./truth.ts";

const { house, site, visitor, page: newPage } = testStage();

const linked = { ...toast("Look"), cta: { label: "Go", url: "/offer" } };

/** A site with Tidings on its first page only. */
async function firstPageOnly() {
  const project = await house.project();
  const { id } = await launchCampaign(project, { message: linked });
  const html = pageWith(snippet(house.url, project.publishableKey, "ada"));
  site.serve({ "/": { html }, "/offer": { html: pageWith("") } });
  return { project, id, html };
}

describe("leaving a page", () => {
  it("counts a click on a link to a page without Tidings", async (t) => {
    const { project, id } = await firstPageOnly();
    const page = await newPage(t);
    await page.goto(site.url);
    await page.getByText("Look").waitFor();
    await allSent(page);
    await page.getByRole("link", { name: "Go" }).click();
    await page.waitForURL("**/offer");
    await counts(project, id, "clicked");
    assert.deepEqual(await countsOf(project, id), { shown: 1, clicked: 1, dismissed: 0 });
  });

  it("counts a click by the middle button, which opens a tab", async (t) => {
    const { project, id } = await firstPageOnly();
    const context = await visitor(t);
    const page = await context.newPage();
    await page.goto(site.url);
    site.requested.length = 0;
    await page.getByRole("link", { name: "Go" }).click({ button: "middle" });
    // The site knows that the tab was opened: what the driver hears of a tab in the background may come before it listens.
    await until(() => site.requested.includes("/offer"), "the link is opened");
    await counts(project, id, "clicked");
    await messageIn(page).waitFor({ state: "detached" });
    assert.equal(new URL(page.url()).pathname, "/");
  });

  it("counts a click that came while its impression was on the way, from the next page", async (t) => {
    const { project, id, html } = await firstPageOnly();
    site.serve({ "/": { html } });
    const page = await newPage(t);
    const gate = Promise.withResolvers<void>();
    let feedbacks = 0;
    await page.route("**/api/v1/deliveries/**", async (route) => {
      if (feedbacks++ === 0) await gate.promise;
      await route.continue().catch(() => undefined);
    });
    const reported = page.waitForRequest("**/api/v1/deliveries/**");
    await page.goto(site.url);
    await reported;
    await page.getByRole("link", { name: "Go" }).click();
    await page.waitForURL("**/offer");
    gate.resolve();
    await counts(project, id, "clicked");
    await allSent(page);
    assert.deepEqual(await countsOf(project, id), { shown: 1, clicked: 1, dismissed: 0 });
    assert.equal(await messageIn(page).count(), 0);
  });

  it("counts a dismissal that came while its impression was on the way, from a tab that went to the back", async (t) => {
    const { project, id } = await firstPageOnly();
    const page = await newPage(t);
    const gate = Promise.withResolvers<void>();
    let feedbacks = 0;
    await page.route("**/api/v1/deliveries/**", async (route) => {
      if (feedbacks++ === 0) await gate.promise;
      await route.continue();
    });
    const reported = page.waitForRequest("**/api/v1/deliveries/**");
    await page.goto(site.url);
    await reported;
    await page.getByRole("button", { name: "Close" }).click();
    const tracked = page.waitForResponse("**/api/v1/track");
    await page.evaluate(() => {
      window.tidings.push(["track", "step", { n: 1 }]);
      Object.defineProperty(document, "visibilityState", { get: () => "hidden" });
      document.dispatchEvent(new Event("visibilitychange"));
    });
    // What does not depend on the impression does not wait for it.
    await tracked;
    gate.resolve();
    await counts(project, id, "dismissed");
    assert.deepEqual(await countsOf(project, id), { shown: 1, clicked: 0, dismissed: 1 });
  });

  it("records events from right before the page goes, once each", async (t) => {
    const { project } = await firstPageOnly();
    const page = await newPage(t);
    await page.goto(site.url);
    await page.getByText("Look").waitFor();
    await page.evaluate(() => {
      for (let n = 1; n <= 5; n++) window.tidings.push(["track", "step", { n }]);
      location.assign("/offer");
    });
    await page.waitForURL("**/offer");
    assert.deepEqual(await allArrived(house, project, 5), oneTo(5));
    await page.goto(site.url);
    await allSent(page);
    assert.deepEqual(await arrived(house, project), oneTo(5));
  });
});

describe("two tabs of one visitor", () => {
  it("takes a message away in both when it is dismissed in one, and reports that once", async (t) => {
    const { project, id } = await firstPageOnly();
    const context = await visitor(t);
    const reports: unknown[] = [];
    context.on("request", (request) => {
      if (request.method() === "POST" && request.url().includes("/deliveries/"))
        reports.push(request.postDataJSON().type);
    });
    const [one, two] = [await context.newPage(), await context.newPage()];
    for (const tab of [one, two]) {
      await tab.goto(site.url);
      await tab.getByText("Look").waitFor();
      await allSent(tab);
    }
    await one.getByRole("button", { name: "Close" }).click();
    await messageIn(two).waitFor({ state: "detached" });
    await counts(project, id, "dismissed");
    await allSent(two);
    assert.deepEqual(reports, ["shown", "shown", "dismissed"]);
    assert.deepEqual(await countsOf(project, id), { shown: 1, clicked: 0, dismissed: 1 });
  });

  it("takes it away in a tab that was too busy to hear of it at once", async (t) => {
    const { project, id } = await firstPageOnly();
    const context = await visitor(t);
    const [one, two] = [await context.newPage(), await context.newPage()];
    for (const tab of [one, two]) {
      await tab.goto(site.url);
      await tab.getByText("Look").waitFor();
      await allSent(tab);
    }
    const session = await context.newCDPSession(two);
    await session.send("Debugger.enable");
    await session.send("Debugger.pause");
    const paused = new Promise((resolve) => session.once("Debugger.paused", resolve));
    two.evaluate(() => undefined).catch(() => undefined);
    await paused;
    await one.getByRole("button", { name: "Close" }).click();
    await counts(project, id, "dismissed");
    await allSent(one);
    await session.send("Debugger.resume");
    await messageIn(two).waitFor({ state: "detached" });
    await allSent(two);
    assert.deepEqual(await countsOf(project, id), { shown: 1, clicked: 0, dismissed: 1 });
  });

  it("records what both track at once, before and after an outage, once each", async (t) => {
    const { project } = await firstPageOnly();
    const context = await visitor(t);
    const [one, two] = [await context.newPage(), await context.newPage()];
    await Promise.all([one.goto(site.url), two.goto(site.url)]);
    const track = (from: number): Promise<unknown> =>
      Promise.all(
        [one, two].map((tab, index) =>
          tell(tab, ...oneTo(10).map((n) => ["track", "step", { n: from + index * 10 + n }])),
        ),
      );
    await track(0);
    assert.deepEqual(await allArrived(house, project, 20), oneTo(20));
    await context.route("**/api/v1/**", (route) => route.abort());
    await track(20);
    await context.unroute("**/api/v1/**");
    assert.deepEqual(await allArrived(house, project, 40), oneTo(40));
    await Promise.all([allSent(one), allSent(two)]);
    assert.deepEqual(await arrived(house, project), oneTo(40));
  });
});

describe("feedback", () => {
  it("is sent again under its id until the server itself acknowledges it", async (t) => {
    const { project, id } = await firstPageOnly();
    const page = await newPage(t);
    await page.clock.install();
    const headers = { "access-control-allow-origin": "*", "content-type": "application/json" };
    const receipt = { userId: "ada", type: "shown", receiptId: "r", acknowledgedAt: Date.now() };
    const wrong = [
      { status: 200, headers: { ...headers, "content-type": "text/html" }, body: "<h1>Sign in</h1>" },
      { status: 200, headers, body: "null" },
      { status: 200, headers, body: '{"ok":true}' },
      { status: 200, headers, body: JSON.stringify({ ...receipt, deliveryId: "del_another" }) },
      { status: 500, headers, body: '{"error":"Oh"}' },
    ];
    const ids = new Set<unknown>();
    let tries = 0;
    await page.route("**/api/v1/deliveries/**", (route) => {
      ids.add(route.request().postDataJSON().feedbackId);
      const answer = wrong[tries++];
      return answer === undefined ? route.continue() : route.fulfill(answer);
    });
    await page.goto(site.url);
    await page.getByText("Look").waitFor();
    await until(async () => {
      await page.clock.runFor(1_000);
      return tries > wrong.length;
    }, "all wrong answers were refused");
    await counts(project, id, "shown");
    await allSent(page);
    assert.equal(tries, wrong.length + 1);
    assert.equal(ids.size, 1);
    assert.deepEqual(await countsOf(project, id), { shown: 1, clicked: 0, dismissed: 0 });
  });
});
