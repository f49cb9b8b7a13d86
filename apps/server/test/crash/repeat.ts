import { isDeepStrictEqual } from "node:util";
import { attempt, type World } from "./ledger.ts";
import type { Random } from "./random.ts";
import { askMessages, manage, sendEvent, sendFeedback, sendPending, sendTrait } from "./writes.ts";

const SAMPLE = 40;

/**
 * Does what a client does that got no answer: sends again, under the same id. Each must be acknowledged now, whether it
 * had been stored or not. Only an event without an id stays open for ever.
 */
export async function sendUnansweredAgain(world: World): Promise<void> {
  const { ledger } = world;
  for (const event of ledger.events.values()) {
    if (event.hasId && !event.acknowledged) await sendEvent(world, event);
  }
  for (const [userId, traits] of ledger.traits) {
    for (const [name, { pending }] of traits) {
      if (pending !== null) await sendTrait(world, userId, name, pending);
    }
  }
  for (const feedback of ledger.feedback.values()) {
    if (feedback.receipt === null) await sendFeedback(world, feedback);
  }
  for (const campaign of ledger.campaigns.values()) await sendPending(world, campaign);
}

/** Sends some of what was acknowledged again: the answer is the same one, and nothing is added. */
export async function sendAcknowledgedAgain(world: World, random: Random): Promise<void> {
  const { ledger, faults } = world;
  const events = [...ledger.events.values()].filter((event) => event.hasId && event.acknowledged);
  for (const event of random.sample(events, SAMPLE)) {
    if (!(await sendEvent(world, event))) faults.add("wrong", `event ${event.marker} was not taken again`);
  }
  const feedbacks = [...ledger.feedback.values()].filter(({ receipt }) => receipt !== null);
  for (const feedback of random.sample(feedbacks, SAMPLE)) {
    const before = feedback.receipt;
    await sendFeedback(world, feedback);
    if (!isDeepStrictEqual(feedback.receipt, before))
      faults.add("wrong", `feedback ${feedback.feedbackId} was answered in another way`);
  }
  const [recent, earlier] = [true, false].map((wanted) =>
    ledger.managed.filter(({ key }) => key.startsWith(`r${world.round}-`) === wanted),
  );
  for (const write of [...(recent ?? []), ...random.sample(earlier ?? [], SAMPLE)]) {
    const again = await attempt(world, `${write.path} ${write.key} again`, () => manage(world, write));
    if (again !== null && !(again.replayed && isDeepStrictEqual(again.answer, write.answer)))
      faults.add("doubled", `${write.method} ${write.path} ${write.key} was done again`);
  }
  for (const userId of random.sample([...ledger.readers], SAMPLE)) await askMessages(world, userId);
}
