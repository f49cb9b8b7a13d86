import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { launchCampaign, toast } from "../apps/server/test/factories.ts";
import { allSent, messageIn, messagesAfter, requestsOf, seesNothing, tell, twoFrames } from "./seen.ts";
import { testStage } from "./stage.ts";
import { counts, countsOf } from "./truth.ts";

const { house, site, shop, page: newPage, visitor } = testStage();

const NOTHING = { shown: 0, clicked: 0, dismissed: 0 };

describe("who sees a message", () => {
  it("shows nothing to a user outside the targeting, and a message to one inside", async (t) => {
    const project = await shop({ traits: { plan: "free" } });
    const { id } = await launchCampaign(project, { targeting: { traits: { plan: "pro" } } });
    const page = await newPage(t);
    await seesNothing(page, () => page.goto(site.url));
    assert.deepEqual(await countsOf(project, id), NOTHING);

    await tell(page, ["identify", "ada", { plan: "pro" }]);
    await page.getByText("Hello").waitFor();
    await counts(project, id, "shown");
  });

  it("shows nothing to a visitor who is not identified", async (t) => {
    const project = await house.project();
    await launchCampaign(project);
    site.serve({
      "/": { html: `<script src="${house.url}/tidings.js" data-key="${project.publishableKey}"></script>` },
    });
    const page = await newPage(t);
    const requests = requestsOf(page);
    await page.goto(site.url, { waitUntil: "networkidle" });
    await tell(page, ["track", "looked"]);
    await twoFrames(page);
    await tell(page, ["identify", "ada"], ["reset"]);
    await page.waitForResponse((response) => response.url().endsWith("/track"));
    await twoFrames(page);
    assert.equal(await messageIn(page).count(), 0);
    assert.deepEqual(requests.sort(), ["POST /identify", "POST /track"]);
  });

  it("shows nothing from the next page on once the campaign is paused", async (t) => {
    const project = await shop();
    const { id } = await launchCampaign(project);
    const page = await newPage(t);
    await page.goto(site.url);
    await page.getByText("Hello").waitFor();
    await counts(project, id, "shown");
    await project.api.setCampaignStatus({ path: { id }, body: { action: "pause" } });
    await seesNothing(page, () => page.goto(`${site.url}/next`));
    assert.deepEqual(await countsOf(project, id), { ...NOTHING, shown: 1 });
  });

  it("shows a message on the pages of its campaign only", async (t) => {
    const project = await shop();
    const { id } = await launchCampaign(project, { pages: ["/checkout/*"] });
    const page = await newPage(t);
    await seesNothing(page, () => page.goto(`${site.url}/cart?next=/checkout/pay`));
    assert.deepEqual(await countsOf(project, id), NOTHING);
    await page.goto(`${site.url}/checkout/pay?step=2#top`);
    await page.getByText("Hello").waitFor();
    await counts(project, id, "shown");
  });
});

describe("one message at a time", () => {
  it("shows one message per page: the modal first, then the toasts, newest first", async (t) => {
    const project = await shop();
    await launchCampaign(project, { message: toast("First toast") });
    house.advance(1_000);
    const modal = await launchCampaign(project, { message: { presentation: "modal", title: "Modal" } });
    house.advance(1_000);
    const newest = await launchCampaign(project, { message: toast("Second toast") });
    const page = await newPage(t);
    for (const [path, title] of [
      ["/1", "Modal"],
      ["/2", "Second toast"],
      ["/3", "First toast"],
    ] as const) {
      await page.goto(site.url + path);
      await page.getByText(title).waitFor();
      assert.equal(await messageIn(page).count(), 1);
      await page.getByRole("button", { name: "Close" }).click();
      await messageIn(page).waitFor({ state: "detached" });
      assert.equal(await messageIn(page).count(), 0);
    }
    await seesNothing(page, () => page.goto(`${site.url}/4`));
    for (const { id } of [modal, newest])
      assert.deepEqual(await countsOf(project, id), { shown: 1, clicked: 0, dismissed: 1 });
  });

  it("does not show the next message on the same page when one was dismissed and more becomes known", async (t) => {
    const project = await shop();
    await launchCampaign(project, { message: toast("One") });
    await launchCampaign(project, { message: toast("Other") });
    const page = await newPage(t);
    const requests = requestsOf(page);
    await page.goto(site.url);
    await page.getByRole("button", { name: "Close" }).click();
    await tell(page, ["identify", "ada", { plan: "pro" }]);
    await page.waitForResponse((response) => response.url().endsWith("/identify"));
    assert.equal(await messageIn(page).count(), 0);
    assert.equal(requests.filter((request) => request === "GET /messages").length, 1);
  });

  it("does not bring a dismissed message back", async (t) => {
    const project = await shop();
    const { id } = await launchCampaign(project);
    const page = await newPage(t);
    await page.goto(site.url);
    await page.getByRole("button", { name: "Close" }).click();
    await counts(project, id, "dismissed");
    await seesNothing(page, () => page.reload());
    assert.deepEqual(await countsOf(project, id), { shown: 1, clicked: 0, dismissed: 1 });
  });

  it("does not bring back a dismissed message that the server could not be told of", async (t) => {
    const project = await shop();
    const { id } = await launchCampaign(project);
    const context = await visitor(t);
    const page = await context.newPage();
    await page.goto(site.url);
    await page.getByText("Hello").waitFor();
    await counts(project, id, "shown");
    const feedback = `${house.url}/api/v1/deliveries/**`;
    await context.route(feedback, (route) => route.abort());
    await page.getByRole("button", { name: "Close" }).click();
    await messageIn(page).waitFor({ state: "detached" });
    const refused = page.waitForEvent("requestfailed", (request) => request.url().includes("/deliveries/"));
    await page.reload();
    await refused;
    assert.equal(await messageIn(page).count(), 0);
    assert.deepEqual(await countsOf(project, id), { ...NOTHING, shown: 1 });

    await context.unroute(feedback);
    await seesNothing(page, () => page.reload());
    assert.deepEqual(await countsOf(project, id), { shown: 1, clicked: 0, dismissed: 1 });
  });

  it("does not bring back a dismissed message whose dismissal the server refused", async (t) => {
    const project = await shop();
    await launchCampaign(project);
    const page = await newPage(t);
    await page.goto(site.url);
    await page.getByText("Hello").waitFor();
    await allSent(page);
    const headers = { "access-control-allow-origin": "*" };
    await page.route("**/api/v1/deliveries/**", (route) =>
      route.fulfill({ status: 409, headers, body: "{}" }),
    );
    await page.getByRole("button", { name: "Close" }).click();
    await seesNothing(page, () => page.evaluate(() => history.pushState(null, "", "/next")));
  });
});

describe("a visitor who was here before", () => {
  for (const host of ["127.0.0.1", "shop.example"])
    it(`sees a message on every page, at ${host}, ${host === "127.0.0.1" ? "with" : "without"} locks`, async (t) => {
      const project = await shop();
      const { id } = await launchCampaign(project);
      const context = await visitor(t);
      const page = await context.newPage();
      for (const path of ["/1", "/2", "/3"]) {
        await page.goto(`http://${host}:${site.port}${path}`);
        await page.getByText("Hello").waitFor();
        await allSent(page);
      }
      const tab = await context.newPage();
      await tab.goto(`http://${host}:${site.port}/4`);
      await tab.getByText("Hello").waitFor();
      await counts(project, id, "shown");
    });
});

describe("when a decision holds", () => {
  it("shows nothing when the answer took more than ten seconds, and the next page works", async (t) => {
    const project = await shop();
    const { id } = await launchCampaign(project);
    const page = await newPage(t);
    await page.clock.install();
    let answer = (): void => {};
    const released = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const messages = `${house.url}/api/v1/messages*`;
    await page.route(messages, async (route) => {
      const response = await route.fetch();
      await released;
      await route.fulfill({ response }).catch(() => undefined);
    });
    const requested = page.waitForRequest(messages);
    await page.goto(site.url);
    await requested;
    await page.clock.runFor(10_500);
    answer();
    await page.unrouteAll({ behavior: "wait" });
    await page.clock.resume();
    await twoFrames(page);
    assert.equal(await messageIn(page).count(), 0);
    assert.deepEqual(await countsOf(project, id), NOTHING);

    await page.evaluate(() => history.pushState(null, "", "/next"));
    await page.getByText("Hello").waitFor();
    await counts(project, id, "shown");
  });

  for (const [what, byMs] of [
    ["the computer slept", 11_000],
    ["its clock was set back", -3_600_000],
  ] as const)
    it(`shows nothing that the server said before ${what}`, async (t) => {
      const project = await shop();
      const { id } = await launchCampaign(project);
      const page = await newPage(t);
      // A sleeping computer's timers stand still; its clock goes on.
      await page.addInitScript((shift) => {
        const { fetch } = window;
        window.fetch = async (...args) => {
          const response = await fetch(...args);
          if (String(args[0]).includes("/messages") && location.pathname === "/") {
            const { now } = Date;
            Date.now = () => now() + shift;
          }
          return response;
        };
      }, byMs);
      await seesNothing(page, () => page.goto(site.url));
      assert.deepEqual(await countsOf(project, id), NOTHING);
      await page.evaluate(() => history.pushState(null, "", "/next"));
      await page.getByText("Hello").waitFor();
      await counts(project, id, "shown");
    });

  it("asks for nothing in a tab in the background, however often it moves, and once when it is seen", async (t) => {
    const project = await shop();
    const { id } = await launchCampaign(project);
    const page = await newPage(t);
    await page.addInitScript(() => {
      let state = "hidden";
      Object.defineProperty(document, "visibilityState", { get: () => state });
      addEventListener("come-to-front", () => {
        state = "visible";
        document.dispatchEvent(new Event("visibilitychange"));
      });
    });
    const requests = requestsOf(page);
    const asks = () => requests.filter((request) => request === "GET /messages").length;
    await page.goto(site.url);
    await page.waitForResponse((response) => response.url().endsWith("/identify"));
    for (const path of ["/a", "/b", "/c"]) await page.evaluate((to) => history.pushState(null, "", to), path);
    await tell(page, ["track", "moved"]);
    await page.waitForResponse((response) => response.url().endsWith("/track"));
    assert.equal(asks(), 0);
    assert.deepEqual(await countsOf(project, id), NOTHING);

    await page.evaluate(() => dispatchEvent(new Event("come-to-front")));
    await page.getByText("Hello").waitFor();
    await counts(project, id, "shown");
    assert.equal(asks(), 1);
  });

  it("asks again when the server could not answer at first", async (t) => {
    const project = await shop();
    const { id } = await launchCampaign(project);
    const page = await newPage(t);
    let asks = 0;
    await page.route(`${house.url}/api/v1/messages*`, (route) => {
      asks++;
      return asks === 1
        ? route.fulfill({ status: 200, body: "<h1>Sign in to this wifi</h1>" })
        : route.continue();
    });
    await page.goto(site.url);
    await page.getByText("Hello").waitFor();
    await counts(project, id, "shown");
    assert.equal(asks, 2);
  });

  it("removes the message of a user who signs out, without counting a dismissal", async (t) => {
    const project = await shop();
    const { id } = await launchCampaign(project);
    const page = await newPage(t);
    await messagesAfter(page, () => page.goto(site.url));
    await counts(project, id, "shown");
    await tell(page, ["reset"]);
    assert.equal(await messageIn(page).count(), 0);
    await page.getByText("Hello").waitFor({ state: "detached" });
    await tell(page, ["identify", "bob"]);
    await page.getByText("Hello").waitFor();
    await counts(project, id, "shown", 2);
    assert.equal((await countsOf(project, id)).dismissed, 0);
  });
});
