import type { Answer } from "@tidings/client";
import { TidingsError } from "@tidings/client";
import { faultAt, inWords } from "../../platform/faults.ts";
import { numberOf } from "../../platform/figures.ts";
import { describeCondition } from "../../ui/audience/sentences.pure.ts";
import type { WhereNode } from "../../ui/audience/tree.pure.ts";
import { words } from "./words.ts";

export type Journey = Answer<"getJourney">["journey"];
export type Step = Journey["steps"][number];
export type JourneyResults = Answer<"getJourneyResults">;
export type StepResults = JourneyResults["steps"][number];
export type JourneyEntry = Answer<"listJourneyEntries">["entries"][number];
export type JourneyStatus = Journey["status"];
export type Action = keyof typeof words.actions;

export const JOURNEY_STATUSES: readonly JourneyStatus[] = ["draft", "running", "paused", "ended"];

/** What can be done with a journey: the same states as on the server, which refuses the rest. */
export function actionsOf({ status }: Pick<Journey, "status">): readonly Action[] {
  if (status === "ended") return [];
  return status === "running" ? ["pause", "end"] : ["launch", "end"];
}

/** An event and what its properties have to be: `“trial_started”, where plan is “pro”`. */
export function ruleInWords({ event, where = [] }: { event: string; where?: unknown[] | undefined }): string {
  // The server answers only conditions that it takes.
  const conditions = (where as WhereNode[]).map((node) => describeCondition(node, {}));
  return words.ofEvent(event, conditions);
}

/** What people call a step. @param nameOf the name of a campaign by its id; null while it is not known */
export function stepTitle(step: Step, nameOf: (campaignId: string) => string | null): string {
  switch (step.kind) {
    case "send":
      return words.titles.send(nameOf(step.campaignId) ?? step.id);
    case "wait":
      return words.titles.wait(words.spans[step.for.unit](step.for.amount));
    case "if":
      return words.titles.if;
    case "end":
      return words.titles.end;
  }
}

/**
 * How deep each step lies in branches: by one for each step that asks something before it, where everyone else passes it by.
 * @returns a depth for each step, 0 for those that everyone comes to
 */
export function depthsOf(steps: readonly Step[]): number[] {
  const places = new Map(steps.map(({ id }, index) => [id, index]));
  const ranges = steps.flatMap((step, index) =>
    step.kind === "if" ? [{ from: index, to: places.get(step.else) ?? steps.length }] : [],
  );
  return steps.map((_, index) => ranges.filter(({ from, to }) => index > from && index < to).length);
}

/** The steps from which everyone else comes to a step, by their places. */
export const comesFrom = (steps: readonly Step[], id: string): number[] =>
  steps.flatMap((step, index) => (step.kind === "if" && step.else === id ? [index] : []));

/** What each kind of step counts, in the order of the page. */
const COUNTED = {
  send: ["here", "sent", "withheld", "skipped"],
  wait: ["here", "waited"],
  if: ["here", "met", "unmet"],
  end: [],
} as const satisfies Readonly<Record<Step["kind"], readonly Exclude<keyof StepResults, "stepId">[]>>;

/** The figures of a step that its kind has, with their names. */
export const figuresOf = (kind: Step["kind"], results: StepResults): { name: string; value: string }[] =>
  COUNTED[kind].map((name) => ({ name: words.counts[name], value: numberOf(results[name]) }));

const LEFT = ["finished", "goal", "event", "removed", "ended"] as const;

/** How users have left, with how many by each way; without ways by which none has. */
export const leftOf = ({ left }: JourneyResults): { name: string; users: number }[] =>
  LEFT.filter((by) => left[by] > 0).map((by) => ({ name: words.leftBy[by], users: left[by] }));

/** What the server says of a part, without its place: `entry.event must …` -> `event must …`; null where it is about another part. */
export function faultBehind(fault: string | null, place: string): string | null {
  const isThere = [".", ":", " "].some((end) => fault?.startsWith(place + end));
  return isThere ? (fault ?? "").slice(place.length + 1).trim() : null;
}

/** The same of a step by its place in the list. */
export const faultOfStep = (fault: string | null, index: number): string | null =>
  faultBehind(fault, `steps[${index}]`);

/** The same of an event by which users leave. */
export const faultOfExit = (fault: string | null, index: number): string | null =>
  faultBehind(fault, `exit.events[${index}]`);

/** What is wrong with the first of some fields of which a message speaks, however its path begins. */
export function faultAtAny(fault: string | null, fields: readonly string[]): string | undefined {
  for (const field of fields) {
    const found = faultAt(fault, field);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The fields of a message that a step has, as refusals name them. */
export const MESSAGE_FIELDS = {
  name: ["name"],
  subject: ["message.subject", "subject"],
  body: ["message.body", "body"],
} as const;

/** What the server says, for the head of the form: a step by its number. */
export function faultInWords(fault: string): string {
  const [, place, rest] = /^steps\[(\d+)\](?:\.|:?\s+)(.*)$/s.exec(fault) ?? [];
  if (place !== undefined && rest !== undefined)
    return words.atStep(numberOf(Number(place) + 1), inWords(rest));
  return inWords(fault);
}

type Fields = { reason?: unknown; steps?: unknown; stepId?: unknown };

const fieldsOf = (error: unknown): Fields =>
  error instanceof TidingsError && typeof error.body === "object" && error.body !== null ? error.body : {};

/** At which steps that a change takes away there are users; null where it was not refused for that. */
export function peopleInside(error: unknown): { id: string; here: number }[] | null {
  const { reason, steps } = fieldsOf(error);
  if (reason !== "people_inside" || !Array.isArray(steps)) return null;
  // The contract of the refusal says so.
  return steps as { id: string; here: number }[];
}

/** The step whose message refuses a launch; null where none does. */
export function refusingStep(error: unknown): string | null {
  const { stepId } = fieldsOf(error);
  return typeof stepId === "string" ? stepId : null;
}

/** The ids in a typed text: one a line, or with commas between, each once. */
export const idsIn = (text: string): string[] => [
  ...new Set(
    text
      .split(/[\r\n,]/)
      .map((id) => id.trim())
      .filter((id) => id !== ""),
  ),
];

/** What the server says of the message of a step, without the id of the step before it. */
export const withoutStep = (message: string, stepId: string): string =>
  message.startsWith(`${stepId}: `) ? message.slice(stepId.length + 2) : message;
