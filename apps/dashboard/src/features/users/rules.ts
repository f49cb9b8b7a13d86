import type { Answer } from "@tidings/client";
import { beginningOf } from "@tidings/client/text";
import { valueText } from "../../ui/texts/value-text.ts";

export type User = Answer<"getUser">["user"];
export type UserMail = Answer<"getUserMail">;
export type UserEvent = Answer<"listUserEvents">["events"][number];
export type UserDelivery = Answer<"listUserDeliveries">["deliveries"][number];

const SHOWN_TRAITS = 3;
/** The most characters of a trait in a list; the page of the user has all of it. */
const SHOWN_LENGTH = 80;

const shortened = (text: string): string =>
  text.length <= SHOWN_LENGTH ? text : `${beginningOf(text, SHOWN_LENGTH - 1)}…`;

/** The first traits of a user, and how many there are beside. */
export function someTraits(traits: User["traits"]): { shown: readonly string[]; more: number } {
  const all = Object.entries(traits);
  const shown = all.slice(0, SHOWN_TRAITS).map(([name, value]) => shortened(`${name}: ${valueText(value)}`));
  return { shown, more: all.length - shown.length };
}

/** Something that happened to a user, at an instant (epoch ms). */
export type Happening =
  | { kind: "event"; at: number; event: UserEvent }
  | { kind: "delivery"; at: number; delivery: UserDelivery };

type Events = Pick<Answer<"listUserEvents">, "events" | "total">;
type Deliveries = Pick<Answer<"listUserDeliveries">, "deliveries" | "total">;

/** Since when a list is shown of which nothing is missing. */
const ALWAYS = Number.NEGATIVE_INFINITY;

/**
 * The newest events and messages of a user in one list, newest first. Where one of both lists has more than was read, what is older than
 * its last row is left out: something may lie between.
 */
export function timelineOf(
  { events, total }: Events,
  { deliveries, total: allDeliveries }: Deliveries,
): { happenings: Happening[]; isAll: boolean } {
  const lastEvent = events.length < total ? events.at(-1)?.ts : undefined;
  const lastDelivery = deliveries.length < allDeliveries ? deliveries.at(-1)?.queuedAt : undefined;
  const since = Math.max(lastEvent ?? ALWAYS, lastDelivery ?? ALWAYS);
  const happenings: Happening[] = [
    ...events.map((event) => ({ kind: "event" as const, at: event.ts, event })),
    ...deliveries.map((delivery) => ({ kind: "delivery" as const, at: delivery.queuedAt, delivery })),
  ];
  return {
    happenings: happenings.filter(({ at }) => at >= since).toSorted((one, other) => other.at - one.at),
    isAll: since === ALWAYS,
  };
}
