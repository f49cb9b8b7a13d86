import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { BrowserContext, Page, Request } from "playwright-core";
import { until } from "../apps/server/test/commands/spawned.ts";
import { setSettings } from "../apps/server/test/email.ts";
import { feedback, launchCampaign, messagesOf } from "../apps/server/test/factories.ts";
import type { TestProject } from "../apps/server/test/harness.ts";
import { launchForVisitors } from "../apps/server/test/visitors.ts";
import { allSent, messageIn, messagesAfter, requestsOf, seesNothing, step, tell, twoFrames } from "./seen.ts";
import { pageWith } from "./site.ts";
import { testStage } from "./stage.ts";
import { allArrived, arrived, counts, countsOf } from "./truth.ts";

const { house, site, visitor, page: newPage } = testStage();

const API = "**/api/v1/**";

/** A project, with visitors where not said otherwise, and a site whose tag has these attributes. */
async function shop(attributes = "data-visitors", enabled = true): Promise<TestProject> {
  const project = await house.project();
  await setSettings(house, project, { "visitors.enabled": String(enabled) });
  const tag = `<script src="${house.url}/tidings.js" data-key="${project.publishableKey}" ${attributes}></script>`;
  site.serve({ "/": { html: pageWith(tag) } });
  return project;
}

const entryOf = ({ publishableKey }: TestProject): string => `tidings.visitor:${publishableKey.slice(-12)}`;

/** The visitor's id in the browser's storage, and the user that it was sent with; nothing where there is none. */
async function kept(page: Page, project: TestProject): Promise<string[]> {
  const entry = await page.evaluate((key) => localStorage.getItem(key), entryOf(project));
  return entry?.split(" ") ?? [];
}

/** Waits for the visitor's id. */
async function idIn(page: Page, project: TestProject): Promise<string> {
  const [id] = await kept(page, project);
  assert.match(id ?? "", /^[0-9a-v]{20}$/);
  return `${id}`;
}

/** What is in the browser's storage, as one text. */
const storage = (page: Page): Promise<string> => page.evaluate(() => JSON.stringify(localStorage));

/** The numbers of the steps that the server has of a visitor. */
const stepsOf = (project: TestProject, anonymousId: string): Promise<number[]> =>
  arrived(house, project, { userId: `$anon:${anonymousId}` });

/** All requests of a browser from now on. */
function allRequests(context: BrowserContext): Request[] {
  const seen: Request[] = [];
  context.on("request", (request) => seen.push(request));
  return seen;
}

/** The bodies of what was posted to a path of the API. */
const posted = (requests: readonly Request[], path: string): Record<string, unknown>[] =>
  requests
    .filter((request) => request.method() === "POST" && request.url().endsWith(`/api/v1${path}`))
    .map((request) => request.postDataJSON());

/** Keeps the server away from a browser. */
const refuse = (context: BrowserContext): Promise<unknown> => context.route(API, (route) => route.abort());

/** Marks the message that is open, and answers whether that one is still there. */
const mark = (page: Page): Promise<void> =>
  messageIn(page).evaluate((message) => {
    message.id = "first";
  });
const isMarked = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.querySelector("#first") !== null);

describe("a visitor who signs in", () => {
  it("is one person with everything of before, and looks at the same message", async (t) => {
    const project = await shop();
    const { id: campaign } = await launchForVisitors(project);
    const context = await visitor(t);
    const requests = allRequests(context);
    const page = await context.newPage();
    await page.goto(site.url);
    await page.getByText("Hello").waitFor();
    const id = await idIn(page, project);
    await tell(page, step(1), step(2));
    await until(async () => (await stepsOf(project, id)).length === 2, "the visitor's events arrive");
    await counts(project, campaign, "shown");
    await mark(page);

    await messagesAfter(page, () => tell(page, ["identify", "ada", { plan: "free" }]));
    await tell(page, step(3));
    assert.deepEqual(await allArrived(house, project, 3), [1, 2, 3]);
    assert.deepEqual(await stepsOf(project, id), []);
    assert.ok(await isMarked(page), "it was not drawn anew");
    await page.getByRole("button", { name: "Close" }).click();
    await counts(project, campaign, "dismissed");
    assert.deepEqual(await countsOf(project, campaign), { shown: 1, clicked: 0, dismissed: 1 });
    assert.deepEqual(await messagesOf(project, "ada"), []);
    await allSent(page);

    for (const request of requests) assert.ok(!request.url().includes(id), request.url());
    const named = posted(requests, "/track").map(({ userId, anonymousId }) => userId ?? anonymousId);
    assert.deepEqual(named, [id, id, "ada"]);
    assert.deepEqual(
      posted(requests, "/identify").map(({ userId, anonymousId }) => [userId, anonymousId]),
      [["ada", id]],
    );
    assert.deepEqual(await house.differences(), {});
  });

  it("is not sent to the server again by the next page of the visit", async (t) => {
    const project = await shop();
    const context = await visitor(t);
    const requests = allRequests(context);
    const page = await context.newPage();
    for (let view = 0; view < 2; view++) {
      await page.goto(site.url);
      await tell(page, ["identify", "ada"]);
      await allSent(page);
    }
    assert.equal(posted(requests, "/identify").length, 1);
    assert.equal((await kept(page, project))[1], "ada");
  });

  it("does not see again what they closed, also while the server does not know of it yet", async (t) => {
    const project = await shop();
    const { id: campaign } = await launchForVisitors(project);
    const page = await newPage(t);
    await page.goto(site.url);
    await page.getByText("Hello").waitFor();
    await allSent(page);
    await page.route("**/api/v1/deliveries/**", (route) => route.abort());
    await page.getByRole("button", { name: "Close" }).click();
    await tell(page, ["identify", "ada"]);
    await page.evaluate(() => history.pushState({}, "", "/next"));
    // Only once everything of the visitor has arrived the page asks as the user.
    await seesNothing(page, () => page.unroute("**/api/v1/deliveries/**"));
    await counts(project, campaign, "dismissed");
    await page.goto(site.url);
    await seesNothing(page, () => tell(page, ["identify", "ada"]));
    assert.deepEqual(await countsOf(project, campaign), { shown: 1, clicked: 0, dismissed: 1 });
  });

  it("no longer sees what the user has closed elsewhere before", async (t) => {
    const project = await shop();
    await launchForVisitors(project);
    const [message] = await messagesOf(project, "ada");
    for (const type of ["shown", "dismissed"] as const)
      await feedback(project, `${message?.deliveryId}`, "ada", type);
    const page = await newPage(t);
    await page.goto(site.url);
    await page.getByText("Hello").waitFor();
    await allSent(page);
    await seesNothing(page, () => tell(page, ["identify", "ada"]));
  });

  it("shows another user what they themselves have closed", async (t) => {
    const project = await shop();
    await launchForVisitors(project);
    const page = await newPage(t);
    await page.goto(site.url);
    await page.getByText("Hello").waitFor();
    await page.getByRole("button", { name: "Close" }).click();
    await messagesAfter(page, async () => {
      await tell(page, ["identify", "ada"]);
      await page.evaluate(() => history.pushState({}, "", "/next"));
    });
    assert.equal(await messageIn(page).count(), 0);
    await tell(page, ["identify", "bob"]);
    await page.getByText("Hello").waitFor();
  });
});

describe("the next one in the same browser", () => {
  it("is a new visitor after reset, which takes from the browser what is of the former", async (t) => {
    const project = await shop();
    const { id: campaign } = await launchForVisitors(project);
    const context = await visitor(t);
    const page = await context.newPage();
    await page.goto(site.url);
    await page.getByText("Hello").waitFor();
    await messagesAfter(page, () => tell(page, ["identify", "ada"]));
    const first = await idIn(page, project);
    await allSent(page);
    await refuse(context);
    await tell(page, ["reset"]);
    const second = await idIn(page, project);
    assert.notEqual(second, first);
    assert.doesNotMatch(await storage(page), new RegExp(`ada|${first}`));
    await context.unroute(API);
    await tell(page, step(1));
    await until(async () => (await stepsOf(project, second)).length === 1, "the new visitor's event arrives");
    assert.deepEqual(await arrived(house, project), []);
    await page.reload();
    await page.getByText("Hello").waitFor();
    await counts(project, campaign, "shown", 2);
  });

  it("is the same visitor where a page resets whenever nobody is signed in", async (t) => {
    const project = await shop();
    const page = await newPage(t);
    const ids = new Set<string>();
    for (let view = 0; view < 2; view++) {
      await page.goto(site.url);
      await tell(page, ["reset"], step(view));
      ids.add(await idIn(page, project));
      await allSent(page);
    }
    const [id = "", ...others] = ids;
    assert.deepEqual(others, []);
    assert.deepEqual(await stepsOf(project, id), [0, 1]);
  });

  it("is another user without reset: an id is one user's", async (t) => {
    const project = await shop();
    const page = await newPage(t);
    await page.goto(site.url);
    const first = await idIn(page, project);
    await tell(page, step(1), ["identify", "ada"], ["identify", "bob"]);
    assert.notEqual(await idIn(page, project), first);
    await allSent(page);
    await page.reload();
    await tell(page, step(2));
    assert.deepEqual(await allArrived(house, project, 1, { userId: "bob" }), [2]);
    assert.deepEqual(await arrived(house, project), [1]);
  });
});

describe("two tabs of a visitor", () => {
  it("are the user's once one of them has signed in", async (t) => {
    const project = await shop();
    const context = await visitor(t);
    const [one, two] = [await context.newPage(), await context.newPage()];
    for (const tab of [one, two]) await tab.goto(site.url);
    const id = await idIn(one, project);
    assert.equal(await idIn(two, project), id);
    await tell(two, step(1));
    await allSent(two);
    await tell(one, ["identify", "ada"]);
    await allSent(one);
    await tell(two, step(2));
    assert.deepEqual(await allArrived(house, project, 2), [1, 2]);
  });

  it("both end where consent is taken back in one", async (t) => {
    const project = await shop();
    await launchForVisitors(project);
    const context = await visitor(t);
    const [one, two] = [await context.newPage(), await context.newPage()];
    for (const tab of [one, two]) {
      await tab.goto(site.url);
      await tab.getByText("Hello").waitFor();
      await allSent(tab);
    }
    await tell(one, ["visitors", false]);
    for (const tab of [one, two]) await messageIn(tab).waitFor({ state: "detached" });
    const requests = requestsOf(two);
    await tell(two, step(1));
    await twoFrames(two);
    assert.deepEqual(requests, []);
    assert.deepEqual(await kept(two, project), []);
  });
});

describe("consent", () => {
  it("is waited for: nothing is stored or sent before", async (t) => {
    for (const attributes of ["", 'data-visitors="false"']) {
      const project = await shop(attributes);
      await launchForVisitors(project);
      const page = await newPage(t);
      const requests = requestsOf(page);
      await page.goto(site.url, { waitUntil: "networkidle" });
      await tell(page, step(1), ["visitors", false]);
      await twoFrames(page);
      assert.deepEqual(requests, []);
      assert.equal(await storage(page), "{}");
      await tell(page, ["visitors", true]);
      await page.getByText("Hello").waitFor();
      const id = await idIn(page, project);
      await until(async () => (await stepsOf(project, id)).length === 1, "the event of before arrives");
    }
  });

  it("may come after a user was identified", async (t) => {
    const project = await shop("");
    const context = await visitor(t);
    const requests = allRequests(context);
    const page = await context.newPage();
    for (let view = 0; view < 2; view++) {
      await page.goto(site.url);
      await tell(page, ["identify", "ada"], ["visitors", true], ["visitors", true]);
      await allSent(page);
    }
    const id = await idIn(page, project);
    const named = posted(requests, "/identify").map(({ userId, anonymousId }) => [userId, anonymousId]);
    assert.deepEqual(named, [
      ["ada", undefined],
      ["ada", id],
    ]);
  });

  it("is taken back: the id, the message and what waits of the visitor are gone", async (t) => {
    const project = await shop();
    const { id: campaign } = await launchForVisitors(project);
    const context = await visitor(t);
    const page = await context.newPage();
    await page.goto(site.url);
    await page.getByText("Hello").waitFor();
    await counts(project, campaign, "shown");
    await allSent(page);
    const id = await idIn(page, project);
    await refuse(context);
    await tell(page, step(1), ["identify", "ada", { plan: "pro" }], step(2), ["visitors", false]);
    assert.doesNotMatch(await storage(page), new RegExp(`${id}|anonymousId`));
    await context.unroute(API);
    const requests = allRequests(context);
    await page.reload();
    await tell(page, ["visitors", false]);
    await allSent(page);
    // The user's own calls go on without it.
    assert.deepEqual(await allArrived(house, project, 1), [2]);
    // A call that was under way as the page was left is sent once more by the next one.
    const named = posted(requests, "/identify");
    assert.ok(named.length > 0);
    for (const { userId, anonymousId } of named) assert.deepEqual([userId, anonymousId], ["ada", undefined]);
    assert.deepEqual(await stepsOf(project, id), []);
  });

  it("ends what a visitor looks at", async (t) => {
    const project = await shop("");
    await launchForVisitors(project);
    const page = await newPage(t);
    await page.goto(site.url);
    await tell(page, ["visitors", true]);
    await page.getByText("Hello").waitFor();
    await allSent(page);
    await tell(page, ["visitors", false], step(1));
    assert.equal(await messageIn(page).count(), 0);
    assert.equal(await storage(page), "{}");
    const requests = requestsOf(page);
    await page.evaluate(() => history.pushState({}, "", "/next"));
    await twoFrames(page);
    assert.deepEqual(requests, []);
  });
});

describe("a page with visitors", () => {
  it("goes on without them where the project has none, and says so once", async (t) => {
    const project = await shop("data-visitors", false);
    const context = await visitor(t);
    const requests = allRequests(context);
    const page = await context.newPage();
    const refusals: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "warning" && message.text().includes("visitors")) refusals.push(message.text());
    });
    const refused = (times: number) =>
      until(() => refusals.length >= times, `the page is refused, ${times} times in all`);
    await page.goto(site.url);
    await refused(1);
    await tell(page, step(1));
    await launchCampaign(project);
    await tell(page, ["identify", "ada"]);
    await page.getByText("Hello").waitFor();
    assert.deepEqual(await allArrived(house, project, 1), [1]);
    await page.reload();
    await refused(2);
    await tell(page, ["identify", "bob", { plan: "pro" }], step(2));
    assert.deepEqual(await allArrived(house, project, 1, { userId: "bob" }), [2]);
    await allSent(page);
    assert.deepEqual(await kept(page, project), []);
    assert.equal(refusals.length, 2, "once a page");
    // A page that names its user at once may never be refused, because it asks for the user's messages instead.
    await page.reload();
    await tell(page, ["identify", "cleo", { plan: "pro" }], step(3));
    assert.deepEqual(await allArrived(house, project, 1, { userId: "cleo" }), [3]);
    await allSent(page);
    const gets = requests.filter(
      (request) => request.method() === "GET" && "x-anonymous-id" in request.headers(),
    );
    assert.ok(gets.length <= 3, `${gets.length} requests for messages`);
    for (const id of ["bob", "cleo"]) {
      const { user } = await project.api.getUser({ path: { id } });
      assert.equal(user.traits.plan, "pro");
    }
    assert.ok(refusals.length <= 3, "once a page");
  });

  it("knows the visitor as long as the page lives where storage is closed", async (t) => {
    const project = await shop();
    const page = await newPage(t);
    await page.addInitScript(() => {
      Object.defineProperty(window, "localStorage", {
        get() {
          throw new DOMException("closed", "SecurityError");
        },
      });
    });
    await page.goto(site.url);
    await tell(page, step(1), step(2), ["identify", "ada"], step(3));
    assert.deepEqual(await allArrived(house, project, 3), [1, 2, 3]);
  });
});
