import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setSettings } from "../../../../test/email.ts";
import { launchCampaign, toast } from "../../../../test/factories.ts";
import { codeHouse, ownRepository } from "../../../../test/from-code.ts";
import type { TestProject } from "../../../../test/harness.ts";
import { WITHOUT_GIT } from "../../../../test/peers/repository.ts";
import { clientOf } from "../../../../test/people.ts";
import {
  type Claim,
  claimed,
  claimState,
  creating,
  drafted,
  dueOf,
  dueRef,
  look,
  managedHouse,
  type Op,
  planFor,
  readCampaign,
  reconcile,
  refused,
  workProject,
} from "../../../../test/source-work.ts";
import { uuidFor } from "../../../domain/ids.ts";
import { launchByPerson } from "../../launch/public.ts";
import { updateSource } from "../registry/store.ts";

const house = managedHouse();
const selfHosted = codeHouse();

/** A repository, and a project whose source it is from now on. */
async function connected() {
  const repository = ownRepository();
  return { repository, project: await workProject(house, repository) };
}

/** What the runs of source work did, newest first. */
const runsOf = async ({ api }: TestProject) =>
  (await api.listAgentRuns({ query: { kind: "source" } })).runs.map(
    ({ output }) => (output as { action: string }).action,
  );

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

  it("takes texts back when the commit is reverted, without a model", async () => {
    const repository = ownRepository();
    const project = await workProject(house, repository);
    repository.commit({ "dark.css": "black\n" }, "Add dark mode");
    const { id, name } = await drafted(house, project);
    repository.git("revert", "--no-edit", "HEAD");
    assert.equal((await claimState(house, project)).state, "settled");
    const campaign = await readCampaign(project, id);
    assert.deepEqual([campaign.name, campaign.sourceChanges.changes], [name, []]);
    const { assessment } = await project.api.getCampaignActivation({ path: { id } });
    assert.ok(assessment.blockers.some(({ code }) => code === "withdrawn"));
    assert.deepEqual(await runsOf(project), ["withdraw", "reconcile"]);
    // What was taken back is not taken back again with the next one.
    repository.commit({ "light.css": "white\n" }, "Add light mode");
    await drafted(house, project);
    repository.git("revert", "--no-edit", "HEAD");
    assert.equal((await claimState(house, project)).state, "settled");
    assert.deepEqual(await runsOf(project), ["withdraw", "reconcile", "withdraw", "reconcile"]);
    const rows = await house.database.kysely
      .selectFrom("sourceContributions")
      .select(["ordinal", "kind"])
      .where("campaignId", "=", uuidFor("cmp", id))
      .orderBy("ordinal")
      .execute();
    assert.deepEqual(
      rows.map(({ kind }) => kind),
      ["create", "withdraw"],
    );
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("takes texts back however the commit was taken back, and offers what takes it back to none", async () => {
    for (const message of ['Revert "Add dark mode (#12)" (#13)\n\nReverts acme/web#12', "Tidy up"]) {
      const { repository, project } = await connected();
      repository.commit({ "dark.css": "black\n" }, "Add dark mode (#12)");
      const { id } = await drafted(house, project);
      repository.commit({ "other.css": "other\n" }, "chore: other");
      repository.git("revert", "--no-edit", "HEAD~1");
      repository.git("commit", "--quiet", "--amend", "-m", message);
      const claim = await claimed(house, project);
      assert.deepEqual(
        claim.changes.map((change) => change.message),
        ["chore: other"],
      );
      assert.deepEqual(
        claim.withdrawals.map(({ campaignId }) => campaignId),
        [id],
      );
    }
  });

  it("offers nothing of what came and was taken back in the same window, however it was", async () => {
    for (const message of [null, 'Revert "Add dark mode (#12)" (#13)\n\nReverts acme/web#12', "Tidy up"]) {
      const { repository, project } = await connected();
      const sha = repository.commit({ "dark.css": "black\n" }, "Add dark mode (#12)");
      repository.git("revert", "--no-edit", "HEAD");
      if (message !== null) repository.git("commit", "--quiet", "--amend", "-m", message);
      assert.equal((await claimState(house, project)).state, "settled");
      // What comes back is news, and what brought it back in the same window is none.
      repository.commit({ "light.css": "white\n" }, "Add light mode");
      repository.git("revert", "--no-edit", "HEAD");
      repository.git("commit", "--quiet", "--amend", "-m", "Tidy up once more");
      repository.git("revert", "--no-edit", "HEAD");
      repository.git("commit", "--quiet", "--amend", "-m", "And back");
      const { changes } = await claimed(house, project);
      assert.deepEqual(
        changes.map((change) => change.message),
        ["Add light mode"],
      );
      assert.ok(!changes.some((change) => change.sha === sha));
    }
  });

  it("offers what does more than to take something back", async () => {
    const { repository, project } = await connected();
    repository.commit({ "dark.css": "black\n" }, "Add dark mode");
    repository.git("rm", "--quiet", "dark.css");
    const more = "Add light mode\n\nThis reverts commit HEAD.".replace("HEAD", repository.tip());
    const sha = repository.commit({ "light.css": "white\n" }, more);
    const { changes } = await claimed(house, project);
    assert.deepEqual(
      changes.map((change) => change.sha),
      [sha],
    );
  });

  it("leaves a launched campaign as it is when one of its commits is reverted, and offers the other to none", async () => {
    const { repository, project } = await connected();
    repository.commit({ "a.css": "a\n" }, "Add A");
    repository.commit({ "b.css": "b\n" }, "Add B");
    const { id } = await drafted(house, project);
    const { api } = project;
    await house.database.kysely
      .transaction()
      .execute((db) =>
        launchByPerson(
          { app: house.tidings.app, db, projectId: project.projectId, now: house.now() },
          uuidFor("cmp", id),
          { by: "Ada", reason: "It is there" },
        ),
      );
    const before = (await api.getCampaign({ path: { id } })).campaign;
    repository.git("revert", "--no-edit", "HEAD");
    assert.equal((await claimState(house, project)).state, "settled");
    assert.deepEqual((await api.getCampaign({ path: { id } })).campaign, before);
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("has a draft that people allowed allowed again once an agent has revised it", async () => {
    const { repository, project } = await connected();
    await setSettings(house, project, { "launch.approvedContent": "true" });
    repository.commit({ "dark.css": "black\n" }, "Add dark mode");
    const { id, name, variants } = await drafted(house, project);
    const { client } = await clientOf(house, project.projectId, "approver");
    const path = { id };
    const { revision } = await client.getActivationApproval({ path });
    await client.decideActivation({ path, body: { revision, decision: "approved" } });
    const seen = async () => {
      const { approval, approvedAsIs } = await project.api.getCampaignActivation({ path });
      return { approval, approvedAsIs };
    };
    assert.deepEqual(await seen(), { approval: "approved", approvedAsIs: true });
    const sha = repository.commit({ "dark.css": "#111\n" }, "Make dark mode darker");
    const claim = await claimed(house, project);
    const [draft] = claim.drafts;
    const edits = [{ field: "title" as const, before: "mode is", after: "mode, darker, is" }];
    const patch = { variants: [{ id: variants[0]?.id ?? "", edits }] };
    const base = { campaignId: id, baseContentHash: draft?.contentHash ?? "" };
    await reconcile(project, claim, planFor(claim, [{ op: "revise", shas: [sha], ...base, patch }]));
    assert.equal((await readCampaign(project, id)).name, name);
    assert.deepEqual(await seen(), { approval: "pending", approvedAsIs: false });
    const stale = client.decideActivation({ path, body: { revision, decision: "approved" } });
    assert.equal((await refused(stale)).status, 409, "what is allowed is what was read");
  });

  it("puts the texts of a draft back as they were where the commit that changed them is reverted", async () => {
    const { repository, project } = await connected();
    repository.commit({ "dark.css": "black\n" }, "Add dark mode");
    const made = await drafted(house, project);
    const sha = repository.commit({ "dark.css": "#111\n" }, "Make dark mode darker");
    const claim = await claimed(house, project);
    const [draft] = claim.drafts;
    assert.deepEqual(
      [draft?.campaignId, draft?.origin, draft?.review, draft?.customerEditedFields],
      [made.id, "source", "pending", []],
    );
    const patch = {
      name: { before: made.name, after: "Darker mode" },
      variants: [
        {
          id: made.variants[0]?.id ?? "",
          edits: [{ field: "title" as const, before: "mode is", after: "mode, darker, is" }],
        },
      ],
    };
    const base = { campaignId: made.id, baseContentHash: draft?.contentHash ?? "" };
    await reconcile(project, claim, planFor(claim, [{ op: "revise", shas: [sha], ...base, patch }]));
    const revised = await readCampaign(project, made.id);
    assert.deepEqual(
      [revised.name, revised.variants[0]?.content],
      ["Darker mode", toast("Dark mode, darker, is here")],
    );
    assert.equal(revised.sourceChanges.changes.length, 2);

    repository.git("revert", "--no-edit", "HEAD");
    assert.equal((await claimState(house, project)).state, "settled");
    const back = await readCampaign(project, made.id);
    assert.deepEqual([back.name, back.variants], [made.name, made.variants]);
    assert.deepEqual(back.sourceChanges, made.sourceChanges);
    assert.deepEqual(await runsOf(project), ["withdraw", "reconcile", "reconcile"]);
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("leaves what a person has rewritten since to an agent, and tells which texts those are", async () => {
    const { repository, project } = await connected();
    repository.commit({ "dark.css": "black\n" }, "Add dark mode");
    const made = await drafted(house, project);
    const variantId = made.variants[0]?.id ?? "";
    const sha = repository.commit({ "dark.css": "#111\n" }, "Make dark mode darker");
    const claim = await claimed(house, project);
    const base = { campaignId: made.id, baseContentHash: claim.drafts[0]?.contentHash ?? "" };
    const edits = [{ field: "title" as const, before: "Dark mode", after: "Darker mode" }];
    const revise: Op = {
      op: "revise",
      shas: [sha],
      ...base,
      patch: { variants: [{ id: variantId, edits }] },
    };
    await reconcile(project, claim, planFor(claim, [revise]));
    const message = { presentation: "toast" as const, title: "At last: a dark theme" };
    await project.api.updateCampaign({ path: { id: made.id }, body: { message } });
    repository.git("revert", "--no-edit", "HEAD");
    const later = await claimed(house, project);
    assert.deepEqual(later.changes, []);
    assert.deepEqual(later.drafts[0]?.customerEditedFields, [`${variantId}.title`]);
    const [withdrawal] = later.withdrawals;
    assert.deepEqual([withdrawal?.campaignId, withdrawal?.patch], [made.id, {}]);
    assert.deepEqual(
      withdrawal?.contributions.map(({ ordinal, withdrawn, edits: restored }) => [
        ordinal,
        withdrawn,
        restored,
      ]),
      [
        [0, false, [{ variantId, field: "title", before: null, after: "Dark mode is here" }]],
        [1, true, [{ variantId, ...edits[0] }]],
      ],
    );
    const baseContentHash = later.drafts[0]?.contentHash ?? "";
    const op: Op = { op: "withdraw", campaignId: made.id, baseContentHash, patch: {} };
    await reconcile(project, later, planFor(later, [op]));
    const now = await readCampaign(project, made.id);
    assert.deepEqual([now.variants[0]?.content, now.sourceChanges], [message, made.sourceChanges]);
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("leaves a draft to an agent whose first commit is reverted while a later one stands", async () => {
    const { repository, project } = await connected();
    repository.commit({ "dark.css": "black\n" }, "Add dark mode");
    const made = await drafted(house, project);
    const variantId = made.variants[0]?.id ?? "";
    const sha = repository.commit({ "light.css": "white\n" }, "Add light mode");
    const claim = await claimed(house, project);
    const base = { campaignId: made.id, baseContentHash: claim.drafts[0]?.contentHash ?? "" };
    const edits = [{ field: "title" as const, before: "is here", after: "and light mode are here" }];
    const op: Op = { op: "revise", shas: [sha], ...base, patch: { variants: [{ id: variantId, edits }] } };
    await reconcile(project, claim, planFor(claim, [op]));
    repository.git("revert", "--no-edit", "HEAD~1");
    const next = await claimed(house, project);
    assert.deepEqual(next.changes, []);
    const [withdrawal] = next.withdrawals;
    assert.deepEqual(
      [withdrawal?.patch, withdrawal?.contributions.map(({ withdrawn }) => withdrawn)],
      [{}, [true, false]],
    );
    const patch = {
      variants: [
        {
          id: variantId,
          edits: [
            { field: "title" as const, before: "Dark mode and light mode are", after: "Light mode is" },
          ],
        },
      ],
    };
    const baseContentHash = next.drafts[0]?.contentHash ?? "";
    const back: Op = { op: "withdraw", campaignId: made.id, baseContentHash, patch };
    await reconcile(project, next, planFor(next, [back]));
    const now = await readCampaign(project, made.id);
    assert.deepEqual(now.variants[0]?.content, toast("Light mode is here"));
    assert.deepEqual(now.sourceChanges.changes, [{ sourceId: "web", kind: "commit", sha }]);
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("offers the other commits of a draft anew where one of them is reverted", async () => {
    const { repository, project } = await connected();
    const kept = repository.commit({ "a.css": "a\n" }, "Add A");
    repository.commit({ "b.css": "b\n" }, "Add B");
    const { id } = await drafted(house, project);
    repository.git("revert", "--no-edit", "HEAD");
    const claim = await claimed(house, project);
    assert.deepEqual(
      claim.changes.map(({ sha, sourceCampaignIds }) => [sha, sourceCampaignIds]),
      [[kept, [id]]],
    );
    const [withdrawal] = claim.withdrawals;
    assert.deepEqual(withdrawal?.patch, {});
    const baseContentHash = claim.drafts[0]?.contentHash ?? "";
    const { campaigns } = await reconcile(
      project,
      claim,
      planFor(claim, [
        { op: "withdraw", campaignId: id, baseContentHash, patch: {} },
        creating([kept], "A is here"),
      ]),
    );
    assert.deepEqual(
      campaigns.map(({ created }) => created),
      [false, true],
    );
    assert.deepEqual((await readCampaign(project, id)).sourceChanges.changes, []);
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("announces a restored commit anew, and nothing of what only merges bring", async () => {
    const { repository, project } = await connected();
    repository.branch("feature");
    const sha = repository.commit({ "a.css": "a\n" }, "Add A");
    repository.checkout("main");
    repository.git("merge", "--no-ff", "--no-edit", "-q", "feature");
    assert.deepEqual(
      (await claimed(house, project)).changes.map((each) => each.sha),
      [sha],
    );
    house.advance(3_600_000);
    await drafted(house, project);
    repository.checkout("feature");
    repository.git("merge", "--no-ff", "--no-edit", "-q", "main");
    repository.checkout("main");
    repository.git("merge", "--no-ff", "--no-edit", "-q", "feature");
    assert.equal((await claimState(house, project)).state, "settled");
    const tip = repository.tip();
    repository.git("reset", "--hard", "--quiet", "HEAD~2");
    assert.equal((await claimState(house, project)).state, "settled");
    repository.git("reset", "--hard", "--quiet", tip);
    assert.deepEqual(
      (await claimed(house, project)).changes.map((each) => each.sha),
      [sha],
    );
  });

  it("follows commits that a force-push has rewritten, and takes back those that it has dropped", async () => {
    const { repository, project } = await connected();
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
    const { repository, project } = await connected();
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
    const { repository, project } = await connected();
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

  it("cuts long histories into windows, each of which begins where the last one ended", async () => {
    const { repository, project } = await connected();
    repository.git("config", "core.looseCompression", "0");
    const shas = Array.from({ length: 230 }, (_, n) =>
      repository.git("commit", "--quiet", "--allow-empty", "-m", `Change ${n}`) === ""
        ? repository.tip()
        : "",
    );
    const first = await claimed(house, project);
    assert.deepEqual(
      first.changes.map(({ sha }) => sha),
      shas.slice(0, 200),
    );
    await reconcile(
      project,
      first,
      planFor(first, [{ op: "skip", shas: shas.slice(0, 200), reason: "Empty." }]),
    );
    const second = await claimed(house, project);
    assert.deepEqual([second.fromSha, second.changes.map(({ sha }) => sha)], [shas[199], shas.slice(200)]);
  });

  it("ends a window before it has 300 files, and shows 300 of a commit that has more", async () => {
    const { repository, project } = await connected();
    const commitMany = (name: string, count: number): string => {
      for (let n = 0; n < count; n++) writeFileSync(join(repository.folder, `${name}-${n}.txt`), `${n}\n`);
      repository.git("add", "-A");
      repository.git("commit", "--quiet", "-m", `Add ${name}`);
      return repository.tip();
    };
    const [a, b, c] = [commitMany("a", 200), commitMany("b", 200), commitMany("c", 310)];
    for (const [sha, files] of [
      [a, 200],
      [b, 200],
      [c, 300],
    ] as const) {
      const claim = await claimed(house, project);
      assert.deepEqual(
        [claim.changes.map((each) => each.sha), claim.toSha, claim.files.length],
        [[sha], sha, files],
      );
      await reconcile(project, claim, planFor(claim, [{ op: "skip", shas: [sha], reason: "Files." }]));
    }
    await look(house);
    assert.deepEqual(await dueOf(project), []);
  });

  it("shows patches of text of up to 256 KB, whatever files are called", async () => {
    const { repository, project } = await connected();
    repository.commit(
      {
        "large.txt": `${"x".repeat(99)}\n`.repeat(3_000),
        "binary.bin": "a\0b",
        "with space and ü and\ttab.txt": "fine\n",
        "diff.txt": "diff --git a/x b/x\n",
      },
      "Add files",
    );
    repository.git("rm", "-q", "README.md");
    repository.git("commit", "-q", "-m", "Remove the readme");
    const { files, repositoryContext } = await claimed(house, project);
    assert.deepEqual(
      files.map(({ path, patch }) => [path, patch === null ? null : patch.split("\n").at(-2)]),
      [
        ["README.md", "-Acme"],
        ["binary.bin", null],
        ["diff.txt", "+diff --git a/x b/x"],
        ["large.txt", null],
        ["with space and ü and\ttab.txt", "+fine"],
      ],
    );
    assert.equal(repositoryContext.readme, null);
  });
});

describe("a lease on source work", { skip: WITHOUT_GIT }, () => {
  it("is one caller's: of two at once one gets it, and after its time another one", async () => {
    const { repository, project } = await connected();
    const sha = repository.commit({ "dark.css": "black\n" }, "Add dark mode");
    await look(house);
    const refId = await dueRef(project);
    const claim = () => project.agent.claimRef({ path: { refId }, body: { leaseSeconds: 60 } });
    const answers = await Promise.allSettled([claim(), claim(), claim()]);
    assert.equal(answers.filter(({ status }) => status === "fulfilled").length, 1);
    for (const answer of answers)
      if (answer.status === "rejected")
        assert.deepEqual((await refused(Promise.reject(answer.reason))).body, {
          ok: false,
          status: 403,
          error: "Another one has the lease on this work.",
          retryAfterMs: 60_000,
        });
    const [won] = answers.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    assert.ok(won?.state === "claimed");
    house.advance(60_000);
    // What was claimed and not done rests for a minute.
    assert.deepEqual(await dueOf(project), []);
    assert.deepEqual((await refused(claim())).body, {
      ok: false,
      status: 403,
      error: "This work was claimed and not done: it rests for a while.",
      retryAfterMs: 60_000,
    });
    house.advance(60_000);
    const second = await claim();
    assert.ok(second.state === "claimed");
    const late = reconcile(project, won.claim, planFor(won.claim, [creating([sha])]));
    assert.deepEqual(await refused(late), {
      status: 403,
      body: { ok: false, status: 403, error: "This lease is not the ref's any more: claim it again." },
    });
    await reconcile(project, second.claim, planFor(second.claim, [creating([sha])]));
    assert.equal((await project.api.listCampaigns()).total, 1);
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("costs a run of the day, and waits for the next day or month where there is none left", async () => {
    const { repository, project } = await connected();
    await setSettings(house, project, { "safety.maxRunsPerDay": "1" });
    repository.commit({ "a.css": "a\n" }, "Add A");
    await drafted(house, project);
    const { runsUsedToday, maxRunsPerDay } = await project.agent.listDueRefs();
    assert.deepEqual([runsUsedToday, maxRunsPerDay], [1, 1]);
    repository.commit({ "b.css": "b\n" }, "Add B");
    await look(house);
    const refId = await dueRef(project);
    const claim = () => project.agent.claimRef({ path: { refId }, body: {} });
    const spent = await refused(claim());
    const untilTomorrow = 86_400_000 - (house.now() % 86_400_000);
    assert.deepEqual(spent.body, {
      ok: false,
      status: 403,
      error: "The runs of this UTC day are used up: safety.maxRunsPerDay.",
      retryAfterMs: untilTomorrow,
    });
    await setSettings(house, project, { "safety.maxRunsPerDay": "5", "ai.monthlyLimit": "0" });
    assert.equal((await project.agent.listDueRefs()).aiLimitReached, true);
    const { body } = await refused(claim());
    assert.match(String((body as { error: string }).error), /^This month's credits are used up/);
    // What needs no model is done all the same.
    repository.git("reset", "--hard", "--quiet", "HEAD~1");
    repository.git("revert", "--no-edit", "HEAD");
    assert.equal((await claimState(house, project)).state, "settled");
    assert.equal((await project.agent.listDueRefs()).runsUsedToday, 1);
  });

  it("is given while people let it be", async () => {
    const { repository, project } = await connected();
    repository.commit({ "a.css": "a\n" }, "Add A");
    await look(house);
    const refId = await dueRef(project);
    const claim = async () =>
      (await refused(project.agent.claimRef({ path: { refId }, body: {} }))).body as Record<string, unknown>;
    const { kysely } = house.database;
    await updateSource(kysely, project.projectId, "web", { paused: true }, house.now());
    assert.deepEqual(await dueOf(project), []);
    assert.deepEqual(await claim(), { ok: false, status: 403, error: "This source is paused." });
    await updateSource(kysely, project.projectId, "web", { paused: false, enabled: false }, house.now());
    assert.deepEqual(await claim(), { ok: false, status: 403, error: "This source is switched off." });
    await updateSource(kysely, project.projectId, "web", { enabled: true }, house.now());
    await setSettings(house, project, { "safety.loopPaused": "true" });
    assert.deepEqual(await dueOf(project), []);
    assert.match(String((await claim()).error), /loop is paused/);
  });

  it("is worth nothing once the source is another repository", async () => {
    const { repository, project } = await connected();
    repository.commit({ "first.css": "first\n" }, "Add the first");
    const made = await drafted(house, project);
    const sha = repository.commit({ "a.css": "a\n" }, "Add A");
    const claim = await claimed(house, project);
    const other = ownRepository();
    await updateSource(house.database.kysely, project.projectId, "web", { url: other.url }, house.now());
    assert.deepEqual(await refused(reconcile(project, claim, planFor(claim, [creating([sha])]))), {
      status: 409,
      body: {
        ok: false,
        status: 409,
        error: "The source has become another one meanwhile: claim the ref again.",
      },
    });
    house.advance(3_600_000);
    await look(house);
    // It was connected anew: nothing of its history is announced.
    assert.deepEqual(await dueOf(project), []);
    other.commit({ "b.css": "b\n" }, "Add B");
    other.commit({ "c.css": "c\n" }, `Take something back\n\nThis reverts commit ${"c".repeat(40)}.`);
    const { changes, withdrawals } = await claimed(house, project);
    assert.deepEqual(changes.length, 2);
    // What the other repository cannot say anything about stays.
    assert.deepEqual(withdrawals, []);
    assert.deepEqual((await readCampaign(project, made.id)).sourceChanges, made.sourceChanges);
  });

  it("is connected anew at another branch that does not continue what was there, and takes nothing back", async () => {
    const { repository, project } = await connected();
    repository.branch("release");
    repository.commit({ "release.txt": "r\n" }, "Prepare a release");
    repository.checkout("main");
    repository.commit({ "a.css": "a\n" }, "Add A");
    const made = await drafted(house, project);
    const follow = (branch: string) =>
      updateSource(house.database.kysely, project.projectId, "web", { branch }, house.now());
    await follow("release");
    await look(house);
    assert.deepEqual(await dueOf(project), []);
    assert.deepEqual((await readCampaign(project, made.id)).sourceChanges, made.sourceChanges);
    // A branch that continues it goes on where it was.
    repository.checkout("release");
    repository.branch("next");
    repository.commit({ "b.css": "b\n" }, "Add B");
    await follow("next");
    assert.deepEqual(
      (await claimed(house, project)).changes.map(({ message }) => message),
      ["Add B"],
    );
  });

  it("cannot be had while the repository cannot be read, and says when to ask again", async () => {
    const { repository, project } = await connected();
    repository.commit({ "a.css": "a\n" }, "Add A");
    await look(house);
    const refId = await dueRef(project);
    repository.remove();
    const { status, body } = await refused(project.agent.claimRef({ path: { refId }, body: {} }));
    assert.deepEqual([status, (body as { retryAfterMs: number }).retryAfterMs], [503, 5_000]);
    assert.equal((await project.agent.listDueRefs()).runsUsedToday, 0);
  });
});

describe("a plan", { skip: WITHOUT_GIT }, () => {
  it("is refused with the field that is at fault, changes nothing, and gives the lease back", async () => {
    const { repository, project } = await connected();
    const customer = await project.api.createCampaign({
      body: { name: "Mine", message: toast("Mine, mine") },
    });
    const { id: launchedId } = await launchCampaign(project);
    const shas = [
      repository.commit({ "a.css": "a\n" }, "Add A"),
      repository.commit({ "b.css": "b\n" }, "Add B"),
    ];
    const [a = "", b = ""] = shas;
    const { id, variants } = customer.campaign;
    const variantId = variants[0]?.id ?? "";
    const skipping: Op = { op: "skip", shas: [b], reason: "Nothing that users see." };
    const edit = (before: string, after = "Ours", field: "title" | "body" = "title") => ({
      field,
      before,
      after,
    });
    const revising =
      (edits: ReturnType<typeof edit>[], more: Partial<Extract<Op, { op: "revise" }>> = {}) =>
      (claim: Claim): Op => ({
        op: "revise",
        shas: [a],
        campaignId: id,
        patch: { variants: [{ id: variantId, edits }] },
        baseContentHash: claim.drafts.find(({ campaignId }) => campaignId === id)?.contentHash ?? "",
        ...more,
      });
    const web = (message: Record<string, unknown>): Op => ({
      op: "create",
      shas: [a],
      campaign: { name: "New", channel: "web_inapp", message },
    });
    type Case = [ops: (Op | ((claim: Claim) => Op))[], status: number, error: RegExp];
    const cases: Case[] = [
      [
        [creating([a])],
        400,
        new RegExp(`^ops must draft or skip every commit of the claim: ${b} is missing$`),
      ],
      [[creating(shas), skipping], 400, /^ops\[1\]\.shas\[0\] must not be both drafted and skipped$/],
      [
        [creating([a, "f".repeat(40)]), skipping],
        400,
        /^ops\[0\]\.shas\[1\] must be a commit of the claim's changes$/,
      ],
      [[creating([a, a]), skipping], 400, /^ops\[0\]\.shas\[1\] must not be given twice$/],
      [[creating(shas), creating(shas)], 400, /^ops\[1\] must not repeat another one$/],
      [
        [revising([edit("no such text")]), skipping],
        400,
        /^ops\[0\]\.patch\.variants\[0\]\.edits\[0\]\.before must stand in the text exactly once$/,
      ],
      [[revising([edit("ine")]), skipping], 400, /edits\[0\]\.before must stand in the text exactly once$/],
      [
        [revising([edit("Mine,"), edit("ne, m")]), skipping],
        400,
        /edits\[1\]\.before must not overlap with another edit$/,
      ],
      [
        [revising([edit("x", "y", "body")]), skipping],
        400,
        /edits\[0\]\.field must be a text that the variant has$/,
      ],
      [[revising([edit("Mine,", "{{ nonsense")]), skipping], 400, /^ops\[0\]\.patch: .*title/],
      [
        [revising([edit("Mine,")], { patch: { name: { before: "Min", after: "New" } } }), skipping],
        400,
        /^ops\[0\]\.patch\.name\.before must be the whole name/,
      ],
      [
        [revising([edit("Mine,")], { baseContentHash: "0".repeat(64) }), skipping],
        409,
        /^ops\[0\]\.baseContentHash is stale/,
      ],
      [
        [revising([edit("Mine,")], { campaignId: "cmp_nowhere" }), skipping],
        404,
        /^ops\[0\]\.campaignId is no campaign/,
      ],
      [
        [revising([edit("Mine,")], { campaignId: launchedId }), skipping],
        409,
        /^ops\[0\]\.campaignId was launched/,
      ],
      [
        [{ op: "withdraw", campaignId: id, baseContentHash: "0".repeat(64), patch: {} }, creating(shas)],
        400,
        /must be a campaign of the claim's withdrawals$/,
      ],
      [
        [web({ presentation: "toast", subject: "For mail" }), skipping],
        400,
        /^ops\[0\]\.campaign: message.*subject/,
      ],
      [
        [web({ presentation: "banner", title: "Hi" }), skipping],
        400,
        /^ops\[0\]\.campaign: message\.presentation/,
      ],
      [
        [web({ presentation: "toast" }), skipping],
        400,
        /^ops\[0\]\.campaign: message must have a title or a body/,
      ],
      // The second draft is refused, so the first one is not made.
      [
        [creating([b], "First"), web({ presentation: "toast", title: "{{" })],
        400,
        /^ops\[1\]\.campaign: message\.title/,
      ],
    ];
    for (const [ops, status, error] of cases) {
      const claim = await claimed(house, project);
      const before = (await project.api.listCampaigns()).total;
      const plan = planFor(
        claim,
        ops.map((op) => (typeof op === "function" ? op(claim) : op)),
      );
      const answer = await refused(reconcile(project, claim, plan));
      const body = answer.body as { ok: boolean; status: number; error: string };
      assert.deepEqual([answer.status, body.ok, body.status], [status, false, status], body.error);
      assert.match(body.error, error);
      assert.equal((await project.api.listCampaigns()).total, before);
      // The lease is gone, and the work can be claimed again after a while.
      assert.equal((await refused(reconcile(project, claim, plan))).status, 403);
      house.advance(6 * 3_600_000);
    }
    const { campaign } = await project.api.getCampaign({ path: { id } });
    assert.deepEqual(campaign, customer.campaign);
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("says from where to where it goes as its claim did", async () => {
    const { repository, project } = await connected();
    const sha = repository.commit({ "a.css": "a\n" }, "Add A");
    for (const [change, error] of [
      [{ fromSha: "0".repeat(40) }, /^fromSha is not/],
      [{ toSha: "0".repeat(40) }, /^toSha is not/],
      [{ sourceGeneration: 7 }, /^The source has become another one/],
    ] as const) {
      const claim = await claimed(house, project);
      const plan = { ...planFor(claim, [creating([sha])]), ...change };
      const { status, body } = await refused(reconcile(project, claim, plan));
      assert.equal(status, 409);
      assert.match((body as { error: string }).error, error);
      house.advance(3_600_000);
    }
  });

  it("may be about a draft of the customer, whose own changes stay", async () => {
    const { repository, project } = await connected();
    const own = { sourceId: "elsewhere", kind: "commit" as const, sha: "e".repeat(40) };
    const { campaign } = await project.api.createCampaign({
      body: { name: "Mine", message: toast("Mine"), sourceChanges: { changes: [own] } },
    });
    const sha = repository.commit({ "a.css": "a\n" }, "Add A");
    const claim = await claimed(house, project);
    const [draft] = claim.drafts;
    const variantId = campaign.variants[0]?.id ?? "";
    assert.deepEqual(
      [draft?.origin, draft?.customerEditedFields],
      ["customer", ["name", `${variantId}.title`]],
    );
    const patch = {
      variants: [
        { id: variantId, edits: [{ field: "title" as const, before: "Mine", after: "Mine, with A" }] },
      ],
    };
    const base = { campaignId: campaign.id, baseContentHash: draft?.contentHash ?? "" };
    await reconcile(project, claim, planFor(claim, [{ op: "revise", shas: [sha], ...base, patch }]));
    const both = await readCampaign(project, campaign.id);
    assert.deepEqual(both.sourceChanges.changes, [own, { sourceId: "web", kind: "commit", sha }]);
    repository.git("revert", "--no-edit", "HEAD");
    assert.equal((await claimState(house, project)).state, "settled");
    const back = await readCampaign(project, campaign.id);
    assert.deepEqual([back.sourceChanges.changes, back.variants], [[own], campaign.variants]);
    assert.deepEqual(await house.differences(project.projectId), {});
  });
});

describe("source work on a server that is no managed deployment", () => {
  it("is not offered: 501 for every operation and key, and nothing is kept of it", async () => {
    const project = await selfHosted.project();
    const refId = "ref_019b0000-0000-7000-8000-000000000000";
    const calls = [
      () => project.api.listDueRefs(),
      () => project.agent.listDueRefs(),
      () => project.agent.claimRef({ path: { refId }, body: {} }),
      () =>
        project.agent.reconcileRef({
          path: { refId },
          body: {
            leaseToken: "lease",
            sourceGeneration: 1,
            fromSha: null,
            toSha: "a".repeat(40),
            rationale: "R",
            ops: [{ op: "skip", shas: ["a".repeat(40)], reason: "R" }],
          },
        }),
    ];
    for (const call of calls)
      assert.deepEqual(await refused(call()), {
        status: 501,
        body: { error: "This operation is available on a managed deployment only." },
      });
  });

  it("has no refs, however much is looked at", { skip: WITHOUT_GIT }, async () => {
    const repository = ownRepository();
    await workProject(selfHosted, repository);
    repository.commit({ "a.css": "a\n" }, "Add A");
    await look(selfHosted);
    const refs = await selfHosted.database.kysely.selectFrom("sourceRefs").selectAll().execute();
    assert.deepEqual(refs, []);
  });
});
