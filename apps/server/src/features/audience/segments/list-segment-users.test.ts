import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { refusal, sharedHouse, type TestProject } from "../../../../test/harness.ts";

const house = sharedHouse();

/** Users by hand, more than a range of keys has; every `each`th is in the segment. */
async function segmentOf(project: TestProject, users: number, each: number): Promise<void> {
  await house.database.pool.query(
    `insert into users (lane, user_key, project_id, external_id, traits, first_seen_at, last_seen_at)
    select get_byte(uuid_send(k), 0) >> 2, k, $1, 'user ' || n, jsonb_build_object('isIn', n % $4::int = 0), $2, $2
    from (select n, md5($5 || n)::uuid as k from generate_series(1, $3::int) n) made`,
    [project.projectId, house.now(), users, each, project.projectId],
  );
  const root = { kind: "field", field: { kind: "trait", key: "isIn" }, op: "eq", value: true } as const;
  await project.api.createSegment({ body: { key: "in", name: "In", expression: { version: 1, root } } });
}

async function all({ api }: TestProject, limit: number): Promise<string[]> {
  const found: string[] = [];
  let after: string | null = null;
  do {
    const query: { limit: number; after?: string } = { limit, ...(after !== null && { after }) };
    const { users, next } = await api.listSegmentUsers({ path: { id: "in" }, query });
    assert.ok(users.length === limit || next === null, "a page is full, or the last one");
    found.push(...users.map(({ externalUserId }) => externalUserId));
    after = next;
  } while (after !== null);
  return found;
}

describe("the users of a segment", () => {
  for (const [name, each] of [
    ["many", 2],
    ["a few", 1_500],
  ] as const)
    it(`are each on one page, of a segment that ${name} are in`, async () => {
      const project = await house.project();
      await segmentOf(project, 4_500, each);
      const found = await all(project, 100);
      const expected = Array.from({ length: 4_500 }, (_, index) => index + 1).filter((n) => n % each === 0);
      assert.deepEqual(found.toSorted(), expected.map((n) => `user ${n}`).toSorted());
      if (each > 100) assert.deepEqual(await all(project, 1), found);
    });

  it("are those who are in it now, of this project", async () => {
    const [project, other] = [await house.project(), await house.project()];
    await segmentOf(project, 3, 2);
    const { users } = await project.api.listSegmentUsers({ path: { id: "in" } });
    assert.deepEqual(
      users.map(({ externalUserId }) => externalUserId),
      ["user 2"],
    );
    const missing = await refusal(other.api.listSegmentUsers({ path: { id: "in" } }));
    assert.equal(missing.status, 404);
    const wrong = await refusal(
      project.api.listSegmentUsers({ path: { id: "in" }, query: { after: "user 2" } }),
    );
    assert.equal(wrong.status, 400);
    assert.match(wrong.error, /query\.after/);
  });
});
