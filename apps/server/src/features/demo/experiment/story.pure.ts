import { randomNumbers } from "../random.pure.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The name of the experiment's campaign, by which it is found again. */
export const EXPERIMENT = "Two texts for Morning Blend";

/** How many days the story has. */
export const STORY_DAYS = 10;
/** Visitors of one day. */
export const DAILY_VISITORS = 240;
/** So long before now the first day began: the days, the day for which the last message counts, and an hour to spare. */
export const BEGAN_BEFORE_MS = (STORY_DAYS + 1) * DAY_MS + HOUR_MS;

/**
 * With 274 of the seeds from 1 to 400, the better text is shipped within the days. This is one of those with which the agent also waits,
 * divides traffic, and is refused once for lack of evidence.
 */
const SEED = 34;
const SEEDS_APART = 7_919;

/** How many of the visitors order after they have seen the control, and after the other text. */
const ORDERS = { control: 0.04, other: 0.08 };

/** Points are whole hundredths, because weights are whole per cent. */
export const POINTS = 100;

/** What is drawn for a visitor: everything but the text that they see, which the campaign decides by their point. */
export type Draw = {
  /** The hundredth of the users of a campaign in which the visitor is, 0 to 99. */
  point: number;
  /** When the visitor comes, in milliseconds since the day began. */
  comesAfterMs: number;
  /** How long after the message an order comes, in milliseconds. */
  ordersAfterMs: number;
  /** From 0 to 1: a text that sells to more visitors than this sells to this one. */
  reluctance: number;
};

/** The visitors of a day (0 is the first), in the order in which they come. The same day has the same visitors, wherever it is played. */
export function drawDay(day: number): Draw[] {
  const next = randomNumbers(SEED + day * SEEDS_APART);
  return Array.from({ length: DAILY_VISITORS }, (_, place) => ({
    point: Math.floor(next() * POINTS),
    comesAfterMs: Math.floor(((place + next()) / DAILY_VISITORS) * DAY_MS),
    ordersAfterMs: MINUTE_MS + Math.floor(next() * 2 * HOUR_MS),
    reluctance: next(),
  }));
}

/** Whether a visitor orders after a message. */
export const orders = ({ reluctance }: Pick<Draw, "reluctance">, isControl: boolean): boolean =>
  reluctance < (isControl ? ORDERS.control : ORDERS.other);
