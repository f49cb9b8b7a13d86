import { sendingProject } from "../../../../test/email.ts";
import type { TestHouse, TestProject } from "../../../../test/harness.ts";
import type { SmtpPeer } from "../../../../test/peers/smtp.ts";
import { HOUR_MS } from "../../../platform/time/clock.ts";
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

type CampaignBody = Parameters<TestProject["api"]["createCampaign"]>[0]["body"];

/** Users whose ids begin alike, as those of no other world do. */
export type MailWorld = World & { prefix: string };

/** Between two rounds. All mail that was deferred is due again after it: rounds are few. */
export const ROUND_MS = 8 * HOUR_MS;

/** Forms of addresses of a user that mail goes to. The plain pattern of a census takes the first ones alone. */
const GOOD: readonly ((name: string) => string)[] = [
  (name) => `${name}@example.com`,
  (name) => `${name}@example.com`,
  (name) => `${name.toUpperCase()}@Example.COM`,
  (name) => `o'neil+${name}@ex--ample.example`,
  (name) => `  ${name}@EXAMPLE.org `,
  (name) => `${name}@bücher.example`,
  (name) => `${name}@xn--bcher-kva.example`,
  (name) => `${name}${"l".repeat(64 - name.length)}@example.com`,
  (name) => `${name}@${"d.".repeat(40)}example`,
  (name) => `${name}@example.x`,
];

/** Forms that no mail goes to. */
const BAD: readonly ((name: string) => string)[] = [
  (name) => name,
  (name) => `${name}@localhost`,
  (name) => `a..${name}@example.com`,
  (name) => `"${name} x"@example.com`,
  (name) => `${name}@example.0x10`,
  (name) => `${name}@[127.0.0.1]`,
  (name) => `é${name}@example.com`,
  (name) => `${name}${"l".repeat(70)}@example.com`,
];

/** The trait with an address of a user: mostly good, or bad, or no text, or none. `tag` tells it from earlier ones. */
function randomAddress(dice: Dice, userId: string, tag = ""): Traits {
  const roll = dice.int(0, 99);
  const name = `${userId}${tag}`;
  if (roll < 75) return { email: dice.pick(GOOD)(name) };
  if (roll < 88) return { email: dice.pick(BAD)(name) };
  return roll < 94 ? { email: dice.pick([5, true, ["a@example.com"], {}]) } : {};
}

/** Which user a mail is for: every address has the id in it, which no other world has. */
export const userOfAddress = (address: string): string =>
  /member-\d+-\d+/i.exec(address)?.[0].toLowerCase() ?? "";

/** Where readers live; one of them nowhere. */
const ZONES = ["Asia/Tokyo", "America/New_York", "Europe/Berlin", "Asia/Kolkata", "Mars/Olympus"];

let worlds = 0;
/** How the ids of the users of a world begin. */
export const newPrefix = (): string => `member-${worlds++}-`;

/** So many new users, whose addresses come from a page or from the server. */
export async function join({ dice, project, users, prefix }: MailWorld, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const userId = `${prefix}${users.length}`;
    users.push(userId);
    const { identify } = dice.chance(0.4) ? project.sdk : project.api;
    const zone = dice.chance(0.6) ? { $timezone: dice.pick(ZONES) } : {};
    const traits = { ...audienceTraits(dice), ...randomAddress(dice, userId), ...zone };
    await identify({ body: { userId, traits } });
  }
}

/** How many mails an address gets, and what becomes of more. */
export const randomCap = (dice: Dice) => ({
  "email.capMax": String(dice.pick([0, 1, 1, 2])),
  "email.capHours": String(dice.pick([5, 20, 30])),
  "email.overCap": dice.pick(["skip", "postpone"]),
});

/** When mail leaves, and how much of it readers bear. Longer than a world lasts, so that what was unknown counts to its end. */
const randomTiming = (dice: Dice): Record<string, string> => ({
  "time.zone": dice.pick(ZONES.slice(0, 4)),
  "time.quiet": dice.pick(["", "21:00-08:00", "09:30-17:00", "00:00-06:00"]),
  "pressure.max": String(dice.pick([0, 0, 1, 2])),
  "pressure.hours": "200",
});

/** A project with a cap and a number of new addresses per hour that its users exceed. */
export const randomMailing = (house: TestHouse, smtp: SmtpPeer, dice: Dice): Promise<TestProject> =>
  sendingProject(house, smtp.port, {
    ...randomCap(dice),
    ...(dice.chance(0.5) ? randomTiming(dice) : {}),
    "identity.newAddressesPerHour": String(dice.int(1, 6)),
  });

/** What is sent, to whom, and when; a draft. */
export async function randomCampaign(world: MailWorld, now: number): Promise<Campaign> {
  const { dice, project } = world;
  const weights = randomWeights(dice, dice.int(1, 3));
  const goalId = await randomGoal(world);
  const body: CampaignBody = {
    name: "Email",
    channel: "email",
    audience: await randomAudience(world),
    once: dice.chance(0.3),
    urgent: dice.chance(0.15),
    patienceHours: dice.pick([5, 20, 72]),
    sendTime: dice.chance(0.25)
      ? {
          at: `${String(dice.int(0, 23)).padStart(2, "0")}:30`,
          zone: dice.pick(["user", "user", "Asia/Tokyo"]),
        }
      : null,
    ...(goalId === null ? {} : { goalId }),
    ...(dice.chance(0.2) ? { deliverFrom: now + dice.int(0, 1) * ROUND_MS + 1 } : {}),
    ...(dice.chance(0.25) ? { deliverUntil: now + dice.int(2, 5) * ROUND_MS } : {}),
    variants: weights.map((weight, n) => ({
      name: `Variant ${n}`,
      weight,
      message: { subject: `Variant ${n} for {{ user.name | default: 'you' }}`, body: "Hi {{ user.name }}!" },
    })),
  };
  return (await project.api.createCampaign({ body })).campaign;
}

/** The path of the page of a mail on which its reader unsubscribes. */
function unsubscribePath(raw: Buffer): string {
  const unfolded = raw.toString("latin1").replace(/\r\n[ \t]+/g, " ");
  return /^List-Unsubscribe:.*?(\/e\/[^\s>]+)>/im.exec(unfolded)?.[1] ?? "";
}

/** A user who has a mail of the project may unsubscribe with it. */
export async function unsubscribe(house: TestHouse, raw: Buffer): Promise<void> {
  const answer = await fetch(`${house.url}${unsubscribePath(raw)}`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: "List-Unsubscribe=One-Click",
  });
  if (!answer.ok) throw new Error(`The page to unsubscribe answered ${answer.status}.`);
}

/** Gives an address from a page where the server has taken the earlier one away: it is not confirmed. */
async function moveFromPage({ project }: MailWorld, userId: string, traits: Traits): Promise<void> {
  await project.api.identify({ body: { userId, traits: { email: null } } });
  await project.sdk.identify({ body: { userId, traits } });
}

/** What becomes of a user's address between two rounds. */
export async function changeUser(world: MailWorld, userId: string, tag: string): Promise<void> {
  const { dice, project, people } = world;
  const identify = (traits: Traits) => project.api.identify({ body: { userId, traits } });
  const { address } = await people.getUserMail({ path: { id: userId } });
  const suppress = async () => {
    if (address !== null) await people.suppressEmailAddress({ body: { address } });
  };
  switch (
    dice.pick(["traits", "server", "erase", "page", "page", "suppress", "suppress", "suppressed page"])
  ) {
    case "traits":
      return void (await identify(audienceTraits(dice)));
    case "server":
      return void (await identify(randomAddress(dice, userId, tag)));
    case "erase":
      return void (await identify({ email: null }));
    case "page":
      return moveFromPage(world, userId, randomAddress(dice, userId, tag));
    case "suppress":
      return suppress();
    case "suppressed page":
      await suppress();
      if (address !== null) await moveFromPage(world, userId, { email: address });
  }
}
