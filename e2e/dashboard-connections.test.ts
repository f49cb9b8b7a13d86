import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AnalyticsBrowser } from "@segment/analytics-next";
import { buildSync } from "esbuild";
import type { Page } from "playwright-core";
import { until } from "../apps/server/test/commands/spawned.ts";
import { setSettings } from "../apps/server/test/email.ts";
import { launchCampaign } from "../apps/server/test/factories.ts";
import type { TestProject } from "../apps/server/test/harness.ts";
import { hashOf, provingProject } from "../apps/server/test/perimeter.ts";
import { openBrowser, visitedProject } from "../apps/server/test/visitors.ts";
import {
  assertFaultlessEverywhere,
  cameIn,
  complaintsOf,
  openedBy,
  PHONE,
  pageOf,
  title,
} from "./dashboard.ts";
import { pageWith, type Site, testSite } from "./site.ts";
import { testStage } from "./stage.ts";

const { house, site, page: newPage, visitor } = testStage();
const otherSite = testSite();

declare global {
  interface Window {
    /** Segment's library, as the page of a site has it. */
    analytics: AnalyticsBrowser;
  }
}

/** Has the pages of a site carry lines of JavaScript, with the packages that these import. */
function carries(on: Site, lines: string): void {
  const { outputFiles } = buildSync({
    stdin: {
      contents: `${lines}\nObject.assign(window, { analytics });`,
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    write: false,
    format: "iife",
    platform: "browser",
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const script = { html: outputFiles[0]?.text ?? "", type: "text/javascript; charset=utf-8" };
  on.serve({
    "/": { html: pageWith('<script src="/lines.js"></script>') },
    "/bye": { html: pageWith("") },
    "/lines.js": script,
  });
}

/** The lines for a page, with what a reader of the library's manual may set beside them. */
const linesFor = (
  { publishableKey }: TestProject,
  beside = "",
): string => `import { AnalyticsBrowser } from "@segment/analytics-next";
const analytics = AnalyticsBrowser.load({ writeKey: "${publishableKey}", cdnURL: "${house.url}" }${beside});`;

const linesOn = async (page: Page, library: string): Promise<string> =>
  (await page.getByLabel(`Lines for ${library}`, { exact: true }).textContent()) ?? "";

/** Names of the events of a user by the alphabet: calls that are sent at once happened at the same instant of the house. */
const eventsOf = async ({ api }: TestProject, id: string): Promise<string[]> =>
  (await api.listUserEvents({ path: { id } })).events.map(({ name }) => name).toSorted();

const userIdsOf = async ({ api }: TestProject): Promise<string[]> =>
  (await api.listUsers()).users.map(({ externalUserId }) => externalUserId).toSorted();

/** The visitors of a project who are not signed in. */
async function visitorsOf({ projectId }: TestProject): Promise<{ externalUserId: string }[]> {
  const { rows } = await house.database.pool.query<{ externalUserId: string }>(
    `select external_id as "externalUserId" from users where project_id = $1 and starts_with(external_id, '$anon:')`,
    [projectId],
  );
  return rows;
}

/** A visitor who looks around, signs in as ada, and upgrades. Each call is answered before the next one. */
const visit = (page: Page): Promise<unknown> =>
  page.evaluate(async () => {
    const { analytics } = window;
    await analytics.track("basket_opened");
    await analytics.identify("ada", { plan: "pro" });
    await analytics.page("Pricing");
    await analytics.track("upgraded", { amount: 49 });
  });

describe("a page with Segment's library", () => {
  it("sends here by the lines of the dashboard, which then shows what came and what was not taken", async (t) => {
    house.at(Date.now());
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const [project, person] = await openedBy(house, page, "viewer");
    await page.goto(pageOf(house, project, "connections"));
    await page.getByText("No library has sent anything in this time.").waitFor();
    await page.getByRole("main").getByRole("link", { name: "Connect a library" }).click();
    const lines = await linesOn(page, "Browser (analytics.js)");
    assert.ok(lines.includes(project.publishableKey));

    carries(site, lines);
    const visited = await newPage(t);
    const complaintsOfSite = complaintsOf(visited);
    await visited.goto(`${site.url}/?token=of-a-visitor`);
    await visit(visited);
    assert.deepEqual(complaintsOfSite, []);
    const { user } = await project.api.getUser({ path: { id: "ada" } });
    assert.deepEqual(user.traits, { plan: "pro" });
    assert.deepEqual(await userIdsOf(project), ["ada"]);
    assert.deepEqual(await eventsOf(project, "ada"), ["page", "upgraded"]);
    const { events } = await project.api.listUserEvents({ path: { id: "ada" } });
    assert.deepEqual(events.map(({ props }) => String(props?.$current_url ?? props?.amount)).toSorted(), [
      "49",
      `${site.url}/`,
    ]);

    await page.getByRole("tab", { name: "What comes in" }).click();
    // On a phone the name of a row has the heads of its cells, its text has not.
    const row = (on: Page, text: RegExp) => on.getByRole("row").filter({ hasText: text });
    for (const on of [page, await onPhone(person)]) {
      if (on !== page) await on.goto(pageOf(house, project, "connections"));
      await row(on, /^analytics\.jstrack11/).waitFor();
      await row(on, /^analytics\.jsidentify10/).waitFor();
      await row(on, /^analytics\.jspage10/).waitFor();
      const refused = row(on, /^It names no user/);
      await refused.getByText("Not taken", { exact: true }).waitFor();
      await refused.getByText("track, analytics.js", { exact: true }).waitFor();
      assert.equal(await on.getByRole("row").filter({ hasText: "Taken, changed" }).count(), 0);
    }
    await page.getByRole("combobox", { name: "Time back" }).click();
    await page.getByRole("option", { name: "The last day" }).click();
    await page.waitForURL(/hours=24/);
    await row(page, /^analytics\.jstrack11/).waitFor();
    assert.deepEqual(complaints, []);

    async function onPhone(viewer: typeof person): Promise<Page> {
      const context = await visitor(t, PHONE);
      await cameIn(context, house, viewer);
      return context.newPage();
    }
  });

  it("that gathers calls sends them when it is left, and each counts once", async (t) => {
    house.at(Date.now());
    const project = await house.project();
    const gathering = `{ integrations: { "Segment.io": { deliveryStrategy: { strategy: "batching", config: { size: 100, timeout: 600_000 } } } } }`;
    carries(site, linesFor(project, `, ${gathering}`));
    const page = await newPage(t);
    const sent: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST") sent.push(new URL(request.url()).pathname);
    });
    await page.goto(site.url);
    await page.evaluate(async () => {
      await window.analytics.identify("ada", { plan: "pro" });
      await window.analytics.track("upgraded");
    });
    assert.deepEqual(sent, []);
    await page.goto(`${site.url}/bye`);
    await until(
      async () => (await userIdsOf(project)).length > 0 && (await eventsOf(project, "ada")).length > 0,
      "what was gathered arrives",
    );
    // What the library still kept would leave with the next page, before what that one says.
    await page.goto(site.url);
    await page.evaluate(async () => {
      await window.analytics.track("came_back");
    });
    await page.goto(`${site.url}/bye`);
    await until(async () => (await eventsOf(project, "ada")).length > 1, "the second visit arrives");
    assert.deepEqual(await eventsOf(project, "ada"), ["came_back", "upgraded"]);
    assert.deepEqual(await userIdsOf(project), ["ada"]);
  });

  it("is taken on the origins of the project, and on no other", async (t) => {
    house.at(Date.now());
    const project = await house.project();
    await setSettings(house, project, { "origins.allowed": site.url });
    for (const on of [site, otherSite]) carries(on, linesFor(project));

    const stranger = await newPage(t);
    const failed: string[] = [];
    stranger.on("requestfailed", (request) => failed.push(new URL(request.url()).pathname));
    await stranger.goto(otherSite.url);
    // It tries again and again: its promise ends late.
    await stranger.evaluate(() => void window.analytics.identify("eve", { plan: "pro" }));
    await until(() => failed.includes("/v1/i"), "the page is refused");

    const own = await newPage(t);
    await own.goto(site.url);
    await own.evaluate(async () => {
      await window.analytics.identify("ada", { plan: "pro" });
    });
    assert.deepEqual(await userIdsOf(project), ["ada"]);
  });

  it("proves its users where the project demands it", async (t) => {
    house.at(Date.now());
    const { project, secret } = await provingProject(house);
    carries(site, linesFor(project));
    const page = await newPage(t);
    await page.goto(site.url);
    await page.evaluate(
      async (userHash) => {
        await window.analytics.identify("eve", { plan: "pro" }, { context: { userHash } });
        await window.analytics.identify("ada", { plan: "pro" }, { context: { userHash } });
      },
      hashOf(secret, "ada"),
    );
    assert.deepEqual(await userIdsOf(project), ["ada"]);
    const { problems } = (await project.api.getIntake()).intake;
    assert.deepEqual(
      problems.map(({ reason, count }) => [reason, count]),
      [["unidentified", 1]],
    );
  });
});

describe("a page with Segment's library, where visitors are kept", () => {
  it("has one person with all events, once each, and the campaign that was seen before the sign-in", async (t) => {
    house.at(Date.now());
    const project = await visitedProject(house);
    const campaign = await launchCampaign(project, { visitors: "also" });
    carries(site, linesFor(project));
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    await page.goto(site.url);
    const anonymousId = await page.evaluate(async () => {
      const { analytics } = window;
      await analytics.page("Home");
      await analytics.track("basket_opened");
      await analytics.identify({ theme: "dark" });
      return (await analytics.user()).anonymousId() ?? "";
    });
    const [{ externalUserId: visitor } = { externalUserId: "" }] = await visitorsOf(project);
    assert.equal(visitor, `$anon:${anonymousId}`);
    // What shows messages on this page has the same id.
    const browser = openBrowser(project, anonymousId);
    const [message] = await browser.messages();
    assert.equal(message?.campaignId, campaign.id);
    await browser.feedback(message?.deliveryId ?? "", "shown");
    await page.evaluate(async () => {
      const { analytics } = window;
      await analytics.identify("ada", { plan: "pro" });
      await analytics.track("upgraded", { amount: 49 });
      // Another page view, and who is already signed in.
      await analytics.identify("ada", { plan: "pro" });
      await analytics.page("Pricing");
    });
    assert.deepEqual(await eventsOf(project, "ada"), ["basket_opened", "page", "page", "upgraded"]);
    assert.deepEqual((await project.api.getUser({ path: { id: "ada" } })).user.traits, {
      theme: "dark",
      plan: "pro",
    });
    assert.deepEqual(await visitorsOf(project), []);
    const { deliveries } = await project.api.listCampaignDeliveries({ path: { id: campaign.id } });
    assert.deepEqual(
      deliveries.map(({ externalUserId, state }) => [externalUserId, state]),
      [["ada", "shown"]],
    );
    assert.deepEqual((await project.api.getIntake()).intake.problems, []);
    assert.deepEqual(complaints, []);
    assert.deepEqual(await house.differences(), {});
  });

  it("joins by an alias as well, and starts anew where it is reset", async (t) => {
    house.at(Date.now());
    const project = await visitedProject(house);
    carries(site, linesFor(project));
    const page = await newPage(t);
    await page.goto(site.url);
    await page.evaluate(async () => {
      const { analytics } = window;
      await analytics.track("basket_opened");
      await analytics.alias("ada", (await analytics.user()).anonymousId() ?? "");
      await analytics.reset();
      await analytics.track("looked");
    });
    assert.deepEqual(await eventsOf(project, "ada"), ["basket_opened"]);
    const [other, ...more] = await visitorsOf(project);
    assert.deepEqual(more, []);
    assert.deepEqual(await eventsOf(project, other?.externalUserId ?? ""), ["looked"]);
    assert.deepEqual((await project.api.getIntake()).intake.problems, []);
  });
});

describe("the lines for other libraries", () => {
  it("have this server's address, and say where an owner finds the secret key", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const [project] = await openedBy(house, page, "owner");
    await page.goto(pageOf(house, project, "connections?view=connect"));
    const { origin } = new URL(page.url());
    for (const library of [
      "Node.js (Segment)",
      "Server in another language (Segment)",
      "RudderStack (Node.js)",
      "HTTP",
    ]) {
      const lines = await linesOn(page, library);
      assert.ok(lines.includes(origin) && lines.includes("pk_…"), library);
      assert.ok(!lines.includes(project.publishableKey), library);
    }
    await page.getByRole("link", { name: "Make a further one under Keys" }).click();
    await title(page, "Keys");
    assert.deepEqual(complaints, []);
  });
});

describe("the page of connections", () => {
  it("is free of faults in every width and colour, empty and full", async (t) => {
    house.at(Date.now());
    const page = await newPage(t);
    const [project] = await openedBy(house, page, "owner");
    await page.goto(pageOf(house, project, "connections"));
    await page.getByText("No library has sent anything in this time.").waitFor();
    await assertFaultlessEverywhere(page, "connections without calls");
    await page.getByRole("tab", { name: "Connect a library" }).click();
    await page.getByText("What becomes of calls").waitFor();
    await assertFaultlessEverywhere(page, "connect a library");
    await sendMuch(project);
    await page.getByRole("tab", { name: "What comes in" }).click();
    await page.getByText("It names no user").first().waitFor();
    await assertFaultlessEverywhere(page, "connections with calls");
  });
});

/** Calls of several libraries, with all kinds of remarks on them, and long names. */
async function sendMuch({ api }: TestProject): Promise<void> {
  const from = (name: string) => ({ context: { library: { name } } });
  const batch = [
    ...Array.from({ length: 1_200 }, () => ({
      type: "page" as const,
      userId: "ada",
      name: "Home",
      ...from("analytics.js"),
    })),
    ...Array.from({ length: 310 }, () => ({
      type: "page" as const,
      anonymousId: "b",
      ...from("analytics.js"),
    })),
    { type: "track" as const, anonymousId: "b", event: "basket_opened", ...from("analytics.js") },
    {
      type: "track" as const,
      anonymousId: "b",
      event: `opened_${"a_very_long_name_".repeat(4)}`,
      ...from("analytics.js"),
    },
    { type: "identify" as const, userId: "ada", traits: { plan: "pro" }, ...from("analytics-node") },
    {
      type: "identify" as const,
      userId: "ada",
      traits: { biography: "x".repeat(5_000) },
      ...from("analytics-node"),
    },
    {
      type: "track" as const,
      userId: "ada",
      event: "upgraded",
      timestamp: "soon",
      ...from("@rudderstack/rudder-sdk-node-of-a-long-name"),
    },
    { type: "alias" as const, userId: "ada", previousId: "eve" },
  ];
  await api.sendCalls({ path: { call: "batch" }, body: { batch } });
}
