import type { Answer } from "@tidings/client";
import { numberOf } from "../../platform/figures.ts";
import { timeOf } from "../../platform/times.ts";
import { deliveryStates, unreachableReasons } from "../../ui/campaigns/delivery-states.ts";
import { JOURNEY_END } from "./draft.ts";
import type { Journey, Step } from "./rules.ts";
import { words } from "./words.ts";

export type JourneyExplanation = Answer<"explainJourney">;
type Inside = NonNullable<JourneyExplanation["inside"]>;
type Passed = JourneyExplanation["passed"][number];

const { why } = words;

/** The most steps that an answer lists. */
export const MOST_PASSED = 100;

/** Whether no user has the id that was asked about, and none had it who was inside. */
export const isOfNoUser = ({ barredBy, inside, passed }: JourneyExplanation): boolean =>
  barredBy === "no_user" && inside === null && passed.length === 0;

/** What users who are at a step wait for. */
function waitSentence(step: Step | undefined, { waitsFor, until }: Inside): string[] {
  if (waitsFor === "time") return until === null ? [] : [why.until(timeOf(until))];
  if (waitsFor === "paused")
    return until === null ? [why.waitsFor.paused] : [why.waitsFor.paused, why.wouldWait(timeOf(until))];
  if (waitsFor === "date" && step?.kind === "wait" && step.date !== undefined)
    return [why.dateOf(step.date.trait)];
  return [why.waitsFor[waitsFor]];
}

/** Why a user is where they are inside, and until when, in sentences. */
export function insideInWords({ steps }: Pick<Journey, "steps">, inside: Inside): string[] {
  const { occasion, stepId, enteredAt, arrivedAt, orEvent } = inside;
  const step = steps.find(({ id }) => id === stepId);
  return [
    occasion === 0
      ? why.entered(timeOf(enteredAt))
      : why.enteredAgain(timeOf(enteredAt), numberOf(occasion + 1)),
    why.arrived(timeOf(arrivedAt)),
    ...waitSentence(step, inside),
    ...(orEvent === null ? [] : [why.orEvent(orEvent)]),
  ];
}

/** How a user left the last time, in a sentence; nothing where they are inside, or never were. */
export const leftInWords = ({ left }: Pick<JourneyExplanation, "left">): string[] =>
  left === null ? [] : [why.left(timeOf(left.at), words.leftBy[left.by])];

/** The path that a user goes, or went; nothing where the journey has one for all. */
export const pathInWords = ({ arm }: Pick<JourneyExplanation, "arm">): string[] =>
  arm === null ? [] : [why.path(arm)];

/** Whether a user who is not inside would be let in, and why not, in sentences. */
export function barInWords({ barredBy, againAt }: JourneyExplanation): string[] {
  switch (barredBy) {
    case null:
      return [why.mayEnter];
    case "again":
      return [againAt === null ? why.barred.again : why.againFrom(timeOf(againAt))];
    case "not_running":
    case "audience":
      return [why.barred[barredBy]];
    default:
      return [];
  }
}

/** What an `if` says of a user now, and where it would lead them. @param titleOf the title of a step by its id */
export function conditionInWords(
  step: Step | undefined,
  met: boolean,
  titleOf: (stepId: string) => string,
): string {
  if (met || step?.kind !== "if") return why.met;
  return step.else === JOURNEY_END ? why.unmetToEnd : why.unmetTo(titleOf(step.else));
}

const REASONS: readonly Readonly<Record<string, string>>[] = [
  why.reasons,
  unreachableReasons,
  deliveryStates,
];

/** Why a message did not go to a user, in words: a reason of its own, the state of its delivery, or what stopped it. */
function reasonInWords(reason: string): string {
  const known = REASONS.map((words_) => words_[reason]).find((text) => text !== undefined);
  return known === undefined ? reason : known.charAt(0).toLowerCase() + known.slice(1);
}

/** What became of a user at a step that they have left. @param step null where it is gone */
export function deedInWords({ did, reason }: Pick<Passed, "did" | "reason">, step: Step | undefined): string {
  // Nothing was to be got at a wait, which a user without a date leaves in the end.
  if (did === "skipped" && reason === "no_date") return why.did.dateless;
  if (did === "skipped") return why.did.skipped(reason === null ? null : reasonInWords(reason));
  if (did === "sent" && step?.kind === "send" && step.channel === "web_inapp") return why.did.offered;
  return why.did[did];
}
