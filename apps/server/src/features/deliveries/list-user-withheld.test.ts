import assert from "node:assert/strict";
import { it } from "node:test";
import { launchCampaign, messagesOf } from "../../../test/factories.ts";
import { refusal, testHouse } from "../../../test/harness.ts";
import { clientOf } from "../../../test/people.ts";

const house = testHouse();

it("listUserWithheld lists what a user is held out of, under the goal that decided it, newest first", async () => {
  const project = await house.project();
  const { api, projectId } = project;
  const { client } = await clientOf(house, projectId, "viewer");
  const { goal } = await api.createGoal({ body: { name: "Sales", targetEvent: "paid", holdoutPercent: 50 } });
  const first = await launchCampaign(project, { goalId: goal.id, name: "First" });
  const users = Array.from({ length: 40 }, (_, index) => `user-${index}`);
  const got = await Promise.all(users.map((user) => messagesOf(project, user)));
  const out = users.find((_, index) => got[index]?.length === 0) ?? assert.fail("half are held out");
  const served = users.find((_, index) => got[index]?.length === 1) ?? assert.fail("half are served");
  const firstAt = house.now();
  house.advance(1_000);
  const second = await launchCampaign(project, { goalId: goal.id, name: "Second" });
  await messagesOf(project, out);
  const named = { goalId: goal.id, goalName: "Sales" };
  const expected = [
    { campaignId: second.id, campaignName: "Second", ...named, withheldAt: house.now() },
    { campaignId: first.id, campaignName: "First", ...named, withheldAt: firstAt },
  ];
  const withheldOf = (id: string) => client.listUserWithheld({ path: { id } });
  assert.deepEqual(await withheldOf(out), { withheld: expected, more: false });
  assert.deepEqual((await withheldOf(served)).withheld, []);
  assert.equal((await refusal(withheldOf("nobody"))).status, 404);
  const elsewhere = await house.project();
  const { client: stranger } = await clientOf(house, elsewhere.projectId, "viewer");
  assert.equal((await refusal(stranger.listUserWithheld({ path: { id: out } }))).status, 404);
});
