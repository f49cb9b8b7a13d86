import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createPeopleClient } from "@tidings/client";
import { all, event, expression, type Node, not, trait } from "../../../../../test/audience/trees.ts";
import { launchCampaign } from "../../../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../../../test/harness.ts";
import { giveRole, makePerson } from "../../../../../test/people.ts";
import type { PersonRole } from "../../../../platform/http/contract/person.ts";

const house = testHouse();

/** The operations of a project as one of its people has them, and that person. */
async function personOf({ projectId }: TestProject, role: PersonRole) {
  const person = await makePerson(house);
  await giveRole(house, projectId, person, role);
  return { person, client: createPeopleClient(house.url, person.headers(projectId)) };
}

const onPlan = (plan: string) => expression(trait("plan", "eq", plan));

/** Makes a segment of an audience by a program. */
const segmentOf = async ({ api }: TestProject, key: string, root: Node = trait("plan", "eq", "pro")) =>
  (await api.createSegment({ body: { key, name: key.toUpperCase(), expression: expression(root) } })).segment;

const pinning = (project: TestProject, segment: string, more: object = {}) =>
  launchCampaign(project, { audience: { kind: "segment", segment }, ...more });

describe("the search of segments", () => {
  it("finds a part of the name or of the key, by status, a page at a time, the newest first", async () => {
    const project = await house.project();
    const { client } = await personOf(project, "viewer");
    for (const key of ["vips", "payers", "free-riders"]) {
      house.advance(1);
      await segmentOf(project, key);
    }
    await project.api.updateSegment({ path: { id: "payers" }, body: { name: "100 % of Vîps_" } });
    await project.api.archiveSegment({ path: { id: "vips" } });
    const keysOf = async (query: object) => {
      const { segments, total, pageCount } = await client.searchSegments({ query });
      return [segments.map(({ key }) => key).join(" "), total, pageCount];
    };
    assert.deepEqual(await keysOf({}), ["free-riders payers vips", 3, 1]);
    assert.deepEqual(await keysOf({ q: "VIP" }), ["vips", 1, 1]);
    assert.deepEqual(await keysOf({ q: "vîps_" }), ["payers", 1, 1]);
    assert.deepEqual(await keysOf({ q: "%" }), ["payers", 1, 1]);
    assert.deepEqual(await keysOf({ q: "-r", status: "active" }), ["free-riders", 1, 1]);
    assert.deepEqual(await keysOf({ status: "archived" }), ["vips", 1, 1]);
    assert.deepEqual(await keysOf({ perPage: 2, page: 2 }), ["vips", 3, 2]);
    assert.deepEqual(await keysOf({ page: 9 }), ["", 3, 1]);
  });

  it("counts the campaigns that use each, and names the person who made it", async () => {
    const project = await house.project();
    const { client, person } = await personOf(project, "editor");
    await segmentOf(project, "by-program");
    await client.createSegment({ body: { key: "by-ada", name: "Ada's", expression: onPlan("pro") } });
    await pinning(project, "by-ada");
    const { id } = await pinning(project, "by-ada", { launch: false });
    await project.api.setCampaignStatus({ path: { id }, body: { action: "end" } });
    await launchCampaign(project, { audience: { kind: "expression", expression: onPlan("pro") } });
    const { segments } = await client.searchSegments();
    assert.deepEqual(
      Object.fromEntries(segments.map(({ key, campaigns, madeBy }) => [key, [campaigns, madeBy]])),
      {
        "by-ada": [{ all: 2, open: 1 }, person.name],
        "by-program": [{ all: 0, open: 0 }, null],
      },
    );
  });

  it("shows nothing of another project, and takes no NUL and nothing too long", async () => {
    const project = await house.project();
    await segmentOf(await house.project(), "elsewhere");
    const { client } = await personOf(project, "viewer");
    assert.deepEqual((await client.searchSegments()).segments, []);
    for (const q of ["a\0b", "x".repeat(201)]) {
      const { status, error } = await refusal(client.searchSegments({ query: { q } }));
      assert.deepEqual([status, /^(query\.)?q must /.test(error)], [400, true], error);
    }
  });
});

describe("the history of a segment", () => {
  it("has each version with its reason, its author and its campaigns", async () => {
    const project = await house.project();
    const { client, person } = await personOf(project, "editor");
    const segment = await segmentOf(project, "vips");
    await pinning(project, "vips");
    house.advance(1_000);
    await client.updateSegment({
      path: { id: "vips" },
      body: { expression: onPlan("team"), expectedVersion: 1, reason: "Teams pay more" },
    });
    await pinning(project, "vips");
    await pinning(project, "vips");
    // A new name is no version, and has an author of its own.
    house.advance(1_000);
    await client.updateSegment({ path: { id: segment.id }, body: { name: "Best" } });
    const { versions, ...page } = await client.listSegmentHistory({ path: { id: segment.id } });
    assert.deepEqual(page, { total: 2, page: 1, pageCount: 1, campaigns: { all: 3, open: 3 } });
    assert.deepEqual(
      versions.map(({ version, reason, madeBy, campaigns }) => [version, reason, madeBy, campaigns.open]),
      [
        [2, "Teams pay more", person.name, 2],
        [1, null, null, 1],
      ],
    );
    const second = await client.listSegmentHistory({
      path: { id: segment.id },
      query: { perPage: 1, page: 2 },
    });
    assert.deepEqual([second.versions.map(({ version }) => version), second.pageCount], [[1], 2]);
    const { client: other } = await personOf(await house.project(), "viewer");
    assert.equal((await refusal(other.listSegmentHistory({ path: { id: segment.id } }))).status, 404);
  });

  it("goes with the campaigns that pin a version, which the list of campaigns finds by the segment", async () => {
    const project = await house.project();
    const segment = await segmentOf(project, "vips");
    const { id } = await pinning(project, "vips", { name: "Pinned" });
    await launchCampaign(project, { name: "Everyone" });
    const listed = async (segmentId: string) =>
      (await project.api.listCampaigns({ query: { segmentId } })).campaigns.map((each) => each.id);
    assert.deepEqual(await listed(segment.id), [id]);
    assert.deepEqual(await listed("seg_none"), []);
  });
});

describe("the comparison of two versions", () => {
  it("says in words what changed, and counts exactly the users who join and leave", async () => {
    const project = await house.project();
    const { client } = await personOf(project, "viewer");
    const plans = { ada: "pro", bo: "pro", cy: "team", di: "free" };
    for (const [userId, plan] of Object.entries(plans))
      await project.sdk.identify({ body: { userId, traits: { plan } } });
    await project.sdk.track({ body: { userId: "bo", event: "left" } });
    const segment = await segmentOf(project, "vips");
    const root = all(trait("plan", "in", ["pro", "team"]), not(event("left")));
    await project.api.updateSegment({
      path: { id: "vips" },
      body: { expression: expression(root), expectedVersion: 1 },
    });
    const compared = await client.compareSegmentVersions({ path: { id: segment.id } });
    const { ops, evaluatedAt, ...counts } = compared;
    assert.deepEqual(counts, {
      segmentId: segment.id,
      from: 1,
      to: 2,
      before: 2,
      after: 2,
      joining: 1,
      leaving: 1,
    });
    assert.equal(evaluatedAt, house.now());
    const joined = (kept: readonly string[]) =>
      ops
        .filter(({ op }) => kept.includes(op))
        .map(({ words }) => words)
        .join("");
    assert.equal(joined(["keep", "delete"]), 'trait plan is "pro"');
    assert.equal(joined(["keep", "insert"]), 'trait plan is one of "pro", "team" and not (performed left)');
    const back = await client.compareSegmentVersions({ path: { id: "vips" }, query: { from: 2, to: 1 } });
    assert.deepEqual([back.joining, back.leaving], [1, 1]);
    const same = await client.compareSegmentVersions({ path: { id: "vips" }, query: { from: 1, to: 1 } });
    assert.deepEqual([same.ops.map(({ op }) => op), same.joining, same.leaving], [["keep"], 0, 0]);
    assert.equal(
      (await refusal(client.compareSegmentVersions({ path: { id: "vips" }, query: { from: 3 } }))).status,
      404,
    );
  });

  it("counts versions as large as a version can be", async () => {
    const project = await house.project();
    const { client } = await personOf(project, "viewer");
    await project.sdk.identify({ body: { userId: "ada", traits: { t0: 1 } } });
    const wide = (kind: "any" | "all"): Node => {
      const children = Array.from({ length: 15 }, (_, n) => trait(`t${n}`, "exists"));
      let node: Node = { kind, children };
      for (let depth = 0; depth < 6; depth++) node = not(node);
      return node;
    };
    await segmentOf(project, "large", wide("any"));
    await project.api.updateSegment({
      path: { id: "large" },
      body: { expression: expression(wide("all")), expectedVersion: 1 },
    });
    const { before, after, leaving } = await client.compareSegmentVersions({ path: { id: "large" } });
    assert.deepEqual([before, after, leaving], [1, 0, 1]);
  });
});

it("the log of changes says what became of a segment, and of which one, whatever it is called by", async () => {
  const project = await house.project();
  const { client } = await personOf(project, "editor");
  const { segment } = await client.createSegment({
    body: { key: "vips", name: "VIPs", expression: onPlan("pro"), reason: "first" },
  });
  await client.updateSegment({
    path: { id: "vips" },
    body: { name: "Best", expression: onPlan("team"), expectedVersion: 1, reason: "why" },
  });
  await client.archiveSegment({ path: { id: "vips" } });
  const { entries } = await client.listAuditEntries();
  assert.deepEqual(
    entries.map(({ operation, target, before, after }) => ({ operation, target, before, after })),
    [
      {
        operation: "archiveSegment",
        target: segment.id,
        before: { name: "Best", status: "active" },
        after: { status: "archived" },
      },
      {
        operation: "updateSegment",
        target: segment.id,
        before: { name: "VIPs", version: 1, audience: 'trait plan is "pro"' },
        after: { name: "Best", version: 2, audience: 'trait plan is "team"', reason: "why" },
      },
      {
        operation: "createSegment",
        target: segment.id,
        before: null,
        after: { name: "VIPs", key: "vips", version: 1, audience: 'trait plan is "pro"', reason: "first" },
      },
    ],
  );
});

describe("the counts of the conditions of an audience", () => {
  const countsOf = async (client: ReturnType<typeof createPeopleClient>, body: object) => {
    const { nodes, totalUsers } = await client.countAudienceNodes({ body });
    return { totalUsers, nodes: nodes.map(({ path, users }) => `${path} ${users}`) };
  };

  it("are those of each condition by itself, of an expression and of a segment", async () => {
    const [project, other] = [await house.project(), await house.project()];
    const { client } = await personOf(project, "viewer");
    const plans = ["monthly", "monthly", "weekly", "single bags"];
    const users = plans.map((plan, index) => ({ userId: `user-${index}`, traits: { plan } }));
    await project.api.identifyBatch({ body: { users } });
    await other.api.identifyBatch({ body: { users } });
    await project.sdk.track({ body: { userId: "user-0", event: "came" } });
    const root = all(trait("plan", "eq", "monthly"), not(event("came")), trait("plan", "eq", "free"));
    const nodes = [
      "/root 0",
      "/root/children/0 2",
      "/root/children/1 3",
      "/root/children/1/child 1",
      "/root/children/2 0",
    ];
    assert.deepEqual(await countsOf(client, { expression: expression(root) }), { totalUsers: 4, nodes });
    await segmentOf(project, "nobody", root);
    assert.deepEqual(await countsOf(client, { segment: "nobody" }), { totalUsers: 4, nodes });
    for (const child of [trait("plan", "eq", "monthly"), not(event("came"))]) {
      const { matchedCount } = await client.checkAudience({ body: { expression: expression(child) } });
      assert.ok(nodes.some((node) => node.endsWith(` ${matchedCount}`)));
    }
  });

  it("name the values of the trait where nobody has the one that is asked for", async () => {
    const project = await house.project();
    const { client } = await personOf(project, "viewer");
    const plans = ["monthly", "monthly", "weekly", "weekly", "weekly", "single bags", "yearly"];
    const users = plans.map((plan, index) => ({ userId: `user-${index}`, traits: { plan, seats: index } }));
    await project.api.identifyBatch({ body: { users } });
    // What a page of conditions reads adds up what came.
    await client.getAudienceCapabilities();
    const valuesOf = async (root: Node) => {
      const { nodes } = await client.countAudienceNodes({ body: { expression: expression(root) } });
      return nodes.map(({ values }) => values);
    };
    assert.deepEqual(await valuesOf(trait("plan", "eq", "free")), [["weekly", "monthly", "single bags"]]);
    assert.deepEqual(await valuesOf(trait("plan", "in", ["yaerly", "x"])), [["yearly", "weekly", "monthly"]]);
    assert.deepEqual(await valuesOf(not(trait("plan", "eq", "Monthly"))), [
      [],
      ["monthly", "weekly", "single bags"],
    ]);
    for (const root of [
      trait("plan", "eq", "weekly"),
      trait("plan", "starts_with", "z"),
      trait("colour", "eq", "red"),
      trait("seats", "eq", 99),
      event("left"),
    ])
      assert.deepEqual(await valuesOf(root), [[]]);
  });

  it("are refused where the question is, with the place", async () => {
    const project = await house.project();
    const { client } = await personOf(project, "viewer");
    const { status, body } = await refusal(
      client.countAudienceNodes({ body: { expression: expression(trait("", "eq", "x")) } }),
    );
    assert.equal(status, 400);
    assert.match(JSON.stringify(body), /\/root\/field\/key/);
    assert.equal((await refusal(client.countAudienceNodes({ body: { segment: "nobody" } }))).status, 404);
  });
});
