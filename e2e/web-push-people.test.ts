import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { until } from "../apps/server/test/commands/spawned.ts";
import { installed, isReachable, oneShown, type PushShop, pushStage } from "./push-site.ts";

const { shop, send } = await pushStage();

const identify = ({ page }: PushShop, userId: string): Promise<void> =>
  page.evaluate((id) => window.webPush.identify(id), userId);

/** A shop whose visitor is ada, and agreed. */
async function subscribed(...given: Parameters<typeof shop>): Promise<PushShop> {
  const here = await shop(...given);
  await identify(here, "ada");
  assert.equal((await here.subscribe()).isSubscribed, true);
  await installed(here, isReachable);
  return here;
}

/** Keeps what the page fetches from it; answers how to release it, and how to wait until it is requested. */
async function keptBack({ context }: PushShop, path: string) {
  let release = (): void => {};
  const free = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isRequested = false;
  await context.route(path, async (route) => {
    isRequested = true;
    await free;
    await route.fallback();
  });
  return { release: () => release(), requested: () => until(() => isRequested, `the page asks for ${path}`) };
}

describe("the consent of a click", () => {
  for (const [name, next] of [
    ["is not the next user's", ["ben"]],
    ["is not that of who signs in after a sign-out", [null, "ben"]],
  ] as const)
    it(`${name}, however late the answer is`, async (t) => {
      const here = await shop(t);
      const { page } = here;
      await identify(here, "ada");
      const key = await keptBack(here, "**/push-key?*");
      const clicked = here.subscribe();
      await key.requested();
      for (const id of next)
        await page.evaluate((user) => {
          const { webPush } = window;
          return user === null ? webPush.reset() : webPush.identify(user);
        }, id);
      key.release();
      assert.equal((await clicked).isSubscribed, false);
      // Ben agrees by himself, and is the first one of whom the server hears.
      assert.deepEqual((await here.project.api.listInstallations({})).installations, []);
      assert.equal((await here.subscribe()).isSubscribed, true);
      assert.equal((await installed(here, isReachable)).userId, "ben");
    });

  it("is that of a visitor who signs in before the answer", async (t) => {
    const here = await shop(t);
    const key = await keptBack(here, "**/push-key?*");
    const clicked = here.subscribe();
    await key.requested();
    await identify(here, "ada");
    key.release();
    assert.equal((await clicked).isSubscribed, true);
    assert.equal((await installed(here, isReachable)).userId, "ada");
  });

  it("in a page that still shows another user changes nothing", async (t) => {
    const here = await subscribed(t);
    const other = await here.context.newPage();
    await other.goto(here.page.url());
    await other.waitForFunction(() => window.webPush !== undefined);
    await other.evaluate(() => window.webPush.identify("ben"));
    await installed(here, ({ userId, consent }) => userId === "ben" && !consent);
    assert.equal((await here.subscribe()).isSubscribed, false);
    assert.equal((await other.evaluate(() => window.webPush.subscribe())).isSubscribed, true);
    await here.page.evaluate(() => window.webPush.unsubscribe());
    assert.equal((await here.state()).isSubscribed, true);
    // The earlier user is who took consent back.
    await identify(here, "ada");
    assert.equal((await here.state()).isSubscribed, false);
  });
});

describe("taking consent back", () => {
  it("is reported and stays, also where the browser fails to unsubscribe", async (t) => {
    const here = await subscribed(t);
    const { page, context, project } = here;
    const path = "**/of-the-browser/unsubscribe";
    await context.route(path, (route) => route.fulfill({ status: 400, json: "NetworkError: offline" }));
    const state = await page.evaluate(() => window.webPush.unsubscribe());
    assert.equal(state.isSubscribed, false);
    await installed(here, ({ consent, hasToken }) => !consent && !hasToken);
    assert.match((await here.faults()).join(), /^NetworkError: [^,]*$/);
    await here.visitAgain();
    await until(async () => {
      const [found] = (await project.api.listInstallations({})).installations;
      return found !== undefined && (found.lastActiveAt ?? 0) > 0 && !found.consent && !found.hasToken;
    }, "the visit");
    assert.equal((await here.state()).isSubscribed, false);
  });

  it("by signing out waits for no server", async (t) => {
    const here = await subscribed(t);
    const key = await keptBack(here, "**/push-key?*");
    await here.visitAgain();
    await key.requested();
    await here.page.evaluate(() => window.webPush.reset());
    // The key is still awaited.
    await installed(here, ({ userId, consent }) => userId === null && !consent);
    key.release();
  });
});

describe("a user who has gone", () => {
  it("leaves no text behind that was still being shown", async (t) => {
    const here = await subscribed(t);
    const { page, browser } = here;
    const { text } = await send(here);
    const showing = await keptBack(here, "**/of-the-browser/show");
    await browser.deliver(text);
    await showing.requested();
    await page.evaluate(() => window.webPush.reset());
    showing.release();
    await until(() => browser.shown().some(({ title }) => title === "127.0.0.1"), "the site's name");
    await until(() => browser.shown().length === 1, "the text is closed");
    assert.equal((await oneShown(here)).body, undefined);
  });

  it("may delete all that the browser keeps, with the page and the worker open", async (t) => {
    const here = await subscribed(t);
    const { text } = await send(here);
    await here.browser.deliver(text);
    await oneShown(here);
    const outcome = await here.page.evaluate(
      () =>
        new Promise<string>((resolve) => {
          const request = indexedDB.deleteDatabase("tidings-push");
          request.onsuccess = () => resolve("deleted");
          request.onblocked = () => resolve("blocked");
        }),
    );
    assert.equal(outcome, "deleted");
    await identify(here, "ben");
    assert.equal((await here.state()).isSubscribed, false);
  });
});

describe("the subscription of another service", () => {
  const OTHERS = `BP${"A".repeat(85)}`;

  it("outlives the page's switch and its visits, and gives way to a click alone", async (t) => {
    const here = await subscribed(t);
    const { page, browser } = here;
    browser.endSubscription();
    await page.evaluate(async (applicationServerKey) => {
      const { pushManager } = await navigator.serviceWorker.ready;
      await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
    }, OTHERS);
    const others = browser.subscription();
    assert.notEqual(others, null);
    await here.visitAgain();
    await installed(here, ({ hasToken }) => !hasToken);
    assert.equal((await here.state()).isSubscribed, false);
    await page.evaluate(() => window.webPush.unsubscribe());
    assert.equal(browser.subscription(), others);
    assert.equal((await here.subscribe()).isSubscribed, true);
    assert.notEqual(browser.subscription(), others);
  });

  it("is left alone by a page that never subscribed", async (t) => {
    const here = await shop(t);
    const { page, browser } = here;
    browser.permit("granted");
    await page.evaluate(async (applicationServerKey) => {
      const { pushManager } = await navigator.serviceWorker.register("/tidings-sw.js?other");
      await navigator.serviceWorker.ready;
      await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
    }, OTHERS);
    await page.evaluate(() => window.webPush.unsubscribe());
    assert.notEqual(browser.subscription(), null);
  });
});
