import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import {
  claim,
  dueCampaign,
  LAUNCH,
  leasedCampaign,
  type Mutation,
  PAUSE,
  propose,
  showExactly,
} from "../apps/server/test/agent.ts";
import { launchEmail, setSettings } from "../apps/server/test/email.ts";
import { pausedByGuardrail, toast } from "../apps/server/test/factories.ts";
import { decideLaunch } from "../apps/server/test/from-code.ts";
import type { TestProject } from "../apps/server/test/harness.ts";
import { giveRole, makePerson, type TestPerson } from "../apps/server/test/people.ts";
import { launchPush } from "../apps/server/test/push.ts";
import { otherProcess } from "../apps/server/test/roles.ts";
import {
  assertFaultlessEverywhere,
  cameIn,
  complaintsOf,
  HANDS,
  hasFocus,
  messageOf,
  openedBy,
  pageOf,
  reads,
  title,
} from "./dashboard.ts";
import { testStage } from "./stage.ts";

const { house, page: newPage } = testStage();

const DAY_MS = 86_400_000;
const SHA = "0123456789012345678901234567890123456789";
const DARK = { changes: [{ sourceId: "web", kind: "commit" as const, sha: SHA }] };
const WHY = "B converts more often, so it gets more users, and A says what B says.";

const addressOf = (project: TestProject, path: string) => pageOf(house, project, path);

/** What an agent proposes for a campaign with the variants A and B. */
async function proposed(project: TestProject, name: string, text = "Twice the reports for half the price") {
  const goal = {
    approvalMode: "require_human" as const,
    guardrails: { minControlShare: 0.2, maxActiveCampaigns: 9 },
  };
  const made = await leasedCampaign(house, project, { goal, name });
  const [a, b] = made.campaign.variants;
  const { run } = await project.agent.createAgentRun({
    body: {
      kind: "evaluate",
      campaignId: made.id,
      rationale: WHY,
      output: { action: "update", expectedLift: 0.12 },
    },
  });
  const mutation: Mutation = {
    type: "update",
    variants: [
      { id: a?.id ?? "", weight: 30, message: toast(text) },
      { id: b?.id ?? "", weight: 70 },
    ],
  };
  const { proposal } = await propose(project, made, mutation, { proposedRunId: run.id });
  return { ...made, proposal, runId: run.id };
}

/** A draft that announces a change of code. */
async function announced(project: TestProject, name: string) {
  const { campaign } = await project.api.createCampaign({
    body: {
      name,
      message: toast("Dark mode is here"),
      sourceChanges: DARK,
    },
  });
  return campaign;
}

async function opened(page: Page, role: "viewer" | "editor" | "approver") {
  house.at(Date.now());
  const [project, person] = await openedBy(house, page, role);
  await setSettings(house, project, { "safety.maxConcurrentCampaigns": "10" });
  return [project, person] satisfies [TestProject, TestPerson];
}

describe("what an agent proposes", () => {
  it("names each host that the campaign has not used, before anything else", async (t) => {
    const page = await newPage(t);
    const [project] = await opened(page, "approver");
    const made = await leasedCampaign(house, project, { goal: { approvalMode: "require_human" } });
    const message = {
      ...toast("Sign in again"),
      cta: { label: "Sign in", url: "https://acme.example@evil.example/" },
    };
    const { proposal } = await propose(project, made, {
      type: "update",
      variants: [{ id: made.campaign.variants[1]?.id ?? "", message }],
    });
    await page.goto(addressOf(project, `approvals/${proposal.id}`));
    const alert = page.getByRole("alert", { name: "Links to hosts that this campaign has not used" });
    await alert.waitFor();
    assert.match((await alert.textContent()) ?? "", /evil\.example Variant B, cta\.url/);
  });

  it("says who lacks what the proposed texts say, and what is likely a slip in them, where a person decides", async (t) => {
    const page = await newPage(t);
    const [project] = await opened(page, "approver");
    const goal = { approvalMode: "require_human" as const };
    const made = await leasedCampaign(house, project, { goal });
    for (const userId of ["ada", "grace"]) await project.api.identify({ body: { userId, traits: {} } });
    await project.api.identify({ body: { userId: "ada", traits: { first_name: "Ada" } } });
    // All users read what is proposed, whose other text gets no more of them.
    const [a, b] = made.campaign.variants;
    const { proposal } = await propose(project, made, {
      type: "update",
      variants: [
        { id: a?.id ?? "", message: { ...toast("<b>New</b>"), body: "For {{ user.first_name }}" } },
        { id: b?.id ?? "", message: { ...toast("New"), body: "For {{ user.first_name }}" } },
      ],
    });
    await page.goto(addressOf(project, `approvals/${proposal.id}`));
    const found = page.getByRole("region", { name: "What may be wrong with the texts" });
    await found.getByText("have no first_name, and there is no default.", { exact: false }).waitFor();
    await found.getByText("A, Title: HTML is shown as text, as in <b>: this text is plain.").waitFor();
    await page.getByRole("button", { name: "Approve" }).waitFor();
    const { id } = await project.api
      .createCampaign({ body: { name: "By code", message: toast("<i>Dark</i>"), sourceChanges: DARK } })
      .then(({ campaign }) => campaign);
    await page.goto(addressOf(project, `approvals/campaigns/${id}`));
    await page
      .getByRole("region", { name: "What may be wrong with the texts" })
      .getByText("Title: HTML is shown as text, as in <i>: this text is plain.")
      .waitFor();
    await assertFaultlessEverywhere(page, "what is found before an approval");
  });

  for (const { on, use, press } of HANDS)
    it(`is looked at as users get it, and approved exactly, ${on}`, async (t) => {
      const page = await newPage(t, use);
      const complaints = complaintsOf(page);
      const [project, person] = await opened(page, "approver");
      const { proposal, id } = await proposed(project, "Offer the pro plan");
      await page.goto(addressOf(project, "approvals"));
      const link = page.getByRole("region", { name: "Waits for a decision" }).getByRole("link");
      await press(link);
      await title(page, "Proposal for Offer the pro plan");
      const changes = page.getByRole("group", { name: "Variant A: Title" });
      await changes.waitFor();
      assert.match((await changes.textContent()) ?? "", /A.*Twice the reports for half the price/);
      await page.getByRole("group", { name: "Variant B: Weight" }).waitFor();
      await reads(page, "Before: A", "A");
      await reads(page, "After: A", "Twice the reports for half the price");
      // The text of B stays, so there is one of it, with what changes of its share.
      await reads(page, "B", "B");
      await messageOf(page, "B").getByText("50% → 70% of users").waitFor();
      await page.getByText(WHY).waitFor();
      const payload = (await page.getByLabel("The text", { exact: true }).textContent()) ?? "";
      assert.equal(hash("sha256", payload), proposal.payloadHash);
      const approve = page.getByRole("button", { name: "Approve" });
      await press(approve);
      const dialog = page.getByRole("dialog", { name: "Approve exactly this?" });
      await hasFocus(dialog.getByLabel("Reason"));
      await page.keyboard.type("Try it for a week");
      await page.keyboard.press("Enter");
      await page.getByText("Approved, not applied yet").waitFor();
      await page.getByText("“Try it for a week”").waitFor();
      assert.equal(await approve.count(), 0);
      const { proposal: after } = await project.api.getProposal({ path: { id: proposal.id } });
      assert.deepEqual(
        [after.state, after.decidedBy, after.reason],
        ["approved", person.name, "Try it for a week"],
      );
      await press(page.getByRole("link", { name: "All approvals" }));
      await page.getByRole("row", { name: /Approved, not applied yet/ }).waitFor();
      await page.goto(addressOf(project, `campaigns/${id}`));
      await title(page, "Offer the pro plan");
      assert.deepEqual(complaints, []);
    });

  it("shows the messages whose shares change, each with its users and rate, before the decision", async (t) => {
    const page = await newPage(t);
    const [project] = await opened(page, "approver");
    const goal = { approvalMode: "require_human" as const, targetEvent: "paid", attributionDays: 1 };
    const made = await dueCampaign(house, project, { goal, name: "Breakfast" });
    await showExactly(project, { A: { shown: 4, paid: 1 }, B: { shown: 5, paid: 3 } });
    house.advance(2 * DAY_MS);
    const { leaseToken } = await claim(project, made.id);
    const ids = made.campaign.variants.map(({ id }) => id);
    const [a = "", b = ""] = ids;
    const mutation: Mutation = {
      type: "update",
      variants: [
        { id: a, weight: 10 },
        { id: b, weight: 90 },
      ],
    };
    const { proposal } = await propose(project, { ...made, leaseToken }, mutation);
    await page.goto(addressOf(project, `approvals/${proposal.id}`));
    const [control, other] = [messageOf(page, "A"), messageOf(page, "B")];
    await control.getByText("25% of 4 users converted").waitFor();
    await control.getByText("50% → 10% of users").waitFor();
    await control.getByText("Control", { exact: true }).waitFor();
    await other.getByText("60% of 5 users converted").waitFor();
    await other.getByText("50% → 90% of users").waitFor();
    await reads(page, "A", "A");
    await reads(page, "B", "B");
    const approve = page.getByRole("button", { name: "Approve" });
    const places = await Promise.all([control, other, approve].map((each) => each.boundingBox()));
    const [one, two, button] = places;
    assert.ok(one && two && button);
    assert.equal(one.y, two.y, "beside each other");
    assert.ok(one.x + one.width <= two.x);
    const isAfter = await approve.evaluate(
      (decides, message) =>
        message !== null &&
        (message.compareDocumentPosition(decides) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0,
      await other.elementHandle(),
    );
    assert.ok(isAfter, "the buttons come after what is decided");
    // However long the messages are, the buttons are in sight.
    const { height = 0 } = page.viewportSize() ?? {};
    await page.evaluate(() => scrollTo(0, 0));
    const top = await approve.boundingBox();
    assert.ok(top && top.y + top.height <= height);
    await assertFaultlessEverywhere(page, "a proposal of shares");
    await approve.click();
    await page.getByRole("dialog").getByText("B: 50% → 90% of users").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await project.api.updateCampaign({
      path: { id: made.id },
      body: { variants: [{ id: b, message: toast("Totally different") }] },
    });
    await page.reload();
    await other.getByText("Its text differs now: this is the one that the proposal is about.").waitFor();
    await reads(page, "B", "B");
    await control.getByText("25% of 4 users converted").waitFor();
    assert.equal(
      await other.getByText(/converted|No user has had it yet/).count(),
      0,
      "figures of another text",
    );
    await other.getByRole("link", { name: "The text of now" }).click();
    await title(page, "Breakfast");
    await reads(page, "B", "Totally different");
    await page.getByRole("tab", { name: "Message", selected: true }).waitFor();
  });

  it("shows all messages that a launch or a pause is about", async (t) => {
    const page = await newPage(t);
    const [project] = await opened(page, "approver");
    const goal = { approvalMode: "require_human" as const };
    for (const [mutation, launch] of [
      [LAUNCH, false],
      [PAUSE, true],
    ] as const) {
      const made = await leasedCampaign(house, project, { goal, launch });
      const { proposal } = await propose(project, made, mutation);
      await page.goto(addressOf(project, `approvals/${proposal.id}`));
      await reads(page, "A", "A");
      await reads(page, "B", "B");
      await messageOf(page, "B").getByText("50% of users", { exact: true }).waitFor();
    }
  });

  it("cannot be approved once the campaign was changed, and says what moved", async (t) => {
    const page = await newPage(t);
    const [project] = await opened(page, "approver");
    const { proposal, id, campaign } = await proposed(project, "Offer the pro plan");
    await page.goto(addressOf(project, `approvals/${proposal.id}`));
    await page.getByRole("button", { name: "Approve" }).click();
    const dialog = page.getByRole("dialog", { name: "Approve exactly this?" });
    const variantId = campaign.variants[1]?.id ?? "";
    const { goal } = await project.api.createGoal({ body: { name: "Renewals" } });
    await project.api.updateCampaign({
      path: { id },
      body: { goalId: goal.id, variants: [{ id: variantId, weight: 60 }] },
    });
    await dialog.getByRole("button", { name: "Approve" }).click();
    await dialog.getByText(/changed since this was proposed/).waitFor();
    await page.keyboard.press("Escape");
    const stale = page.getByRole("alert").filter({ hasText: "The campaign was changed since" });
    await stale.getByRole("group", { name: "Variant B: Weight" }).waitFor();
    const ofGoal = stale.getByRole("group", { name: "Goal", exact: true });
    await ofGoal.getByText("Renewals", { exact: true }).waitFor();
    await ofGoal.getByText(goal.id, { exact: true }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Approve" }).count(), 0);
    await page.getByRole("button", { name: "Reject" }).click();
    await page.getByLabel("In every later evaluation of this campaign too").check();
    await page.getByRole("dialog").getByRole("button", { name: "Reject" }).click();
    await page.getByText("Rejected", { exact: true }).waitFor();
  });

  it("lapses once an approved text is replaced, of which the editor is told before, and the approver after", async (t) => {
    const page = await newPage(t);
    const [project, person] = await opened(page, "approver");
    const { proposal, id } = await proposed(project, "Offer the pro plan");
    await page.goto(addressOf(project, `approvals/${proposal.id}`));
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
    await page.getByText("Approved, not applied yet").waitFor();
    await page.goto(addressOf(project, `campaigns/${id}/edit`));
    await page.getByLabel("Title").fill("Totally different text");
    await page.getByRole("button", { name: "Look at the changes" }).click();
    const dialog = page.getByRole("dialog", { name: "Apply these changes?" });
    await dialog.getByText("A change that people have approved lapses", { exact: false }).waitFor();
    await dialog.getByRole("link", { name: "Look at the proposal" }).waitFor();
    await assertFaultlessEverywhere(page, "an edit by which an approval lapses");
    await dialog.getByRole("button", { name: "Apply", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    await page.goto(addressOf(project, "approvals"));
    await page.getByRole("row", { name: /Approved, then lapsed/ }).waitFor();
    await page.goto(addressOf(project, `approvals/${proposal.id}`));
    const lapsed = page.getByRole("alert").filter({ hasText: "The approval has lapsed" });
    const words = lapsed.getByRole("group", { name: "Variant A: Title" });
    assert.match((await words.textContent()) ?? "", /A.*Totally different text/);
    await lapsed.getByText(`Changed since by ${person.name}, `, { exact: false }).waitFor();
    await page.getByText("Approved, then lapsed").waitFor();
    assert.equal(await page.getByText("The agent can apply it until").count(), 0);
    await assertFaultlessEverywhere(page, "an approval that has lapsed");
  });

  it("says that nobody applies it, where no process has the role", async (t) => {
    const page = await newPage(t);
    const [project] = await opened(page, "approver");
    await setSettings(house, project, { "agent.policy": "statistical@1" });
    house.at(Date.now() - 60 * 3_600_000);
    const { proposal } = await proposed(project, "Offer the pro plan");
    house.at(Date.now());
    await page.goto(addressOf(project, `approvals/${proposal.id}`));
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
    await page.getByText("Approved. Nobody will apply it: no process has the role agent.").waitFor();
    const alert = page.getByRole("alert", { name: "Nobody will apply it: no process has the role agent." });
    await alert.getByText("ROLES=api,worker,agent npm start").waitFor();
    await assertFaultlessEverywhere(page, "an approval that nobody applies");
    const agent = await otherProcess(house, { looksAfter: true });
    await page.reload();
    await page.getByText("It is applied within a minute.").waitFor();
    assert.equal(await page.getByText("Nobody will apply it").count(), 0);
    await agent.leaves();
  });

  it("is not decided by an editor, who sees all of it", async (t) => {
    const page = await newPage(t);
    const [project] = await opened(page, "viewer");
    const { proposal } = await proposed(project, "Offer the pro plan");
    await page.goto(addressOf(project, `approvals/${proposal.id}`));
    await page.getByText(WHY).waitFor();
    await page.getByRole("button", { name: "Approve" }).press("Enter");
    await page.getByText("Needs the role approver").waitFor();
    assert.equal(await page.getByRole("dialog").count(), 0);
  });
});

describe("a campaign that waits for changes of code", () => {
  it("is allowed to launch by itself, taken back, and launched anyway with a reason", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const [project, person] = await opened(page, "approver");
    const { id } = await announced(project, "Dark mode is here");
    await page.goto(addressOf(project, "approvals"));
    await page.getByRole("link", { name: "Dark mode is here" }).click();
    await page.getByRole("row", { name: /A person has to allow it/ }).waitFor();
    await page.getByRole("row", { name: /commit 012345678901/ }).waitFor();
    await page.getByText(/: it follows the project\.$/).waitFor();
    await page.getByRole("button", { name: "Change how it launches" }).press("Enter");
    const modes = page.getByRole("dialog", { name: "How “Dark mode is here” launches" });
    const choice = (name: string) => modes.getByRole("radio", { name, exact: true });
    await choice("As the project says").press("ArrowDown");
    await choice("By itself").press("ArrowDown");
    assert.equal(await choice("By hand").isChecked(), true);
    await modes.getByText("It launches by itself no more.").waitFor();
    await modes.getByRole("button", { name: "Save" }).press("Enter");
    await page.getByRole("row", { name: /It does not launch by itself/ }).waitFor();
    await page.getByRole("link", { name: "The campaign", exact: true }).click();
    // Both pages have a button of this name: the link back is of the campaign's own page alone.
    await page.getByRole("link", { name: /It announces changes of code/ }).waitFor();
    await page.getByRole("button", { name: "Change how it launches" }).click();
    await choice("As the project says").check();
    await modes.getByText("It launches by itself once a person allows it").waitFor();
    await modes.getByRole("button", { name: "Save" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByRole("link", { name: /It announces changes of code/ }).click();
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Allow" }).click();
    await page.getByText(`Allowed by ${person.name}`, { exact: false }).waitFor();
    await page.getByRole("row", { name: /A person has to allow it/ }).waitFor({ state: "detached" });
    await page.getByRole("link", { name: "All approvals" }).click();
    await page
      .getByRole("region", { name: "Launch by themselves" })
      .getByRole("row", { name: /Dark mode/ })
      .waitFor();
    await page.getByRole("button", { name: "Pause all" }).click();
    await page.getByText("No campaign launches by itself", { exact: true }).waitFor();
    await page.getByText(`Paused by ${person.name}, `, { exact: false }).waitFor();
    await page.getByRole("link", { name: "Dark mode is here" }).click();
    await page.getByRole("row", { name: /No campaign of the project launches by itself/ }).waitFor();
    await page.getByRole("button", { name: "Take it back" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Take it back" }).click();
    await page.getByText("Nobody has allowed it yet").waitFor();
    await page.getByRole("button", { name: "Launch anyway" }).click();
    const dialog = page.getByRole("dialog");
    assert.equal(await dialog.getByRole("button", { name: "Launch anyway" }).isDisabled(), true);
    await dialog.getByLabel("Reason").fill("The flag is on for everybody");
    // One of the answers that the launch makes old comes late, when the others have taken away the buttons.
    const { promise: isGone, resolve: letThrough } = Promise.withResolvers<void>();
    await page.route("**/activation/approval", async (route) => {
      await isGone;
      await route.continue();
    });
    await dialog.getByRole("button", { name: "Launch anyway" }).click();
    await page.getByRole("button", { name: "Launch anyway" }).first().waitFor({ state: "detached" });
    letThrough();
    await page.getByRole("tab", { name: "Results", selected: true }).waitFor();
    await page.goto(addressOf(project, `approvals/campaigns/${id}`));
    await page.getByText(/launched it although not everything was live/).waitFor();
    const { launch } = await project.api.getCampaignActivation({ path: { id } });
    assert.deepEqual(launch?.override, { by: person.name, reason: "The flag is on for everybody" });
    assert.deepEqual(complaints, []);
  });

  it("is launched by approvers alone where the project says so", async (t) => {
    const page = await newPage(t);
    const [project] = await opened(page, "editor");
    await setSettings(house, project, { "people.launch": "approver" });
    const { campaign } = await project.api.createCampaign({ body: { name: "Draft", message: toast() } });
    await page.goto(addressOf(project, `campaigns/${campaign.id}`));
    await page.getByRole("button", { name: "Launch" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(/In this project approvers launch campaigns/).waitFor();
    assert.equal(await dialog.getByRole("button", { name: "Launch" }).isDisabled(), true);
    const other = await newPage(t);
    const approver = await makePerson(house);
    await giveRole(house, project.projectId, approver, "approver");
    await cameIn(other.context(), house, approver);
    await other.goto(addressOf(project, `campaigns/${campaign.id}`));
    await other.getByRole("button", { name: "Launch" }).click();
    await other.getByRole("dialog").getByRole("button", { name: "Launch" }).click();
    await other.getByText("Running", { exact: true }).waitFor();
    // The editor reads why before a word is typed, and pauses it instead.
    await page.goto(addressOf(project, `campaigns/${campaign.id}/edit`));
    await page.getByText(/Pause it first to change it, or ask an approver/).waitFor();
    assert.equal(await page.getByLabel("Title").isDisabled(), true);
    await assertFaultlessEverywhere(page, "a running campaign that an editor may not change");
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText(/Pause it first/).waitFor({ state: "detached" });
    assert.equal(await page.getByLabel("Title").isDisabled(), false);
    // A test of a push reaches the person with the device, so an editor is refused, and reads why where the test was asked for.
    const push = await launchPush(project, { launch: false });
    await page.goto(addressOf(project, `campaigns/${push.id}/edit`));
    await page.getByRole("button", { name: "Send a test" }).click();
    const test = page.getByRole("dialog", { name: "Send a test" });
    await test.getByLabel("Device").fill("phone-of-ada");
    await test.getByRole("button", { name: "Send", exact: true }).click();
    await test.getByText(/Sending a test to a device takes the role approver in this project/).waitFor();
    await assertFaultlessEverywhere(page, "a test that an editor may not send");
    const { goal } = await project.api.createGoal({ body: { name: "Sales" } });
    await page.goto(addressOf(project, `goals/${goal.id}/edit`));
    await page.getByText(/You can make limits stricter here/).waitFor();
    await assertFaultlessEverywhere(page, "a goal that an editor makes stricter");
  });

  it("shows every message that goes out, and none that does not", async (t) => {
    const page = await newPage(t);
    const [project] = await opened(page, "approver");
    const { campaign } = await project.api.createCampaign({
      body: {
        name: "Dark mode is here",
        variants: ["Dark", "Night", "Nobody"].map((name, index) => ({
          name,
          message: toast(`${name} mode is here`),
          weight: [30, 10, 0][index] ?? 0,
        })),
        sourceChanges: { changes: [{ sourceId: "web", kind: "commit", sha: SHA }] },
      },
    });
    await page.goto(addressOf(project, `approvals/campaigns/${campaign.id}`));
    await messageOf(page, "Night").getByText("25% of users", { exact: true }).waitFor();
    await reads(page, "Dark", "Dark mode is here");
    await reads(page, "Night", "Night mode is here");
    assert.equal(await messageOf(page, "Nobody").count(), 0);
    const mail = await launchEmail(project, {
      name: "Dark mode by mail",
      launch: false,
      once: true,
      sourceChanges: { changes: [{ sourceId: "web", kind: "commit", sha: SHA }] },
    });
    await page.goto(addressOf(project, `approvals/campaigns/${mail.id}`));
    await page.getByText("Who gets it: Everybody who matches when it is launched, once").waitFor();
  });

  it("is allowed again once it was changed, where only what was allowed launches", async (t) => {
    const page = await newPage(t);
    const [project] = await opened(page, "approver");
    await setSettings(house, project, { "people.launch": "approver" });
    const { id } = await announced(project, "Dark mode is here");
    await decideLaunch(house, project, id);
    await project.api.updateCampaign({ path: { id }, body: { message: toast("Other words") } });
    await page.goto(addressOf(project, `approvals/campaigns/${id}`));
    await page.getByText("Changed since it was allowed", { exact: true }).waitFor();
    await assertFaultlessEverywhere(page, "a draft that was changed since it was allowed");
    await page.getByRole("button", { name: "Allow again" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Allow" }).click();
    await page.getByText("Changed since it was allowed", { exact: true }).waitFor({ state: "detached" });
    const { approval, approvedAsIs } = await project.api.getCampaignActivation({ path: { id } });
    assert.deepEqual([approval, approvedAsIs], ["approved", true]);
  });
});

describe("the pages of approvals", () => {
  it("are free of faults in every width and colour", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const [project] = await opened(page, "approver");
    const look = async (path: string, ready: string, what = path) => {
      await page.goto(addressOf(project, path));
      await page.getByText(ready).first().waitFor();
      await assertFaultlessEverywhere(page, what);
    };
    await look("approvals", "Nothing waits for a decision.", "no approvals");
    await pausedByGuardrail(house, project);
    const { proposal } = await proposed(project, "x".repeat(80), "long ".repeat(23));
    const other = await proposed(project, "Offer the pro plan");
    const draft = await announced(project, "Dark mode is here");
    await look("approvals", "Dark mode is here");
    await page.getByRole("button", { name: /^Clear / }).click();
    await page.getByRole("dialog").waitFor();
    await assertFaultlessEverywhere(page, "the question before a limit is cleared");
    await look(`approvals/${proposal.id}`, WHY, "a proposal with long texts");
    await page.getByRole("button", { name: "Reject" }).click();
    await page.getByRole("dialog").waitFor();
    await assertFaultlessEverywhere(page, "the question before a rejection");
    const [variant] = other.campaign.variants;
    await project.api.updateCampaign({
      path: { id: other.id },
      body: { variants: [{ id: variant?.id ?? "", weight: 55 }] },
    });
    await look(`approvals/${other.proposal.id}`, "The campaign was changed since", "a stale proposal");
    await page.goto(addressOf(project, `campaigns/${draft.id}`));
    await page.getByRole("link", { name: /It announces changes of code/ }).click();
    await page.getByRole("heading", { name: "What it waits for" }).waitFor();
    await reads(page, "A", "Dark mode is here");
    await assertFaultlessEverywhere(page, "a launch by itself");
    await page.getByRole("button", { name: "Change how it launches" }).click();
    await page.getByRole("radio", { name: "By hand" }).check();
    await assertFaultlessEverywhere(page, "the choice how it launches");
    assert.deepEqual(complaints, []);
  });
});
