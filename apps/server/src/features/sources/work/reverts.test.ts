import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setSettings } from "../../../../test/email.ts";
import { toast } from "../../../../test/factories.ts";
import { ownRepository } from "../../../../test/from-code.ts";
import type { TestProject } from "../../../../test/harness.ts";
import { WITHOUT_GIT } from "../../../../test/peers/repository.ts";
import { clientOf } from "../../../../test/people.ts";
import {
  claimed,
  claimState,
  connected,
  creating,
  drafted,
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

const house = managedHouse();

/** What the runs of source work did, newest first. */
const runsOf = async ({ api }: TestProject) =>
  (await api.listAgentRuns({ query: { kind: "source" } })).runs.map(
    ({ output }) => (output as { action: string }).action,
  );

describe("source work after a commit was taken back", { skip: WITHOUT_GIT }, () => {
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
      const { repository, project } = await connected(house);
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
      const { repository, project } = await connected(house);
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
    const { repository, project } = await connected(house);
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
    const { repository, project } = await connected(house);
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
    const { repository, project } = await connected(house);
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
    const { repository, project } = await connected(house);
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
    const { repository, project } = await connected(house);
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
    const { repository, project } = await connected(house);
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
    const { repository, project } = await connected(house);
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
    const { repository, project } = await connected(house);
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
});
