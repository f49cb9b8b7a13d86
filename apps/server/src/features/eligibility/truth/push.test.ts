import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Explanation, gateOf } from "../../../../test/eligibility.ts";
import type { TestProject } from "../../../../test/harness.ts";
import { inspect, type PushRecords, pushHouse, putCredential, readRecords } from "../../../../test/push.ts";
import { rounds } from "../../../../test/rounds.ts";
import { apiId, userRef } from "../../../domain/ids.ts";
import { type Dice, inWorlds } from "./dice.test-data.ts";
import { DISAGREEMENTS } from "./disagreements.test-data.ts";
import { assertCensus, assertFates, assertSeen, explainAll, firstFailing } from "./explained.test-data.ts";
import {
  changeDevice,
  changeUser,
  join,
  type PushWorld,
  ROUND_MS,
  randomCampaign,
} from "./push-world.test-data.ts";
import {
  type Campaign,
  editorsOf,
  goOn,
  newlyWithheld,
  pause,
  shiftCampaign,
  statesOf,
} from "./world.test-data.ts";

const { house, apns, fcm } = await pushHouse();
const editorOf = editorsOf(house);
const seen = new Set<string>();

/** A project that can send to iOS, and mostly to Android. */
async function pushingProject(dice: Dice): Promise<TestProject> {
  const project = await house.project();
  await putCredential(project, apns.credential);
  if (dice.chance(0.7)) await putCredential(project, fcm.credential);
  return project;
}

const listed = (devices: readonly string[]): string => devices.toSorted().join(", ");

type Slot = PushRecords["slots"][number];
type Around = {
  explanation: Explanation;
  /** The slots of the user before. */
  slots: readonly Slot[];
  /** Whether all devices of these slots are still the user's. */
  keepsDevices: boolean;
};

/** Whether a push that is planned may have come to differ from one that would be planned now. */
function differsFromPlan({ explanation, slots, keepsDevices }: Around): boolean {
  if (slots.some(({ expiresAt }) => expiresAt <= explanation.evaluatedAt)) return true;
  const failing = firstFailing(explanation, ["status"]);
  if (failing === null) return listed(gateOf(explanation, "device").chosen) !== devicesOf(slots);
  return failing.gate === "message" || (failing.gate === "device" && !keepsDevices);
}

/** Whether a user waits for a device, while a text of the message is what is missing first. */
const waitsUnseen = (explanation: Explanation, reason: string): boolean =>
  reason === "no_installation" &&
  gateOf(explanation, "device").devices === 0 &&
  gateOf(explanation, "message").passes === false;

const devicesOf = (slots: readonly Slot[]): string =>
  listed(slots.map(({ installationId }) => installationId));

/** What is to become of a user, by the first gate that does not pass. The campaign is paused while it is explained, and then goes on. */
function predictedFate(explanation: Explanation): string {
  const { delivery } = gateOf(explanation, "delivery");
  const still = delivery === null ? "nothing" : "as before";
  const failing = firstFailing(explanation, ["status"]);
  if (failing === null) return `goes to ${listed(gateOf(explanation, "device").chosen)}`;
  if (failing.gate === "holdout") return "withheld";
  if (delivery === null && (failing.gate === "message" || failing.gate === "device"))
    return `waits: ${failing.reason}`;
  return still;
}

/** The slots of a campaign by the ids of their users. */
async function slotsOf({ project, users }: PushWorld, id: string): Promise<Map<string, Slot[]>> {
  const { slots } = await readRecords(project, id);
  const names = new Map(users.map((user) => [apiId("eu", userRef(project.projectId, user).userKey), user]));
  return Map.groupBy(slots, ({ userId }) => names.get(userId) ?? userId);
}

/** Devices and users change; people move holdout and weights. */
async function live(world: PushWorld, { id }: Campaign): Promise<void> {
  const { dice, users, devices } = world;
  for (const device of dice.some(devices, 0.25)) await changeDevice(world, device);
  for (const user of dice.some(users, 0.15)) await changeUser(world, user);
  await shiftCampaign(world, id, house.now());
  await join(world, dice.int(1, 2));
}

/** The users who wait in a campaign, with the reason. */
async function waitingIn({ project }: PushWorld, id: string): Promise<Map<string, string>> {
  const { recipients } = await inspect(project, id);
  return new Map(
    recipients.flatMap(({ externalId, state }) =>
      state.kind === "waiting" ? [[externalId, state.reason]] : [],
    ),
  );
}

/** @param sends whether pushes leave; else the campaign is planned alone, and paused again */
async function round(world: PushWorld, campaign: Campaign, sends: boolean): Promise<void> {
  const { project, users, owners } = world;
  const { id } = campaign;
  const explained = await explainAll(project, id, users);
  await assertCensus(world, id, explained);
  const [had, earlier] = [await statesOf(world, id), await slotsOf(world, id)];
  const goes = await goOn(world, id, house.now());
  if (goes && !sends) await project.api.dispatchCampaignPush({ path: { id } });
  if (sends) await house.drain();
  const [states, slots] = [await statesOf(world, id), await slotsOf(world, id)];
  const withheld = await newlyWithheld(world, id, explained, states);
  const waiting = await waitingIn(world, id);
  const attemptsBefore = (user: string, { installationId }: Slot): number =>
    earlier.get(user)?.find((slot) => slot.installationId === installationId)?.sequence ?? 0;
  const became = (explanation: Explanation, user: string): string => {
    const theirs = slots.get(user) ?? [];
    const moved = sends
      ? theirs.filter((slot) => slot.sequence > attemptsBefore(user, slot))
      : had.has(user)
        ? []
        : theirs;
    if (moved.length > 0) return `goes to ${devicesOf(moved)}`;
    const [before, state] = [had.get(user), states.get(user)];
    if (state !== undefined) return before === state ? "as before" : `${state}, and was ${before}`;
    if (withheld.has(user)) return "withheld";
    const reason = waiting.get(user);
    const failing = firstFailing(explanation, ["status"]);
    if (reason === undefined || (failing?.gate !== "message" && failing?.gate !== "device")) return "nothing";
    return `waits: ${DISAGREEMENTS.waitsUnseen && waitsUnseen(explanation, reason) ? failing.reason : reason}`;
  };
  // A user without the one device that is named does not even wait for it, and no user waits for a campaign that was sent once.
  const isUnseen = campaign.once || campaign.push?.selection.kind === "specific";
  const unseen = (fate: string): string => (isUnseen && fate.startsWith("waits") ? "nothing" : fate);
  const predicted = (explanation: Explanation, user: string): string => {
    const { delivery } = gateOf(explanation, "delivery");
    if (!goes || (!sends && delivery !== null)) return delivery === null ? "nothing" : "as before";
    const theirs = earlier.get(user) ?? [];
    const keepsDevices = theirs.every(({ installationId }) => owners.get(installationId) === user);
    const around = { explanation, slots: theirs, keepsDevices };
    const isKept = DISAGREEMENTS.planIsKept && delivery?.isOpen === true && differsFromPlan(around);
    return isKept ? became(explanation, user) : predictedFate(explanation);
  };
  assertFates(
    world,
    explained,
    (explanation, user) => unseen(predicted(explanation, user)),
    (explanation, user) => unseen(became(explanation, user)),
    id,
  );
  await pause(world, id, house.now());
}

describe("a push campaign: census, explanations, planning and sending", () => {
  inWorlds([14], "agree about every user", async (dice) => {
    const project = await pushingProject(dice);
    const world: PushWorld = {
      dice,
      project,
      people: await editorOf(project),
      users: [],
      seen,
      devices: [],
      owners: new Map(),
    };
    await join(world, dice.int(26, 36));
    const campaigns: Campaign[] = [];
    while (campaigns.length < rounds(1, 2)) campaigns.push(await randomCampaign(world, house.now()));
    for (let n = 0; n < rounds(3, 5); n++) {
      const campaign = campaigns[n % campaigns.length];
      assert.ok(campaign);
      house.advance(ROUND_MS);
      if (n > 0) await live(world, campaign);
      house.advance(ROUND_MS);
      await round(world, campaign, n >= campaigns.length);
    }
  });

  it("have met all that may become of users, where many worlds are played", () => {
    assertSeen(seen, {
      buckets: [
        "delivered",
        "held_out",
        "will_receive",
        "too_late",
        "trait_missing",
        "campaign_not_ready",
        "no_installation",
        "no_token",
        "no_consent",
        "permission",
        "capability",
        "credential",
      ],
      new: ["goes", "withheld", "nothing"],
      had: ["goes", "as before"],
    });
  });

  it("leave no differences behind", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});
