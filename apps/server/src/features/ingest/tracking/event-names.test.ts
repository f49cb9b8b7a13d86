import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { launchCampaign } from "../../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../../test/harness.ts";
import { defaultLimits } from "../../../platform/limits.ts";

const house = testHouse({ limits: { ...defaultLimits, userEventNames: 3 } });

const RULE =
  "event is a name that is new to a user of 3 different ones, the most that a user may have: keep to few names, and put what differs into props";

const track = ({ sdk }: TestProject, userId: string, event: string) => sdk.track({ body: { userId, event } });

const namesOf = async (project: TestProject, userId: string): Promise<string[]> => {
  const { events } = await project.api.listUserEvents({ path: { id: userId }, query: { perPage: 100 } });
  return [...new Set(events.map(({ name }) => name))].sort();
};

describe("the event names of a user", () => {
  it("are bounded: a further one is 400 and not recorded, one that is there goes on", async () => {
    const project = await house.project();
    for (const event of ["a", "b", "c"]) await track(project, "anna", event);
    const { status, error } = await refusal(track(project, "anna", "d"));
    assert.deepEqual([status, error], [400, RULE]);
    for (const event of ["a", "b", "c"]) await track(project, "anna", event);
    assert.deepEqual(await namesOf(project, "anna"), ["a", "b", "c"]);
    await track(project, "ben", "d");
    assert.deepEqual(await house.differences(), {});
  });

  it("are bounded within one batch, item by item, whatever stands beside them", async () => {
    const project = await house.project();
    const events = Array.from({ length: 40 }, (_, index) => ({
      userId: index % 4 === 3 ? "ben" : "anna",
      event: index % 4 === 3 ? "calm" : `name ${index % 8}`,
    }));
    const [{ results }] = await Promise.all([
      project.api.trackBatch({ body: { events } }),
      ...Array.from({ length: 20 }, (_, index) => track(project, `other ${index}`, "calm")),
    ]);
    const names = new Set<string>();
    for (const [index, result] of results.entries()) {
      const { userId, event } = events[index] ?? { userId: "", event: "" };
      if (userId === "anna" && result.ok) names.add(event);
      if (userId === "ben") assert.ok(result.ok);
      if (!result.ok) assert.equal(result.error, RULE);
    }
    assert.deepEqual([...names].sort(), await namesOf(project, "anna"));
    assert.equal(names.size, 3);
    assert.equal((await project.api.listUserEvents({ path: { id: "ben" } })).total, 10);
    assert.equal((await project.api.listUsers()).total, 22);
    assert.deepEqual(await house.differences(), {});
  });

  it("are bounded where a goal waits for one of them, too", async () => {
    const project = await house.project();
    const { goal } = await project.api.createGoal({ body: { name: "Goal", targetEvent: "d" } });
    await launchCampaign(project, { goalId: goal.id });
    for (const event of ["a", "b", "c"]) await track(project, "anna", event);
    assert.equal((await refusal(track(project, "anna", "d"))).status, 400);
    assert.deepEqual(await namesOf(project, "anna"), ["a", "b", "c"]);
    assert.deepEqual(await house.differences(), {});
  });

  it("repeat an event of a user who has all of them", async () => {
    const { sdk, api } = await house.project();
    const body = { userId: "anna", event: "a", eventId: "once" };
    for (let turn = 0; turn < 2; turn++) await sdk.track({ body });
    for (const event of ["b", "c"]) await sdk.track({ body: { userId: "anna", event } });
    await sdk.track({ body });
    assert.equal((await refusal(sdk.track({ body: { ...body, event: "b" } }))).status, 409);
    assert.equal((await api.listUserEvents({ path: { id: "anna" } })).total, 3);
  });
});
