import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Input } from "@tidings/client";
import { refusal, type TestProject, testHouse } from "../../../../../test/harness.ts";
import { clientOf } from "../../../../../test/people.ts";

const house = testHouse();

type Node = Input<"createSegment">["body"]["expression"]["root"];

const segment = ({ api }: TestProject, key: string, root: Node) =>
  api.createSegment({ body: { key, name: key.toUpperCase(), expression: { version: 1, root } } });

const planIs = (value: string): Node => ({
  kind: "field",
  field: { kind: "trait", key: "plan" },
  op: "eq",
  value,
});
const paid = (days: number): Node => ({
  kind: "event",
  event: "paid",
  window: { amount: days, unit: "days" },
});

describe("listUserSegments", () => {
  it("lists the segments that a user is in by all kinds of conditions, as each of them answers by itself", async () => {
    const project = await house.project();
    const { client } = await clientOf(house, project.projectId, "viewer");
    const { api } = project;
    await api.identify({ body: { userId: "ada", traits: { plan: "pro" } } });
    await api.track({ body: { userId: "ada", event: "paid", props: { cents: 900 } } });
    await api.identify({ body: { userId: "ben", traits: { plan: "free" } } });
    house.advance(3 * 86_400_000);
    const roots: Record<string, Node> = {
      pro: planIs("pro"),
      free: planIs("free"),
      "paid-ever": { kind: "event", event: "paid" },
      "paid-1": paid(1),
      "paid-7": paid(7),
      "paid-much": {
        kind: "event",
        event: "paid",
        where: [{ kind: "field", field: { kind: "event_property", key: "cents" }, op: "gte", value: 1_000 }],
      },
      "not-paid-1": { kind: "not", child: paid(1) },
    };
    for (const [key, root] of Object.entries(roots)) {
      house.advance(1);
      await segment(project, key, root);
    }
    for (const userId of ["ada", "ben"]) {
      const matched = [];
      for (const key of Object.keys(roots)) {
        const answer = await api.explainAudience({ body: { userId, segment: key } });
        if (answer.matched) matched.unshift(key);
      }
      const found = await client.listUserSegments({ path: { id: userId } });
      assert.deepEqual(
        found.segments.map(({ key }) => key),
        matched,
        userId,
      );
      assert.deepEqual([found.evaluatedAt, found.lookedAll], [house.now(), true]);
      assert.ok(matched.length >= 2 && matched.length < 6, userId);
    }
    const { segments } = await client.listUserSegments({ path: { id: "ben" } });
    const free = segments.find(({ key }) => key === "free") ?? assert.fail();
    assert.deepEqual([free.name, free.version], ["FREE", 1]);
    await api.archiveSegment({ path: { id: free.id } });
    const left = await client.listUserSegments({ path: { id: "ben" } });
    assert.ok(!left.segments.some(({ key }) => key === "free"));
  });

  it("names a segment whose rule cannot be read apart from those that the user is not in", async () => {
    const project = await house.project();
    const { client } = await clientOf(house, project.projectId, "viewer");
    await project.api.identify({ body: { userId: "ada", traits: { plan: "pro" } } });
    const { segment: made } = await segment(project, "pro", planIs("pro"));
    const rule = async (expression: unknown) =>
      house.database.pool.query("update audience_versions set expression = $2 where project_id = $1", [
        project.projectId,
        JSON.stringify(expression),
      ]);
    await rule({ version: 9 });
    const { segments, unreadable } = await client.listUserSegments({ path: { id: "ada" } });
    assert.deepEqual([segments, unreadable.map(({ id }) => id)], [[], [made.id]]);
    await rule(made.expression);
    const mended = await client.listUserSegments({ path: { id: "ada" } });
    assert.deepEqual([mended.segments.map(({ id }) => id), mended.unreadable], [[made.id], []]);
  });

  it("answers nothing of users and segments of another project, and says that nobody has the id", async () => {
    const [mine, other] = [await house.project(), await house.project()];
    const { client } = await clientOf(house, mine.projectId, "viewer");
    for (const project of [mine, other])
      await project.api.identify({ body: { userId: "ada", traits: { plan: "pro" } } });
    await segment(other, "pro", planIs("pro"));
    assert.deepEqual((await client.listUserSegments({ path: { id: "ada" } })).segments, []);
    assert.equal((await refusal(client.listUserSegments({ path: { id: "nobody" } }))).status, 404);
  });
});
