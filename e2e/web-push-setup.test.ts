import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { installed, isReachable, oneShown, type PushShop, pushStage } from "./push-site.ts";

const { house, site, shop, send, importing } = await pushStage();

/** How `subscribe()` is refused. Nothing is stored by it, here or on the server. */
async function refusal({ page, project, browser }: PushShop): Promise<string> {
  const message = await page.evaluate(() =>
    window.webPush.subscribe().then(
      () => "",
      (fault: Error) => fault.message,
    ),
  );
  assert.equal((await page.evaluate(() => window.webPush.state())).isSubscribed, false);
  assert.deepEqual((await project.api.listInstallations({})).installations, []);
  assert.equal(browser.made.length, 0);
  return message;
}

describe("a site that is not set up", () => {
  it("is told that its project has no key", async (t) => {
    const here = await shop(t, { hasKey: false });
    assert.equal(await refusal(here), "The project has no key for web push to shop.example, production.");
  });

  it("is told that its publishable key is wrong", async (t) => {
    const here = await shop(t, { options: { key: "pk_pub_wrong" } });
    assert.equal(await refusal(here), "The key for web push was refused with 401.");
  });

  it("is told that there is no worker", async (t) => {
    // Every path that is not served has the page there.
    const here = await shop(t, { worker: null });
    assert.match(await refusal(here), /^Failed to register a ServiceWorker/);
  });

  it("keeps the worker that it has, and is told what to write into it", async (t) => {
    const here = await shop(t);
    const { page } = here;
    site.serve({
      "/": { html: await page.content() },
      "/open.js": { html: await (await fetch(`${site.url}/open.js`)).text(), type: "text/javascript" },
      "/sw.js": { html: "self.isOfTheSite = true;", type: "text/javascript" },
      "/tidings-sw.js": { html: importing(), type: "text/javascript" },
    });
    await page.evaluate(async () => {
      await navigator.serviceWorker.register("/sw.js");
      await navigator.serviceWorker.ready;
    });
    assert.equal(
      await refusal(here),
      "This site has a worker of its own, /sw.js: import tidings-sw.js in it, and name it as worker.",
    );
    const scripts = () =>
      page.evaluate(async () =>
        (await navigator.serviceWorker.getRegistrations()).map(({ active }) => active?.scriptURL),
      );
    assert.deepEqual(await scripts(), [`${site.url}/sw.js`]);
  });

  it("is told that its worker lacks the line", async (t) => {
    const here = await shop(t, { options: { worker: "/sw.js" }, path: "/sw.js", worker: "" });
    // It waits ten seconds for the worker's answer.
    assert.equal(await refusal(here), "The worker does not import tidings-sw.js.");
  });
});

describe("a site that is strict", () => {
  it("needs what the page on web push says, and no more", async (t) => {
    const policy = `default-src 'none'; script-src 'self' ${house.url}; connect-src 'self' ${house.url}; worker-src 'self'; trusted-types site; require-trusted-types-for 'script'`;
    const violations: string[] = [];
    const here = await shop(t, {
      headers: { "content-security-policy": policy },
      // With trusted types a page registers its workers itself.
      before: `document.addEventListener("securitypolicyviolation", (event) => console.error(event.violatedDirective));
if (location.protocol === "http:") {
  const policy = trustedTypes.createPolicy("site", { createScriptURL: (url) => url });
  navigator.serviceWorker.register(policy.createScriptURL("/tidings-sw.js"));
}`,
    });
    here.page.on("console", (line) => line.type() === "error" && violations.push(line.text()));
    await here.page.evaluate(() => window.webPush.identify("ada"));
    await here.subscribe();
    await installed(here, isReachable);
    const { text } = await send(here);
    await here.browser.deliver(text);
    await oneShown(here);
    await here.visitAgain();
    assert.equal((await here.state()).isSubscribed, true);
    assert.deepEqual(violations, []);
    assert.deepEqual(await here.faults(), []);
  });
});

describe("a browser without web push", () => {
  for (const [name, before, needsHomeScreen] of [
    ["", "delete window.PushManager;", false],
    [", an iPhone's", "delete window.PushManager; navigator.standalone = false;", true],
    [", an iPhone's of before", "delete window.PushManager; navigator.standalone = true;", false],
  ] as const)
    it(`does nothing${name}`, async (t) => {
      const { page, state, subscribe, faults, project } = await shop(t, { before });
      const unsupported = { permission: "unsupported", isSubscribed: false, needsHomeScreen };
      assert.deepEqual(await state(), unsupported);
      await page.evaluate(async () => {
        await window.webPush.identify("ada");
        await window.webPush.track("seen");
        await window.webPush.reset();
      });
      assert.deepEqual(await subscribe(), unsupported);
      assert.deepEqual(await page.evaluate(() => window.webPush.unsubscribe()), unsupported);
      assert.deepEqual((await project.api.listInstallations({})).installations, []);
      assert.deepEqual(await faults(), []);
    });

  it("that shows no buttons says so, whatever the site can do with them", async (t) => {
    const before = "delete Notification.maxActions; delete Notification.prototype.image;";
    const here = await shop(t, { options: { actions: ["open"] }, before });
    await here.page.evaluate(() => window.webPush.identify("ada"));
    await here.subscribe();
    const { capabilities } = await installed(here, isReachable);
    assert.deepEqual(capabilities, { actions: [], channels: [], richImages: false, categories: [] });
  });
});
