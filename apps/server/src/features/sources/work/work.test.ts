import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ownRepository } from "../../../../test/from-code.ts";
import { WITHOUT_GIT } from "../../../../test/peers/repository.ts";
import {
  claimed,
  claimState,
  connected,
  creating,
  drafted,
  dueOf,
  look,
  managedHouse,
  planFor,
  readCampaign,
  reconcile,
  refused,
  workProject,
} from "../../../../test/source-work.ts";

const house = managedHouse();

describe("source work", { skip: WITHOUT_GIT }, () => {
  it("drafts what a branch brings after it was connected, and nothing of before", async () => {
    const repository = ownRepository();
    repository.commit({ "old.txt": "old\n" }, "Long known");
    const project = await workProject(house, repository);
    await look(house);
    assert.deepEqual(await dueOf(project), []);
    const from = repository.tip();
    const sha = repository.commit(
      { "dark.css": "body { background: black }\n" },
      "Add dark mode\n\nFor tired eyes.",
    );
    const claim = await claimed(house, project);
    assert.deepEqual(
      [claim.fromSha, claim.toSha, claim.comparison],
      [from, sha, { beforeSha: from, afterSha: sha }],
    );
    assert.deepEqual(claim.changes, [
      { sha, message: "Add dark mode\n\nFor tired eyes.", pullRequests: [], sourceCampaignIds: [] },
    ]);
    assert.deepEqual(
      claim.files.map(({ path }) => path),
      ["dark.css"],
    );
    assert.match(
      claim.files[0]?.patch ?? "",
      /^diff --git a\/dark\.css b\/dark\.css\n[\s\S]*\n\+body \{ background: black \}\n$/,
    );
    assert.deepEqual(claim.repositoryContext, { description: null, readme: "Acme\n", commitSha: sha });
    assert.deepEqual(
      [claim.drafts, claim.withdrawals, claim.complete, claim.sourceGeneration],
      [[], [], true, 1],
    );
    assert.deepEqual(await dueOf(project), []);

    const plan = planFor(claim, [creating([sha])]);
    const done = await reconcile(project, claim, plan);
    const [made] = done.campaigns;
    assert.deepEqual(done, {
      ok: true,
      reconciledSha: sha,
      replayed: false,
      campaigns: [{ campaignId: made?.campaignId, created: true }],
    });
    const campaign = await readCampaign(project, made?.campaignId ?? "");
    assert.deepEqual(
      [campaign.status, campaign.createdBy, campaign.goalId, campaign.sourceChanges.changes],
      ["draft", "agent", null, [{ sourceId: "web", kind: "commit", sha }]],
    );
    const [run] = (await project.api.listAgentRuns({ query: { kind: "source" } })).runs;
    assert.deepEqual([run?.id, run?.rationale], [campaign.agentRunId, "Users will see it."]);

    assert.deepEqual(await reconcile(project, claim, plan), { ...done, replayed: true });
    const other = reconcile(project, claim, { ...plan, rationale: "Another one." });
    assert.deepEqual(await refused(other), {
      status: 409,
      body: { ok: false, status: 409, error: "This work is finished already, with another plan." },
    });
    await look(house);
    assert.deepEqual(await dueOf(project), []);
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("follows commits that a force-push has rewritten, and takes back those that it has dropped", async () => {
    const { repository, project } = await connected(house);
    const before = repository.tip();
    const [kept, dropped] = [
      repository.commit({ "a.css": "a\n" }, "Add A"),
      repository.commit({ "b.css": "b\n" }, "Add B"),
    ];
    const claim = await claimed(house, project);
    const done = await reconcile(
      project,
      claim,
      planFor(claim, [creating([kept], "A is here"), creating([dropped], "B is here")]),
    );
    const [a, b] = done.campaigns.map(({ campaignId }) => campaignId);
    repository.git("reset", "--hard", "--quiet", before);
    repository.commit({ "notes.txt": "n\n" }, "Take notes");
    repository.git("cherry-pick", kept);
    const rewritten = repository.tip();
    const next = await claimed(house, project);
    assert.deepEqual(
      next.changes.map(({ message }) => message),
      ["Take notes"],
    );
    assert.deepEqual([next.fromSha, next.comparison.beforeSha], [dropped, before]);
    assert.deepEqual(
      next.withdrawals.map(({ campaignId }) => campaignId),
      [b],
    );
    const base = next.drafts.find(({ campaignId }) => campaignId === b)?.contentHash ?? "";
    await reconcile(
      project,
      next,
      planFor(next, [
        { op: "skip", shas: next.changes.map(({ sha }) => sha), reason: "Nothing that users see." },
        { op: "withdraw", campaignId: b ?? "", baseContentHash: base, patch: {} },
      ]),
    );
    assert.deepEqual((await readCampaign(project, a ?? "")).sourceChanges.changes, [
      { sourceId: "web", kind: "commit", sha: rewritten },
    ]);
    assert.deepEqual((await readCampaign(project, b ?? "")).sourceChanges.changes, []);
    await look(house);
    assert.deepEqual(await dueOf(project), []);
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("follows a commit that was amended in its message alone, without a model", async () => {
    const { repository, project } = await connected(house);
    const before = repository.commit({ "a.css": "a\n" }, "Add A");
    const { id } = await drafted(house, project);
    repository.git("commit", "--quiet", "--amend", "-m", "Add A, said better");
    const sha = repository.tip();
    assert.notEqual(sha, before);
    assert.equal((await claimState(house, project)).state, "settled");
    assert.deepEqual((await readCampaign(project, id)).sourceChanges.changes, [
      { sourceId: "web", kind: "commit", sha },
    ]);
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("has people say nothing about which changes such a draft announces, and everything else", async () => {
    const { repository, project } = await connected(house);
    repository.commit({ "dark.css": "black\n" }, "Add dark mode");
    const { id, sourceChanges } = await drafted(house, project);
    const change = { expectedRevision: sourceChanges.revision, changes: [] };
    for (const body of [
      { sourceChanges: change },
      { sourceChanges: { ...change, expectedRevision: "stale" }, name: "No" },
    ]) {
      const { status, body: answer } = await refused(project.api.updateCampaign({ path: { id }, body }));
      assert.deepEqual([status, (answer as { reason: string }).reason], [409, "source_managed"]);
    }
    const { campaign } = await project.api.updateCampaign({ path: { id }, body: { name: "Renamed" } });
    assert.deepEqual([campaign.name, campaign.sourceChanges], ["Renamed", sourceChanges]);
  });
});
