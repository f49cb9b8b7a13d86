import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { dueCampaign } from "../apps/server/test/agent.ts";
import { setSettings } from "../apps/server/test/email.ts";
import { feedback, launchCampaign, messagesOf } from "../apps/server/test/factories.ts";
import { otherProcess, withoutWorker } from "../apps/server/test/roles.ts";
import { BELIEVED_MS } from "../apps/server/test/usage.ts";
import { everythingWaits } from "../apps/server/test/waiting-things.ts";
import { assertFaultlessEverywhere, complaintsOf, openedBy, pageOf, title } from "./dashboard.ts";
import { pageWith } from "./site.ts";
import { testStage } from "./stage.ts";

const { house, site, page: newPage } = testStage();

const DAY_MS = 86_400_000;

describe("the overview", () => {
  it("begins with what waits, and each line leads to where it is settled", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    house.at(Date.now());
    const [project] = await openedBy(house, page, "viewer");
    await page.goto(pageOf(house, project, "overview"));
    await page.getByText("Nothing waits for you").waitFor();
    await page.getByRole("listitem").filter({ hasText: "Put the script on your site" }).waitFor();
    await everythingWaits(house, project);
    // The users of a split are counted once a minute, and they were counted when the page was empty.
    house.advance(60_000);
    await page.reload();
    await page
      .getByText("“Risky” was paused for a limit of its goal. Forbidden phrases: 1, the limit is 0.")
      .waitFor();
    const region = page.getByRole("region", { name: "What waits for you" });
    const steps = region.getByRole("region");
    await steps.getByRole("button", { name: "Hide this list" }).click();
    const lines = region.getByRole("link");
    assert.deepEqual(
      await lines.evaluateAll((links) =>
        links.map((link) => {
          const { pathname, search } = new URL((link as HTMLAnchorElement).href);
          const [, , , , ...path] = pathname.split("/");
          // The ids are those of the project.
          const place = path.map((part) => part.replace(/_.*/, "_"));
          return `${link.textContent}: ${place.join("/")}${search}`;
        }),
      ),
      [
        "See the campaign: campaigns/cmp_",
        "Decide: approvals",
        "See what is live: approvals/campaigns/cmp_",
        "See the split: campaigns/cmp_",
        "See the source: sources/web",
        "Settle: email?view=unknown",
        "Decide: approvals/prop_",
        "Decide: approvals/campaigns/cmp_",
        "Launch it: campaigns/cmp_",
      ],
    );
    await page.getByText("Put Tidings on your pages").click();
    await page.getByRole("group").getByText("data-key").waitFor();
    await page.getByRole("link", { name: /^See what is live/ }).press("Enter");
    await page.getByText("acme/shop production runs without the change since").waitFor();
    await page.goBack();
    await page.getByRole("link", { name: /^See the split/ }).press("Enter");
    await title(page, "Two texts");
    assert.deepEqual(complaints, []);
  });

  it("shows 90 days as charts with a sentence and a table, and what happened last", async (t) => {
    const page = await newPage(t);
    house.at(Date.now() - 3 * DAY_MS);
    const [project] = await openedBy(house, page, "viewer");
    await launchCampaign(project, { name: "Summer sale" });
    for (let day = 0; day < 4; day++) {
      for (let n = 0; n <= day; n++)
        await project.sdk.track({ body: { userId: `user-${n}`, event: "came" } });
      const [message] = await messagesOf(project, `user-${day}`);
      await feedback(project, message?.deliveryId ?? "", `user-${day}`, "shown");
      house.advance(day === 3 ? 0 : DAY_MS);
    }
    await page.goto(pageOf(house, project, "overview"));
    await page.getByRole("img", { name: /^Events from .+: 10, most on .+, 4\.$/ }).waitFor();
    await page.getByRole("img", { name: /^Messages met from .+: 4, most on .+, 1\.$/ }).waitFor();
    await page.getByText("As a table").click();
    const days = page.getByRole("table").filter({ hasText: "Day (UTC)" }).getByRole("row");
    await days.nth(90).waitFor();
    assert.equal(await days.count(), 91);
    assert.match((await days.nth(1).textContent()) ?? "", /410$/);
    const activity = page.getByRole("region", { name: "What happened last" });
    await activity.getByRole("link", { name: "Summer sale" }).first().waitFor();
    await activity.getByRole("link", { name: "user-3" }).first().click();
    await title(page, "user-3");
  });
});

describe("the first steps", () => {
  const steps = (page: Page) => page.getByRole("region", { name: "To the first message that arrives" });
  const namesOf = async (page: Page) =>
    steps(page)
      .getByRole("listitem")
      .evaluateAll((items) => items.map((item) => item.querySelector("p")?.textContent ?? ""));

  it("lead from an empty project to the first user, and tick by themselves", async (t) => {
    const [page, visitor] = [await newPage(t), await newPage(t)];
    const complaints = complaintsOf(page);
    house.at(Date.now());
    const [project] = await openedBy(house, page, "editor");
    await page.goto(pageOf(house, project, "overview"));
    await page.getByText("Nothing waits for you: no page carries Tidings yet").waitFor();
    assert.deepEqual(await namesOf(page), [
      "Put the script on your site: not done yet",
      "See the first user: not done yet",
      "See the first event: not done yet",
      "Set a goal: not done yet",
      "Write a campaign: not done yet",
      "Set up mail: not done yet",
    ]);
    await assertFaultlessEverywhere(page, "the first steps");
    const lines = (await steps(page).getByLabel("Lines for your pages").textContent()) ?? "";
    const mail = await steps(page).getByRole("link", { name: "Send to a developer" }).getAttribute("href");
    const text = new URL(mail ?? "").searchParams.get("body") ?? "";
    assert.ok(text.includes(lines) && text.includes(page.url()), text);
    // The very lines that the page shows, in the page of a product.
    site.serve({ "/": { html: pageWith(lines) } });
    await visitor.goto(site.url);
    await steps(page).getByText("Put the script on your site: done").waitFor();
    await steps(page).getByText("See the first user: done").waitFor();
    assert.equal(await page.getByText("no page carries Tidings").count(), 0);
    await page.getByText("messages are served, and everything goes by itself").waitFor();
    await project.sdk.track({ body: { userId: "ada", event: "came" } });
    await steps(page).getByText("See the first event: done").waitFor();
    await steps(page).getByRole("button", { name: "We send no mail" }).click();
    await page.reload();
    await steps(page).waitFor();
    assert.deepEqual(await namesOf(page), ["Set a goal: not done yet", "Write a campaign: not done yet"]);
    await steps(page).getByRole("link", { name: "Make a goal" }).click();
    await title(page, "New goal");
    await page.goBack();
    await steps(page).getByRole("button", { name: "Hide this list" }).click();
    await page.reload();
    await page.getByText("Nothing waits for you").waitFor();
    assert.equal(await steps(page).count(), 0, "what was hidden does not come back");
    assert.deepEqual(complaints, []);
  });

  it("are not shown in a project that has all of them", async (t) => {
    const page = await newPage(t);
    house.at(Date.now());
    const [project] = await openedBy(house, page, "viewer");
    await project.sdk.track({ body: { userId: "ada", event: "came" } });
    await messagesOf(project, "ada");
    await project.api.createGoal({ body: { name: "Orders" } });
    await launchCampaign(project, { launch: false });
    await setSettings(house, project, {
      "email.from": "Acme <news@acme.example>",
      "email.postalAddress": "1 Main Street",
    });
    await page.goto(pageOf(house, project, "overview"));
    await page.getByText("everything goes by itself").waitFor();
    assert.equal(await page.getByText("Put the script on your site").count(), 0);
    assert.equal(await steps(page).count(), 0);
  });
});

describe("what the pages promise", () => {
  it("is taken back where nobody looks after campaigns, and leads to the agent", async (t) => {
    const page = await newPage(t);
    house.at(Date.now());
    const [project] = await openedBy(house, page, "viewer");
    await setSettings(house, project, { "agent.policy": "statistical@1" });
    await dueCampaign(house, project, { name: "Breakfast box" });
    await page.goto(pageOf(house, project, "overview"));
    await page.getByText("Nothing waits for you").waitFor();
    house.advance(10 * 60_000);
    await page.reload();
    const line = page.getByText(
      /^“Breakfast box” has waited for an agent since .+: no process has the role agent\.$/,
    );
    await line.waitFor();
    await assertFaultlessEverywhere(page, "nobody who looks after campaigns");
    await page.getByRole("link", { name: /^See the agent/ }).press("Enter");
    await title(page, "Agent");
    const agent = await otherProcess(house, { looksAfter: true });
    await page.goto(pageOf(house, project, "overview"));
    await page.getByText("Nothing waits for you").waitFor();
    await agent.leaves();
  });

  it("is taken back on every page while no process works", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    house.at(Date.now());
    const [project] = await openedBy(house, page, "viewer");
    await messagesOf(project, "ada");
    const alert = page.getByRole("alert").filter({ hasText: "no process has the role worker" });
    await withoutWorker(house, async () => {
      for (const path of ["campaigns", "email", "push", "sources", "approvals", "goals", "overview"]) {
        await page.goto(pageOf(house, project, path));
        await alert.getByText("ROLES=api,worker npm start").waitFor();
      }
      await page.getByText("nothing goes by itself: see above").waitFor();
      assert.equal(await page.getByText("everything goes by itself").count(), 0);
      await assertFaultlessEverywhere(page, "a server on which nobody works");
    });
    await page.reload();
    await page.getByText("everything goes by itself").waitFor();
    assert.equal(await alert.count(), 0);
    assert.deepEqual(complaints, []);
  });
});

describe("usage", () => {
  it("says that serving is closed, why, and who can change it", async (t) => {
    const page = await newPage(t);
    house.at(Date.now());
    const [project] = await openedBy(house, page, "viewer");
    await project.sdk.track({ body: { userId: "ada", event: "came" } });
    await page.goto(pageOf(house, project, "usage"));
    await page.getByText("Messages are served", { exact: true }).waitFor();
    await page.getByText(/^The calendar month, by UTC\./).waitFor();
    await setSettings(house, project, { "org.spendCapUsd": "0" });
    house.advance(BELIEVED_MS);
    await page.goto(pageOf(house, project, "overview"));
    await page.getByRole("link", { name: /^See usage/ }).click();
    await title(page, "Usage");
    await page.getByText("Nothing is served: the spend cap is reached").waitFor();
    await page.getByText("It goes on once an owner raises the spend cap").waitFor();
    await setSettings(house, project, { "org.spendCapUsd": "" });
    house.advance(BELIEVED_MS);
  });
});

describe("the pages of a project", () => {
  it("are free of faults in every width and colour", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    house.at(Date.now());
    const [project] = await openedBy(house, page, "viewer");
    await page.goto(pageOf(house, project, "overview"));
    await page.getByText("Nothing waits for you").waitFor();
    await page.getByText("Nothing has happened yet").waitFor();
    await assertFaultlessEverywhere(page, "an empty overview");
    await everythingWaits(house, project);
    const long = "x".repeat(80);
    await launchCampaign(project, { name: long });
    for (const n of [1, 2, 3]) await messagesOf(project, `${long}${n}`);
    await house.database.pool.query("update sources set reason = $2 where project_id = $1 and id = 'web'", [
      project.projectId,
      `${long} ${long} ${long}`,
    ]);
    await page.goto(pageOf(house, project, "overview"));
    await page.getByText("“Risky” was paused for a limit").waitFor();
    await page.getByRole("img", { name: /^Events from/ }).waitFor();
    await page.getByRole("region", { name: "What happened last" }).getByRole("row").nth(2).waitFor();
    await assertFaultlessEverywhere(page, "a full overview");
    await page.goto(pageOf(house, project, "usage"));
    await page.getByText("Messages are served", { exact: true }).waitFor();
    await page.getByText("AI credits of this project").waitFor();
    await assertFaultlessEverywhere(page, "usage");
    assert.deepEqual(complaints, []);
  });
});
