import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { BrowserContext, Page, Route } from "playwright-core";
import { allSent, requestsOf, step, tell, twoFrames } from "./seen.ts";
import { testStage } from "./stage.ts";
import { allArrived, arrived, oneTo } from "./truth.ts";

const { house, site, shop, page: newPage, visitor } = testStage();

const API = "**/api/v1/**";
const TRACK = "**/api/v1/track";
const CORS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "retry-after",
  "content-type": "application/json",
};

const refuse = (context: BrowserContext | Page): Promise<unknown> =>
  context.route(API, (route) => route.abort());

/** What waits in a page's storage. */
const waiting = (page: Page): Promise<number> =>
  page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("tidings:")).length);

/** Answers the first tries of an event with some troubles, and lets the others through; counts them all. */
async function troubled(
  page: Page,
  trouble: ((route: Route) => Promise<void>)[],
): Promise<{ tries: number }> {
  const seen = { tries: 0 };
  await page.route(TRACK, (route) => (trouble[seen.tries++] ?? ((last: Route) => last.continue()))(route));
  return seen;
}

describe("events that could not be sent", () => {
  it("arrive once each after an outage with a reload in the middle", async (t) => {
    const project = await shop();
    const context = await visitor(t);
    const page = await context.newPage();
    await refuse(context);
    await page.goto(site.url);
    await tell(page, ...oneTo(5).map(step));
    await page.reload();
    await tell(page, ...[6, 7, 8, 9, 10].map(step));
    assert.ok((await waiting(page)) >= 10);
    assert.deepEqual(await arrived(house, project), []);
    await context.unroute(API);
    await page.reload();
    assert.deepEqual(await allArrived(house, project, 10), oneTo(10));
    await allSent(page);
    assert.deepEqual(await arrived(house, project), oneTo(10));
    assert.deepEqual(await house.differences(), {});
  });

  it("arrive once each when the browser comes back online", async (t) => {
    const project = await shop();
    const context = await visitor(t);
    const page = await context.newPage();
    await page.goto(site.url);
    await allSent(page);
    await context.setOffline(true);
    await tell(page, ...oneTo(10).map(step));
    await page.waitForEvent("requestfailed");
    assert.equal(await waiting(page), 10);
    await context.setOffline(false);
    assert.deepEqual(await allArrived(house, project, 10), oneTo(10));
    await allSent(page);
    assert.deepEqual(await arrived(house, project), oneTo(10));
  });

  it("count once when the answer is lost after the server has recorded them", async (t) => {
    const project = await shop();
    const page = await newPage(t);
    const seen = await troubled(page, [
      async (route) => {
        await route.fetch();
        await route.abort();
      },
    ]);
    await page.goto(site.url);
    await tell(page, step(1), step(2));
    await allSent(page);
    assert.deepEqual(await arrived(house, project), [1, 2]);
    assert.equal(seen.tries, 3);
  });

  it("wait as long as the server asks for before the next try", async (t) => {
    const project = await shop();
    const page = await newPage(t);
    await page.clock.install();
    const seen = await troubled(page, [
      (route) => route.fulfill({ status: 503, headers: { ...CORS, "retry-after": "30" }, body: "{}" }),
    ]);
    await page.goto(site.url);
    await allSent(page);
    const answered = page.waitForResponse((response) => response.status() === 503);
    await tell(page, step(1));
    await (await answered).finished();
    await twoFrames(page);
    await page.clock.runFor(28_000);
    // More to say is no reason to ask earlier.
    await tell(page, step(2));
    await twoFrames(page);
    assert.equal(seen.tries, 1);
    await page.clock.runFor(3_000);
    assert.deepEqual(await allArrived(house, project, 2), [1, 2]);
    assert.equal(seen.tries, 3);
  });

  it("wait, and do not flood a server that asks for more time than a timer has", async (t) => {
    await shop();
    const page = await newPage(t);
    await page.clock.install();
    const headers = { ...CORS, "retry-after": "99999999" };
    const refusal = (route: Route): Promise<void> => route.fulfill({ status: 503, headers, body: "{}" });
    const seen = await troubled(page, [refusal, refusal, refusal]);
    await page.goto(site.url);
    await allSent(page);
    const answered = page.waitForResponse((response) => response.status() === 503);
    await tell(page, step(1));
    await (await answered).finished();
    await twoFrames(page);
    await page.clock.runFor(60_000);
    await twoFrames(page);
    assert.equal(seen.tries, 1);
  });

  it("leave earlier ones' place when the server refuses one for good", async (t) => {
    const project = await shop();
    const page = await newPage(t);
    await page.goto(site.url);
    await tell(page, step(1), ["track", "x".repeat(81)], step(2));
    assert.deepEqual(await allArrived(house, project, 2), [1, 2]);
    await allSent(page);
  });

  it("do not stand in the way when one is too large, in any script", async (t) => {
    const project = await shop();
    const page = await newPage(t);
    await page.goto(site.url);
    await tell(page, ["track", "step", { n: 1, text: "語".repeat(30_000) }], step(2));
    await tell(page, ["track", "step", { n: 3, text: "x".repeat(100_000) }], step(4));
    assert.deepEqual(await allArrived(house, project, 2), [2, 4]);
    await allSent(page);
  });

  it("are recorded on a page with a very long address", async (t) => {
    const project = await shop();
    const page = await newPage(t);
    await page.goto(`${site.url}/?token=${"x".repeat(6_000)}`);
    await tell(page, step(1));
    await allSent(page);
    assert.deepEqual(await arrived(house, project), [1]);
  });

  it("do not freeze the page when a thousand of them wait, and arrive", async (t) => {
    const project = await shop();
    const context = await visitor(t);
    const page = await context.newPage();
    await refuse(context);
    await page.goto(site.url);
    await page.evaluate(() => {
      for (let n = 1; n <= 1_000; n++) window.tidings.push(["track", "step", { n }]);
    });
    assert.ok((await waiting(page)) >= 1_000);
    await page.addInitScript(() => {
      const tasks: number[] = [];
      Object.assign(window, { tasks });
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) tasks.push(duration);
      }).observe({ entryTypes: ["longtask"] });
    });
    await context.unroute(API);
    await page.reload();
    await allArrived(house, project, 990);
    await allSent(page);
    const all = await arrived(house, project);
    // What waits is limited to about a thousand calls; the oldest make room.
    assert.deepEqual(
      all.filter((n) => n > 10).toSorted((a, b) => a - b),
      oneTo(1_000).slice(10),
    );
    const longest = await page.evaluate(() =>
      Math.max(0, ...(window as unknown as { tasks: number[] }).tasks),
    );
    assert.ok(longest < 2_000, `a task of ${longest} ms`);
  });

  it("do not wait for ever for another tab, which is frozen in its turn", async (t) => {
    const project = await shop();
    const context = await visitor(t);
    const frozen = await context.newPage();
    await frozen.goto(site.url);
    await allSent(frozen);
    await frozen.evaluate(
      (name) =>
        new Promise<void>((granted) => {
          void navigator.locks.request(name, () => {
            granted();
            return new Promise(() => undefined);
          });
        }),
      `tidings:${project.publishableKey.slice(-12)}:`,
    );
    const page = await context.newPage();
    // The time that it waits goes by ten times as fast.
    await page.addInitScript(() => {
      const { timeout } = AbortSignal;
      AbortSignal.timeout = (ms) => timeout.call(AbortSignal, ms / 10);
    });
    await page.goto(site.url);
    await tell(page, step(1), step(2));
    assert.deepEqual(await allArrived(house, project, 2), [1, 2]);
    await allSent(page);
    assert.equal((await frozen.evaluate(() => navigator.locks.query())).held?.length, 1);
  });

  it("do not all leave at once each time a tab goes to the back while the server is away", async (t) => {
    await shop();
    const context = await visitor(t);
    const page = await context.newPage();
    await page.goto(site.url);
    await allSent(page);
    await refuse(context);
    await tell(page, ...oneTo(300).map(step));
    const requests = requestsOf(page);
    await page.evaluate(() => {
      Object.defineProperty(document, "visibilityState", { get: () => "hidden" });
      document.dispatchEvent(new Event("visibilitychange"));
    });
    await page.waitForEvent("requestfailed");
    await twoFrames(page);
    await page.evaluate(() => new Promise((done) => setTimeout(done)));
    assert.ok(requests.length <= 60, `${requests.length} requests`);
  });
});
