import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { gateOf } from "../../../../test/eligibility.ts";
import { launchCampaign, makeMany } from "../../../../test/factories.ts";
import { type TestProject, testHouse } from "../../../../test/harness.ts";
import { visitedProject } from "../../../../test/visitors.ts";
import { anonymousIdOf, isVisitorId, visitorIdOf } from "../../../domain/visitors.pure.ts";
import { HOUR_MS } from "../../../platform/time/clock.ts";
import { type Dice, inWorlds } from "./dice.test-data.ts";
import {
  assertCensus,
  assertFates,
  assertSeen,
  type Explained,
  explainAll,
  firstFailing,
} from "./explained.test-data.ts";
import {
  audienceTraits,
  type Campaign,
  editorsOf,
  goOn,
  newlyWithheld,
  pause,
  randomAudience,
  randomGoal,
  randomWeights,
  shiftCampaign,
  statesOf,
  type Traits,
  type World,
} from "./world.test-data.ts";

const house = testHouse();
const editorOf = editorsOf(house);
const seen = new Set<string>();

const ROUND_MS = 8 * HOUR_MS;
const PATHS = ["/home", "/pricing", "/reports/q3"] as const;
/** Ids that no user has at first. The feed makes users of those whom it serves. */
const STRANGERS = ["stranger-0", "stranger-1", "stranger-2", visitorIdOf("stranger")];

/** How requests name a user, or a visitor. */
const nameOf = (id: string) => (isVisitorId(id) ? { anonymousId: anonymousIdOf(id) } : { userId: id });

/** The messages of a user, or of a visitor. */
async function messagesOf({ sdk }: TestProject, id: string, path?: string) {
  const query = path === undefined ? {} : { path };
  const { messages } = isVisitorId(id)
    ? await sdk.getMessages({ query, headers: { "x-anonymous-id": anonymousIdOf(id) } })
    : await sdk.getMessages({ query: { ...query, userId: id } });
  return messages;
}

let feedbacks = 0;
const feedback = (
  { sdk }: TestProject,
  deliveryId: string,
  id: string,
  type: "shown" | "clicked" | "dismissed",
) =>
  sdk.sendDeliveryFeedback({
    path: { id: deliveryId },
    body: { ...nameOf(id), type, feedbackId: `feedback-${++feedbacks}` },
  });

/** What a message may say: some texts have nothing left for users who lack a trait. */
const TEXTS = [
  { title: "Hello" },
  { title: "{{ user.nickname }}" },
  { title: "Hi {{ user.nickname }}" },
  { title: "{{ user.nickname }}", body: "{{ user.motto }}" },
  { title: "{{ user.motto | default: 'News' }}", body: " " },
] as const;

/** Values of personal traits; a page may not give a link, which leaves no text. */
const WORDS = ["Ada", "", " ", "www.spam.example", "https://spam.example", 7, null, ["a", "b"], {}] as const;

const personalTraits = (dice: Dice): Traits => ({
  nickname: dice.pick(WORDS),
  ...(dice.chance(0.5) ? { motto: dice.pick(WORDS) } : {}),
});

let members = 0;

/** So many new users and visitors, known from a page or from the server. */
async function join({ dice, project, users }: World, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const member = `member-${members++}`;
    const id = dice.chance(0.3) ? visitorIdOf(member) : member;
    users.push(id);
    const { identify } = dice.chance(0.5) ? project.sdk : project.api;
    await identify({ body: { ...nameOf(id), traits: { ...audienceTraits(dice), ...personalTraits(dice) } } });
  }
}

async function makeCampaign(world: World, now: number): Promise<Campaign> {
  const { dice, project } = world;
  const weights = randomWeights(dice, dice.int(1, 3));
  const goalId = await randomGoal(world);
  const audience = await randomAudience(world);
  return launchCampaign(project, {
    launch: dice.chance(0.7),
    audience,
    visitors: dice.pick(["none", "also", "also", "only"]),
    ...(goalId === null ? {} : { goalId }),
    ...(dice.chance(0.5) ? { pages: dice.pick([["/pricing"], ["/reports*", "/home"]]) } : {}),
    ...(dice.chance(0.2) ? { deliverFrom: now + dice.int(0, 1) * ROUND_MS + 1 } : {}),
    ...(dice.chance(0.2) ? { deliverUntil: now + dice.int(2, 4) * ROUND_MS } : {}),
    variants: weights.map((weight, n) => ({
      name: `Variant ${n}`,
      weight,
      message: { presentation: dice.pick(["toast", "modal"]), ...dice.pick(TEXTS) },
    })),
  });
}

/** What becomes of a user who comes, and the variant with which it is served. */
function predictedFate(explanation: Parameters<typeof firstFailing>[0]): string {
  const failing = firstFailing(explanation);
  if (failing?.gate === "holdout") return "withheld";
  return failing === null ? `served with ${gateOf(explanation, "variant").variantId}` : "nothing";
}

/** What users do with what they see, and what becomes of them and of the campaigns, between two rounds. */
async function live(world: World, campaigns: readonly Campaign[], now: number): Promise<void> {
  const { dice, project, users } = world;
  for (const userId of dice.some(users, 0.4)) {
    for (const { deliveryId } of await messagesOf(project, userId)) {
      if (dice.chance(0.2)) continue;
      await feedback(project, deliveryId, userId, "shown");
      if (dice.chance(0.5)) await feedback(project, deliveryId, userId, dice.pick(["dismissed", "clicked"]));
    }
  }
  for (const id of dice.some(users, 0.3))
    await project.api.identify({
      body: { ...nameOf(id), traits: dice.chance(0.5) ? personalTraits(dice) : audienceTraits(dice) },
    });
  // Visitors who sign in are new users, with all that the visitors had.
  for (const id of dice.some(users.filter(isVisitorId), 0.3)) {
    const userId = `signed-in-${members++}`;
    await project.sdk.identify({ body: { userId, ...nameOf(id) } });
    users.splice(users.indexOf(id), 1, userId);
  }
  for (const { id } of campaigns) {
    if (dice.chance(0.3))
      await project.api.updateCampaign({
        path: { id },
        body: { visitors: dice.pick(["none", "also", "only"]) },
      });
    await shiftCampaign(world, id, now);
    if (dice.chance(0.25)) await pause(world, id, house.now());
    else await goOn(world, id, now);
  }
  await join(world, dice.int(1, 4));
}

/** Every user comes to a page: who is served by which campaign, with which variant. */
async function visit({ project }: World, visitors: readonly string[], pathOf: (user: string) => string) {
  const served = await makeMany(visitors.length, async (at): Promise<[string, Map<string, string>]> => {
    const user = visitors[at] ?? "";
    const messages = await messagesOf(project, user, pathOf(user));
    return [user, new Map(messages.map(({ campaignId, variantId }) => [campaignId, variantId]))];
  });
  return new Map(served);
}

async function round(world: World, campaigns: readonly Campaign[]): Promise<void> {
  const { dice, project, users } = world;
  const visitors = [...users, ...STRANGERS];
  const paths = new Map(visitors.map((user) => [user, dice.pick(PATHS)]));
  const pathOf = (user: string): string => paths.get(user) ?? "/home";
  const explained = new Map<string, Explained>();
  for (const { id } of campaigns) {
    const found = await explainAll(project, id, visitors, pathOf);
    explained.set(id, found);
    await assertCensus(world, id, found);
  }
  const served = await visit(world, visitors, pathOf);
  for (const [id, found] of explained) {
    const states = await statesOf(world, id);
    const withheld = await newlyWithheld(world, id, found, states);
    const became = (_: unknown, user: string): string => {
      const variantId = served.get(user)?.get(id);
      if (variantId !== undefined) return `served with ${variantId}`;
      return withheld.has(user) ? "withheld" : "nothing";
    };
    const members = new Map([...found].filter(([user]) => users.includes(user)));
    assertFates(world, members, predictedFate, became, id);
    const strangers = new Map([...found].filter(([user]) => !users.includes(user)));
    const isServed = (fate: string): string => (fate === "withheld" ? "nothing" : fate);
    assertFates(world, strangers, (explanation) => isServed(predictedFate(explanation)), became, id);
    const expected = [...found].flatMap(([user, explanation]) => {
      const had = gateOf(explanation, "delivery").delivery !== null;
      return had || firstFailing(explanation) === null ? [user] : [];
    });
    assert.deepEqual([...states.keys()].sort(), expected.sort(), `the deliveries of ${id}`);
  }
}

describe("a web campaign: census, explanations and feed", () => {
  inWorlds([9], "agree about every user", async (dice) => {
    const project = await visitedProject(house);
    const world: World = { dice, project, people: await editorOf(project), users: [], seen };
    await join(world, dice.int(24, 40));
    const campaigns: Campaign[] = [];
    for (let n = dice.int(1, 2); n > 0; n--) campaigns.push(await makeCampaign(world, house.now()));
    for (let n = 0; n < 3; n++) {
      house.advance(ROUND_MS);
      if (n > 0) await live(world, campaigns, house.now());
      await round(world, campaigns);
    }
    for (const { id } of campaigns) await pause(world, id, house.now());
  });

  it("have met all that may become of users, where many worlds are played", () => {
    assertSeen(seen, {
      buckets: ["delivered", "held_out", "no_text", "will_receive"],
      new: ["served", "withheld", "nothing"],
      had: ["served", "nothing"],
    });
  });

  it("leave no differences behind", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});
