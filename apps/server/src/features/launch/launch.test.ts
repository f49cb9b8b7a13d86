import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { claim, dueCampaign, LAUNCH, makeGoal, mutate } from "../../../test/agent.ts";
import { setSettings } from "../../../test/email.ts";
import { toast } from "../../../test/factories.ts";
import {
  activationOf,
  announce,
  codeHouse,
  codeProject,
  commitChange,
  decideLaunch,
  deploy,
  followRepository,
  mapTo,
  ownRepository,
  statusOf,
  waitsFor,
} from "../../../test/from-code.ts";
import { refusal, type TestProject } from "../../../test/harness.ts";
import { WITHOUT_GIT } from "../../../test/peers/repository.ts";
import { uuidFor } from "../../domain/ids.ts";
import { deleteMapping, updateSource } from "../sources/registry/store.ts";
import { launchByPerson } from "./public.ts";

const house = codeHouse();

const launch = ({ api }: TestProject, id: string) =>
  api.setCampaignStatus({ path: { id }, body: { action: "launch" } });

const setMode = async (project: TestProject, id: string, mode: "automatic" | "manual" | null) => {
  const { revision } = await activationOf(project, id);
  return project.api.updateCampaignActivation({
    path: { id },
    body: { mode, expectedRevision: revision },
  });
};

const setDefault = async ({ api }: TestProject, defaultMode: "automatic" | "manual") => {
  const { revision } = await api.getLaunchPolicy();
  return api.updateLaunchPolicy({ body: { defaultMode, expectedRevision: revision } });
};

/** A minute later, with all that is due done. */
async function aMinuteLater(): Promise<void> {
  house.advance(60_000);
  await house.drain();
}

describe("launch policy", () => {
  it("is automatic at first, and changed only by those who have seen it", async () => {
    const project = await house.project();
    const first = await project.agent.getLaunchPolicy();
    assert.deepEqual(first, { defaultMode: "automatic", revision: "0" });
    const second = await setDefault(project, "manual");
    assert.deepEqual(second, { defaultMode: "manual", revision: "1" });
    assert.deepEqual(await project.api.getLaunchPolicy(), second);
    for (const expectedRevision of ["0", "2", "01", "x"]) {
      const change = project.api.updateLaunchPolicy({ body: { defaultMode: "automatic", expectedRevision } });
      const { status, body, error } = await refusal(change);
      assert.deepEqual([status, body], [409, { error, reason: "stale_revision" }]);
    }
    const both = await Promise.allSettled(
      [1, 2, 3].map(() =>
        project.api.updateLaunchPolicy({ body: { defaultMode: "automatic", expectedRevision: "1" } }),
      ),
    );
    assert.equal(both.filter(({ status }) => status === "fulfilled").length, 1);
    const byAgent = project.agent.updateLaunchPolicy({
      body: { defaultMode: "manual", expectedRevision: "2" },
    });
    assert.equal((await refusal(byAgent)).status, 403);
  });

  it("counts for campaigns without a mode of their own; their modes have revisions too", async () => {
    const project = await house.project();
    const { id } = await announce(project, [], {});
    const modes = async () => {
      const { defaultMode, override, effectiveMode } = await activationOf(project, id);
      return [defaultMode, override, effectiveMode];
    };
    assert.deepEqual(await modes(), ["automatic", null, "automatic"]);
    await setMode(project, id, "manual");
    assert.deepEqual(await modes(), ["automatic", "manual", "manual"]);
    await setDefault(project, "manual");
    await setMode(project, id, "automatic");
    assert.deepEqual(await modes(), ["manual", "automatic", "automatic"]);
    await setMode(project, id, null);
    assert.deepEqual(await modes(), ["manual", null, "manual"]);
    const path = { id };
    const body = { mode: null, expectedRevision: "1" };
    assert.equal((await refusal(project.api.updateCampaignActivation({ path, body }))).status, 409);
    assert.equal((await refusal(project.agent.updateCampaignActivation({ path, body }))).status, 403);
    const other = await house.project();
    assert.equal((await refusal(other.api.getCampaignActivation({ path }))).status, 404);
    assert.equal((await refusal(other.api.updateCampaignActivation({ path, body }))).status, 404);
  });
});

describe("a campaign that announces a change", { skip: WITHOUT_GIT }, () => {
  it("waits for everything, one after the other, and says so", async () => {
    const repository = ownRepository();
    const project = await house.project();
    const sha = repository.commit({ "a.txt": "a" });
    const { id } = await announce(project, [commitChange(sha)]);
    await setSettings(house, project, { "launch.paused": "true" });
    await setMode(project, id, "manual");
    assert.deepEqual(await waitsFor(project, id), ["manual", "approval", "mapping", "project_paused"]);
    await followRepository(house, project, repository.url);
    assert.deepEqual(await waitsFor(project, id), ["manual", "approval", "mapping", "project_paused"]);
    await mapTo(house, project);
    await house.drain();
    await decideLaunch(house, project, id);
    assert.deepEqual(await waitsFor(project, id), ["manual", "project_paused", "deployment"]);
    await updateSource(house.database.kysely, project.projectId, "web", { paused: true }, house.now());
    await deploy(house, project, sha);
    assert.deepEqual(await waitsFor(project, id), [
      "manual",
      "source_paused",
      "project_paused",
      "evidence_unknown",
    ]);
    await aMinuteLater();
    assert.deepEqual(await waitsFor(project, id), ["manual", "source_paused", "project_paused"]);
    await setSettings(house, project, { "launch.paused": "" });
    await updateSource(house.database.kysely, project.projectId, "web", { paused: false }, house.now());
    await aMinuteLater();
    assert.deepEqual([await waitsFor(project, id), await statusOf(project, id)], [["manual"], "draft"]);
    await setMode(project, id, null);
    await house.drain();
    assert.equal(await statusOf(project, id), "running");
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("needs every change in every environment", async () => {
    const repository = ownRepository();
    const project = await codeProject(house, repository);
    await mapTo(house, project, { environment: "eu", scope: "Europe" });
    const [first, second] = [repository.commit({ "a.txt": "a" }), repository.commit({ "b.txt": "b" })];
    const { id } = await announce(project, [commitChange(first), commitChange(second)]);
    await decideLaunch(house, project, id);
    await deploy(house, project, second);
    await deploy(house, project, first, { environment: "eu" });
    await house.drain();
    const { assessment, coverage, requirements } = await activationOf(project, id);
    assert.equal(coverage.filter(({ state }) => state === "present").length, 3);
    const [blocker] = assessment.blockers;
    assert.deepEqual(
      [assessment.blockers.length, blocker?.code, blocker?.requirementId],
      [1, "deployment", requirements[1]?.id],
    );
    assert.match(blocker?.detail ?? "", /eu \(Europe\)/);
    await deleteMapping(house.database.kysely, project.projectId, "web", "eu");
    await house.drain();
    assert.equal(await statusOf(project, id), "running");
  });

  it("launches no earlier by a request, by its creation or by an agent, and says what is missing", async () => {
    const repository = ownRepository();
    const project = await codeProject(house, repository);
    const sha = repository.commit({ "a.txt": "a" });
    const { id } = await announce(project, [commitChange(sha)]);
    const { status, body } = await refusal(launch(project, id));
    const { reason, blockers } = body as { reason: string; blockers: { code: string }[] };
    assert.deepEqual(
      [status, reason, blockers.map(({ code }) => code)],
      [409, "coverage_missing", ["deployment"]],
    );
    const created = await refusal(announce(project, [commitChange(sha)], { launch: true }));
    assert.deepEqual(
      [created.status, (created.body as { reason: string }).reason],
      [409, "coverage_missing"],
    );
    assert.equal((await project.api.listCampaigns({})).total, 1);

    const due = await dueCampaign(house, project, { launch: false });
    const { revision } = due.campaign.sourceChanges;
    const sourceChanges = { expectedRevision: revision, changes: [commitChange(sha)] };
    await project.api.updateCampaign({ path: { id: due.id }, body: { sourceChanges } });
    const { leaseToken } = await claim(project, due.id);
    const leased = { ...due, leaseToken };
    const byAgent = await refusal(mutate(project, leased, LAUNCH));
    assert.deepEqual(
      [byAgent.status, (byAgent.body as { reason: string }).reason],
      [409, "coverage_missing"],
    );

    await deploy(house, project, sha);
    await house.drain();
    assert.equal((await mutate(project, leased, LAUNCH)).status, "running");
    assert.equal((await launch(project, id)).status, "running");
    const { launch: receipt } = await activationOf(project, id);
    assert.deepEqual([receipt?.mode, receipt?.evidence.length], ["manual", 1]);
  });

  it("needs no approval and minds no pause when a request launches it; launched again, it waits again", async () => {
    const repository = ownRepository();
    const project = await codeProject(house, repository);
    const before = repository.tip();
    const sha = repository.commit({ "a.txt": "a" });
    const { id } = await announce(project, [commitChange(sha)]);
    await setSettings(house, project, { "launch.paused": "true" });
    await deploy(house, project, sha);
    await house.drain();
    await launch(project, id);
    await project.api.setCampaignStatus({ path: { id }, body: { action: "pause" } });
    house.advance(60_000);
    await deploy(house, project, before);
    await house.drain();
    const { body } = await refusal(launch(project, id));
    assert.equal((body as { reason: string }).reason, "coverage_missing");
    const { sourceChanges } = (await project.api.getCampaign({ path: { id } })).campaign;
    const nothing = { expectedRevision: sourceChanges.revision, changes: [] };
    await project.api.updateCampaign({ path: { id }, body: { sourceChanges: nothing } });
    assert.equal((await launch(project, id)).status, "running");
  });

  it("is launched by a person although a change is missing, not although a guardrail refuses", async () => {
    const repository = ownRepository();
    const project = await codeProject(house, repository);
    const { id: goalId } = await makeGoal(project, { guardrails: { forbiddenPhrases: ["free"] } });
    const sha = repository.commit({ "a.txt": "a" });
    const { id } = await announce(project, [commitChange(sha)], { goalId });
    const { app } = house.tidings;
    const override = { by: "Ada", reason: "The flag is on" };
    const launchIt = () =>
      house.database.kysely
        .transaction()
        .execute((db) =>
          launchByPerson(
            { app, db, projectId: project.projectId, now: house.now() },
            uuidFor("cmp", id),
            override,
          ),
        );
    await project.api.updateGoal({
      path: { id: goalId },
      body: { guardrails: { quietUntil: house.now() + 9 } },
    });
    await assert.rejects(launchIt, /quietUntil/);
    await project.api.updateGoal({ path: { id: goalId }, body: { guardrails: null } });
    assert.equal(await launchIt(), "running");
    await project.api.setCampaignStatus({ path: { id }, body: { action: "pause" } });
    assert.equal(await launchIt(), "running");
    const { launch: receipt } = await activationOf(project, id);
    assert.deepEqual([receipt?.mode, receipt?.override], ["manual", override]);
    const { runs } = await project.api.listAgentRuns({ query: { campaignId: id } });
    assert.deepEqual(
      runs.map(({ kind, rationale }) => [kind, rationale]),
      [
        ["launch", "The flag is on"],
        ["launch", "The flag is on"],
      ],
    );
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("keeps its approval when it is edited, and loses it when a person takes it back", async () => {
    const repository = ownRepository();
    const project = await codeProject(house, repository);
    const sha = repository.commit({ "a.txt": "a" });
    const { id } = await announce(project, [commitChange(sha)]);
    await decideLaunch(house, project, id);
    await project.api.updateCampaign({ path: { id }, body: { message: toast("Darker mode") } });
    assert.deepEqual(await waitsFor(project, id), ["deployment"]);
    await decideLaunch(house, project, id, { status: "rejected" });
    await deploy(house, project, sha);
    await house.drain();
    assert.deepEqual([await waitsFor(project, id), await statusOf(project, id)], [["approval"], "draft"]);
    await assert.rejects(decideLaunch(house, project, id, { status: "rejected" }), /not approved/);
    await assert.rejects(decideLaunch(house, project, id, { revisionPrefix: "000000" }), /another revision/);
    await decideLaunch(house, project, id);
    await house.drain();
    assert.equal(await statusOf(project, id), "running");
    await assert.rejects(decideLaunch(house, project, id), /launched already/);
  });

  it("launches when the delivery window is still to come, and not once it is over or the channel is not ready", async () => {
    const repository = ownRepository();
    const project = await codeProject(house, repository);
    const sha = repository.commit({ "a.txt": "a" });
    const early = await announce(project, [commitChange(sha)], { deliverFrom: house.now() + 3_600_000 });
    const over = await announce(project, [commitChange(sha)], { deliverUntil: house.now() + 1_000 });
    const mail = await announce(project, [commitChange(sha)], {
      channel: "email",
      message: { subject: "Dark mode", body: "It is here." },
    });
    house.advance(2_000);
    for (const { id } of [early, over, mail]) await decideLaunch(house, project, id);
    await deploy(house, project, sha);
    await house.drain();
    assert.equal(
      (await project.api.getCampaign({ path: { id: early.id } })).campaign.effectiveStatus,
      "scheduled",
    );
    assert.deepEqual(await waitsFor(project, over.id), ["expired"]);
    assert.deepEqual(await waitsFor(project, mail.id), ["readiness"]);
  });

  it("is found again when it was squashed, and warned about when it is reverted, once per deployment", async () => {
    const repository = ownRepository();
    const project = await codeProject(house, repository);
    repository.branch("feature");
    const shas = [repository.commit({ "a.txt": "a" }), repository.commit({ "b.txt": "b" })];
    repository.checkout("main");
    repository.commit({ "c.txt": "c" });
    const change = { sourceId: "web", kind: "pull_request" as const, number: 7, shas };
    const { id } = await announce(project, [change]);
    await decideLaunch(house, project, id);
    await deploy(house, project, repository.tip());
    await aMinuteLater();
    assert.deepEqual(await waitsFor(project, id), ["source_pending", "deployment"]);
    repository.git("merge", "--quiet", "--squash", "feature");
    const squashed = repository.commit({}, "Feature (#7)");
    await aMinuteLater();
    assert.deepEqual(await waitsFor(project, id), ["deployment"]);
    await deploy(house, project, squashed);
    await aMinuteLater();
    assert.equal(await statusOf(project, id), "running");

    repository.git("revert", "--no-edit", squashed);
    const reverted = repository.tip();
    const deployedAt = house.now();
    for (let i = 0; i < 2; i++) {
      await deploy(house, project, reverted, { deploymentId: "revert", deployedAt });
      await aMinuteLater();
    }
    repository.git("revert", "--no-edit", reverted);
    await deploy(house, project, repository.tip());
    await aMinuteLater();
    const { warnings, coverage } = await activationOf(project, id);
    assert.deepEqual(
      [warnings.map(({ reason }) => reason), coverage.map(({ state }) => state)],
      [["revert"], ["present"]],
    );
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("does not launch what was taken back, and warns about it, however that was done", async () => {
    for (const message of ['Revert "Dark mode (#7)" (#8)\n\nReverts acme/web#7', "Tidy up"]) {
      const repository = ownRepository();
      const project = await codeProject(house, repository);
      const sha = repository.commit({ "a.txt": "a" }, "Dark mode (#7)");
      const [before, after] = [
        await announce(project, [commitChange(sha)]),
        await announce(project, [commitChange(sha)]),
      ];
      await decideLaunch(house, project, before.id);
      await deploy(house, project, sha);
      await aMinuteLater();
      assert.equal(await statusOf(project, before.id), "running");
      repository.git("revert", "--no-edit", sha);
      repository.git("commit", "--quiet", "--amend", "-m", message);
      await deploy(house, project, repository.tip());
      await aMinuteLater();
      await decideLaunch(house, project, after.id);
      await house.drain();
      assert.deepEqual(await waitsFor(project, after.id), ["reverted"]);
      const { warnings } = await activationOf(project, before.id);
      assert.deepEqual(
        warnings.map(({ reason }) => reason),
        ["revert"],
      );
      assert.deepEqual(await house.differences(project.projectId), {});
    }
  });

  it("launches by the tip of a branch that is followed, and is warned about when that goes back", async () => {
    const repository = ownRepository();
    const project = await house.project();
    await followRepository(house, project, repository.url);
    const before = repository.tip();
    repository.git("branch", "production");
    await mapTo(house, project, { follows: "refs/heads/production" });
    const sha = repository.commit({ "a.txt": "a" });
    const { id } = await announce(project, [commitChange(sha)]);
    await decideLaunch(house, project, id);
    await aMinuteLater();
    assert.deepEqual(await waitsFor(project, id), ["deployment"]);
    for (const tip of [sha, before, sha]) {
      repository.git("branch", "--force", "production", tip);
      await aMinuteLater();
    }
    await aMinuteLater();
    assert.equal(await statusOf(project, id), "running");
    const { warnings, coverage } = await activationOf(project, id);
    assert.deepEqual(
      [warnings.map(({ reason }) => reason), coverage.map(({ state }) => state)],
      [["rollback"], ["present"]],
    );
    const { deployments } = await project.api.listDeployments({});
    assert.deepEqual(
      deployments.map(({ provider, sha: deployed }) => [provider, deployed]),
      [sha, before, sha, before].map((each) => ["ref", each]),
    );
  });

  it("follows a branch again after its tip was recorded by a clock that was ahead, and records each tip once", async () => {
    const repository = ownRepository();
    const project = await house.project();
    await followRepository(house, project, repository.url);
    repository.git("branch", "production");
    await mapTo(house, project, { follows: "refs/heads/production" });
    const right = house.now();
    house.advance(2 * 3_600_000);
    await aMinuteLater();
    house.at(right + 30_000);
    const sha = repository.commit({ "a.txt": "a" });
    const { id } = await announce(project, [commitChange(sha)]);
    await decideLaunch(house, project, id);
    repository.git("branch", "--force", "production", sha);
    for (let minutes = 0; minutes < 3; minutes++) await aMinuteLater();
    assert.equal(await statusOf(project, id), "running");
    const { deployments } = await project.api.listDeployments({});
    assert.deepEqual([deployments.length, deployments[0]?.sha], [2, sha]);
    assert.ok(deployments.every(({ deployedAt }) => deployedAt <= house.now()));
  });

  it("waits where the repository cannot tell: an unknown commit, a deployment that was never pushed", async () => {
    const repository = ownRepository();
    const project = await codeProject(house, repository);
    const sha = repository.commit({ "a.txt": "a" });
    const later = await announce(project, [commitChange("f".repeat(40))]);
    const { id } = await announce(project, [commitChange(sha)]);
    for (const campaign of [later.id, id]) await decideLaunch(house, project, campaign);
    await deploy(house, project, "e".repeat(40));
    await aMinuteLater();
    assert.deepEqual(await waitsFor(project, id), ["evidence_unknown"]);
    // The deployed commit is on a branch that is pushed only now.
    repository.branch("hotfix");
    const hotfix = repository.commit({ "b.txt": "b" });
    repository.checkout("main");
    await deploy(house, project, hotfix);
    await aMinuteLater();
    assert.deepEqual(
      [await statusOf(project, id), await waitsFor(project, later.id)],
      ["running", ["evidence_unknown"]],
    );
  });

  it("waits while its source is paused or has become another repository", async () => {
    const repository = ownRepository();
    const project = await codeProject(house, repository);
    const { kysely } = house.database;
    const sha = repository.commit({ "a.txt": "a" });
    const { id } = await announce(project, [commitChange(sha)]);
    await updateSource(kysely, project.projectId, "web", { paused: true }, house.now());
    await decideLaunch(house, project, id);
    await deploy(house, project, sha);
    await aMinuteLater();
    assert.deepEqual(
      [await statusOf(project, id), await waitsFor(project, id)],
      ["draft", ["source_paused"]],
    );
    const other = ownRepository();
    const become = { url: other.url, paused: false };
    await updateSource(kysely, project.projectId, "web", become, house.now());
    // What was true of the former repository does not count, before the other one was looked at and after.
    assert.deepEqual(await waitsFor(project, id), ["evidence_unknown"]);
    const { body } = await refusal(launch(project, id));
    assert.equal((body as { reason: string }).reason, "coverage_missing");
    await aMinuteLater();
    assert.deepEqual(
      [await statusOf(project, id), await waitsFor(project, id)],
      ["draft", ["evidence_unknown"]],
    );
  });

  it("is warned about once it is sure, whatever was unknown in between, with all changes in one warning", async () => {
    const repository = ownRepository();
    const project = await codeProject(house, repository);
    const before = repository.tip();
    const shas = [repository.commit({ "a.txt": "a" }), repository.commit({ "b.txt": "b" })];
    const { id } = await announce(
      project,
      shas.map((sha) => commitChange(sha)),
    );
    await decideLaunch(house, project, id);
    await deploy(house, project, repository.tip());
    await aMinuteLater();
    await deploy(house, project, "e".repeat(40));
    await aMinuteLater();
    const { coverage: unsure, warnings: none } = await activationOf(project, id);
    assert.deepEqual([unsure.map(({ state }) => state), none], [["unknown", "unknown"], []]);
    await deploy(house, project, before);
    await aMinuteLater();
    const requirements = (await activationOf(project, id)).requirements.map((each) => each.id);
    const warned = async () =>
      (await activationOf(project, id)).warnings.map(({ reason, requirementIds }) => [
        reason,
        requirementIds,
      ]);
    assert.deepEqual(await warned(), [["rollback", requirements]]);

    // As if git could not tell of the second change until now.
    const [first, second = ""] = requirements;
    await house.database.pool.query(
      "update launch_warnings set requirement_ids = $1 where campaign_id = $2",
      [JSON.stringify([first]), uuidFor("cmp", id)],
    );
    const { rowCount } = await house.database.pool.query(
      "update coverage set was_present = true, state = 'unknown' where requirement_id = $1",
      [uuidFor("req", second)],
    );
    assert.equal(rowCount, 1);
    await aMinuteLater();
    assert.deepEqual(await warned(), [["rollback", requirements]]);
    assert.deepEqual(
      (await activationOf(project, id)).coverage.map(({ state }) => state),
      ["absent", "absent"],
    );
  });

  it("is not launched by another project's deployment or source", async () => {
    const repository = ownRepository();
    const [mine, theirs] = [await codeProject(house, repository), await codeProject(house, repository)];
    const sha = repository.commit({ "a.txt": "a" });
    const { id } = await announce(mine, [commitChange(sha)]);
    await decideLaunch(house, mine, id);
    await deploy(house, theirs, sha);
    await house.drain();
    assert.deepEqual(await waitsFor(mine, id), ["deployment"]);
    await assert.rejects(decideLaunch(house, theirs, id), /no such campaign/);
  });
});

describe("a source that cannot be read", () => {
  it("says why, and campaigns wait for it", async () => {
    const project = await house.project();
    await followRepository(house, project, "file:///nowhere/web.git");
    await mapTo(house, project);
    const { id } = await announce(project, [commitChange("a".repeat(40))]);
    await house.drain();
    const { sources } = await project.agent.listSources();
    const reason = WITHOUT_GIT === false ? "not_found" : "git_missing";
    assert.deepEqual(
      sources.map(({ state, reason: why }) => [state, why]),
      [["unavailable", reason]],
    );
    assert.deepEqual(await waitsFor(project, id), ["approval", "source_unavailable", "deployment"]);
  });
});
