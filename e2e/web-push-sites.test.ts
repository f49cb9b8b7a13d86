import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { until } from "../apps/server/test/commands/spawned.ts";
import { installed, isReachable, oneShown, type PushShop, pushStage } from "./push-site.ts";

const { house, site, shop, send } = await pushStage();

/** A shop whose visitor is ada, and agreed. */
async function subscribed(...given: Parameters<typeof shop>): Promise<PushShop> {
  const here = await shop(...given);
  await here.page.evaluate(() => window.webPush.identify("ada"));
  assert.equal((await here.subscribe()).isSubscribed, true);
  await installed(here, isReachable);
  return here;
}

/** Delivers what a push says of itself, changed; answers what is shown. */
async function delivered(here: PushShop, text: string, edit: (push: Changed) => void) {
  const push = JSON.parse(text) as Changed;
  edit(push);
  await here.browser.deliver(JSON.stringify(push));
  return oneShown(here);
}
type Changed = {
  tidings: { attemptId: string; content: Record<string, unknown> };
  tidings_tag: string;
};

describe("an origin with several sites", () => {
  for (const [name, other] of [
    ["a worker of its own", { appId: "blog.example", worker: "/blog/tidings-sw.js" }],
    ["the same worker", { appId: "blog.example" }],
    ["another environment", { appId: "shop.example", environment: "development" as const }],
  ] as const)
    it(`shows the pushes of each where the last page was of one with ${name}`, async (t) => {
      const here = await subscribed(t);
      const { text } = await send(here);
      await here.page.evaluate(
        async ([url, options]) => {
          const { openWebPush } = await import(`${url}/tidings-push.js`);
          await openWebPush({ key: "pk_pub_other", ...options }).identify("ada");
        },
        [house.url, other] as const,
      );
      await here.browser.deliver(text);
      assert.equal((await oneShown(here)).title, "Back in <b>stock</b>");
    });
});

describe("a worker in a folder without pages", () => {
  it("leads to the site", async (t) => {
    const path = "/push/tidings-sw.js";
    const here = await subscribed(t, { options: { worker: path }, path });
    const { browser, page } = here;
    const { text } = await send(here);
    await page.evaluate(() => window.webPush.reset());
    await browser.deliver(text);
    await browser.click(await oneShown(here));
    assert.deepEqual(browser.led, { opened: [], focused: [`${site.url}/`] });
  });
});

describe("a push that is not as it should be", () => {
  it("opens https addresses alone", async (t) => {
    const here = await subscribed(t);
    const { browser } = here;
    const { text } = await send(here);
    for (const url of ["javascript:alert(1)", "http://shop.example/x", "intent://x#Intent;end", "https://"]) {
      const shown = await delivered(here, text, ({ tidings }) => {
        tidings.content.destination = { kind: "website", url };
      });
      await browser.click(shown);
      await until(() => browser.shown().length === 0, "it is closed");
    }
    assert.deepEqual(browser.led, { opened: [], focused: Array(4).fill(`${site.url}/`) });
  });

  it("is shown as the name of the site, or without what is wrong", async (t) => {
    const here = await subscribed(t);
    const { text } = await send(here);
    for (const wrong of [{ actions: {} }, { actions: [null] }, { title: 5 }, { destination: "x" }]) {
      const shown = await delivered(here, text, ({ tidings }) => {
        Object.assign(tidings.content, wrong);
      });
      assert.equal(shown.title, "127.0.0.1");
      await here.browser.click(shown);
      await until(() => here.browser.shown().length === 0, "it is closed");
    }
    const { tag, renotify } = await delivered(here, text, (push) => {
      push.tidings_tag = "";
    });
    assert.deepEqual([tag, renotify], [undefined, undefined]);
  });
});
