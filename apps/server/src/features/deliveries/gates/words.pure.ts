import { cutAfter } from "@tidings/client/text";

const INSTANT = new Intl.DateTimeFormat("en-US", {
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
  timeZone: "UTC",
});

/** An instant (epoch ms) in a sentence: `Nov 28, 2026, 09:00 UTC`. The server does not know the zone of the reader, so it says its own. */
export const instantIn = (at: number): string => `${INSTANT.format(at)} UTC`;

/** A name that a person gave, marked so that it does not run into the sentence around it. */
export const quoted = (name: string): string => `“${name}”`;

const SHOWN = 5;
const SHOWN_LENGTH = 100;

/** A text in a sentence, cut where it is long, because people would not read it to its end. */
export const shortened = (text: string, length = SHOWN_LENGTH): string => cutAfter(text, length);

/** Some things in a sentence, and how many there are beside the first ones. */
export function listed(things: readonly string[]): string {
  const first = things.slice(0, SHOWN).map((each) => shortened(each));
  const more = things.length - first.length;
  return `${first.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
