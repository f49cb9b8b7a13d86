import type { Answer } from "@tidings/client";
import { typeSentences } from "./generated/types.ts";

/** An address that gets messages, as the API shows it. */
export type Webhook = Answer<"getWebhook">["webhook"];
export type WebhookMessage = Answer<"listWebhookMessages">["messages"][number];
export type WebhookAttempt = Answer<"getWebhookMessage">["attempts"][number];
export type MessageState = WebhookMessage["state"];
type WebhookType = keyof typeof typeSentences;

export const MESSAGE_STATES = [
  "waiting",
  "sending",
  "delivered",
  "given_up",
] as const satisfies readonly MessageState[];

/** Stands for all types but those about deliveries. */
const ALL_OTHERS = "*";

/** What types are about, in the order in which people read them, each with the beginnings of its types. */
export const TYPE_GROUPS = [
  { group: "deliveries", topics: ["delivery"] },
  { group: "addresses", topics: ["address"] },
  { group: "users", topics: ["user"] },
  { group: "campaigns", topics: ["campaign", "guardrail"] },
  { group: "agent", topics: ["proposal", "run"] },
  { group: "imports", topics: ["import"] },
  { group: "syncs", topics: ["sync"] },
] as const;
export type TypeGroup = (typeof TYPE_GROUPS)[number]["group"];

const ALL_TYPES = Object.keys(typeSentences) as WebhookType[];
const topicOf = (type: string): string => type.slice(0, type.indexOf("."));

/** The types of a group, with the sentence of each. */
export function typesOfGroup(group: TypeGroup): { type: WebhookType; sentence: string }[] {
  const topics: readonly string[] = TYPE_GROUPS.find((each) => each.group === group)?.topics ?? [];
  return ALL_TYPES.filter((type) => topics.includes(topicOf(type))).map((type) => ({
    type,
    sentence: typeSentences[type],
  }));
}

/** What happened, as a sentence; null for a type that no webhook subscribes to, such as a test. */
export const sentenceOf = (type: string): string | null =>
  Object.hasOwn(typeSentences, type) ? typeSentences[type as WebhookType] : null;

/** What is chosen in a form: single types, and whether all are that are not about deliveries. */
export type TypeChoice = { isAllOthers: boolean; types: readonly string[] };

const isOfDelivery = (type: string): boolean => topicOf(type) === "delivery";

export const choiceOf = (types: Webhook["types"]): TypeChoice => ({
  isAllOthers: types.includes(ALL_OTHERS),
  types: types.filter((type) => type !== ALL_OTHERS),
});

/** Whether a type is among what is chosen. */
export const isChosen = ({ isAllOthers, types }: TypeChoice, type: string): boolean =>
  types.includes(type) || (isAllOthers && !isOfDelivery(type));

/** What is chosen with one type more, or less. */
export const toggled = (choice: TypeChoice, type: string): TypeChoice => ({
  ...choice,
  types: choice.types.includes(type) ? choice.types.filter((each) => each !== type) : [...choice.types, type],
});

/** The types to send: those that `*` stands for are not named beside it. */
export function typesOf({ isAllOthers, types }: TypeChoice): Webhook["types"] {
  const chosen = ALL_TYPES.filter((type) => types.includes(type) && !(isAllOthers && !isOfDelivery(type)));
  return isAllOthers ? [ALL_OTHERS, ...chosen] : chosen;
}

/** How much of all that happens a webhook is about. `deliveries`: how many types of those, where it gets all others. */
export function subscriptionOf(
  types: Webhook["types"],
): { kind: "all" } | { kind: "others"; deliveries: number } | { kind: "some"; count: number } {
  const choice = choiceOf(types);
  if (!choice.isAllOthers) {
    const count = choice.types.length;
    return count === ALL_TYPES.length ? { kind: "all" } : { kind: "some", count };
  }
  const deliveries = choice.types.filter(isOfDelivery).length;
  return deliveries === ALL_TYPES.filter(isOfDelivery).length
    ? { kind: "all" }
    : { kind: "others", deliveries };
}

/** How a webhook is. */
type Standing = "on" | "failing" | "off";
export const standingOf = ({ state, failingSince }: Pick<Webhook, "state" | "failingSince">): Standing =>
  state === "off" ? "off" : failingSince === null ? "on" : "failing";

/** Whether a fault has switched it off, and not a person. */
export const isFaulty = ({ offBecause }: Pick<Webhook, "offBecause">): boolean =>
  offBecause === "gone" || offBecause === "failing" || offBecause === "flooded";

/** How long until a page looks again, in milliseconds: soon while something is on its way. */
const [MOVING_MS, RESTING_MS] = [2_000, 10_000] as const;
export const lookAgainMs = (isMoving: boolean): number => (isMoving ? MOVING_MS : RESTING_MS);

export const hasEnded = ({ state }: Pick<WebhookMessage, "state">): boolean =>
  state === "delivered" || state === "given_up";

/** The state of messages that an address asks for; undefined for all. */
export const stateIn = ({ state }: Readonly<Record<string, string>>): MessageState | undefined =>
  MESSAGE_STATES.find((each) => each === state);

/** The message that an address names by a key, such as `message`; undefined where it names none that there can be. */
export const messageIdIn = (address: Readonly<Record<string, string>>, key: string): string | undefined =>
  /^msg_[0-9a-f-]{36}$/.test(address[key] ?? "") ? address[key] : undefined;
