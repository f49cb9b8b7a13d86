import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { install } from "../../../test/devices.ts";
import { explain, gateOf, heldOutOf, shortly } from "../../../test/eligibility.ts";
import type { TestProject } from "../../../test/harness.ts";
import { APP, inspect, launchPush, MESSAGE, PUSH, pushHouse, reachable } from "../../../test/push.ts";
import { SECOND_MS } from "../../platform/time/clock.ts";

const { house, sendingProject } = await pushHouse();

const ORDER = [
  "status",
  "window",
  "user",
  "visitors",
  "delivery",
  "withheld",
  "audience",
  "variant",
  "message",
  "device",
  "holdout",
  "serving",
  "channel",
  "quiet",
  "pressure",
];

const known = ({ sdk }: TestProject, userId: string, traits: Record<string, unknown> = {}) =>
  sdk.identify({ body: { userId, traits } });

/** Users by name, each with what a push to them fails on. */
const CAST: readonly [
  name: string,
  reason: string | null,
  make: (project: TestProject) => Promise<unknown>,
][] = [
  ["able", null, (project) => reachable(project, "able")],
  [
    "two",
    null,
    async (project) => [await reachable(project, "two"), await reachable(project, "two", { token: null })],
  ],
  ["alone", "no_installation", (project) => known(project, "alone")],
  ["tokenless", "no_token", (project) => reachable(project, "tokenless", { token: null })],
  [
    "refusing",
    "no_consent",
    async (project) => (await reachable(project, "refusing")).say({ consent: false }),
  ],
  [
    "silenced",
    "permission",
    async (project) => (await reachable(project, "silenced")).say({ permission: "denied" }),
  ],
  [
    "old",
    "capability",
    async (project) =>
      (await reachable(project, "old")).say({
        capabilities: { actions: [], channels: [], richImages: false, categories: [] },
      }),
  ],
  ["testing", "credential", (project) => reachable(project, "testing", { environment: "development" })],
  [
    "elsewhere",
    "no_installation",
    async (project) => (await install(project, { appId: "com.example.other" })).bind("elsewhere"),
  ],
];

const MESSAGE_WITH_IMAGE = { ...MESSAGE, image: "https://example.com/picture.png" };

describe("explainCampaign of a push campaign", () => {
  it("agrees with planning about every reason why a device cannot be sent to, in a draft as well", async () => {
    const project = await sendingProject();
    for (const [, , make] of CAST) await make(project);
    const draft = await launchPush(project, { message: MESSAGE_WITH_IMAGE, launch: false });
    const { id } = await launchPush(project, { message: MESSAGE_WITH_IMAGE });
    for (const [name, reason] of CAST) {
      const found = await explain(project, id, name);
      assert.deepEqual(
        found.gates.map(({ gate }) => gate),
        ORDER,
      );
      assert.equal(shortly(found), reason === null ? "would_receive" : "blocked by device", name);
      assert.equal(gateOf(found, "device").reason, reason, name);
      assert.equal(gateOf(found, "device").chosen.length, reason === null ? 1 : 0);
      assert.deepEqual(gateOf(await explain(project, draft.id, name), "device"), gateOf(found, "device"));
    }
    const stranger = await explain(project, id, "stranger");
    assert.deepEqual([shortly(stranger), gateOf(stranger, "device").passes], ["unknown_user by user", null]);
    await project.api.dispatchCampaignPush({ path: { id } });
    const { recipients } = await inspect(project, id);
    assert.deepEqual(
      new Map(
        recipients.map(({ externalId, state }) => [externalId, "reason" in state ? state.reason : null]),
      ),
      new Map(CAST.map(([name, reason]) => [name, reason])),
    );
    for (const [name, reason] of CAST) {
      const found = await explain(project, id, name);
      assert.equal(found.outcome, reason === null ? "delivered" : "blocked", name);
      assert.equal(gateOf(found, "device").reason, reason, name);
    }
  });

  it("says which trait of the message is missing, and which device a selection names", async () => {
    const project = await sendingProject();
    const { installationId } = await reachable(project, "ada");
    await reachable(project, "bo");
    const personal = await launchPush(project, { message: { ...MESSAGE, title: "Hi {{ user.name }}" } });
    const found = await explain(project, personal.id, "ada");
    assert.deepEqual(
      [shortly(found), gateOf(found, "message").reason],
      ["blocked by message", "trait_missing"],
    );
    assert.equal(
      gateOf(found, "message").note,
      "The user lacks a trait that the message names without a fallback. It is “name”.",
    );
    await known(project, "ada", { name: "Ada" });
    assert.equal(shortly(await explain(project, personal.id, "ada")), "would_receive");
    const push = { appId: APP, selection: { kind: "specific" as const, installationId } };
    const one = await launchPush(project, { push: { ...PUSH, ...push } });
    const chosen = gateOf(await explain(project, one.id, "ada"), "device").chosen;
    assert.deepEqual(chosen, [installationId]);
    assert.equal(
      gateOf(await explain(project, one.id, "ada"), "device").note,
      `The user has 1 device with the app ${APP}, and the push goes to 1 of them.`,
    );
    const other = await explain(project, one.id, "bo");
    assert.deepEqual(
      [shortly(other), gateOf(other, "device").reason],
      ["blocked by device", "no_installation"],
    );
  });

  it("agrees with planning about who is held out, once a device could be sent to", async () => {
    const project = await sendingProject();
    const { goal } = await project.api.createGoal({ body: { name: "Sales", holdoutPercent: 50 } });
    const { id } = await launchPush(project, { goalId: goal.id });
    const users = Array.from({ length: 24 }, (_, n) => `user-${n}`);
    for (const user of users) await reachable(project, user);
    await known(project, "alone-1");
    const out = users.filter((user) => heldOutOf(project, goal.id, 50, user));
    assert.ok(out.length > 0 && out.length < users.length);
    for (const user of users)
      assert.equal(
        shortly(await explain(project, id, user)),
        out.includes(user) ? "held_out by holdout" : "would_receive",
      );
    assert.equal(shortly(await explain(project, id, "alone-1")), "blocked by device");
    house.advance(30 * SECOND_MS);
    await house.drain();
    for (const user of users) {
      const found = await explain(project, id, user);
      assert.equal(found.outcome, out.includes(user) ? "held_out" : "delivered", user);
      if (out.includes(user)) assert.equal(found.blockedBy, "withheld");
    }
  });

  it("says that there is no credential", async () => {
    const project = await house.project();
    await reachable(project, "ada");
    const { id } = await launchPush(project, { launch: false });
    const found = await explain(project, id, "ada");
    assert.equal(gateOf(found, "device").reason, "credential");
    assert.match(gateOf(found, "channel").note, /push credential/);
    assert.equal(gateOf(found, "channel").passes, false);
  });

  it("leaves no differences behind", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});
