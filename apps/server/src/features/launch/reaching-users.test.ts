import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { launchEmail, setSettings } from "../../../test/email.ts";
import { toast } from "../../../test/factories.ts";
import {
  activationOf,
  announce,
  codeHouse,
  codeProject,
  commitChange,
  decideLaunch,
  deploy,
  ownRepository,
  statusOf,
  waitsFor,
} from "../../../test/from-code.ts";
import { refusal, type TestProject } from "../../../test/harness.ts";
import { WITHOUT_GIT } from "../../../test/peers/repository.ts";
import { clientOf } from "../../../test/people.ts";
import { formerApprovalRevisionOf } from "./judging/content-hash.ts";

const house = codeHouse();
afterEach(async () => assert.deepEqual(await house.differences(), {}));

const HOUR_MS = 3_600_000;
const SHA = "0123456789012345678901234567890123456789";
const VARIANTS = [
  { name: "A", weight: 50, isControl: true, message: toast("A") },
  { name: "B", weight: 50, message: toast("B") },
];
type Patch = Parameters<TestProject["api"]["updateCampaign"]>[0]["body"];

/** A project where approvers launch, with an editor and an approver. */
async function strict(settings: Readonly<Record<string, string>> = {}) {
  const project = await house.project();
  await setSettings(house, project, { "people.launch": "approver", ...settings });
  const { client: editor } = await clientOf(house, project.projectId, "editor");
  const { client: approver, person } = await clientOf(house, project.projectId, "approver");
  return { project, api: project.api, editor, approver, person };
}

/** The refusal of a role, without the part that every one has. */
async function refusedRole(answer: Promise<unknown>): Promise<string> {
  const { status, body } = await refusal(answer);
  const { error } = body as { error: string };
  assert.equal(status, 403, error);
  assert.match(error, /takes the role approver in this project, and yours is editor: /);
  return error;
}

const make = async ({ api }: TestProject, body: object = {}) =>
  (await api.createCampaign({ body: { name: "Two", variants: VARIANTS, ...body } })).campaign;

/** Every change of a campaign that users feel at once where it runs. */
async function feltChanges(project: TestProject, ids: readonly string[]): Promise<Record<string, Patch>> {
  const [a = "", b = ""] = ids;
  const { goal } = await project.api.createGoal({ body: { name: "Other" } });
  return {
    text: { variants: [{ id: b, message: toast("Editor's own words") }] },
    "a variant": { variants: [{ message: toast("Third") }] },
    weights: { variants: [{ id: a, weight: 0 }] },
    control: { variants: [{ id: b, isControl: true }] },
    audience: { targeting: { traits: { plan: "free" } } },
    pages: { pages: ["/everywhere*"] },
    visitors: { visitors: "also" },
    goal: { goalId: goal.id },
    "a later end": { deliverUntil: null },
    "an earlier begin": { deliverFrom: null },
  };
}

describe("with people.launch=approver an editor", () => {
  it("changes nothing of a running or scheduled campaign that users feel, and all of it once it is paused", async () => {
    const { project, api, editor, approver } = await strict();
    const window = { deliverFrom: house.now() + HOUR_MS, deliverUntil: house.now() + 9 * HOUR_MS };
    const { id, variants } = await make(project, { ...window, launch: true });
    const path = { id };
    const ids = variants.map((variant) => variant.id);
    const changes = Object.entries(await feltChanges(project, ids));
    for (const [what, body] of changes) {
      const why = await refusedRole(editor.updateCampaign({ path, body }));
      assert.match(why, /pause it first, or ask an approver/, what);
      await refusedRole(editor.reviewCampaign({ path, body: { patch: body } }));
    }
    assert.deepEqual((await api.getCampaign({ path })).campaign.variants, variants);
    // What is the same, is called otherwise or reaches fewer users is an editor's.
    await editor.updateCampaign({ path, body: { name: "Renamed", pages: null, agentRunId: null } });
    await editor.updateCampaign({
      path,
      body: { variants: [{ id: ids[0] ?? "", weight: 50, name: "First" }] },
    });
    const narrower = { deliverFrom: house.now() + 2 * HOUR_MS, deliverUntil: house.now() + 8 * HOUR_MS };
    await editor.updateCampaign({ path, body: narrower });
    await editor.setCampaignStatus({ path, body: { action: "pause" } });
    for (const [, body] of changes) await editor.updateCampaign({ path, body });
    await refusedRole(editor.setCampaignStatus({ path, body: { action: "launch" } }));
    await approver.setCampaignStatus({ path, body: { action: "launch" } });
    await approver.updateCampaign({ path, body: { pages: ["/new"] } });
    await api.updateCampaign({ path, body: { pages: ["/by-a-key"] } });
    await editor.setCampaignStatus({ path, body: { action: "end" } });
  });

  it("lets a running campaign be sent once, and not go on to whoever matches later", async () => {
    const { project, editor, approver } = await strict({
      "email.from": "Acme News <news@acme.example>",
      "email.postalAddress": "Acme, 1 Main Street, Springfield",
      "email.domainVerified": "true",
    });
    const { id, once } = await launchEmail(project, { deliverFrom: house.now() + HOUR_MS });
    const path = { id };
    await editor.updateCampaign({ path, body: { once: true } });
    assert.match(await refusedRole(editor.updateCampaign({ path, body: { once: false } })), /pause it first/);
    await approver.updateCampaign({ path, body: { once: false } });
    assert.deepEqual([once, (await project.api.getCampaign({ path })).campaign.once], [false, false]);
  });

  it("does not let an expired campaign go on, with or without other words", async () => {
    const { project, editor, approver } = await strict();
    const { id } = await make(project, { launch: true, deliverUntil: house.now() + HOUR_MS });
    house.advance(HOUR_MS);
    const path = { id };
    await editor.updateCampaign({ path, body: { pages: ["/nobody-sees-it"] } });
    for (const body of [{ deliverUntil: null }, { deliverUntil: house.now() + 1, pages: ["/x"] }])
      assert.match(await refusedRole(editor.updateCampaign({ path, body })), /extend deliverUntil/);
    await approver.updateCampaign({ path, body: { deliverUntil: null } });
    assert.equal((await project.api.getCampaign({ path })).campaign.effectiveStatus, "running");
  });

  it("tightens goals and does not loosen them, nor makes one where agents decide alone", async () => {
    const { api, editor, approver } = await strict();
    const guardrails = { maxUnsubscribeRate: 0.01, forbiddenPhrases: ["free"] };
    const { goal } = await editor.createGoal({ body: { name: "Sales", guardrails, holdoutPercent: 5 } });
    const path = { id: goal.id };
    await refusedRole(editor.createGoal({ body: { name: "Auto", approvalMode: "auto" } }));
    const looser = [
      { approvalMode: "auto" as const },
      { guardrails: null },
      { guardrails: { ...guardrails, maxUnsubscribeRate: 0.02 } },
      { guardrails: { ...guardrails, forbiddenPhrases: ["gratis"] } },
      { holdoutPercent: 4 },
    ];
    for (const body of looser) await refusedRole(editor.updateGoal({ path, body }));
    assert.deepEqual((await api.getGoal({ path })).goal, goal);
    const stricter = { ...guardrails, maxUnsubscribeRate: 0.005, maxActiveCampaigns: 1 };
    await editor.updateGoal({ path, body: { name: "Less", guardrails: stricter, holdoutPercent: 6 } });
    for (const body of looser) await approver.updateGoal({ path, body });
    await editor.updateGoal({ path, body: { approvalMode: "require_human" } });
    await api.updateGoal({ path, body: { approvalMode: "auto" } });
  });

  it("reports no deployment, makes no allowed draft automatic, and sends no test to others", async () => {
    const { project, api, editor, approver } = await strict();
    const changes = [commitChange(SHA)];
    const { id } = await announce(project, changes);
    const path = { id };
    const choose = async (by: typeof editor, mode: "manual" | "automatic") => {
      const { revision: expectedRevision } = await activationOf(project, id);
      return by.updateCampaignActivation({ path, body: { mode, expectedRevision } });
    };
    await choose(editor, "manual");
    await choose(editor, "automatic");
    await decideLaunch(house, project, id);
    await choose(editor, "manual");
    await refusedRole(choose(editor, "automatic"));
    await choose(approver, "automatic");
    const report = { deploymentId: "d", sourceId: "web", environment: "production", sha: SHA };
    const body = { ...report, status: "success" as const };
    await refusedRole(editor.recordDeployment({ body }));
    assert.equal((await refusal(approver.recordDeployment({ body }))).status, 404, "there is no source");
    const email = { subject: "Hello", body: "Hi" };
    const { campaign } = await api.createCampaign({
      body: { name: "Mail", channel: "email", message: email },
    });
    const test = { path: { id: campaign.id }, body: { address: "somebody@example.com" } };
    await refusedRole(editor.sendTestEmail(test));
  });

  it("may do all that where the setting says editor", async () => {
    const { project, editor } = await strict({ "people.launch": "editor" });
    assert.deepEqual(await editor.getLaunchRules({}), { role: "editor", approvedContent: false });
    const { id, variants } = await make(project, { launch: true });
    const changes = await feltChanges(
      project,
      variants.map((variant) => variant.id),
    );
    for (const body of Object.values(changes)) await editor.updateCampaign({ path: { id }, body });
    const { goal } = await editor.createGoal({ body: { name: "Auto", approvalMode: "auto" } });
    await editor.updateGoal({ path: { id: goal.id }, body: { guardrails: { mine: 1 } } });
    await editor.updateGoal({ path: { id: goal.id }, body: { guardrails: null } });
  });
});

describe("launch.approvedContent", () => {
  it("follows people.launch until somebody chooses", async () => {
    for (const [settings, approvedContent] of [
      [{}, true],
      [{ "launch.approvedContent": "false" }, false],
      [{ "people.launch": "editor" }, false],
      [{ "people.launch": "editor", "launch.approvedContent": "true" }, true],
    ] as const) {
      const { editor } = await strict(settings);
      assert.equal((await editor.getLaunchRules({})).approvedContent, approvedContent);
    }
  });

  it("has every change allowed again, and says who changed it; without it, the approval stays", async () => {
    for (const approvedContent of [true, false]) {
      const { project, api, editor, person, approver } = await strict({
        "people.launch": "editor",
        "launch.approvedContent": String(approvedContent),
      });
      const { goal } = await api.createGoal({ body: { name: "Goal" } });
      const draft = await announce(project, [commitChange(SHA)], { variants: VARIANTS, goalId: goal.id });
      const path = { id: draft.id };
      const allow = async () => {
        const { revision } = await approver.getActivationApproval({ path });
        await approver.decideActivation({ path, body: { revision, decision: "approved" } });
      };
      const see = async () => {
        const { approval, approvedAsIs, assessment } = await activationOf(project, draft.id);
        const blocker = assessment.blockers.find(({ code }) => code === "approval");
        return { approval, approvedAsIs, detail: blocker?.detail };
      };
      assert.deepEqual([(await see()).approval, (await see()).approvedAsIs], ["pending", null]);
      const changes = await feltChanges(
        project,
        draft.variants.map(({ id }) => id),
      );
      const felt = [
        { deliverUntil: house.now() + 9 * HOUR_MS, deliverFrom: house.now() + HOUR_MS },
        ...Object.values(changes),
        {
          sourceChanges: {
            expectedRevision: draft.sourceChanges.revision,
            changes: [commitChange(SHA), commitChange("1".repeat(40))],
          },
        },
      ].map((body) => () => api.updateCampaign({ path, body }));
      for (const [index, change] of felt.entries()) {
        await allow();
        assert.deepEqual(await see(), { approval: "approved", approvedAsIs: true, detail: undefined });
        await change();
        const { approval, approvedAsIs, detail } = await see();
        assert.deepEqual(
          [approvedAsIs, approval],
          [false, approvedContent ? "pending" : "approved"],
          `${index}`,
        );
        if (approvedContent)
          assert.match(detail ?? "", new RegExp(`since it was allowed by ${person.name}: `));
        else assert.equal(detail, undefined);
      }
      await allow();
      const under = (await api.getCampaign({ path })).campaign.goalId ?? "";
      await api.updateGoal({
        path: { id: under },
        body: { name: "Only another name", guardrails: { mine: 1 } },
      });
      assert.equal((await see()).approvedAsIs, true);
      for (const body of [{ targetEvent: "paid" }, { attributionDays: 30 }, { holdoutPercent: 1 }]) {
        await allow();
        await api.updateGoal({ path: { id: under }, body });
        assert.equal((await see()).approvedAsIs, false, JSON.stringify(body));
      }
      await allow();
      house.advance(1_000);
      await editor.updateCampaign({ path, body: { pages: ["/x"] } });
      const { detail = "" } = await see();
      if (approvedContent)
        assert.match(detail, /, last by Person \d+ at 20\d\d-.*: a person has to allow it again/);
      const [waiting] = (await approver.listApprovals({})).campaigns;
      assert.equal(waiting?.step, approvedContent ? "approve" : null);
    }
  });

  it("lets an editor change an allowed draft, which then waits; where it is off, the change takes an approver", async () => {
    const on = await strict();
    const { id } = await announce(on.project, [commitChange(SHA)]);
    await decideLaunch(house, on.project, id);
    await on.editor.updateCampaign({ path: { id }, body: { message: toast("Own words") } });
    assert.ok((await waitsFor(on.project, id)).includes("approval"));
    const off = await strict({ "launch.approvedContent": "false" });
    const draft = await announce(off.project, [commitChange(SHA)]);
    const path = { id: draft.id };
    await off.editor.updateCampaign({ path, body: { message: toast("Not allowed yet") } });
    await decideLaunch(house, off.project, draft.id);
    await refusedRole(off.editor.updateCampaign({ path, body: { message: toast("Own words") } }));
    const sourceChanges = { expectedRevision: draft.sourceChanges.revision, changes: [] };
    await refusedRole(off.editor.updateCampaign({ path, body: { sourceChanges } }));
    await off.editor.updateCampaign({ path, body: { name: "Only the name" } });
    await off.approver.updateCampaign({ path, body: { message: toast("Approved words") } });
  });

  it("counts an approval of before, which covered less, only where it is off", async () => {
    const { project, approver } = await strict();
    const { id } = await announce(project, [commitChange(SHA)]);
    await decideLaunch(house, project, id);
    const { campaign } = await project.api.getCampaign({ path: { id } });
    await house.database.pool.query("update campaign_approvals set revision = $1 where project_id = $2", [
      formerApprovalRevisionOf(campaign),
      project.projectId,
    ]);
    const { approval, assessment } = await activationOf(project, id);
    assert.equal(approval, "pending");
    assert.match(
      assessment.blockers.find(({ code }) => code === "approval")?.detail ?? "",
      /^Grace allowed it before goal, delivery window and push settings were part of that: /,
    );
    await setSettings(house, project, { "launch.approvedContent": "false" });
    assert.equal((await activationOf(project, id)).approval, "approved");
    assert.equal((await approver.getActivationApproval({ path: { id } })).approvedBy, "Grace");
  });

  it("is what launches by itself, and nothing else", { skip: WITHOUT_GIT }, async () => {
    const repository = ownRepository();
    const project = await codeProject(house, repository);
    await setSettings(house, project, { "people.launch": "approver" });
    const sha = repository.commit({ "a.txt": "a" });
    const { id } = await announce(project, [commitChange(sha)]);
    await house.drain();
    await decideLaunch(house, project, id);
    await project.api.updateCampaign({ path: { id }, body: { message: toast("Words that nobody saw") } });
    await deploy(house, project, sha);
    house.advance(60_000);
    await house.drain();
    assert.deepEqual([await statusOf(project, id), await waitsFor(project, id)], ["draft", ["approval"]]);
    await decideLaunch(house, project, id);
    house.advance(60_000);
    await house.drain();
    assert.equal(await statusOf(project, id), "running");
  });
});
