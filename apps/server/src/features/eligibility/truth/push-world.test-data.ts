import { CAPABILITIES, type Device, install } from "../../../../test/devices.ts";
import { APP, MESSAGE, type PushMessage } from "../../../../test/push.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../../../platform/time/clock.ts";
import type { Dice } from "./dice.test-data.ts";
import {
  audienceTraits,
  type Campaign,
  randomAudience,
  randomGoal,
  randomWeights,
  type Traits,
  type World,
} from "./world.test-data.ts";

/** Between two rounds. */
export const ROUND_MS = HOUR_MS;

/** Users with devices, which change hands: `owners` has the user of each by the id of the installation. */
export type PushWorld = World & { devices: Device[]; owners: Map<string, string | null> };

const BARE = { actions: [], channels: [], richImages: false, categories: [] };
const STATIC: PushMessage = { ...MESSAGE, title: "Hello" };

/** What a push may say: some devices cannot show it, some users lack a trait of it, and for some it becomes too long. */
const MESSAGES: readonly PushMessage[] = [
  STATIC,
  STATIC,
  { ...STATIC, image: "https://example.com/picture.png" },
  { ...STATIC, android: { channelId: "default" } },
  { ...STATIC, title: "Hi {{ user.name }}" },
  {
    ...STATIC,
    title: "{{ user.name }} and {{ user.name | default: 'you' }} and {{ user.name | default: 'you' }}",
  },
  { ...STATIC, body: "{{ user.motto | default: 'News' }} for {{ user.name | default: 'you' }}" },
];

/** Names and mottos of users: missing, blank, or too long for a title that has the name three times. */
const personalTraits = (dice: Dice): Traits => ({
  name: dice.pick(["Ada", "Ben", " ", null, "n".repeat(100)]),
  motto: dice.pick(["Go", null, null]),
});

let tokens = 0;
const newToken = (): string => `beef${String(tokens++).padStart(12, "0")}`;

type Facts = NonNullable<Parameters<Device["say"]>[0]>;

const randomFacts = (dice: Dice): Facts => ({
  consent: dice.chance(0.85),
  permission: dice.pick(["granted", "granted", "granted", "granted", "provisional", "denied", "unknown"]),
  capabilities: dice.chance(0.8) ? CAPABILITIES : BARE,
});

async function handOver({ owners }: PushWorld, device: Device, userId: string | null): Promise<void> {
  await device.bind(userId);
  owners.set(device.installationId, userId);
}

/** A device of a user, of the app of campaigns or of another one. Most can be sent to. */
async function addDevice(world: PushWorld, userId: string): Promise<void> {
  const { dice, project, devices } = world;
  const device = await install(project, {
    appId: dice.chance(0.92) ? APP : "com.example.other",
    platform: dice.pick(["ios", "ios", "android"]),
    environment: dice.chance(0.9) ? "production" : "development",
  });
  devices.push(device);
  await handOver(world, device, userId);
  await device.say(randomFacts(dice));
  if (dice.chance(0.85)) await device.put(newToken());
}

/** So many new users, with up to three devices each. */
export async function join(world: PushWorld, count: number): Promise<void> {
  const { dice, project, users } = world;
  for (let n = 0; n < count; n++) {
    const userId = `member-${users.length}`;
    users.push(userId);
    const traits = { ...audienceTraits(dice), ...personalTraits(dice) };
    await project.sdk.identify({ body: { userId, traits } });
    for (let more = dice.pick([0, 1, 1, 1, 2, 3]); more > 0; more--) await addDevice(world, userId);
  }
}

/** What becomes of a device between two rounds. */
export async function changeDevice(world: PushWorld, device: Device): Promise<void> {
  const { dice, users } = world;
  switch (dice.pick(["facts", "facts", "facts", "token", "no token", "use", "hand over", "leave"])) {
    case "facts":
      return void (await device.say(randomFacts(dice)));
    case "token":
      return void (await device.put(newToken()));
    case "no token":
      return void (await device.put(null));
    case "use":
      return void (await device.use());
    case "hand over":
      return handOver(world, device, dice.pick(users));
    case "leave":
      return handOver(world, device, null);
  }
}

/** Users get other traits, and further devices. */
export async function changeUser(world: PushWorld, userId: string): Promise<void> {
  const { dice, project } = world;
  if (dice.chance(0.3)) return addDevice(world, userId);
  const traits = dice.chance(0.5) ? audienceTraits(dice) : personalTraits(dice);
  await project.sdk.identify({ body: { userId, traits } });
}

/** What is pushed, to which devices of whom, and when; a draft. */
export async function randomCampaign(world: PushWorld, now: number): Promise<Campaign> {
  const { dice, project, devices } = world;
  const weights = randomWeights(dice, dice.int(1, 3));
  const goalId = await randomGoal(world);
  const { installationId } = dice.pick(devices);
  const selection = dice.pick([
    { kind: "last_active" as const },
    { kind: "last_active" as const },
    { kind: "all" as const },
    { kind: "all" as const },
    { kind: "specific" as const, installationId },
  ]);
  const { campaign } = await project.api.createCampaign({
    body: {
      name: "Push",
      channel: "push",
      audience: await randomAudience(world),
      once: dice.chance(0.3),
      push: {
        appId: APP,
        selection,
        ttlSeconds: dice.pick([3 * HOUR_MS, 10 * DAY_MS, 10 * DAY_MS]) / SECOND_MS,
      },
      ...(goalId === null ? {} : { goalId }),
      ...(dice.chance(0.2) ? { deliverFrom: now + dice.int(0, 1) * ROUND_MS + 1 } : {}),
      ...(dice.chance(0.2) ? { deliverUntil: now + dice.int(2, 6) * ROUND_MS } : {}),
      variants: weights.map((weight, n) => ({
        name: `Variant ${n}`,
        weight,
        message: dice.pick(MESSAGES),
      })),
    },
  });
  return campaign;
}
