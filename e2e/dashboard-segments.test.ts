import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import type { PersonRole } from "../apps/server/src/platform/http/contract/person.ts";
import { all, event, expression, not, trait } from "../apps/server/test/audience/trees.ts";
import { launchCampaign } from "../apps/server/test/factories.ts";
import type { TestProject } from "../apps/server/test/harness.ts";
import {
  assertFaultlessEverywhere,
  assertPageFaultless,
  complaintsOf,
  hasFocus,
  openedBy,
  pageOf,
  title,
} from "./dashboard.ts";
import { testStage } from "./stage.ts";

const { house, page: newPage } = testStage();

const addressOf = (project: TestProject, path: string) => pageOf(house, project, path);
const onPlan = (plan: string) => expression(trait("plan", "eq", plan));

/** A project with four users, three of them on plans. */
async function opened(page: Page, role: PersonRole): Promise<TestProject> {
  house.at(Date.now());
  const [project] = await openedBy(house, page, role);
  for (const [userId, plan] of Object.entries({ ada: "pro", bo: "pro", cy: "team" }))
    await project.sdk.identify({ body: { userId, traits: { plan, seats: userId.length } } });
  await project.sdk.track({ body: { userId: "di", event: "paid", props: { amount: 90 } } });
  return project;
}

const segmentOf = async ({ api }: TestProject, name: string, more: object = {}) =>
  (await api.createSegment({ body: { key: "on-pro", name, expression: onPlan("pro"), ...more } })).segment;

describe("a segment", () => {
  it("is made of conditions, its count follows the keys, and a reload loses nothing", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const project = await opened(page, "editor");
    await page.goto(addressOf(project, "segments"));
    await page.getByText("There is no segment yet.").waitFor();
    await page.getByRole("button", { name: "New segment" }).click();
    await title(page, "New segment");
    await page.getByRole("button", { name: "Make the segment" }).click();
    await page.getByText("must not be empty").first().waitFor();
    await page.getByLabel("Name", { exact: true }).fill("On the pro plan");
    assert.equal(await page.getByLabel("Key", { exact: true }).inputValue(), "on-the-pro-plan");
    await page.getByText("It cannot be counted yet.").waitFor();
    await page.getByLabel("Trait, id or time").fill("plan");
    await page.getByLabel("Value", { exact: true }).fill("pro");
    await page.getByText("2 of 4 users").waitFor();
    await page.getByLabel("Reason").fill("They pay");
    await page.reload();
    await page.getByText("2 of 4 users").waitFor();
    assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "On the pro plan");
    await page.getByRole("link", { name: "All segments" }).click();
    const asking = page.getByRole("dialog", { name: "Leave with changes that are not saved?" });
    await asking.getByRole("button", { name: "Stay" }).click();
    await page.getByRole("button", { name: "Make the segment" }).click();
    await title(page, "On the pro plan");
    await page.getByText('trait plan is "pro"').first().waitFor();
    await page.getByText("2 of 4 users").waitFor();
    await page.getByRole("row", { name: /They pay/ }).waitFor();
    const { segment } = await project.api.getSegment({ path: { id: "on-the-pro-plan" } });
    assert.deepEqual([segment.expression, segment.createdBy], [onPlan("pro"), "human"]);
    assert.deepEqual(complaints, []);
  });

  it("says of each condition how many meet it, and what there is where nobody does", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const project = await opened(page, "editor");
    const conditions = all(trait("plan", "eq", "prp"), not(event("paid")), trait("plam", "eq", "pro"));
    const { id } = await segmentOf(project, "On pro", { expression: expression(conditions) });
    await page.goto(addressOf(project, `segments/${id}/edit`));
    await page.getByText("0 of 4 users").waitFor();
    const conditionAt = (place: string) => page.locator(`[data-place="/root/children/${place}"]`);
    await conditionAt("0").getByText("0 users").waitFor();
    await conditionAt("0").getByText("Nobody has this value. There is:").waitFor();
    await conditionAt("1/child").getByText("3 users").waitFor();
    await conditionAt("2").getByText("0 users").waitFor();
    await conditionAt("2").getByText('No trait "plam" was seen so far. Perhaps it is plan.').waitFor();
    await conditionAt("0").getByRole("button", { name: "Take pro" }).click();
    await conditionAt("0").getByText("2 users").waitFor();
    assert.equal(await conditionAt("0").getByLabel("Value", { exact: true }).inputValue(), "pro");
    await conditionAt("1/child").getByLabel("Whether it must be met").selectOption("must");
    await conditionAt("1").getByText("1 user", { exact: true }).waitFor();
    await conditionAt("2").getByLabel("Remove this condition").click();
    await page.getByText("0 of 4 users").waitFor();
    await page.getByLabel("How many have to be met").selectOption("any");
    await page.getByText("3 of 4 users").waitFor();
    await assertFaultlessEverywhere(page, "counts of conditions");
    await page.getByLabel("Reason").fill("Either will do");
    await page.getByRole("button", { name: "Save as version 2" }).click();
    await title(page, "On pro");
    const lines = page.getByRole("listitem");
    await lines.filter({ hasText: /^plan is “pro”2 users$/ }).waitFor();
    await lines.filter({ hasText: /^paid at least once at any time1 user$/ }).waitFor();
    assert.deepEqual(complaints, []);
  });

  it("is counted as a whole where its conditions take too long, and nothing is said of them", async (t) => {
    const page = await newPage(t);
    const project = await opened(page, "editor");
    const { id } = await segmentOf(project, "On pro");
    await page.route("**/api/people/audiences/nodes", (route) =>
      route.fulfill({ status: 503, json: { error: "busy" } }),
    );
    const refused = page.waitForResponse("**/api/people/audiences/nodes");
    await page.goto(addressOf(project, `segments/${id}/edit`));
    await page.getByText("2 of 4 users").waitFor();
    await refused;
    assert.equal(await page.getByRole("alert").count(), 0);
    assert.equal(await page.getByText("2 users", { exact: true }).count(), 0);
  });

  it("gets its next version as JSON, with what the server says of it, and both versions are compared", async (t) => {
    const page = await newPage(t);
    const project = await opened(page, "editor");
    const { id } = await segmentOf(project, "On pro");
    await launchCampaign(project, { name: "Thanks", audience: { kind: "segment", segment: "on-pro" } });
    await page.goto(addressOf(project, `segments/${id}`));
    await page.getByRole("button", { name: "Edit" }).click();
    await title(page, "Edit On pro");
    assert.equal(await page.getByRole("button", { name: "Save" }).isDisabled(), true);
    await page.getByRole("tab", { name: "JSON" }).click();
    const text = page.getByLabel("The rule as JSON");
    await text.fill("{");
    await page.getByText("This is no JSON", { exact: false }).waitFor();
    const wrong = { ...trait("plan", "in", ["pro", "team"]), op: "equals" };
    await text.fill(JSON.stringify({ version: 1, root: wrong }));
    await page.getByText("(at /root/op)", { exact: false }).waitFor();
    assert.equal(await page.getByRole("tab", { name: "Conditions" }).isDisabled(), true);
    await text.fill(JSON.stringify(expression(trait("plan", "in", ["pro", "team"]))));
    await page.getByText("3 of 4 users").waitFor();
    await page.getByRole("tab", { name: "Conditions" }).click();
    await page.getByLabel("Values, one a line or with commas between").waitFor();
    await page.getByLabel("Reason").fill("Teams pay, too");
    await page.getByRole("button", { name: "Save as version 2" }).click();
    await title(page, "On pro");
    const compared = page.getByRole("region", { name: "What changed" });
    await compared.getByText("Users: 2 before, 3 after. 1 comes in.").waitFor();
    assert.deepEqual(await compared.locator("ins").allTextContents(), ["one of ", ', "team"']);
    const second = page.getByRole("row", { name: /Teams pay, too/ });
    assert.match((await second.textContent()) ?? "", /Person \d+/);
    await page.getByRole("tab", { name: "Campaigns" }).click();
    await page
      .getByRole("row", { name: /Thanks/ })
      .getByText("1, while 2 is current")
      .waitFor();
    await page.getByRole("link", { name: "Audit log" }).click();
    await page
      .getByRole("row", { name: /changed a segment/ })
      .getByText("Teams pay, too")
      .waitFor();
  });

  it("that a colleague revises meanwhile loses neither of both versions", async (t) => {
    const page = await newPage(t);
    const project = await opened(page, "editor");
    const { id } = await segmentOf(project, "On pro");
    await page.goto(addressOf(project, `segments/${id}/edit`));
    await page.getByLabel("Value", { exact: true }).fill("free");
    const theirs = { expression: onPlan("team"), expectedVersion: 1 };
    await project.api.updateSegment({ path: { id }, body: theirs });
    await page.getByRole("button", { name: "Save as version 2" }).click();
    await page.getByText("Version 2 was made meanwhile").waitFor();
    const rule = page.getByRole("group", { name: "Who is in it", exact: true });
    await rule.locator("del").getByText("team").waitFor();
    assert.equal(await rule.textContent(), 'Who is in ittrait plan is "teamfree"');
    assert.equal(await page.getByRole("group", { name: "Name", exact: true }).count(), 0);
    await page.getByRole("button", { name: "Keep mine" }).click();
    await page.getByRole("button", { name: "Save as version 3" }).waitFor();
    await page.keyboard.press("ControlOrMeta+s");
    await title(page, "On pro");
    const { versions } = await project.api.listSegmentVersions({ path: { id } });
    assert.deepEqual(
      versions.map(({ summary }) => summary),
      ['trait plan is "free"', 'trait plan is "team"', 'trait plan is "pro"'],
    );
  });

  it("says by keyboard alone why a user is in it or not, and is archived after a question", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const project = await opened(page, "editor");
    const { id } = await segmentOf(project, "On pro");
    await launchCampaign(project, { audience: { kind: "segment", segment: "on-pro" } });
    await page.goto(addressOf(project, `segments/${id}`));
    await page.getByRole("tab", { name: "Versions" }).focus();
    const oneUser = page.getByRole("tab", { name: "One user", selected: true });
    for (let part = 0; part < 4 && (await oneUser.count()) === 0; part++)
      await page.keyboard.press("ArrowRight");
    await page.getByRole("textbox", { name: "User", exact: true }).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.type("cy");
    await page.keyboard.press("Enter");
    await page.getByText("cy is not in this segment").waitFor();
    await page.getByText("has team").waitFor();
    assert.match(new URL(page.url()).search, /user=cy/);
    await page.getByRole("textbox", { name: "User", exact: true }).fill("ada");
    await page.keyboard.press("Enter");
    await page.getByText("ada is in this segment").waitFor();
    await page.getByRole("button", { name: "Archive" }).focus();
    await page.keyboard.press("Enter");
    const asking = page.getByRole("dialog", { name: "Archive “On pro” for good?" });
    await asking.getByText("Campaigns that use it and have not ended: 1.").waitFor();
    assert.equal((await project.api.getSegment({ path: { id } })).segment.status, "active");
    await hasFocus(asking.getByRole("button", { name: "Cancel" }));
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("Archived", { exact: true }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Archive" }).count(), 0);
    await page.goto(addressOf(project, "segments?status=active"));
    await page.getByText("No segment is like that.").waitFor();
    await page.getByRole("button", { name: "Show all" }).click();
    await page
      .getByRole("row", { name: /On pro/ })
      .getByText("1 in use")
      .waitFor();
    assert.deepEqual(complaints, []);
  });

  it("is looked at, and not changed, by a viewer", async (t) => {
    const page = await newPage(t);
    const project = await opened(page, "viewer");
    const { id } = await segmentOf(project, "On pro");
    await page.goto(addressOf(project, `segments/${id}`));
    await page.getByRole("button", { name: "Archive" }).press("Enter");
    await page.getByText("Needs the role editor").waitFor();
    await page.goto(addressOf(project, "segments/none"));
    await page.getByText("Segment not found").waitFor();
  });
});

describe("the pages of segments", () => {
  it("are free of faults in every width and colour", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const project = await opened(page, "editor");
    const look = (path: string, ready: string) => assertPageFaultless(page, addressOf(project, path), ready);
    await look("segments", "There is no segment yet.");
    const { id } = await segmentOf(project, "On pro", { description: "Those who pay for themselves." });
    await launchCampaign(project, { name: "Thanks", audience: { kind: "segment", segment: "on-pro" } });
    const conditions = [
      trait("plan", "in", ["pro", "team"]),
      { kind: "not" as const, child: { kind: "event" as const, event: "paid" } },
      { kind: "any" as const, children: [trait("seats", "gte", 2), trait("seats", "not_exists")] },
    ];
    await project.api.updateSegment({
      path: { id },
      body: {
        expression: expression({ kind: "all", children: conditions }),
        expectedVersion: 1,
        reason: "Teams pay, too",
      },
    });
    const long = "x".repeat(60);
    await project.api.createSegment({
      body: { key: long, name: long, expression: onPlan(long), description: long.repeat(10) },
    });
    await look("segments", "On pro");
    await look(`segments/${id}`, "2 before");
    await look(`segments/${id}?view=campaigns`, "Thanks");
    await look(`segments/${id}?view=user&user=di`, "did it once");
    await look(`segments/${long}`, "of 4 users");
    await look("segments/new", "It cannot be counted yet.");
    await look(`segments/${id}/edit`, "of 4 users");
    await page.getByRole("tab", { name: "JSON" }).click();
    await page.getByLabel("The rule as JSON").fill('{"version": 1, "root": {"kind": "all", "children": []}}');
    await page.getByText("(at /root/children)", { exact: false }).waitFor();
    await assertFaultlessEverywhere(page, "the rule as text with what is wrong");
    await page.getByRole("link", { name: "Back to the segment" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Leave" }).click();
    await page.getByRole("button", { name: "Archive" }).click();
    await page.getByText("Campaigns that use it", { exact: false }).waitFor();
    await assertFaultlessEverywhere(page, "the question before a segment is archived");
    assert.deepEqual(complaints, []);
  });
});
