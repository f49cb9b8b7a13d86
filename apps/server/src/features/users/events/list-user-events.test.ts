import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Answer } from "@tidings/client";
import { refusal, type TestProject, testHouse } from "../../../../test/harness.ts";

const house = testHouse();

type Paging = { page?: number; perPage?: number };
type Event = Answer<"listUserEvents">["events"][number];

const list = ({ agent }: TestProject, id: string, query: Paging = {}) =>
  agent.listUserEvents({ path: { id }, query });

const brief = ({ name, ts }: Event): string => `${name} ${ts}`;

describe("listUserEvents", () => {
  it("answers one user's events, newest first, by either id", async () => {
    const project = await house.project();
    const expected: string[] = [];
    for (let i = 0; i < 75; i++) {
      const userId = i % 3 === 0 ? "ben" : "anna";
      // Several events share a millisecond, so that the event id decides their order.
      if (i % 20 === 0) house.advance(1);
      const eventId = `event-${String(i).padStart(3, "0")}`;
      await project.sdk.track({ body: { userId, event: `step ${i}`, eventId } });
      if (userId === "anna") expected.unshift(`step ${i} ${house.now()}`);
    }
    const { user } = await project.api.getUser({ path: { id: "anna" } });
    for (const id of ["anna", user.id]) {
      const { events, ...rest } = await list(project, id);
      assert.deepEqual(events.map(brief), expected);
      assert.deepEqual(rest, { total: 50, page: 1, pageCount: 1 });
      assert.ok(events.every(({ endUserId }) => endUserId === user.id));
      assert.ok(events.every(({ externalUserId }) => externalUserId === "anna"));
    }
    const third = await list(project, "anna", { page: 3, perPage: 20 });
    assert.deepEqual(third.events.map(brief), expected.slice(40));
    assert.deepEqual([third.total, third.pageCount], [50, 3]);
    assert.deepEqual(
      third.events,
      (await project.api.listEvents({ query: { userId: user.id } })).events.slice(40),
    );
  });

  it("answers an empty list for a user who did nothing, and 404 for none", async () => {
    const [project, other] = [await house.project(), await house.project()];
    await project.sdk.identify({ body: { userId: "anna" } });
    assert.deepEqual(await list(project, "anna"), { events: [], total: 0, page: 1, pageCount: 0 });
    const { user } = await project.api.getUser({ path: { id: "anna" } });
    for (const [from, id] of [
      [project, "ben"],
      [other, "anna"],
      [other, user.id],
    ] as const) {
      const { status, error } = await refusal(list(from, id));
      assert.deepEqual([status, error], [404, "User not found"]);
    }
  });

  for (const query of [{ page: 0 }, { perPage: 101 }] as const) {
    it(`refuses ${JSON.stringify(query)}`, async () => {
      const project = await house.project();
      await project.sdk.identify({ body: { userId: "anna" } });
      const { status, error } = await refusal(list(project, "anna", query));
      assert.deepEqual([status, /^(page|perPage) must /.test(error)], [400, true], error);
    });
  }
});
