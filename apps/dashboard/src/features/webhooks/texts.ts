import { numberOf } from "../../platform/figures.ts";
import { sentenceOf, subscriptionOf, type Webhook } from "./rules.ts";
import { words } from "./words.ts";

/** More messages than this are not counted. */
const MOST_COUNTED = 10_000;

/** How many messages wait, for a cell. */
export const waitingText = (waiting: number): string =>
  waiting > MOST_COUNTED ? words.mostWaiting(MOST_COUNTED) : numberOf(waiting);

/** How many messages wait, as a sentence. */
export const waitingSentence = (waiting: number): string =>
  waiting > MOST_COUNTED ? words.waitMore(MOST_COUNTED) : words.waits(waiting);

/** What a webhook is about, in a few words. */
export function subscriptionText(types: Webhook["types"]): string {
  const subscription = subscriptionOf(types);
  const { all, others, othersAnd, some } = words.subscriptions;
  if (subscription.kind === "all") return all;
  if (subscription.kind === "some") return some(subscription.count);
  return subscription.deliveries === 0 ? others : othersAnd(subscription.deliveries);
}

/** What a message says that happened. */
export const happeningText = (type: string): string => sentenceOf(type) ?? words.isTest;
