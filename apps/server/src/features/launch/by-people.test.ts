import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { makeGoal } from "../../../test/agent.ts";
import { setSettings } from "../../../test/email.ts";
import { pausedByGuardrail, toast } from "../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../test/harness.ts";
import { clientOf } from "../../../test/people.ts";

const house = testHouse();
afterEach(async () => assert.deepEqual(await house.differences(), {}));

const SHA = "0123456789012345678901234567890123456789";
const CHANGES = { changes: [{ sourceId: "web", kind: "commit" as const, sha: SHA }] };

const draft = async ({ api }: TestProject, body: object = {}) =>
  (await api.createCampaign({ body: { name: "Draft", message: toast("Hello"), ...body } })).campaign;
const statusOf = async ({ api }: TestProject, id: string) =>
  (await api.getCampaign({ path: { id } })).campaign.status;

describe("people.launch", () => {
  it("lets editors launch unless the setting says approver; then on no path", async () => {
    const project = await house.project();
    const { client: editor } = await clientOf(house, project.projectId, "editor");
    const { id } = await draft(project);
    const path = { id };
    const launch = { path, body: { action: "launch" as const } };
    assert.equal((await editor.setCampaignStatus(launch)).status, "running");
    await editor.setCampaignStatus({ path, body: { action: "pause" } });
    await setSettings(house, project, { "people.launch": "approver" });
    const tries = [
      () => editor.setCampaignStatus(launch),
      () => editor.createCampaign({ body: { name: "New", message: toast(), launch: true } }),
      () => editor.overrideLaunch({ path, body: { reason: "Now" } }),
    ];
    for (const tried of tries) {
      const { status, body } = await refusal(tried());
      assert.equal(status, 403);
      assert.match((body as { error: string }).error, /takes the role approver.* yours is editor/);
    }
    assert.equal(await statusOf(project, id), "paused");
    assert.equal((await project.api.listCampaigns()).total, 1, "none was made either");
    const { refusal: why } = await editor.reviewCampaign({ path, body: { launch: true } });
    assert.equal(why?.reason, "launch_role");
    await editor.createCampaign({ body: { name: "A draft", message: toast() } });
    const { client: approver } = await clientOf(house, project.projectId, "approver");
    assert.equal((await approver.reviewCampaign({ path, body: { launch: true } })).refusal, null);
    assert.equal((await approver.setCampaignStatus(launch)).status, "running");
    assert.equal((await editor.setCampaignStatus({ path, body: { action: "pause" } })).status, "paused");
    assert.equal((await project.api.setCampaignStatus(launch)).status, "running", "a key is not asked");
  });
});

describe("a launch although changes are not live", () => {
  it("is an approver's, with a reason in the receipt, and not over the limits of the goal", async () => {
    const project = await house.project();
    const goal = await makeGoal(project, { guardrails: { quietUntil: house.now() + 1_000 } });
    const { id } = await draft(project, { goalId: goal.id, sourceChanges: CHANGES });
    const path = { id };
    const { client, person } = await clientOf(house, project.projectId, "approver");
    const override = (reason: string) => client.overrideLaunch({ path, body: { reason } });
    for (const reason of ["", "  ", "a\nb", "x".repeat(81)])
      assert.equal((await refusal(override(reason))).status, 400);
    const refused = await refusal(override("The flag is on"));
    assert.deepEqual(
      [refused.status, (refused.body as { reason: string }).reason],
      [409, "guardrail_violated"],
    );
    house.advance(1_000);
    const { status, body } = await refusal(client.setCampaignStatus({ path, body: { action: "launch" } }));
    assert.deepEqual([status, (body as { reason: string }).reason], [409, "coverage_missing"]);
    assert.deepEqual(await override("The flag is on"), { status: "running" });
    const { launch } = await project.api.getCampaignActivation({ path });
    assert.deepEqual(launch?.override, { by: person.name, reason: "The flag is on" });
    const [entry] = (await client.listAuditEntries({})).entries;
    assert.deepEqual(
      [entry?.operation, entry?.target, entry?.after],
      ["overrideLaunch", id, { status: "running", reason: "The flag is on" }],
    );
    const stranger = await clientOf(house, (await house.project()).projectId, "owner");
    const foreign = stranger.client.overrideLaunch({ path, body: { reason: "Mine" } });
    assert.equal((await refusal(foreign)).status, 404);
  });
});

it("approvers pause launches of one project, and the setting says who", async () => {
  const project = await house.project();
  const other = await house.project();
  const { id } = await draft(project, { sourceChanges: CHANGES });
  const { client, person } = await clientOf(house, project.projectId, "approver");
  const pausedIn = async ({ api }: TestProject, campaignId: string) =>
    (await api.getCampaignActivation({ path: { id: campaignId } })).assessment.blockers.some(
      ({ code }) => code === "project_paused",
    );
  assert.deepEqual(await client.setLaunchesPaused({ body: { paused: true } }), { paused: true });
  assert.equal(await pausedIn(project, id), true);
  const elsewhere = await draft(other, { sourceChanges: CHANGES });
  assert.equal(await pausedIn(other, elsewhere.id), false);
  const changed = await house.database.kysely
    .selectFrom("settingChanges")
    .select(["key", "after", "changedBy"])
    .where("projectId", "=", project.projectId)
    .execute();
  assert.deepEqual(changed, [{ key: "launch.paused", after: true, changedBy: person.name }]);
  await client.setLaunchesPaused({ body: { paused: false } });
  assert.equal(await pausedIn(project, id), false);
  const [entry] = (await client.listAuditEntries({})).entries;
  assert.deepEqual([entry?.before, entry?.after], [{ paused: true }, { paused: false }]);
});

it("approvers clear a campaign that was paused for a limit, which then launches again", async () => {
  const project = await house.project();
  const { id, goalId } = await pausedByGuardrail(house, project);
  const { client, person } = await clientOf(house, project.projectId, "approver");
  const [breach, ...more] = (await client.listBreaches({})).breaches;
  assert.deepEqual(more, []);
  assert.deepEqual(
    [breach?.campaignId, breach?.campaignName, breach?.guardrail, breach?.limit, breach?.breachedAt],
    [id, "Risky", "forbiddenPhrases", 0, house.now()],
  );
  const clear = (by = client) => by.clearGuardrails({ path: { id }, body: { reason: "The wrong list" } });
  const stranger = await clientOf(house, (await house.project()).projectId, "owner");
  assert.equal((await refusal(clear(stranger.client))).status, 404);
  assert.deepEqual((await stranger.client.listBreaches({})).breaches, []);
  const answers = await Promise.all([clear(), clear(), clear()]);
  assert.deepEqual(answers.map(({ cleared }) => cleared).sort(), [0, 0, 1]);
  assert.deepEqual((await client.listBreaches({})).breaches, []);
  const { breaches } = await client.getGoalLimits({ path: { id: goalId } });
  assert.deepEqual(
    breaches.map(({ cleared }) => cleared),
    [{ by: person.name, reason: "The wrong list", at: house.now() }],
  );
  await project.api.updateGoal({ path: { id: goalId }, body: { guardrails: null } });
  await client.setCampaignStatus({ path: { id }, body: { action: "launch" } });
  assert.equal(await statusOf(project, id), "running");
});

it("editors choose how a campaign launches, as they have seen it, and it stands in the audit log", async () => {
  const project = await house.project();
  const { id } = await draft(project, { sourceChanges: CHANGES });
  const { client } = await clientOf(house, project.projectId, "editor");
  const { client: viewer } = await clientOf(house, project.projectId, "viewer");
  const { client: owner } = await clientOf(house, project.projectId, "owner");
  const choose = (mode: "manual" | null, expectedRevision: string, by = client) =>
    by.updateCampaignActivation({ path: { id }, body: { mode, expectedRevision } });
  assert.equal((await refusal(choose("manual", "0", viewer))).status, 403);
  const chosen = await Promise.allSettled([choose("manual", "0"), choose("manual", "0")]);
  assert.deepEqual(chosen.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  assert.deepEqual(
    (await client.listApprovals({})).campaigns.map(({ mode, step }) => [mode, step]),
    [["manual", null]],
  );
  await owner.updateLaunchPolicy({ body: { defaultMode: "manual", expectedRevision: "0" } });
  const { override, effectiveMode } = await choose(null, "1");
  assert.deepEqual([override, effectiveMode], [null, "manual"]);
  const { entries } = await client.listAuditEntries({});
  assert.deepEqual(
    entries.map(({ operation, target, before, after }) => [operation, target, before, after]),
    [
      ["updateCampaignActivation", id, { mode: "manual" }, { mode: null }],
      ["updateLaunchPolicy", null, { defaultMode: "automatic" }, { defaultMode: "manual" }],
      ["updateCampaignActivation", id, { mode: null }, { mode: "manual" }],
    ],
  );
});
