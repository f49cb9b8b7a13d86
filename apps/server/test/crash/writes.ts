import { z } from "zod";
import {
  attempt,
  type CampaignRecord,
  type EventWrite,
  type FeedbackWrite,
  type ManagementWrite,
  type World,
} from "./ledger.ts";

/** The event that the goal counts. */
export const GOAL_EVENT = "purchase";

/** Sends an event, some at the same moment again, and writes down the acknowledgement and the conversions it brings. */
export async function sendEvent(world: World, write: EventWrite, times = 1): Promise<boolean> {
  const { marker, userId, event, hasId } = write;
  world.ledger.events.set(marker, write);
  world.ledger.users.add(userId);
  // Sent again, it keeps the time at which it was first received: what was shown since then is not converted by it.
  write.due ??= event === GOAL_EVENT ? world.ledger.convertible(userId) : [];
  const body = { userId, event, props: { marker }, ...(hasId ? { eventId: marker } : {}) };
  const sent = Array.from({ length: times }, () =>
    attempt(world, `event ${marker}`, () => world.sdk.track({ body })),
  );
  const acknowledged = (await Promise.all(sent)).some((answer) => answer !== null);
  if (!acknowledged) return false;
  write.acknowledged = true;
  for (const deliveryId of write.due) world.ledger.converted.add(deliveryId);
  return true;
}

export async function sendTrait(world: World, userId: string, name: string, value: string): Promise<boolean> {
  const { ledger } = world;
  const register = ledger.trait(userId, name);
  ledger.users.add(userId);
  register.pending = value;
  const body = { userId, traits: { [name]: value } };
  if ((await attempt(world, `trait ${name} of ${userId}`, () => world.sdk.identify({ body }))) === null)
    return false;
  Object.assign(register, { known: value, pending: null });
  ledger.identified++;
  return true;
}

export async function askMessages(world: World, userId: string) {
  const { ledger, faults } = world;
  ledger.readers.add(userId);
  ledger.users.add(userId);
  const answer = await attempt(world, `messages of ${userId}`, () =>
    world.sdk.getMessages({ query: { userId } }),
  );
  for (const message of answer?.messages ?? []) ledger.handOut(userId, message, faults);
  return answer?.messages ?? [];
}

/** Reports feedback, some at the same moment again: one receipt, whichever request asks for it and whenever. */
export async function sendFeedback(world: World, write: FeedbackWrite, times = 1): Promise<boolean> {
  const { feedbackId, deliveryId, userId, type } = write;
  const { ledger, faults } = world;
  ledger.feedback.set(feedbackId, write);
  const sent = Array.from({ length: times }, () =>
    attempt(world, `feedback ${feedbackId}`, () =>
      world.sdk.sendDeliveryFeedback({ path: { id: deliveryId }, body: { userId, type, feedbackId } }),
    ),
  );
  for (const receipt of await Promise.all(sent)) {
    if (receipt !== null) ledger.acknowledgeFeedback(write, receipt, faults);
  }
  return write.receipt !== null;
}

/** Sends a write of the management API. @throws Error when it is refused. */
export async function manage(
  world: World,
  { method, path, key, body }: ManagementWrite,
): Promise<{ answer: unknown; replayed: boolean }> {
  const response = await fetch(`${world.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${world.secretKey}`,
      "content-type": "application/json",
      "idempotency-key": key,
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return { answer: JSON.parse(text), replayed: response.headers.get("idempotent-replayed") === "true" };
}

const Created = z.object({ campaign: z.object({ id: z.string(), status: z.string() }) });

const accept = (register: Register): void => {
  if (register.pending !== null) Object.assign(register, { known: register.pending, pending: null });
};
type Register = CampaignRecord["name"];

/** Sends the pending write of a campaign, again where the kill left it open, and writes down what it changed. */
export async function sendPending(world: World, campaign: CampaignRecord): Promise<boolean> {
  const write = campaign.pending;
  if (write === null) return true;
  const done = await attempt(world, `${write.method} ${write.path} ${write.key}`, () => manage(world, write));
  if (done === null) return false;
  write.answer = done.answer;
  world.ledger.managed.push(write);
  campaign.pending = null;
  accept(campaign.name);
  accept(campaign.status);
  if (campaign.id !== null) return true;
  const { id } = Created.parse(done.answer).campaign;
  campaign.id = id;
  if (campaign.hasGoal) world.ledger.goalCampaigns.add(id);
  return true;
}
