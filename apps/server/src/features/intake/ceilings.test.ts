import assert from "node:assert/strict";
import { it } from "node:test";
import { testHouse } from "../../../test/harness.ts";
import { countsOf, reasonsOf, sendBatch } from "../../../test/intake.ts";
import { defaultLimits } from "../../platform/limits.ts";

const house = testHouse({ limits: { ...defaultLimits, userEventNames: 3 } });

const track = (event: string) => ({ type: "track", userId: "ada", event });
const numbered = (from: number, until: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: until - from }, (_, n) => [`key_${from + n}`, 1]));
const identify = (traits: object) => ({ type: "identify", userId: "ada", traits });

it("refuses what is more than a user may have, and takes the rest", async () => {
  const project = await house.project();
  await sendBatch(
    project,
    [..."abcde"].map((event) => track(event)),
  );
  await sendBatch(project, [
    identify(numbered(0, 199)),
    identify(numbered(199, 201)),
    identify({ last: 1 }),
    { type: "group", userId: "ada", groupId: "acme" },
  ]);
  assert.equal((await project.api.listUserEvents({ path: { id: "ada" } })).events.length, 3);
  assert.deepEqual((await project.api.getUser({ path: { id: "ada" } })).user.traits, {
    ...numbered(0, 199),
    last: 1,
  });
  assert.deepEqual((await countsOf(project)).calls, {
    "unknown track": [3, 2],
    "unknown identify": [2, 1],
    "unknown group": [0, 1],
  });
  const { event_names: names, too_many_traits: traits } = await reasonsOf(project);
  assert.deepEqual([names, traits], [2, 2]);
  assert.deepEqual(await house.differences(), {});
});
