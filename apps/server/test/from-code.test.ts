import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { feedback, messagesOf, toast } from "./factories.ts";
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
} from "./from-code.ts";
import { WITHOUT_GIT } from "./peers/repository.ts";

const house = codeHouse();

describe("one change, from its commit to a warning", { skip: WITHOUT_GIT }, () => {
  it("is announced when it is live, measured, and warned about when it is taken back", async () => {
    const repository = ownRepository();
    const project = await codeProject(house, repository);
    const before = repository.tip();

    // Ada commits dark mode, and her program drafts the campaign that announces it.
    const sha = repository.commit({ "dark.css": "body { background: black }" }, "Add dark mode");
    const { goal } = await project.api.createGoal({
      body: { name: "Dark mode is used", targetEvent: "dark_mode_on", holdoutPercent: 20 },
    });
    const { id } = await announce(project, [commitChange(sha)], {
      goalId: goal.id,
      variants: [{ message: toast("Dark mode is here") }, { message: toast("Rest your eyes") }],
    });
    await house.drain();
    assert.deepEqual(await waitsFor(project, id), ["approval", "deployment"]);

    // Grace reads it and allows it. It is not live yet, so no user sees it.
    await decideLaunch(house, project, id);
    await deploy(house, project, before);
    await house.drain();
    assert.deepEqual(await waitsFor(project, id), ["deployment"]);
    assert.deepEqual(await messagesOf(project, "early"), []);

    // CI deploys the commit, and the campaign launches by itself.
    house.advance(60_000);
    const live = await deploy(house, project, sha, { label: "v2" });
    await house.drain();
    assert.equal(await statusOf(project, id), "running");
    const { launch, approval, assessment } = await activationOf(project, id);
    assert.deepEqual([approval, assessment], ["unavailable", { state: "not_initial", blockers: [] }]);
    assert.deepEqual([launch?.mode, launch?.startedAt], ["automatic", house.now()]);
    assert.deepEqual(
      launch?.evidence.map(({ id: deploymentId, revision, label }) => [deploymentId, revision, label]),
      [[live.id, sha, "v2"]],
    );

    // Users see it, and some switch dark mode on.
    let shown = 0;
    let switched = 0;
    for (let i = 0; i < 60; i++) {
      const userId = `user-${i}`;
      const [message] = await messagesOf(project, userId);
      if (message === undefined) continue;
      await feedback(project, message.deliveryId, userId, "shown");
      house.advance(1_000);
      shown++;
      if (i % 3 !== 0) continue;
      await project.sdk.track({ body: { userId, event: "dark_mode_on" } });
      switched++;
    }
    // After the days of attribution the numbers stand.
    house.advance(8 * 86_400_000);
    await house.drain();
    const numbers = await project.api.getCampaignConversions({
      path: { id },
      query: { event: "dark_mode_on" },
    });
    assert.ok(shown > 0 && shown < 60 && switched > 0);
    const { totals, statistics } = numbers;
    assert.deepEqual([totals.exposedUsers, totals.convertedUsers], [shown, switched]);
    assert.deepEqual(statistics?.holdout?.served.matured, { exposedUsers: shown, convertedUsers: switched });
    assert.equal(statistics?.sampleRatio.mismatch, false);

    // An operator rolls production back. The campaign goes on, and says so.
    house.advance(60_000);
    const rollback = await deploy(house, project, before, { label: "v1" });
    await house.drain();
    await house.drain();
    const { warnings } = await activationOf(project, id);
    assert.deepEqual(
      warnings.map(({ reason, evidence, mappingLabel }) => [
        reason,
        evidence.id,
        mappingLabel.split(" ").at(-1),
      ]),
      [["rollback", rollback.id, "production"]],
    );
    assert.equal(await statusOf(project, id), "running");
    const { runs } = await project.api.listAgentRuns({ query: { campaignId: id } });
    assert.deepEqual(
      runs.map(({ kind }) => kind),
      ["warning", "launch", "approval"],
    );
    assert.deepEqual(await house.differences(), {});
  });
});
