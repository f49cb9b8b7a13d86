import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Input } from "@tidings/client";
import { event, expression, trait } from "../../../../test/audience/trees.ts";
import { refusal, type TestProject, testHouse } from "../../../../test/harness.ts";

const house = testHouse();

type Change = Input<"updateSegment">["body"];

const onPro = expression(trait("plan", "eq", "pro"));
const paid = expression(event("paid", { count: { op: "gte", value: 1 } }));

/** A project with a segment of version 1. */
async function withSegment() {
  const project = await house.project();
  const body = { key: "vips", name: "VIPs", expression: onPro, reason: "first" };
  const { segment } = await project.api.createSegment({ body });
  return { project, segment };
}

const change = async ({ api }: TestProject, body: Change) =>
  (await api.updateSegment({ path: { id: "vips" }, body })).segment;
const refuse = ({ api }: TestProject, body: Record<string, unknown>) =>
  refusal(api.updateSegment({ path: { id: "vips" }, body: body as Change }));
const versionsOf = async ({ api }: TestProject) =>
  (await api.listSegmentVersions({ path: { id: "vips" } })).versions;

describe("updateSegment", () => {
  it("renames and describes without a new version", async () => {
    const { project, segment } = await withSegment();
    for (const body of [
      { name: "🎯".repeat(80) },
      { description: "🎯".repeat(1_000) },
      { description: null },
      { name: "Both", description: "" },
    ]) {
      house.advance(7);
      const changed = await change(project, body);
      assert.deepEqual({ ...changed, ...body, updatedAt: house.now() }, changed);
      const { name, description, updatedAt } = changed;
      assert.deepEqual({ ...segment, name, description, updatedAt }, changed);
    }
    assert.equal((await versionsOf(project)).length, 1);
  });

  it("takes what goes with a revision beside a new name, too", async () => {
    const { project } = await withSegment();
    const { run } = await project.api.createAgentRun({ body: { kind: "observation" } });
    const body = { name: "Best", reason: "clearer", agentRunId: run.id, expectedVersion: 1 };
    const changed = await change(project, body);
    assert.deepEqual([changed.name, changed.reason, changed.currentVersion], ["Best", "first", 1]);
    const stale = await refuse(project, { name: "Other", expectedVersion: 2 });
    assert.deepEqual([stale.status, stale.body], [409, { error: stale.error, currentVersion: 1 }]);
    assert.equal((await refuse(project, { ...body, agentRunId: "run_of_nobody" })).status, 400);
    assert.equal((await change(project, { description: "x" })).name, "Best");
  });

  it("makes the next version of an expression, and keeps the one before", async () => {
    const { project, segment } = await withSegment();
    house.advance(7);
    const revised = await change(project, { expression: paid, expectedVersion: 1 });
    assert.deepEqual(
      { ...segment, ...revised },
      {
        ...segment,
        currentVersion: 2,
        expression: paid,
        summary: "performed paid",
        reason: null,
        currentAudienceVersionId: revised.currentAudienceVersionId,
        updatedAt: house.now(),
        expressionHash: revised.expressionHash,
      },
    );
    assert.notEqual(revised.currentAudienceVersionId, segment.currentAudienceVersionId);
    assert.notEqual(revised.expressionHash, segment.expressionHash);
    assert.deepEqual((await project.api.getSegment({ path: { id: segment.id } })).segment, revised);
    const all = { expression: onPro, expectedVersion: 2, reason: "back", name: "Back", description: "again" };
    const back = await change(project, all);
    assert.deepEqual(
      [back.currentVersion, back.expressionHash, back.reason, back.name, back.description],
      [3, segment.expressionHash, "back", "Back", "again"],
    );
    assert.deepEqual(
      (await versionsOf(project)).map(({ version, reason }) => [version, reason]),
      [
        [3, "back"],
        [2, null],
        [1, "first"],
      ],
    );
  });

  it("refuses a version that is not the current one, and says which is", async () => {
    const { project } = await withSegment();
    await change(project, { expression: paid, expectedVersion: 1 });
    for (const expectedVersion of [1, 3, 1_000_000]) {
      const { status, body } = await refuse(project, { expression: onPro, expectedVersion, name: "No" });
      const error = "expectedVersion is stale: the segment is at version 2";
      assert.deepEqual([status, body], [409, { error, currentVersion: 2 }]);
    }
    const { segment } = await project.api.getSegment({ path: { id: "vips" } });
    assert.deepEqual([segment.currentVersion, segment.name], [2, "VIPs"]);
  });

  it("lets exactly one of several concurrent revisions win", async () => {
    const { project } = await withSegment();
    for (let version = 1; version <= 3; version++) {
      const race = await Promise.allSettled(
        Array.from({ length: 6 }, (_, i) =>
          change(project, { expression: expression(event(`e${i}`)), expectedVersion: version }),
        ),
      );
      const won = race.filter(({ status }) => status === "fulfilled");
      assert.equal(won.length, 1);
    }
    assert.deepEqual(
      (await versionsOf(project)).map(({ version }) => version),
      [4, 3, 2, 1],
    );
  });

  it("keeps every change of many at once", async () => {
    const { project } = await withSegment();
    await Promise.all([
      change(project, { name: "Renamed" }),
      change(project, { description: "Described" }),
      change(project, { expression: paid, expectedVersion: 1 }),
    ]);
    const { segment } = await project.api.getSegment({ path: { id: "vips" } });
    assert.deepEqual(
      [segment.name, segment.description, segment.currentVersion, segment.expression],
      ["Renamed", "Described", 2, paid],
    );
  });

  it("leaves the rules of an archived segment alone, and renames it", async () => {
    const { project, segment } = await withSegment();
    await project.api.archiveSegment({ path: { id: "vips" } });
    for (const expectedVersion of [1, 2]) {
      const { status, body } = await refuse(project, { expression: paid, expectedVersion, name: "No" });
      const error = "This segment is archived: its rules can no longer be revised.";
      assert.deepEqual([status, body], [409, { error }]);
    }
    house.advance(3);
    assert.deepEqual(await change(project, { name: "Former", description: "gone" }), {
      ...segment,
      name: "Former",
      description: "gone",
      status: "archived",
      updatedAt: house.now(),
    });
  });

  const refused: readonly [string, Record<string, unknown>, RegExp][] = [
    ["nothing", {}, /must change at least one of name, description, expression$/],
    ["what it does not know", { key: "other" }, /^key: unknown field/],
    [
      "an expression without its version",
      { expression: paid },
      /^expectedVersion is required with expression/,
    ],
    ["nothing but a version", { expectedVersion: 1 }, /^expectedVersion goes with name, /],
    ["nothing but a reason", { reason: "x" }, /^reason goes with name, description or expression$/],
    ["nothing but a run", { agentRunId: null }, /^agentRunId goes with name, /],
    ["version 0", { expression: paid, expectedVersion: 0 }, /^expectedVersion /],
    ["version 1.5", { expression: paid, expectedVersion: 1.5 }, /^expectedVersion /],
    ["a version in quotes", { expression: paid, expectedVersion: "1" }, /^expectedVersion /],
    ["an empty name", { name: "" }, /^name /],
    ["a name that is null", { name: null }, /^name /],
    ["a name of 81 characters", { name: "🎯".repeat(81) }, /^name /],
    ["a description of 1,001 characters", { description: "x".repeat(1_001) }, /^description /],
    [
      "a reason of 501 characters",
      { expression: paid, expectedVersion: 1, reason: "x".repeat(501) },
      /^reason /,
    ],
    [
      "a run there is not",
      { expression: paid, expectedVersion: 1, agentRunId: "run_1" },
      /^agentRunId must be a run/,
    ],
    ["no expression", { expression: null, expectedVersion: 1 }, /^expression is not valid/],
  ];
  for (const [name, body, message] of refused) {
    it(`refuses ${name}`, async () => {
      const { project, segment } = await withSegment();
      const { status, error } = await refuse(project, body);
      assert.equal(status, 400);
      assert.match(error, message);
      assert.deepEqual((await project.api.getSegment({ path: { id: "vips" } })).segment, segment);
      assert.equal((await versionsOf(project)).length, 1);
    });
  }

  it("says where an expression is wrong", async () => {
    const { project } = await withSegment();
    const wrong = { version: 1, root: { kind: "not", child: { kind: "all", children: [] } } };
    const { status, body } = await refuse(project, { expression: wrong, expectedVersion: 1 });
    const { diagnostics } = body as { diagnostics: { code: string; path: string }[] };
    assert.deepEqual(
      [status, diagnostics.map(({ code, path }) => [code, path])],
      [400, [["empty_group", "/root/child/children"]]],
    );
  });

  it("revises once under an Idempotency-Key", async () => {
    const { project } = await withSegment();
    const input = {
      path: { id: "vips" },
      body: { expression: paid, expectedVersion: 1 },
      headers: { "idempotency-key": "revise" },
    };
    const first = await project.api.updateSegment(input);
    assert.deepEqual(await project.api.updateSegment(input), first);
    assert.equal((await versionsOf(project)).length, 2);
  });
});
