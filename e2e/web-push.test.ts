import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { until } from "../apps/server/test/commands/spawned.ts";
import { recorded } from "../apps/server/test/factories.ts";
import { inspect } from "../apps/server/test/push.ts";
import { APP, installed, isReachable, oneShown, type PushShop, pushStage } from "./push-site.ts";

const { house, site, shop, send, putKey, importing } = await pushStage();

const GRANTED = { permission: "granted", isSubscribed: true, needsHomeScreen: false };

const identify = ({ page }: PushShop, userId: string): Promise<void> =>
  page.evaluate((id) => window.webPush.identify(id), userId);
const signOut = ({ page }: PushShop): Promise<void> => page.evaluate(() => window.webPush.reset());

/** A shop whose visitor is ada, and agreed. */
async function subscribed(t: Parameters<typeof shop>[0], sight: Parameters<typeof shop>[1] = {}) {
  const here = await shop(t, sight);
  await identify(here, "ada");
  assert.deepEqual(await here.subscribe(), GRANTED);
  await installed(here, isReachable);
  return here;
}

/** What devices reported of a campaign's pushes, in the order of their kinds. */
async function reports({ project }: PushShop, id: string): Promise<string[]> {
  const { observations } = await inspect(project, id);
  return observations.map(({ command }) => command.kind).sort();
}

const reported = (here: PushShop, id: string, kinds: readonly string[]): Promise<void> =>
  until(async () => (await reports(here, id)).join() === kinds.join(), `reported: ${kinds}`);

/** Waits until the worker has shown a push that is not to be shown as it is. */
const onlyTheSite = async (here: PushShop): Promise<void> => {
  const { title, body, actions, image } = await oneShown(here);
  assert.deepEqual(
    { title, body, actions, image },
    {
      title: "127.0.0.1",
      body: undefined,
      actions: undefined,
      image: undefined,
    },
  );
};

describe("web push", () => {
  it("goes the whole way: asked, subscribed, sent, shown, received, clicked, converted", async (t) => {
    const here = await shop(t, { options: { actions: ["open", "later"], icon: "/icon.png" } });
    const { project, page, browser, state, subscribe, faults } = here;
    assert.deepEqual(await state(), { permission: "default", isSubscribed: false, needsHomeScreen: false });
    await identify(here, "ada");
    await page.evaluate(() => window.webPush.track("before", {}));
    assert.deepEqual((await project.api.listInstallations({})).installations, []);
    assert.deepEqual(await subscribe(), GRANTED);
    const installation = await installed(here, (found) => isReachable(found) && found.lastActiveAt !== null);
    assert.equal(installation.userId, "ada");
    assert.equal(installation.platform, "web");
    assert.deepEqual(installation.capabilities, {
      actions: ["open", "later"],
      channels: [],
      richImages: true,
      categories: [],
    });
    const { id, text } = await send(here, {
      image: "https://shop.example/blend.png",
      actions: [
        { id: "open", title: "Show me" },
        { id: "later", title: "Later" },
      ],
    });
    await browser.deliver(text);
    const notification = await oneShown(here);
    const { data: _, id: __, ...visible } = notification;
    assert.deepEqual(visible, {
      title: "Back in <b>stock</b>",
      body: "Morning Blend.",
      icon: `${site.url}/icon.png`,
      image: "https://shop.example/blend.png",
      tag: (JSON.parse(text) as { tidings_tag: string }).tidings_tag,
      renotify: true,
      actions: [
        { action: "open", title: "Show me" },
        { action: "later", title: "Later" },
      ],
    });
    await reported(here, id, ["receipt"]);
    await browser.click(notification);
    assert.deepEqual(browser.led, { opened: ["https://shop.example/blend"], focused: [] });
    assert.deepEqual(browser.shown(), []);
    await reported(here, id, ["receipt", "tap"]);
    await page.evaluate(() => window.webPush.track("bought", { n: 1 }));
    await until(async () => (await recorded(house, project, "ada", "bought")).length === 1, "the event");
    const { users, devices } = await inspect(project, id);
    assert.deepEqual([users.accepted, users.engaged, devices.receiptObserved], [1, 1, 1]);
    assert.deepEqual(await recorded(house, project, "ada", "before"), []);
    assert.deepEqual(await faults(), []);
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("reports a button, lets the site act on one, and shows the same push once", async (t) => {
    const worker = `${importing()}\nself.tidingsActions = { later: ({ data }) => fetch("/remind/" + data.sku) };`;
    const here = await subscribed(t, { options: { actions: ["open", "later"] }, worker });
    const { browser } = here;
    const actions = [
      { id: "open", title: "Show me" },
      { id: "later", title: "Later" },
    ];
    const first = await send(here, { actions, data: { sku: "blend" } });
    await browser.deliver(first.text);
    const { id } = await oneShown(here);
    await browser.deliver(first.text);
    await until(() => browser.shown().every((shown) => shown.id !== id), "the second takes its place");
    await browser.click(await oneShown(here), "later");
    await until(() => site.requested.includes("/remind/blend"), "the site's own part ran");
    assert.deepEqual(browser.led.opened, []);
    await reported(here, first.id, ["action", "receipt"]);
    const second = await send(here, { actions });
    await browser.deliver(second.text);
    await browser.click(await oneShown(here), "open");
    assert.deepEqual(browser.led.opened, ["https://shop.example/blend"]);
    await reported(here, second.id, ["action", "receipt"]);
    assert.deepEqual(await here.faults(), []);
  });

  it("leaves pushes of others to the site, and keeps its own from it", async (t) => {
    const worker = `${importing()}
const tell = (what) => (event) => event.waitUntil(fetch("/own/" + what));
self.addEventListener("push", tell("push"));
self.addEventListener("notificationclick", tell("click"));`;
    const here = await subscribed(t, { options: { worker: "/sw.js" }, worker, path: "/sw.js" });
    const { browser } = here;
    const own = () => site.requested.filter((path) => path.startsWith("/own/"));
    const { id, text } = await send(here);
    await browser.deliver(text);
    const notification = await oneShown(here);
    await browser.click(notification);
    await reported(here, id, ["receipt", "tap"]);
    assert.deepEqual(own(), []);
    const others = ["hello", "", "5", '{"tidings": {"version": 2}}', '{"tidings": "{"}', "null"];
    for (const [index, other] of others.entries()) {
      await browser.deliver(other);
      await until(() => own().length === index + 1, `the site has ${other}`);
    }
    await browser.click({ ...notification, data: { id: 5 } });
    await until(() => own().includes("/own/click"), "the site has the click");
    assert.deepEqual(browser.shown(), []);
  });

  it("reports later what it could not report, after the worker was stopped", async (t) => {
    const here = await subscribed(t);
    const { browser, context, visitAgain } = here;
    const { id, text } = await send(here);
    let isAway = true;
    await context.route("**/observations", (route) => (isAway ? route.abort() : route.continue()));
    await browser.deliver(text);
    await browser.click(await oneShown(here));
    await browser.stopWorker();
    assert.deepEqual(await reports(here, id), []);
    isAway = false;
    await visitAgain();
    await reported(here, id, ["receipt", "tap"]);
    const next = await send(here);
    await browser.deliver(next.text);
    await reported(here, next.id, ["receipt"]);
  });

  it("focuses a window that is open at the address", async (t) => {
    const here = await subscribed(t);
    const { browser } = here;
    const { text } = await send(here);
    await browser.deliver(text);
    const notification = await oneShown(here);
    await signOut(here);
    await browser.deliver(text);
    await onlyTheSite(here);
    await browser.click(await oneShown(here));
    assert.deepEqual(browser.led, { opened: [], focused: [`${site.url}/`] });
    // One that the browser kept all the same leads where it led, and is not reported as another user's.
    await browser.click(notification);
    assert.deepEqual(browser.led.opened, ["https://shop.example/blend"]);
  });
});

describe("consent", () => {
  it("ends with the session, comes back with the user, and is nobody else's", async (t) => {
    const here = await subscribed(t);
    const { browser, state, subscribe } = here;
    const first = await send(here);
    await browser.deliver(first.text);
    await oneShown(here);
    await signOut(here);
    await until(() => browser.shown().length === 0, "the notification is closed");
    const gone = await installed(here, ({ userId }) => userId === null);
    assert.deepEqual([gone.consent, gone.hasToken], [false, true]);
    assert.equal((await state()).isSubscribed, false);
    await browser.deliver(first.text);
    await onlyTheSite(here);

    await identify(here, "ben");
    assert.equal((await installed(here, ({ userId }) => userId === "ben")).consent, false);
    await identify(here, "ada");
    await installed(here, (found) => found.userId === "ada" && isReachable(found));
    assert.deepEqual(await state(), GRANTED);
    const again = await send(here);
    await browser.deliver(again.text);
    await reported(here, again.id, ["receipt"]);

    await identify(here, "ben");
    assert.deepEqual(await subscribe(), GRANTED);
    await installed(here, (found) => found.userId === "ben" && isReachable(found));
    assert.equal(browser.made.length, 1);
    assert.deepEqual(await here.faults(), []);
  });

  it("of a visitor is that of the user who signs in", async (t) => {
    const here = await shop(t);
    assert.deepEqual(await here.subscribe(), GRANTED);
    await installed(here, ({ hasToken, userId }) => hasToken && userId === null);
    await identify(here, "ada");
    await installed(here, (found) => found.userId === "ada" && isReachable(found));
    await signOut(here);
    await identify(here, "ben");
    assert.equal((await installed(here, ({ userId }) => userId === "ben")).consent, false);
  });

  it("ends on the page, with the subscription", async (t) => {
    const here = await subscribed(t);
    const { page, browser, subscribe, visitAgain } = here;
    const state = await page.evaluate(() => window.webPush.unsubscribe());
    assert.deepEqual(state, { permission: "granted", isSubscribed: false, needsHomeScreen: false });
    assert.equal(browser.subscription(), null);
    await installed(here, ({ consent, hasToken }) => !consent && !hasToken);
    await visitAgain();
    await identify(here, "ada");
    assert.equal((await here.state()).isSubscribed, false);
    assert.deepEqual(await subscribe(), GRANTED);
    await installed(here, isReachable);
  });

  it("is withdrawn with the permission, and goes on where it is given back", async (t) => {
    const here = await subscribed(t);
    const { browser, state, visitAgain } = here;
    browser.permit("denied");
    await visitAgain();
    await installed(here, ({ permission, hasToken }) => permission === "denied" && !hasToken);
    assert.deepEqual(await state(), { permission: "denied", isSubscribed: false, needsHomeScreen: false });
    browser.permit("granted");
    await visitAgain();
    await installed(here, isReachable);
    assert.deepEqual(await state(), GRANTED);
  });

  it("is not given where the browser is answered no, or not at all", async (t) => {
    for (const answer of ["denied", "default"] as const) {
      const here = await shop(t);
      here.browser.answersWith(answer);
      await identify(here, "ada");
      const state = await here.subscribe();
      assert.deepEqual(state, { permission: answer, isSubscribed: false, needsHomeScreen: false });
      assert.deepEqual((await here.project.api.listInstallations({})).installations, []);
      assert.equal(here.browser.made.length, 0);
    }
  });
});

describe("a subscription", () => {
  it("that is gone is made anew at the next page", async (t) => {
    const here = await subscribed(t);
    const { page, browser } = here;
    browser.endSubscription();
    await page.reload();
    await until(() => browser.made.length === 2, "a second subscription");
    await until(async () => (await send(here)).endpoint === browser.subscription()?.endpoint, "sent to it");
  });

  it("of another key than the project's is made anew at the next visit", async (t) => {
    const here = await subscribed(t);
    const { project, browser, visitAgain } = here;
    const before = browser.subscription()?.applicationServerKey;
    const privateKey = Buffer.alloc(32, 7).toString("base64url");
    await putKey(project, 1, privateKey);
    await visitAgain();
    await until(() => browser.made.length === 2, "a second subscription");
    const { applicationServerKey } = await project.sdk.getPushKey({ query: { appId: APP } });
    assert.notEqual(applicationServerKey, before);
    assert.equal(browser.subscription()?.applicationServerKey, applicationServerKey);
    await installed(here, isReachable);
    const { endpoint } = await send(here);
    assert.equal(endpoint, browser.subscription()?.endpoint);
  });

  it("that the browser replaced is reported by the worker", async (t) => {
    const here = await subscribed(t);
    const { browser } = here;
    browser.endSubscription();
    await browser.changeSubscription();
    assert.equal(browser.made.length, 2);
    const { endpoint } = await send(here);
    assert.equal(endpoint, browser.made[1]?.endpoint);
    browser.permit("denied");
    await browser.changeSubscription();
    await installed(here, ({ hasToken }) => !hasToken);
  });

  it("stays as it is where the server cannot be reached", async (t) => {
    const here = await subscribed(t);
    const { context, browser, visitAgain } = here;
    await context.route("**/api/v1/**", (route) => route.abort());
    await visitAgain();
    assert.deepEqual(await here.state(), GRANTED);
    assert.equal(browser.made.length, 1);
    assert.deepEqual(await here.faults(), []);
  });
});
