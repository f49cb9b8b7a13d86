import type { CampaignRecord, FeedbackType, FeedbackWrite, World } from "./ledger.ts";
import type { Random } from "./random.ts";
import { askMessages, GOAL_EVENT, sendEvent, sendFeedback, sendPending, sendTrait } from "./writes.ts";

/** A client of the load: one request at a time, but for repeats on purpose. */
type Client = { name: string; random: Random; serial: number };
type Step = (world: World, client: Client) => Promise<unknown>;

/** A round ends with the kill long before; a server that answers nothing must not keep it going for ever. */
const MAX_STEPS = 5_000;
const SHARED_USERS = 20;
const USERS_PER_TRACKER = 100;
const LIVE_CAMPAIGNS_PER_WRITER = 3;
const EVENTS = ["page_viewed", "cart_opened", "search_done"] as const;
/** How often a request is sent twice at the same moment, as a client that lost patience does. */
const REPEATED = 0.1;

const markerOf = ({ round }: World, client: Client): string => `r${round}-${client.name}-${client.serial++}`;

const newEvent = (world: World, client: Client, userId: string, event: string) => ({
  marker: markerOf(world, client),
  userId,
  event,
  hasId: client.random.chance(0.7),
  round: world.round,
  due: null,
  acknowledged: false,
});

/** Only an event with an id may be sent again. */
const timesOf = (client: Client, hasId: boolean): number => (hasId && client.random.chance(REPEATED) ? 2 : 1);

/** A user of one visitor, met before or new. */
function visitorUser(world: World, visitor: string, random: Random, returning: number): string {
  const met = world.ledger.visits.get(visitor) ?? 0;
  if (met > 0 && random.chance(returning)) return `${visitor}-user-${random.int(met)}`;
  world.ledger.visits.set(visitor, met + 1);
  return `${visitor}-user-${met}`;
}

/** Some users are everybody's, so that writers meet; some buy while a visitor is being shown messages. */
const trackStep: Step = async (world, client) => {
  const { random } = client;
  const visited = random.chance(0.15) ? random.pick([...world.ledger.visits]) : undefined;
  const [userId, event] =
    visited !== undefined
      ? [`${visited[0]}-user-${Math.max(0, visited[1] - 1 - random.int(3))}`, GOAL_EVENT]
      : random.chance(0.4)
        ? [`shared-${random.int(SHARED_USERS)}`, EVENTS[random.int(EVENTS.length)] ?? EVENTS[0]]
        : [`${client.name}-user-${random.int(USERS_PER_TRACKER)}`, EVENTS[0]];
  const write = newEvent(world, client, userId, event);
  await sendEvent(world, write, timesOf(client, write.hasId));
};

/** Each client has a trait of its own on users that all share: merges into one row that must not eat each other. */
const identifyStep: Step = async (world, client) => {
  const userId = `shared-${client.random.int(SHARED_USERS)}`;
  await sendTrait(world, userId, client.name, markerOf(world, client));
};

const newFeedback = (
  world: World,
  client: Client,
  userId: string,
  deliveryId: string,
  type: FeedbackType,
): FeedbackWrite => ({
  feedbackId: markerOf(world, client),
  deliveryId,
  userId,
  type,
  round: world.round,
  receipt: null,
});

/** A visit: ask, show, perhaps buy, perhaps click or dismiss. */
const visitStep: Step = async (world, client) => {
  const { random } = client;
  const userId = visitorUser(world, client.name, random, 0.4);
  const messages = random.sample(await askMessages(world, userId), 2);
  for (const { deliveryId } of messages) {
    const write = newFeedback(world, client, userId, deliveryId, "shown");
    if (!(await sendFeedback(world, write, timesOf(client, true)))) return;
  }
  if (random.chance(0.5)) {
    const bought = newEvent(world, client, userId, GOAL_EVENT);
    if (!(await sendEvent(world, bought, timesOf(client, bought.hasId)))) return;
  }
  const [message] = messages;
  if (message === undefined || !random.chance(0.6)) return;
  const type = random.chance(0.5) ? "clicked" : "dismissed";
  await sendFeedback(world, newFeedback(world, client, userId, message.deliveryId, type));
};

/** Makes a campaign; its message carries the key of its creation. */
export async function createCampaign(
  world: World,
  { owner, marker, launch, hasGoal }: { owner: string; marker: string; launch: boolean; hasGoal: boolean },
): Promise<boolean> {
  const message = { presentation: "toast", title: marker };
  const campaign: CampaignRecord = {
    owner,
    marker,
    hasGoal,
    id: null,
    name: { known: null, pending: marker },
    status: { known: null, pending: launch ? "running" : "draft" },
    pending: {
      key: marker,
      method: "POST",
      path: "/api/v1/campaigns",
      body: {
        name: marker,
        launch,
        variants: [
          { name: "A", message },
          { name: "B", message, isControl: true },
        ],
        ...(hasGoal ? { goalId: world.goalId } : {}),
      },
      answer: null,
    },
  };
  world.ledger.campaigns.set(marker, campaign);
  return sendPending(world, campaign);
}

function rename(campaign: CampaignRecord, key: string): void {
  campaign.name.pending = key;
  campaign.pending = {
    key,
    method: "PATCH",
    path: `/api/v1/campaigns/${campaign.id}`,
    body: { name: key },
    answer: null,
  };
}

function move(campaign: CampaignRecord, key: string, end: boolean): void {
  const action = end ? "end" : campaign.status.known === "running" ? "pause" : "launch";
  campaign.status.pending = { end: "ended", pause: "paused", launch: "running" }[action];
  const path = `/api/v1/campaigns/${campaign.id}/status`;
  campaign.pending = { key, method: "POST", path, body: { action }, answer: null };
}

/** A campaign has one writer; the project's configuration, which every write raises, has all of them. */
const campaignStep: Step = async (world, client) => {
  const { random, name } = client;
  const marker = markerOf(world, client);
  const live = [...world.ledger.campaigns.values()].filter(
    ({ owner, status, pending }) => owner === name && status.known !== "ended" && pending === null,
  );
  const campaign = random.pick(live);
  if (campaign === undefined || live.length < LIVE_CAMPAIGNS_PER_WRITER) {
    const choices = { launch: random.chance(0.5), hasGoal: random.chance(0.5) };
    await createCampaign(world, { owner: name, marker, ...choices });
    return;
  }
  if (random.chance(0.5)) rename(campaign, marker);
  else move(campaign, marker, random.chance(0.2));
  await sendPending(world, campaign);
};

/** Shares of the clients; one of each at least. */
const KINDS: readonly { name: string; share: number; step: Step }[] = [
  { name: "tracker", share: 0.4, step: trackStep },
  { name: "identifier", share: 0.15, step: identifyStep },
  { name: "visitor", share: 0.325, step: visitStep },
  { name: "writer", share: 0.125, step: campaignStep },
];

async function runClient(world: World, client: Client, step: Step): Promise<void> {
  for (let steps = 0; steps < MAX_STEPS && !world.killed; steps++) await step(world, client);
}

/** Drives the server from `clients` loops until `world.killed`; resolves when every loop has ended. */
export async function runLoad(
  world: World,
  clients: number,
  randomOf: (name: string) => Random,
): Promise<void> {
  const loops = KINDS.flatMap(({ name, share, step }) =>
    Array.from({ length: Math.max(1, Math.round(clients * share)) }, (_, index) => {
      const client = { name: `${name}-${index}`, random: randomOf(`${name}-${index}`), serial: 0 };
      return runClient(world, client, step);
    }),
  );
  await Promise.all(loops);
}
