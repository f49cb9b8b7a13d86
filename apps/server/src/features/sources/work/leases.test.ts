import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setSettings } from "../../../../test/email.ts";
import { ownRepository } from "../../../../test/from-code.ts";
import { WITHOUT_GIT } from "../../../../test/peers/repository.ts";
import {
  claimed,
  claimState,
  connected,
  creating,
  drafted,
  dueOf,
  dueRef,
  look,
  managedHouse,
  planFor,
  readCampaign,
  reconcile,
  refused,
} from "../../../../test/source-work.ts";
import { updateSource } from "../registry/store.ts";

const house = managedHouse();

describe("a lease on source work", { skip: WITHOUT_GIT }, () => {
  it("is one caller's: of two at once one gets it, and after its time another one", async () => {
    const { repository, project } = await connected(house);
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
    const { repository, project } = await connected(house);
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
    const { repository, project } = await connected(house);
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
    const { repository, project } = await connected(house);
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
    const { repository, project } = await connected(house);
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
    const { repository, project } = await connected(house);
    repository.commit({ "a.css": "a\n" }, "Add A");
    await look(house);
    const refId = await dueRef(project);
    repository.remove();
    const { status, body } = await refused(project.agent.claimRef({ path: { refId }, body: {} }));
    assert.deepEqual([status, (body as { retryAfterMs: number }).retryAfterMs], [503, 5_000]);
    assert.equal((await project.agent.listDueRefs()).runsUsedToday, 0);
  });
});
