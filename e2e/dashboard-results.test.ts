import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { claim, dueCampaign, propose, showExactly } from "../apps/server/test/agent.ts";
import { feedback, launchCampaign, messagesOf, toast } from "../apps/server/test/factories.ts";
import type { TestProject } from "../apps/server/test/harness.ts";
import { brokenSplit } from "../apps/server/test/waiting-things.ts";
import {
  assertFaultless,
  assertFaultlessEverywhere,
  complaintsOf,
  openedBy,
  pageOf,
  title,
} from "./dashboard.ts";
import { testStage } from "./stage.ts";

const { house, page: newPage } = testStage();
const DAY_MS = 86_400_000;
const USERS = 40;

/** Paid by a part of those who saw each text, in turn. */
type Part = Readonly<Record<string, number>>;

/**
 * Users of a day who see the texts of a campaign; of each text a part of them pays. Answers how many saw which.
 * @param most of each text: users come until two texts have as many
 */
async function aDay(
  project: TestProject,
  name: string,
  paying: Part,
  users = USERS,
  most: number | null = null,
): Promise<Map<string, number>> {
  const shown = new Map<string, number>();
  const payers: string[] = [];
  const isOver = (came: number): boolean =>
    most === null ? came === users : [...shown.values()].filter((count) => count === most).length === 2;
  for (let n = 0; !isOver(n); n++) {
    const userId = `${name}-${n}`;
    for (const { deliveryId, content } of await messagesOf(project, userId)) {
      const text = content.title ?? "";
      if (shown.get(text) === most) continue;
      await feedback(project, deliveryId, userId, "shown");
      const count = (shown.get(text) ?? 0) + 1;
      shown.set(text, count);
      if (Math.floor(count * (paying[text] ?? 0)) > Math.floor((count - 1) * (paying[text] ?? 0)))
        payers.push(userId);
    }
  }
  const events = payers.map((userId) => ({ userId, event: "paid", ts: house.now() }));
  if (events.length > 0) await project.api.trackBatch({ body: { events } });
  house.advance(DAY_MS);
  return shown;
}

/** A campaign that ran for three days, in which more of those paid who saw "Promise". */
async function promising(project: TestProject): Promise<{ id: string; ids: string[] }> {
  house.at(Date.now() - 6 * DAY_MS);
  const { goal } = await project.api.createGoal({
    body: { name: "Sales", targetEvent: "paid", attributionDays: 1 },
  });
  const { id, variants } = await launchCampaign(project, {
    name: "Breakfast box",
    goalId: goal.id,
    variants: ["Plain", "Promise"].map((name) => ({ name, message: toast(name) })),
  });
  // As many of each: users get a text by chance, and with few of one text nothing can be claimed.
  for (const day of ["a", "b", "c"]) await aDay(project, day, { Plain: 0.25, Promise: 1 }, USERS, USERS / 2);
  house.at(Date.now());
  return { id, ids: variants.map((variant) => variant.id) };
}

const rowOf = (page: Page, name: string) =>
  page
    .getByRole("table")
    .filter({ hasText: "Against the control" })
    .getByRole("row", { name: new RegExp(`^${name}`) });

const resultsOf = async (project: TestProject, id: string) =>
  (await project.api.getCampaignConversions({ path: { id }, query: { event: "paid", series: "day" } }))
    .statistics;

describe("the results of a campaign", () => {
  it("claim nothing beside a split that is broken", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const [project] = await openedBy(house, page, "viewer");
    house.at(Date.now() - 3 * DAY_MS);
    const id = await brokenSplit(project);
    const { goal } = await project.api.createGoal({
      body: { name: "Sales", targetEvent: "paid", attributionDays: 1 },
    });
    await project.api.updateCampaign({ path: { id }, body: { goalId: goal.id } });
    // So many of one side pay that a difference would be claimed, were the split sound.
    const users = Array.from({ length: 60 }, (_, n) => `split-${n}`);
    await project.api.trackBatch({
      body: { events: users.map((userId) => ({ userId, event: "paid", ts: house.now() })) },
    });
    house.at(Date.now());
    const statistics = await resultsOf(project, id);
    assert.equal(statistics.sampleRatio.mismatch, true);
    assert.equal(statistics.variants[1]?.comparison?.verdict, "worse");
    await page.goto(pageOf(house, project, `campaigns/${id}`));
    await page.getByText("Do not believe a winner yet").waitFor();
    const cells = rowOf(page, "B").getByRole("cell");
    assert.deepEqual(
      [await cells.nth(4).textContent(), await cells.nth(5).textContent()],
      ["–, the split is broken", "–, the split is broken"],
    );
    const main = (await page.getByRole("main").textContent()) ?? "";
    for (const claimed of ["Worse", "By chance", "By UTC day", " or more", "certainly"])
      assert.ok(!main.includes(claimed), claimed);
    assert.equal(await page.getByRole("img", { name: /band/ }).count(), 0);
    await rowOf(page, "A")
      .getByText(/^\d+(\.\d+)?%$/)
      .waitFor();
    assert.ok(!/\d% to \d/.test(main), "a rate has no ends where the users that are counted are others");
    assert.deepEqual(complaints, []);
    await assertFaultlessEverywhere(page, "results with a broken split");
  });

  it("show no difference before both sides have conversions", async (t) => {
    const page = await newPage(t);
    const [project] = await openedBy(house, page, "viewer");
    house.at(Date.now() - 4 * DAY_MS);
    const { goal } = await project.api.createGoal({
      body: { name: "Sales", targetEvent: "paid", attributionDays: 1, holdoutPercent: 30 },
    });
    const { id } = await launchCampaign(project, {
      goalId: goal.id,
      variants: ["Plain", "Promise"].map((name) => ({ name, message: toast(name) })),
    });
    await aDay(project, "few", { Promise: 0.2 }, 20);
    house.at(Date.now());
    await page.goto(pageOf(house, project, `campaigns/${id}?event=paid`));
    assert.equal(await rowOf(page, "Promise").getByRole("cell").nth(4).textContent(), "–");
    await page.getByText("The band begins when users of both have converted", { exact: false }).waitFor();
    const main = page.getByRole("main");
    for (const path of [`campaigns/${id}`, `goals/${goal.id}`]) {
      await page.goto(pageOf(house, project, path));
      const served = page.getByRole("row", { name: /^Got messages/ });
      assert.equal(await served.getByRole("cell").nth(3).textContent(), "–");
      assert.ok(!/-100%|or more|no end/.test((await main.textContent()) ?? ""), path);
    }
  });

  it("claim nothing where another share of users was held out than asked for", async (t) => {
    const page = await newPage(t);
    const [project] = await openedBy(house, page, "viewer");
    house.at(Date.now() - 3 * DAY_MS);
    const { goal } = await project.api.createGoal({
      body: { name: "Sales", targetEvent: "paid", attributionDays: 1, holdoutPercent: 50 },
    });
    const { id } = await launchCampaign(project, { goalId: goal.id, message: toast("Plain") });
    await aDay(project, "served", { Plain: 0.5 }, 300);
    const users = Array.from({ length: 300 }, (_, n) => `served-${n}`);
    await project.api.trackBatch({
      body: {
        events: users.slice(0, 20).map((userId) => ({ userId, event: "paid", ts: house.now() - DAY_MS })),
      },
    });
    // As if those who got nothing had been lost on the way to being counted, but for a few.
    await house.database.pool.query(
      `delete from withheld_deliveries where project_id = $1 and user_key not in (
         select user_key from withheld_deliveries where project_id = $1 order by user_key limit 5)`,
      [project.projectId],
    );
    house.at(Date.now());
    const { holdout } = await project.api.getGoalConversions({ path: { id: goal.id } });
    assert.equal(holdout.sampleRatio.mismatch, true);
    for (const path of [`goals/${goal.id}`, `campaigns/${id}`]) {
      await page.goto(pageOf(house, project, path));
      await page.getByText("Do not believe it yet").waitFor();
      const served = page.getByRole("row", { name: /^Got messages/ });
      assert.equal(await served.getByRole("cell").nth(3).textContent(), "–, the split is broken");
      assert.match((await served.getByRole("cell").nth(2).textContent()) ?? "", /^[\d.]+%$/, "no ends");
    }
  });

  it("say in the band what they say in the table", async (t) => {
    const page = await newPage(t);
    const [project] = await openedBy(house, page, "viewer");
    const { id } = await promising(project);
    // The window of these ended today, so no past day has them.
    house.at(Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS + 1);
    await aDay(project, "late", { Plain: 0.75, Promise: 0.5 });
    house.at(Date.now());
    const { series = [], variants } = await resultsOf(project, id);
    const yesterday = series.at(-1)?.variants[1];
    assert.notEqual(yesterday?.upper, variants[1]?.comparison?.relative.upper);
    await page.goto(pageOf(house, project, `campaigns/${id}`));
    const [, ends = ""] =
      /([+-][\d,.]+% to [+-][\d,.]+%)/.exec(
        (await rowOf(page, "Promise").getByRole("cell").nth(4).textContent()) ?? "",
      ) ?? [];
    assert.notEqual(ends, "");
    const band = page.getByRole("img", { name: /The band around the lift of Promise/ });
    const label = (await band.getAttribute("aria-label")) ?? "";
    assert.ok(label.includes(`now it reaches from ${ends};`), label);
    await page.getByText("As a table").click();
    const last = page.getByRole("table").filter({ hasText: "Day (UTC)" }).getByRole("row").last();
    const [, lower, upper] = await last.getByRole("cell").allTextContents();
    assert.equal(`${lower} to ${upper}`, ends);
  });

  it("fold away what was taken out, and leave out what no user ever got", async (t) => {
    const page = await newPage(t);
    const [project] = await openedBy(house, page, "viewer");
    house.at(Date.now() - 6 * DAY_MS);
    const { goal } = await project.api.createGoal({
      body: { name: "Sales", targetEvent: "paid", attributionDays: 1 },
    });
    const { id, variants } = await launchCampaign(project, {
      goalId: goal.id,
      variants: ["Plain", "Promise", "Tried", "Unsent"].map((name) => ({
        name,
        message: toast(name),
        weight: name === "Unsent" ? 0 : 1,
      })),
    });
    const weigh = (weights: Part) =>
      project.api.updateCampaign({
        path: { id },
        body: { variants: variants.map((each) => ({ id: each.id, weight: weights[each.name] ?? 0 })) },
      });
    await aDay(project, "a", { Plain: 0.25, Promise: 1, Tried: 1 });
    await weigh({ Plain: 1, Promise: 1 });
    await aDay(project, "b", { Plain: 0.25, Promise: 1 });
    house.at(Date.now());
    await page.goto(pageOf(house, project, `campaigns/${id}`));
    await rowOf(page, "Promise").waitFor();
    assert.equal(await rowOf(page, "Tried").isVisible(), false);
    const takenOut = page.getByText("Taken out: Tried", { exact: true });
    await takenOut.click();
    await rowOf(page, "Tried").waitFor();
    assert.equal(await page.getByRole("main").getByText("Unsent").count(), 0);
    await assertFaultlessEverywhere(page, "results with a variant that was taken out");
    // Where users get the control alone, the finding speaks of what was taken out.
    await weigh({ Plain: 1 });
    await page.reload();
    await page.getByText("Taken out: Promise, Tried", { exact: true }).waitFor();
    await rowOf(page, "Promise").waitFor();
  });

  it("set the rates side by side where shares that moved make those of all users contradict the difference", async (t) => {
    const page = await newPage(t);
    const [project] = await openedBy(house, page, "viewer");
    house.at(Date.now() - 6 * DAY_MS);
    const made = await dueCampaign(house, project, { goal: { targetEvent: "paid", attributionDays: 1 } });
    const weights = (a: number, b: number) =>
      project.api.updateCampaign({
        path: { id: made.id },
        body: {
          variants: made.campaign.variants.map((each, place) => ({
            id: each.id,
            weight: place === 0 ? a : b,
          })),
        },
      });
    await weights(90, 10);
    const next = await showExactly(project, { A: { shown: 270, paid: 0 }, B: { shown: 30, paid: 0 } });
    await weights(50, 50);
    await showExactly(project, { A: { shown: 70, paid: 50 }, B: { shown: 70, paid: 18 } }, next);
    house.at(Date.now());
    await page.goto(pageOf(house, project, `campaigns/${made.id}`));
    const row = rowOf(page, "B");
    await row.getByText("Worse").waitFor();
    const { variants } = await resultsOf(project, made.id);
    const { variant = 1, control = 0 } = variants[1]?.comparison?.rates ?? {};
    assert.ok(variant < control && (variants[1]?.rate.estimate ?? 0) > (variants[0]?.rate.estimate ?? 1));
    await row.getByText("came in different shares over time", { exact: false }).waitFor();
    await assertFaultlessEverywhere(page, "results whose shares moved");
  });
});

describe("a text of a running test that is edited", () => {
  it("costs what the dialog says, and what was found stays to be read", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const [project] = await openedBy(house, page, "editor");
    const { id } = await promising(project);
    const [, before] = (await resultsOf(project, id)).variants;
    const users = before?.matured.exposedUsers;
    assert.equal(before?.comparison?.verdict, "better");
    await page.goto(pageOf(house, project, `campaigns/${id}/edit?variant=2`));
    await page.getByLabel("Title").fill("Another promise");
    await page.getByRole("button", { name: "Look at the changes" }).click();
    const dialog = page.getByRole("dialog", { name: "Apply these changes?" });
    const warning = dialog.getByRole("alert", { name: "The comparison of Promise begins anew" });
    await warning.getByText(`${users} users and the verdict “better” no longer count.`).waitFor();
    await assertFaultlessEverywhere(page, "a change that costs a result");
    await dialog.getByRole("button", { name: "Apply", exact: true }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    house.at(Date.now());
    await aDay(project, "new", { Plain: 0.25, "Another promise": 0.5 });
    await aDay(project, "newer", { Plain: 0.25, "Another promise": 0.5 });
    await page.getByRole("link", { name: "Back to the campaign" }).click();
    await title(page, "Breakfast box");
    await page.reload();
    await rowOf(page, "Promise")
      .getByText(/^since .* \(new text\)$/)
      .waitFor();
    assert.equal(await rowOf(page, "Plain").getByText("(new text)", { exact: false }).count(), 0);
    const band = page.getByRole("img", { name: /The band around the lift of Promise/ });
    await band.getByText("new text").waitFor();
    await page.getByText("Earlier text").click();
    const former = page
      .getByRole("table")
      .filter({ hasText: "What had been found" })
      .getByRole("row", { name: /Promise/ });
    await former.getByText("Better").waitFor();
    const cells = await former.getByRole("cell").allTextContents();
    assert.equal(cells[1], "Promise", "the former title");
    assert.equal(cells[2], `${users}${before?.matured.convertedUsers} converted`);
    // A tablet: the table stands beside the menu.
    await page.setViewportSize({ width: 820, height: 1180 });
    await assertFaultless(page, "results after an edit on a tablet");
    assert.deepEqual(complaints, []);
    await assertFaultlessEverywhere(page, "results after an edit");
  });

  it("becomes a third variant instead, and the comparison goes on", async (t) => {
    const page = await newPage(t);
    const [project] = await openedBy(house, page, "editor");
    const { id, ids } = await promising(project);
    const before = await resultsOf(project, id);
    await page.goto(pageOf(house, project, `campaigns/${id}/edit?variant=1`));
    await page.getByLabel("Title").fill("Plainer");
    await page.getByRole("button", { name: "Look at the changes" }).click();
    const dialog = page.getByRole("dialog", { name: "Apply these changes?" });
    // The control's text is part of every comparison.
    const all = dialog.getByRole("alert");
    await all.filter({ hasText: "The count of Plain begins anew" }).waitFor();
    await all.filter({ hasText: "The comparison of Promise begins anew" }).waitFor();
    await dialog.getByRole("button", { name: "Make it a third variant instead" }).click();
    await all.first().waitFor({ state: "detached" });
    await dialog.getByRole("button", { name: "Apply", exact: true }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    const { campaign } = await project.api.getCampaign({ path: { id } });
    assert.deepEqual(
      campaign.variants.map(({ name, isControl, content }) => [
        name,
        isControl,
        "title" in content && content.title,
      ]),
      [
        ["Plain", true, "Plain"],
        ["Promise", false, "Promise"],
        ["Plain 2", false, "Plainer"],
      ],
    );
    const after = await resultsOf(project, id);
    const sideIn = (statistics: typeof before) =>
      statistics.variants.find(({ variantId }) => variantId === ids[1]);
    assert.deepEqual(sideIn(after)?.matured, sideIn(before)?.matured);
    assert.equal(sideIn(after)?.comparison?.since, sideIn(before)?.comparison?.since);
  });
});

describe("a proposal", () => {
  it("says what its text would cost of what was counted", async (t) => {
    const page = await newPage(t);
    const [project] = await openedBy(house, page, "approver");
    house.at(Date.now() - 3 * DAY_MS);
    const made = await dueCampaign(house, project, {
      goal: { approvalMode: "require_human", targetEvent: "paid", attributionDays: 1 },
    });
    await showExactly(project, { A: { shown: 30, paid: 2 }, B: { shown: 30, paid: 20 } });
    house.at(Date.now());
    const { leaseToken } = await claim(project, made.id);
    const [, b] = made.campaign.variants;
    const { proposal } = await propose(
      project,
      { ...made, leaseToken },
      { type: "update", variants: [{ id: b?.id ?? "", message: toast("Other") }] },
    );
    await page.goto(pageOf(house, project, `approvals/${proposal.id}`));
    await page.getByText("The comparison of B begins anew").waitFor();
    await page.getByText("30 users and the verdict “better” no longer count.").waitFor();
  });

  it("shows no claim beside a split that is broken", async (t) => {
    const page = await newPage(t);
    const [project] = await openedBy(house, page, "approver");
    const made = await dueCampaign(house, project, { goal: { approvalMode: "require_human" } });
    const { leaseToken } = await claim(project, made.id);
    const [a] = made.campaign.variants;
    const { proposal } = await propose(
      project,
      { ...made, leaseToken },
      { type: "update", variants: [{ id: a?.id ?? "", weight: 0 }] },
    );
    const address = pageOf(house, project, `approvals/${proposal.id}`);
    await page.goto(address);
    await page.getByText("It claims that B is better than the control.").waitFor();
    await showExactly(project, { A: { shown: 200, paid: 0 }, B: { shown: 0, paid: 0 } });
    await page.goto(address);
    await page.getByText("B against the control: –, the split is broken.", { exact: false }).waitFor();
    assert.equal(await page.getByText("It claims", { exact: false }).count(), 0);
  });
});
