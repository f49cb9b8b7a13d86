import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import type { Answer } from "@tidings/client";
import { launchCampaign, messagesOf } from "../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../test/harness.ts";

const house = testHouse();

afterEach(async () => assert.deepEqual(await house.differences(), {}));

type Item = Answer<"listActivity">["items"][number];

const pageOf = ({ api }: TestProject, limit: number, cursor?: string | null) =>
  api.listActivity({ query: { limit, ...(cursor == null ? {} : { cursor }) } });

/** All pages, one after the other; `between` runs after each. */
async function read(project: TestProject, limit: number, between = async () => {}): Promise<Item[]> {
  const found: Item[] = [];
  let cursor: string | null = null;
  do {
    const page: Answer<"listActivity"> = await pageOf(project, limit, cursor);
    assert.ok(page.items.length === limit || page.nextCursor === null);
    found.push(...page.items);
    cursor = page.nextCursor;
    await between();
  } while (cursor !== null);
  return found;
}

const brief = (items: readonly Item[]) => items.map(({ kind, user }) => `${kind} ${user.externalUserId}`);
const idsOf = (items: readonly Item[]) => items.map(({ id }) => id);

describe("listActivity", () => {
  it("shows deliveries and users, the newest first, of one moment deliveries before users", async () => {
    const project = await house.project();
    assert.deepEqual((await pageOf(project, 10)).items, []);
    await project.sdk.identify({ body: { userId: "anna" } });
    house.advance(1);
    const campaign = await launchCampaign(project, { name: "First" });
    const [message] = await messagesOf(project, "ben");
    house.advance(1);
    await messagesOf(project, "anna");
    const { items, nextCursor, evaluatedAt } = await pageOf(project, 10);
    assert.deepEqual(brief(items), ["delivery anna", "delivery ben", "user ben", "user anna"]);
    assert.deepEqual([nextCursor, evaluatedAt], [null, house.now()]);
    const { user } = await project.api.getUser({ path: { id: "ben" } });
    const ben = { id: user.id, externalUserId: "ben" };
    const [variant] = campaign.variants;
    assert.deepEqual(items.slice(1, 3), [
      {
        kind: "delivery",
        id: message?.deliveryId,
        occurredAt: house.now() - 1,
        user: ben,
        campaign: { id: campaign.id, name: "First" },
        variant: { id: variant?.id, name: variant?.name },
      },
      { kind: "user", id: user.id, occurredAt: house.now() - 1, user: ben },
    ]);
    assert.deepEqual((await pageOf(await house.project(), 10)).items, []);
  });

  it("pages through ties without a repeat or a gap, whatever the size of a page", async () => {
    const project = await house.project();
    for (let i = 0; i < 3; i++) await launchCampaign(project);
    for (let step = 0; step < 3; step++) {
      house.advance(1);
      for (let i = 0; i < 3; i++) await messagesOf(project, `user ${step} ${i}`);
      await project.sdk.identify({ body: { userId: `only ${step}` } });
    }
    const all = (await pageOf(project, 50)).items;
    assert.equal(all.length, 39);
    for (const limit of [1, 2, 5, 12, 13, 38, 39, 40])
      assert.deepEqual(await read(project, limit), all, `${limit}`);
    assert.deepEqual((await pageOf(project, 39)).nextCursor, null);
    for (const [at, items] of Map.groupBy(all, ({ occurredAt }) => occurredAt)) {
      const kinds = items.map(({ kind }) => kind);
      assert.deepEqual(kinds, [...Array(9).fill("delivery"), ...Array(4).fill("user")], `${at}`);
    }
    assert.deepEqual((await project.agent.listActivity()).items, all.slice(0, 10));
  });

  it("neither repeats nor drops what was there while more comes in", async () => {
    const project = await house.project();
    await launchCampaign(project);
    for (let i = 0; i < 10; i++) await messagesOf(project, `old ${i}`);
    const before = idsOf((await pageOf(project, 50)).items);
    let came = 0;
    const seen = await read(project, 3, async () => {
      // Some happen at the instant that is being read, some later.
      if (came % 2) house.advance(1);
      await messagesOf(project, `new ${came++}`);
    });
    const ids = idsOf(seen);
    assert.equal(new Set(ids).size, ids.length);
    const old = new Set(before);
    assert.deepEqual(
      ids.filter((id) => old.has(id)),
      before,
    );
  });

  it("goes on where it was in a project of its own only", async () => {
    const [one, other] = [await house.project(), await house.project()];
    for (const project of [one, other]) {
      await launchCampaign(project);
      for (let i = 0; i < 3; i++) await messagesOf(project, `user ${i}`);
    }
    const { nextCursor } = await pageOf(one, 2);
    const own = new Set(idsOf((await pageOf(other, 50)).items));
    assert.ok(idsOf((await pageOf(other, 50, nextCursor)).items).every((id) => own.has(id)));
  });

  it("refuses a cursor that it did not make, and other limits", async () => {
    const project = await house.project();
    const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const uuid = "00000000-0000-4000-8000-000000000000";
    const bad = [
      "nonsense",
      "",
      "x".repeat(256),
      "x".repeat(257),
      encoded(null),
      encoded({}),
      encoded([]),
      encoded(["user"]),
      encoded(["user", 1]),
      encoded(["user", "1", uuid]),
      encoded(["user", 1.5, uuid]),
      encoded(["user", 2 ** 53, uuid]),
      encoded(["user", 1, "x"]),
      encoded(["delivery", 1, uuid]),
      encoded(["delivery", 1, uuid, "x' or true --"]),
      encoded(["campaign", 1, uuid, uuid]),
    ];
    for (const cursor of bad) {
      const { status, error } = await refusal(project.api.listActivity({ query: { cursor } }));
      assert.equal(status, 400, cursor);
      assert.match(error, /^cursor must /);
    }
    for (const fine of [encoded(["user", 1, uuid]), encoded(["delivery", -1, uuid, uuid])])
      assert.deepEqual((await pageOf(project, 1, fine)).items, []);
    for (const limit of [0, 51, 1.5]) assert.equal((await refusal(pageOf(project, limit))).status, 400);
  });
});
