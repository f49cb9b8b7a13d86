import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Answer } from "@tidings/client";
import { CAPABILITIES, install } from "../../../test/devices.ts";
import { explain, gateOf } from "../../../test/eligibility.ts";
import type { TestProject } from "../../../test/harness.ts";
import { APP, inspect, launchPush, MESSAGE, pushHouse, reachable } from "../../../test/push.ts";
import { SECOND_MS } from "../../platform/time/clock.ts";

const { house, sendingProject } = await pushHouse();
const IMAGE = "https://example.com/picture.png";
const STATIC = { ...MESSAGE, title: "Hello" };

type Census = Answer<"takeCampaignCensus">;

const census = async ({ api }: TestProject, id: string): Promise<Census> => {
  const found = await api.takeCampaignCensus({ path: { id } });
  const unreachable = found.unreachable.reduce((sum, { users }) => sum + users, 0);
  assert.equal(
    found.matched,
    found.heldOut + found.alreadyDelivered + unreachable + found.capped + found.willReceive,
  );
  return found;
};
const reasonsOf = ({ unreachable }: Census): Record<string, number> =>
  Object.fromEntries(unreachable.flatMap(({ reason, users }) => (users > 0 ? [[reason, users]] : [])));

/** Users with devices of all kinds; answers their names. */
async function cast(project: TestProject): Promise<string[]> {
  const plain = { capabilities: { ...CAPABILITIES, richImages: false } };
  const users: string[] = [];
  const add = async (name: string, make: (userId: string) => Promise<unknown>, count = 1) => {
    for (let n = 0; n < count; n++) {
      users.push(`${name}-${n}`);
      await make(`${name}-${n}`);
    }
  };
  await add("able", (user) => reachable(project, user), 9);
  await add("android", (user) => reachable(project, user, { platform: "android" }), 3);
  await add("plain", async (user) => (await reachable(project, user)).say(plain), 6);
  await add("alone", (userId) => project.sdk.identify({ body: { userId, traits: { name: "Al" } } }), 2);
  await add("tokenless", (user) => reachable(project, user, { token: null }), 2);
  await add("refusing", async (user) => (await reachable(project, user)).say({ consent: false }));
  await add("silenced", async (user) => (await reachable(project, user)).say({ permission: "denied" }));
  await add("testing", (user) => reachable(project, user, { environment: "development" }));
  await add("elsewhere", async (user) => (await install(project, { appId: "com.example.other" })).bind(user));
  await add("several", async (user) => {
    await reachable(project, user, { token: null });
    await (await reachable(project, user)).say({ consent: false });
  });
  await add("one-works", async (user) => {
    await reachable(project, user, { token: null });
    await reachable(project, user);
  });
  return users;
}

/** What the explanations of users say, as a census does. */
async function explained(project: TestProject, id: string, users: readonly string[]) {
  const reasons: Record<string, number> = {};
  const outcomes: Record<string, number> = { would_receive: 0, held_out: 0, delivered: 0 };
  for (const user of users) {
    const found = await explain(project, id, user);
    const reason = gateOf(found, "message").reason ?? gateOf(found, "device").reason;
    if (reason !== null && found.outcome === "blocked") reasons[reason] = (reasons[reason] ?? 0) + 1;
    else outcomes[found.outcome] = (outcomes[found.outcome] ?? 0) + 1;
  }
  return { reasons, outcomes };
}

describe("takeCampaignCensus of a push campaign", () => {
  const variants = [
    { name: "A", weight: 2, message: STATIC },
    { name: "B", weight: 3, message: { ...STATIC, image: IMAGE } },
    { name: "C", weight: 0, message: { ...STATIC, body: "Retired" } },
  ];
  const personal = [
    { name: "A", weight: 1, message: { ...MESSAGE, title: "Hi {{ user.name }}" } },
    { name: "B", weight: 1, message: { ...STATIC, image: IMAGE } },
  ];
  const cases = [
    ["of one message", { message: STATIC }],
    ["of variants that need different devices", { variants }],
    ["that is personal", { variants: personal }],
  ] as const;
  for (const [name, content] of cases)
    it(`${name}: counts users as explanations do, and planning then does what it says`, async () => {
      const project = await sendingProject();
      const { goal } = await project.api.createGoal({ body: { name: "Sales", holdoutPercent: 30 } });
      const users = await cast(project);
      const draft = await launchPush(project, {
        ...("variants" in content ? { variants: [...content.variants] } : content),
        goalId: goal.id,
        launch: false,
      });
      const { id } = draft;
      const found = await census(project, id);
      await project.api.setCampaignStatus({ path: { id }, body: { action: "launch" } });
      assert.deepEqual(await census(project, id), found);
      assert.equal(found.matched, users.length);
      const { reasons, outcomes } = await explained(project, id, users);
      assert.deepEqual(reasonsOf(found), reasons);
      assert.deepEqual(outcomes, { would_receive: found.willReceive, held_out: found.heldOut, delivered: 0 });
      if (name !== "of one message") assert.ok((reasons.capability ?? 0) + (reasons.trait_missing ?? 0) > 0);
      await project.api.dispatchCampaignPush({ path: { id } });
      const { recipients } = await inspect(project, id);
      const active = recipients.filter(({ state }) => state.kind !== "waiting").length;
      assert.equal(active, found.willReceive);
      const planned = await census(project, id);
      assert.deepEqual(
        [planned.alreadyDelivered, planned.willReceive, planned.heldOut],
        [found.willReceive, 0, found.heldOut],
      );
      assert.deepEqual(reasonsOf(planned), reasons);
      // A user who waits has no variant yet: what counts is the one of the weights of now, which every app can show.
      if (name === "of variants that need different devices") {
        const { campaign } = await project.api.getCampaign({ path: { id } });
        const [first, second] = campaign.variants;
        await project.api.updateCampaign({
          path: { id },
          body: {
            variants: [
              { id: first?.id ?? "", weight: 9 },
              { id: second?.id ?? "", weight: 0 },
            ],
          },
        });
        const moved = await census(project, id);
        const { capability, ...others } = reasons;
        assert.ok(capability);
        assert.deepEqual(reasonsOf(moved), others);
        assert.equal(moved.willReceive + moved.heldOut, found.heldOut + capability);
        const now = await explained(project, id, users);
        assert.deepEqual([now.reasons, now.outcomes.would_receive], [others, moved.willReceive]);
      }
    });

  it("counts all others where the campaign names one device", async () => {
    const project = await sendingProject();
    const { installationId } = await reachable(project, "ada");
    await reachable(project, "ada", { token: null });
    await reachable(project, "bo");
    for (const message of [STATIC, MESSAGE]) {
      const push = { appId: APP, selection: { kind: "specific" as const, installationId } };
      const { id } = await launchPush(project, { push, message });
      const found = await census(project, id);
      assert.deepEqual([found.willReceive, reasonsOf(found)], [1, { no_installation: 1 }]);
    }
  });

  it("leaves no differences behind", async () => {
    house.advance(30 * SECOND_MS);
    await house.drain();
    assert.deepEqual(await house.differences(), {});
  });
});
