import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Answer, Input } from "@tidings/client";
import { event, expression, not, trait } from "../../../../../test/audience/trees.ts";
import { launchCampaign, messagesOf } from "../../../../../test/factories.ts";
import { refusal, sharedHouse, type TestProject } from "../../../../../test/harness.ts";

const house = sharedHouse();

type AudienceInput = NonNullable<Input<"createCampaign">["body"]["audience"]>;
type Campaign = Answer<"getCampaign">["campaign"];

const onPro = expression(trait("plan", "eq", "pro"));
const paid = expression(event("paid", { count: { op: "gte", value: 1 } }));
const ofPro = { kind: "expression", expression: onPro } as const;

const change = async ({ api }: TestProject, id: string, audience: AudienceInput | null): Promise<Campaign> =>
  (await api.updateCampaign({ path: { id }, body: { audience } })).campaign;
const read = async ({ api }: TestProject, id: string): Promise<Campaign> =>
  (await api.getCampaign({ path: { id } })).campaign;
const isServed = async (project: TestProject, userId: string): Promise<boolean> =>
  (await messagesOf(project, userId)).length > 0;

/** A project with a segment of version 1, people on the pro plan, and people who paid. */
async function withSegment() {
  const project = await house.project();
  const { api, sdk } = project;
  const body = { key: "vips", name: "VIPs", expression: onPro, reason: "first" };
  const { segment } = await api.createSegment({ body });
  for (const userId of ["pro-1", "pro-2", "pro-3"])
    await sdk.identify({ body: { userId, traits: { plan: "pro" } } });
  for (const userId of ["payer-1", "payer-2", "payer-3"])
    await sdk.track({ body: { userId, event: "paid" } });
  return { project, segment };
}

const revise = async ({ api }: TestProject, expectedVersion: number, next = paid) =>
  (await api.updateSegment({ path: { id: "vips" }, body: { expression: next, expectedVersion } })).segment;

describe("audience of a campaign", () => {
  it("is shown with what follows from it, when made, read, listed and changed", async () => {
    const { project } = await withSegment();
    const audience = { kind: "expression", expression: paid, reason: "They know the way" } as const;
    const campaign = await launchCampaign(project, { audience });
    const { expressionHash } = await project.api.checkAudience({ body: { expression: paid } });
    assert.ok(campaign.audience.kind === "expression");
    const { audienceVersionId } = campaign.audience;
    assert.match(audienceVersionId ?? "", /^aud_[0-9a-f-]{36}$/);
    assert.deepEqual(campaign.audience, {
      kind: "expression",
      audienceVersionId,
      schemaVersion: 1,
      expression: paid,
      expressionHash,
      summary: "performed paid",
      reason: "They know the way",
      legacy: false,
    });
    assert.equal(campaign.targeting, null);
    assert.deepEqual((await read(project, campaign.id)).audience, campaign.audience);
    const { campaigns } = await project.agent.listCampaigns();
    assert.deepEqual(campaigns[0]?.audience, campaign.audience);
    const again = await change(project, campaign.id, audience);
    assert.ok(again.audience.kind === "expression");
    assert.notEqual(again.audience.audienceVersionId, audienceVersionId);
    assert.equal(again.audience.expressionHash, expressionHash);
  });

  it("is a segment's version with the segment's names", async () => {
    const { project, segment } = await withSegment();
    const { audience, targeting } = await launchCampaign(project, {
      audience: { kind: "segment", segment: "vips" },
    });
    assert.deepEqual(audience, {
      kind: "segment",
      audienceVersionId: segment.currentAudienceVersionId,
      schemaVersion: 1,
      segmentId: segment.id,
      segmentKey: "vips",
      segmentVersion: 1,
      expression: onPro,
      expressionHash: segment.expressionHash,
      summary: segment.summary,
      reason: "first",
    });
    assert.equal(targeting, null);
    const { campaigns } = await project.api.listCampaigns();
    assert.deepEqual(campaigns[0]?.audience, audience);
  });

  it("moves from any form to any other", async () => {
    const { project, segment } = await withSegment();
    const { id } = await launchCampaign(project);
    const forms: readonly [AudienceInput | null, string][] = [
      [ofPro, "expression"],
      [{ kind: "all", reason: "news" }, "all"],
      [{ kind: "segment", segment: segment.id }, "segment"],
      [null, "all"],
      [{ kind: "segment", segment: "vips", version: 1 }, "segment"],
      [ofPro, "expression"],
    ];
    for (const [audience, kind] of forms) {
      const { audience: shown } = await change(project, id, audience);
      assert.equal(shown.kind, kind);
      assert.deepEqual((await read(project, id)).audience, shown);
    }
    assert.equal(
      (await project.api.updateCampaign({ path: { id }, body: { name: "Kept" } })).campaign.audience.kind,
      "expression",
    );
  });

  it("is left as it was by a change that is refused", async () => {
    const { project } = await withSegment();
    const { id, audience } = await launchCampaign(project, { audience: ofPro });
    const body = { audience: { kind: "expression", expression: paid } as const, goalId: "goal_1" };
    assert.equal((await refusal(project.api.updateCampaign({ path: { id }, body }))).status, 400);
    assert.deepEqual((await read(project, id)).audience, audience);
  });

  const wrong: readonly [string, unknown, number, RegExp][] = [
    [
      "an expression that is wrong",
      { kind: "expression", expression: { version: 1, root: { kind: "maybe" } } },
      400,
      /^expression\/root\/kind is not valid/,
    ],
    ["no expression", { kind: "expression" }, 400, /expression/],
    ["a reason for a segment", { kind: "segment", segment: "vips", reason: "x" }, 400, /reason/],
    [
      "an expression for a segment",
      { kind: "segment", segment: "vips", expression: onPro },
      400,
      /expression/,
    ],
    ["no segment", { kind: "segment" }, 400, /segment/],
    ["version 0", { kind: "segment", segment: "vips", version: 0 }, 400, /version/],
    ["a reason of 501 characters", { ...ofPro, reason: "x".repeat(501) }, 400, /reason/],
    ["a segment there is not", { kind: "segment", segment: "nobody" }, 404, /^Segment not found$/],
    [
      "the id of a segment there is not",
      { kind: "segment", segment: "seg_019b0000-0000-7000-8000-000000000000" },
      404,
      /^Segment not found$/,
    ],
    [
      "a version there is not",
      { kind: "segment", segment: "vips", version: 2 },
      404,
      /^Segment version not found$/,
    ],
  ];
  for (const [name, audience, status, message] of wrong) {
    it(`refuses ${name}, for a new campaign and for one that is there`, async () => {
      const { project } = await withSegment();
      const { id } = await launchCampaign(project);
      const given = { audience: audience as AudienceInput };
      for (const call of [
        () => launchCampaign(project, given),
        () => project.api.updateCampaign({ path: { id }, body: given }),
      ]) {
        const found = await refusal(call());
        assert.equal(found.status, status, found.error);
        assert.match(found.error, message);
        const says = (found.body as { diagnostics?: { code: string }[] }).diagnostics?.map(
          ({ code }) => code,
        );
        assert.deepEqual(says, name === "an expression that is wrong" ? ["unknown_kind"] : undefined);
      }
      assert.equal((await project.api.listCampaigns()).total, 1);
      assert.deepEqual((await read(project, id)).audience, { kind: "all" });
    });
  }

  it("is refused together with targeting", async () => {
    const { project } = await withSegment();
    const { id } = await launchCampaign(project);
    const targeting = { traits: { plan: "pro" } };
    for (const audience of [ofPro, { kind: "all" }, { kind: "segment", segment: "vips" }, null] as const) {
      const body = { audience, targeting };
      for (const call of [
        () => launchCampaign(project, body),
        () => project.api.updateCampaign({ path: { id }, body }),
      ]) {
        const { status, error } = await refusal(call());
        assert.deepEqual([status, error.startsWith("audience and targeting ")], [400, true], error);
      }
    }
  });

  it("is no segment of another project", async () => {
    const { segment } = await withSegment();
    const stranger = await house.project();
    for (const name of [segment.id, "vips"]) {
      const { status } = await refusal(
        launchCampaign(stranger, { audience: { kind: "segment", segment: name } }),
      );
      assert.equal(status, 404);
    }
    assert.equal((await stranger.api.listCampaigns()).total, 0);
  });
});

describe("a pinned segment", () => {
  it("is its current version where none is named, and stays it when the segment is revised", async () => {
    const { project } = await withSegment();
    const audience = { kind: "segment", segment: "vips" } as const;
    const first = await launchCampaign(project, { audience });
    assert.deepEqual([await isServed(project, "pro-1"), await isServed(project, "payer-1")], [true, false]);
    await revise(project, 1);
    assert.deepEqual((await read(project, first.id)).audience, first.audience);
    assert.deepEqual([await isServed(project, "pro-2"), await isServed(project, "payer-2")], [true, false]);
    const { audience: moved } = await change(project, first.id, audience);
    assert.ok(moved.kind === "segment");
    assert.deepEqual([moved.segmentVersion, moved.expression, moved.reason], [2, paid, null]);
    assert.deepEqual([await isServed(project, "pro-3"), await isServed(project, "payer-3")], [false, true]);
  });

  it("is the version that is named, older ones too", async () => {
    const { project, segment } = await withSegment();
    await revise(project, 1);
    await revise(project, 2, expression(not(event("paid"))));
    for (const version of [1, 2, 3]) {
      const { audience } = await launchCampaign(project, {
        audience: { kind: "segment", segment: segment.id, version },
      });
      assert.deepEqual(
        [audience.kind, audience.kind === "segment" && audience.segmentVersion],
        ["segment", version],
      );
    }
  });

  it("goes on delivering when it is archived, and is refused to new references", async () => {
    const { project } = await withSegment();
    const audience = { kind: "segment", segment: "vips" } as const;
    const { id } = await launchCampaign(project, { audience });
    const other = await launchCampaign(project, { launch: false });
    await project.api.archiveSegment({ path: { id: "vips" } });
    const refused = [
      () => launchCampaign(project, { audience }),
      () => launchCampaign(project, { audience: { ...audience, version: 1 } }),
      () => change(project, other.id, audience),
      () => change(project, id, { ...audience, version: 1 }),
    ];
    for (const call of refused) {
      const { status, error } = await refusal(call());
      assert.deepEqual([status, error], [409, "This segment is archived: it can no longer be referenced."]);
    }
    assert.equal(await isServed(project, "pro-1"), true);
    const { campaign } = await project.api.updateCampaign({ path: { id }, body: { name: "Renamed" } });
    assert.equal(campaign.audience.kind, "segment");
    for (const action of ["pause", "launch"] as const)
      await project.api.setCampaignStatus({ path: { id }, body: { action } });
    assert.deepEqual([await isServed(project, "pro-2"), await isServed(project, "payer-1")], [true, false]);
  });

  it("is archived before a campaign pins it, or after", async () => {
    const { project } = await withSegment();
    const [made] = await Promise.allSettled([
      launchCampaign(project, { audience: { kind: "segment", segment: "vips" } }),
      project.api.archiveSegment({ path: { id: "vips" } }),
    ]);
    const { total } = await project.api.listCampaigns();
    assert.equal(total, made.status === "fulfilled" ? 1 : 0);
    assert.equal((await project.api.getSegment({ path: { id: "vips" } })).segment.status, "archived");
  });
});
