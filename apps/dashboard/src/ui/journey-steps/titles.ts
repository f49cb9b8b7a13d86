import type { Answer } from "@tidings/client";
import type { Channel } from "../../platform/api-types.ts";
import { numberOf } from "../../platform/figures.ts";
import { describeCondition } from "../audience/sentences.pure.ts";
import type { WhereNode } from "../audience/tree.pure.ts";
import { channelNames } from "../campaigns/campaign-statuses.ts";
import { type HourOfCampaign, READERS_ZONE, weekdaysInOrder } from "../campaigns/timing-words.ts";
import { words } from "./words.ts";

type Proposed = NonNullable<Answer<"getApproval">["review"]["journey"]>;
/** A step of a journey as it is, or as a change would leave it. */
export type JourneyStep = Answer<"getJourney">["journey"]["steps"][number] | Proposed["after"][number];

type Wait = Omit<Extract<JourneyStep, { kind: "wait" }>, "id" | "kind">;

/** An event and what its properties have to be: `“trial_started”, where plan is “pro”`. */
export function ruleInWords({ event, where = [] }: { event: string; where?: unknown[] | undefined }): string {
  // The server answers only conditions that it takes.
  const conditions = (where as WhereNode[]).map((node) => describeCondition(node, {}));
  return words.ofEvent(event, conditions);
}

/** A time of the day, of which clocks. */
export const hourInWords = ({ at, zone }: Pick<HourOfCampaign, "at" | "zone">): string =>
  zone === READERS_ZONE ? words.waits.ofReader(at) : words.waits.inZone(at, zone);

/** How long users wait, behind “Wait”: `until 09:00 of each reader, on Mon, Tue, or until they do “paid”`. */
export function waitInWords({ for: span, until, date, orEvent }: Wait): string {
  const ways = [
    span !== undefined && words.spans[span.unit](span.amount),
    until !== undefined &&
      words.waits.until(
        hourInWords(until),
        weekdaysInOrder(until.weekdays ?? []).map((day) => words.waits.days[day]),
      ),
    date !== undefined &&
      words.waits.date(date.days ?? 0, date.trait, hourInWords(date), date.yearly === true),
    orEvent !== undefined && words.waits.orEvent(orEvent.event),
  ];
  return ways.filter((way) => way !== false).join(", ");
}

/** What people call the message of a step, by its channel. */
export const messageTitle = (channel: Channel, name: string): string =>
  words.titles.send(channelNames[channel], name);

/** What people call a step. */
export function stepTitle(step: JourneyStep): string {
  switch (step.kind) {
    case "send":
      return messageTitle(step.channel, step.name);
    case "wait":
      return words.titles.wait(waitInWords(step));
    case "if":
      return words.titles.if;
    case "split":
      return words.titles.split;
    case "end":
      return words.titles.end;
  }
}

/**
 * How deep each step lies in branches: by one for each step that asks something before it, where everyone else passes it by.
 * @returns a depth for each step, 0 for those that everyone comes to
 */
export function depthsOf(steps: readonly JourneyStep[]): number[] {
  const places = new Map(steps.map(({ id }, index) => [id, index]));
  const ranges = steps.flatMap((step, index) =>
    step.kind === "if" ? [{ from: index, to: places.get(step.else) ?? steps.length }] : [],
  );
  return steps.map((_, index) => ranges.filter(({ from, to }) => index > from && index < to).length);
}

/** The steps from which everyone else comes to a step, by their places. */
export const comesFrom = (steps: readonly JourneyStep[], id: string): number[] =>
  steps.flatMap((step, index) => (step.kind === "if" && step.else === id ? [index] : []));

/** What a step is called in a list: its place, and what happens there. */
export const nthTitle = (step: JourneyStep, index: number): string =>
  words.nth(numberOf(index + 1), stepTitle(step));
