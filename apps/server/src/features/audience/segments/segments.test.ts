import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Input } from "@tidings/client";
import { event, expression, trait } from "../../../../test/audience/trees.ts";
import { refusal, type TestProject, testHouse } from "../../../../test/harness.ts";

const house = testHouse();

const onPro = expression(trait("plan", "eq", "pro"));
const paid = expression(event("paid", { count: { op: "gte", value: 1 } }));

const make = async ({ api }: TestProject, body: Partial<Input<"createSegment">["body"]> = {}) =>
  (await api.createSegment({ body: { key: "vips", name: "VIPs", expression: onPro, ...body } })).segment;
const pathTo = (id: string) => ({ path: { id } });
const revise = async ({ api }: TestProject, id: string, expectedVersion: number, next = paid) =>
  (await api.updateSegment({ ...pathTo(id), body: { expression: next, expectedVersion } })).segment;
const keysOf = async ({ api }: TestProject, query: { status?: "active" | "archived" } = {}) =>
  (await api.listSegments({ query })).segments.map(({ key }) => key);

describe("listSegments", () => {
  it("answers segments without their expressions, newest first", async () => {
    const project = await house.project();
    assert.deepEqual(await project.api.listSegments(), { segments: [] });
    await make(project);
    house.advance(1);
    const {
      expression: _,
      expressionHash,
      schemaVersion,
      reason,
      ...listed
    } = await make(project, {
      key: "payers",
      expression: paid,
    });
    assert.deepEqual([schemaVersion, reason, expressionHash.length], [1, null, 64]);
    const { segments } = await project.api.listSegments();
    assert.deepEqual(segments[0], listed);
    assert.deepEqual(await keysOf(project), ["payers", "vips"]);
  });

  it("shows what a segment is now", async () => {
    const project = await house.project();
    await make(project);
    house.advance(1);
    const {
      expression: _,
      expressionHash,
      schemaVersion,
      reason,
      ...listed
    } = await revise(project, "vips", 1);
    assert.deepEqual([listed.currentVersion, listed.summary], [2, "performed paid"]);
    assert.deepEqual((await project.api.listSegments()).segments, [listed]);
  });

  it("takes apart what is active and what is archived", async () => {
    const project = await house.project();
    for (const key of ["a", "b", "c"]) {
      await make(project, { key });
      house.advance(1);
    }
    await project.api.archiveSegment(pathTo("b"));
    assert.deepEqual(await keysOf(project), ["c", "b", "a"]);
    assert.deepEqual(await keysOf(project, { status: "active" }), ["c", "a"]);
    assert.deepEqual(await keysOf(project, { status: "archived" }), ["b"]);
    for (const status of ["", "Active", "all"]) {
      const query = { status } as { status?: "active" };
      const { status: refused, error } = await refusal(project.api.listSegments({ query }));
      assert.deepEqual([refused, error.startsWith("status ")], [400, true], error);
    }
  });

  it("answers the newest hundred, each of its own version", async () => {
    const project = await house.project();
    const keys = Array.from({ length: 103 }, (_, i) => `segment-${i}`);
    for (const key of keys) {
      await make(project, { key });
      house.advance(1);
    }
    assert.deepEqual(await keysOf(project), keys.toReversed().slice(0, 100));
  });

  it("goes on listing beside a version that cannot be read, which a revision mends", async () => {
    const project = await house.project();
    const { id } = await make(project);
    await make(project, { key: "sound" });
    await house.database.pool.query("update audience_versions set expression = '{}' where segment_id = $1", [
      id.slice("seg_".length),
    ]);
    const summaries = async () =>
      Object.fromEntries(
        (await project.api.listSegments()).segments.map(({ key, summary }) => [key, summary]),
      );
    assert.deepEqual(await summaries(), { vips: null, sound: 'trait plan is "pro"' });
    await revise(project, "vips", 1);
    assert.deepEqual(await summaries(), { vips: "performed paid", sound: 'trait plan is "pro"' });
  });

  it("shows a segment as it was at one moment, while it is revised", async () => {
    const project = await house.project();
    await make(project);
    const versions = new Map<string, number>();
    const listing = async () => {
      for (let i = 0; i < 15; i++) {
        for (const { currentAudienceVersionId, currentVersion } of (await project.api.listSegments())
          .segments) {
          const known = versions.get(currentAudienceVersionId) ?? currentVersion;
          assert.equal(currentVersion, known);
          versions.set(currentAudienceVersionId, known);
        }
      }
    };
    const revising = async () => {
      for (let version = 1; version <= 15; version++) await revise(project, "vips", version);
    };
    await Promise.all([listing(), listing(), revising()]);
  });
});

describe("getSegment", () => {
  it("answers by id and by key", async () => {
    const project = await house.project();
    const segment = await make(project, { description: "Who pays", reason: "asked for" });
    house.advance(1);
    assert.deepEqual(await project.api.getSegment(pathTo(segment.id)), { segment });
    assert.deepEqual(await project.api.getSegment(pathTo("vips")), { segment });
  });

  it("finds nothing by what is neither", async () => {
    const project = await house.project();
    const { id, currentAudienceVersionId } = await make(project);
    for (const other of [
      "VIPS",
      "vip",
      "vips ",
      id.slice(4),
      id.toUpperCase(),
      `${id}0`,
      currentAudienceVersionId,
      "seg_",
      "seg_vips",
      "seg_019b0000-0000-7000-8000-000000000000",
      "%",
      "x".repeat(128),
    ]) {
      const { status, error } = await refusal(project.api.getSegment(pathTo(other)));
      assert.deepEqual([status, error], [404, "Segment not found"], other);
    }
  });
});

describe("archiveSegment", () => {
  it("answers the archived segment, and is refused the second time", async () => {
    const project = await house.project();
    const segment = await make(project);
    house.advance(5);
    const { segment: archived } = await project.api.archiveSegment(pathTo("vips"));
    assert.deepEqual(archived, { ...segment, status: "archived", updatedAt: house.now() });
    for (const id of ["vips", segment.id]) {
      const { status, error } = await refusal(project.api.archiveSegment(pathTo(id)));
      assert.deepEqual([status, error], [409, "This segment is archived already."]);
    }
    assert.deepEqual((await project.api.getSegment(pathTo("vips"))).segment, archived);
  });

  it("happens once, however many ask, and beside revisions", async () => {
    const project = await house.project();
    await make(project);
    const archiving = Array.from({ length: 8 }, () => project.api.archiveSegment(pathTo("vips")));
    const outcomes = await Promise.allSettled([...archiving, revise(project, "vips", 1)]);
    assert.equal(outcomes.slice(0, 8).filter(({ status }) => status === "fulfilled").length, 1);
    const wasRevised = outcomes[8]?.status === "fulfilled";
    const { segment } = await project.api.getSegment(pathTo("vips"));
    assert.deepEqual([segment.status, segment.currentVersion], ["archived", wasRevised ? 2 : 1]);
    assert.deepEqual(segment.expression, wasRevised ? paid : onPro);
  });
});

describe("versions of a segment", () => {
  it("are listed newest first, and read one by one with their expression", async () => {
    const project = await house.project();
    const { run } = await project.api.createAgentRun({ body: { kind: "note" } });
    const first = await make(project, { reason: "first" });
    house.advance(10);
    const body = { expression: paid, expectedVersion: 1, reason: "second", agentRunId: run.id };
    const second = (await project.api.updateSegment({ ...pathTo("vips"), body })).segment;
    const shared = { schemaVersion: 1, createdBy: "api" };
    const expected = [
      {
        ...shared,
        audienceVersionId: second.currentAudienceVersionId,
        version: 2,
        reason: "second",
        expressionHash: second.expressionHash,
        summary: "performed paid",
        agentRunId: run.id,
        createdAt: house.now(),
      },
      {
        ...shared,
        audienceVersionId: first.currentAudienceVersionId,
        version: 1,
        reason: "first",
        expressionHash: first.expressionHash,
        summary: 'trait plan is "pro"',
        agentRunId: null,
        createdAt: first.createdAt,
      },
    ];
    const read = async () => {
      for (const id of ["vips", first.id]) {
        const list = await project.api.listSegmentVersions(pathTo(id));
        assert.deepEqual(list, { segmentId: first.id, versions: expected });
        for (const [version, described, written] of [
          [1, expected[1], onPro],
          [2, expected[0], paid],
        ] as const) {
          const one = await project.api.getSegmentVersion({ path: { id, version } });
          assert.deepEqual(one, { segmentId: first.id, version: { ...described, expression: written } });
        }
      }
    };
    await read();
    await project.api.archiveSegment(pathTo("vips"));
    await read();
  });

  it("are not there beyond the last one, nor under other spellings", async () => {
    const project = await house.project();
    await make(project);
    for (const version of ["0", "2", "-1", "1.0", "1e0", "x", " 1", "9".repeat(20), "0x1"]) {
      const { status, error } = await refusal(
        // The typed client would not send such a value.
        project.api.getSegmentVersion({ path: { id: "vips", version: version as unknown as number } }),
      );
      assert.deepEqual([status, error], [404, "Segment version not found"], version);
    }
  });
});

describe("a segment of another project", () => {
  it("is not there to list, read, revise, archive or ask about", async () => {
    const [mine, other] = [await house.project(), await house.project()];
    const segment = await make(other);
    await mine.sdk.identify({ body: { userId: "ada" } });
    const { api } = mine;
    for (const id of [segment.id, "vips"]) {
      const calls = [
        () => api.getSegment(pathTo(id)),
        () => api.updateSegment({ ...pathTo(id), body: { name: "Mine now" } }),
        () => revise(mine, id, 1),
        () => api.archiveSegment(pathTo(id)),
        () => api.listSegmentVersions(pathTo(id)),
        () => api.getSegmentVersion({ path: { id, version: 1 } }),
        () => api.checkAudience({ body: { segment: id } }),
        () => api.explainAudience({ body: { segment: id, userId: "ada" } }),
      ];
      for (const call of calls) {
        const { status, error } = await refusal(call());
        assert.deepEqual([status, error], [404, "Segment not found"]);
      }
    }
    assert.deepEqual(await keysOf(mine), []);
    assert.deepEqual((await other.api.getSegment(pathTo("vips"))).segment, segment);
    assert.notEqual((await make(mine)).id, segment.id);
  });

  it("has versions and runs of its own", async () => {
    const [mine, other] = [await house.project(), await house.project()];
    const { run } = await other.api.createAgentRun({ body: { kind: "note" } });
    await make(mine);
    const body = { expression: paid, expectedVersion: 1, agentRunId: run.id };
    const { status, error } = await refusal(mine.api.updateSegment({ ...pathTo("vips"), body }));
    assert.deepEqual([status, error], [400, "agentRunId must be a run of this project"]);
    assert.equal((await mine.api.listSegmentVersions(pathTo("vips"))).versions.length, 1);
  });
});
