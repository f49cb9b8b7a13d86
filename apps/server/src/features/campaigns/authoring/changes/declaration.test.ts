import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Input } from "@tidings/client";
import { toast } from "../../../../../test/factories.ts";
import { refusal, sharedHouse, type TestProject } from "../../../../../test/harness.ts";

const house = sharedHouse();

type Change = NonNullable<Input<"createCampaign">["body"]["sourceChanges"]>["changes"][number];

const commit = (digit: string, sourceId = "web"): Change => ({
  sourceId,
  kind: "commit",
  sha: digit.repeat(40),
});
const pull = (number: number, ...digits: string[]): Change => ({
  sourceId: "web",
  kind: "pull_request",
  number,
  shas: digits.map((digit) => digit.repeat(40)),
});

const make = async ({ api }: TestProject, changes: Change[]) =>
  (
    await api.createCampaign({
      body: { name: "Dark mode", message: toast("Dark mode is here"), sourceChanges: { changes } },
    })
  ).campaign;

const declare = (
  { api }: TestProject,
  id: string,
  expectedRevision: string,
  changes: Change[],
  more: Partial<Input<"updateCampaign">["body"]> = {},
) => api.updateCampaign({ path: { id }, body: { ...more, sourceChanges: { expectedRevision, changes } } });

describe("sourceChanges of a campaign", () => {
  it("are declared when it is made, and shown wherever it is", async () => {
    const project = await house.project();
    const changes = [commit("a"), pull(12, "b", "c"), commit("a", "app")];
    const campaign = await make(project, changes);
    assert.deepEqual(campaign.sourceChanges.changes, changes);
    const { campaign: read } = await project.api.getCampaign({ path: { id: campaign.id } });
    assert.deepEqual(read.sourceChanges, campaign.sourceChanges);
    const { campaigns } = await project.api.listCampaigns({});
    assert.deepEqual(campaigns[0]?.sourceChanges, campaign.sourceChanges);
  });

  it("are none where nothing is declared, with a revision all the same", async () => {
    const project = await house.project();
    const plain = await project.api.createCampaign({ body: { name: "Plain", message: toast() } });
    const { revision, changes } = plain.campaign.sourceChanges;
    assert.deepEqual(changes, []);
    assert.equal((await make(project, [])).sourceChanges.revision, revision);
    const { campaign } = await declare(project, plain.campaign.id, revision, [commit("a")]);
    assert.deepEqual(campaign.sourceChanges.changes, [commit("a")]);
  });

  it("stay when a change leaves them out, and are replaced together with the rest", async () => {
    const project = await house.project();
    const { id, sourceChanges } = await make(project, [commit("a"), commit("b")]);
    const { campaign: renamed } = await project.api.updateCampaign({ path: { id }, body: { name: "Other" } });
    assert.deepEqual(renamed.sourceChanges, sourceChanges);
    const swapped = [commit("b"), pull(3, "c"), commit("a")];
    const { campaign } = await declare(project, id, sourceChanges.revision, swapped, { name: "Third" });
    assert.deepEqual([campaign.name, campaign.sourceChanges.changes], ["Third", swapped]);
    assert.notEqual(campaign.sourceChanges.revision, sourceChanges.revision);
    const { campaign: cleared } = await declare(project, id, campaign.sourceChanges.revision, []);
    assert.deepEqual(cleared.sourceChanges.changes, []);
  });

  it("are replaced only by those who have seen them; nothing else of a stale change is kept", async () => {
    const project = await house.project();
    const { id, sourceChanges } = await make(project, [commit("a")]);
    const { campaign } = await declare(project, id, sourceChanges.revision, [commit("b")]);
    const { status, error, body } = await refusal(
      declare(project, id, sourceChanges.revision, [commit("c")], { name: "Stale", message: toast("Stale") }),
    );
    assert.equal(status, 409);
    assert.deepEqual(body, { error, reason: "stale_revision", revision: campaign.sourceChanges.revision });
    const { campaign: kept } = await project.api.getCampaign({ path: { id } });
    assert.deepEqual([kept.name, kept.sourceChanges], ["Dark mode", campaign.sourceChanges]);
  });

  it("are replaced by one of two at once", async () => {
    const project = await house.project();
    const { id, sourceChanges } = await make(project, [commit("a")]);
    const ended = await Promise.allSettled(
      ["b", "c", "d", "e"].map((digit) => declare(project, id, sourceChanges.revision, [commit(digit)])),
    );
    assert.equal(ended.filter(({ status }) => status === "fulfilled").length, 1);
  });

  it("are refused with the field that is wrong, and then no campaign is made", async () => {
    const project = await house.project();
    const sha = "a".repeat(40);
    const wrong: readonly [unknown, RegExp][] = [
      [{ sourceId: "web", kind: "commit", sha: sha.toUpperCase() }, /^sourceChanges\.changes\[0\]\.sha /],
      [{ sourceId: "web", kind: "commit", sha: "abc" }, /^sourceChanges\.changes\[0\]\.sha /],
      [{ sourceId: "web", kind: "commit", sha, number: 1 }, /number/],
      [{ sourceId: "", kind: "commit", sha }, /^sourceChanges\.changes\[0\]\.sourceId /],
      [{ sourceId: "x".repeat(129), kind: "commit", sha }, /^sourceChanges\.changes\[0\]\.sourceId /],
      [{ sourceId: "we\u0000b", kind: "commit", sha }, /NUL|\\u0000|character/i],
      [{ sourceId: "web", kind: "tag", sha }, /^sourceChanges\.changes\[0\]\.kind /],
      [{ sourceId: "web", kind: "pull_request", number: 0, shas: [sha] }, /number /],
      [{ sourceId: "web", kind: "pull_request", number: 1, shas: [] }, /shas /],
      [{ sourceId: "web", kind: "pull_request", number: 1, shas: [sha, sha] }, /shas must not name/],
      [{ sourceId: "web", kind: "pull_request", number: 1, shas: Array(251).fill(sha) }, /shas /],
      ["commit", /^sourceChanges\.changes\[0\] /],
    ];
    for (const [change, message] of wrong) {
      const { status, error } = await refusal(make(project, [change as Change]));
      assert.equal(status, 400, JSON.stringify(change));
      assert.match(error, message);
    }
    const twice = await refusal(make(project, [pull(1, "a"), pull(1, "b")]));
    assert.match(twice.error, /^sourceChanges\.changes\[1\] is declared twice/);
    const many = Array.from({ length: 101 }, (_, index) => pull(index + 1, "a"));
    assert.match((await refusal(make(project, many))).error, /^sourceChanges\.changes /);
    const onCreate = { expectedRevision: "x", changes: [] } as { changes: Change[] };
    const body = { name: "N", message: toast(), sourceChanges: onCreate };
    assert.match((await refusal(project.api.createCampaign({ body }))).error, /expectedRevision/);
    assert.equal((await project.api.listCampaigns({})).total, 0);
  });

  it("take 100 changes of 250 commits, twice", async () => {
    const project = await house.project();
    const shas = Array.from({ length: 250 }, (_, index) => index.toString(16).padStart(40, "0"));
    const changes = Array.from(
      { length: 20 },
      (_, index): Change => ({ sourceId: "web", kind: "pull_request", number: index + 1, shas }),
    );
    const { id, sourceChanges } = await make(project, changes);
    const { campaign } = await declare(project, id, sourceChanges.revision, changes.toReversed());
    assert.deepEqual(campaign.sourceChanges.changes, changes.toReversed());
  });
});
