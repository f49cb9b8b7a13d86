import type { Answer } from "@tidings/client";
import { TidingsError } from "@tidings/client";
import type { Channel } from "../../platform/api-types.ts";
import { faultAt, inWords } from "../../platform/faults.ts";
import { numberOf } from "../../platform/figures.ts";
import { weekdaysInOrder } from "../../ui/campaigns/timing-words.ts";
import { hourInWords, ruleInWords } from "../../ui/journey-steps/titles.ts";
import { words as stepWords } from "../../ui/journey-steps/words.ts";
import type { Compared } from "../../ui/statistics/comparison.ts";
import { words } from "./words.ts";

export type Journey = Answer<"getJourney">["journey"];
export type Step = Journey["steps"][number];
export type JourneyResults = Answer<"getJourneyResults">;
export type StepResults = JourneyResults["steps"][number];
export type JourneyEntry = Answer<"listJourneyEntries">["entries"][number];
export type JourneyStatistics = NonNullable<JourneyResults["statistics"]>;
type SplitStep = Extract<Step, { kind: "split" }>;
export type JourneyStatus = Journey["status"];
export type Action = keyof typeof words.actions;

export const JOURNEY_STATUSES: readonly JourneyStatus[] = ["draft", "running", "paused", "ended"];

/** What can be done with a journey: the same states as on the server, which refuses the rest. */
export function actionsOf({ status }: Pick<Journey, "status">): readonly Action[] {
  if (status === "ended") return [];
  return status === "running" ? ["pause", "end"] : ["launch", "end"];
}

type ScheduledEntry = Extract<Journey["entry"], { on: "schedule" }>;
/** The event that lets users in, the hour of some days, or another way, in a sentence. */
export function entryInWords({ entry, audience }: Pick<Journey, "entry" | "audience">): string {
  switch (entry.on) {
    case "event":
      return words.entersBy(ruleInWords(entry));
    case "request":
      return words.entersByCode;
    case "audience":
      return audience === null || audience.kind === "all" || audience.kind === "invalid"
        ? words.mayEnterNone
        : words.entersFrom(audience.summary);
    case "schedule":
      return words.entersAt(hourInWords(entry), daysInWords(entry));
  }
}

/** The days of a schedule, such as `Mon, Thu` or `the 1st`; nothing for every day. */
function daysInWords({ weekdays = [], monthDays = [] }: ScheduledEntry): string {
  if (monthDays.length > 0) return words.monthDays(monthDays.map(String));
  return weekdaysInOrder(weekdays)
    .map((day) => stepWords.waits.days[day])
    .join(", ");
}

/** The split with which a journey begins; null where it begins otherwise. */
export function splitOf({ steps: [first] }: Pick<Journey, "steps">): SplitStep | null {
  return first?.kind === "split" ? first : null;
}

/** The statistics of paths in the shape of those of variants: the name of a path is its id. */
export const asVariants = ({ arms, sampleRatio, plan }: JourneyStatistics): Compared => ({
  variants: arms.map(({ name, ...arm }) => ({ ...arm, variantId: name })),
  sampleRatio: {
    ...sampleRatio,
    arms: sampleRatio.arms.map(({ name, ...arm }) => ({ ...arm, variantId: name })),
  },
  plan,
});

/** What each kind of step counts, in the order of the page. */
const COUNTED = {
  send: ["here", "sent", "withheld", "skipped"],
  wait: ["here", "waited", "happened", "skipped"],
  if: ["here", "met", "unmet"],
  split: ["here", "split"],
  end: [],
} as const satisfies Readonly<Record<Step["kind"], readonly Exclude<keyof StepResults, "stepId">[]>>;

/** What most steps never count, so that it is shown where it is not zero. */
const isRare = (kind: Step["kind"], name: keyof typeof words.counts): boolean =>
  name === "happened" || (kind === "wait" && name === "skipped");

type StepOfCounts = { kind: Step["kind"]; channel?: Channel };

/** What people call a figure of a step: who could not wait had no date, and a message in the app is not sent. */
function nameOfCount({ kind, channel }: StepOfCounts, name: keyof typeof words.counts): string {
  if (kind === "wait" && name === "skipped") return words.noDate;
  return channel === "web_inapp" && name === "sent" ? words.offered : words.counts[name];
}

/** The figures of a step that its kind has, with their names. */
export const figuresOf = (step: StepOfCounts, results: StepResults): { name: string; value: string }[] =>
  COUNTED[step.kind]
    .filter((name) => results[name] > 0 || !isRare(step.kind, name))
    .map((name) => ({ name: nameOfCount(step, name), value: numberOf(results[name]) }));

const LEFT = ["finished", "goal", "event", "removed", "ended"] as const;

/** How users have left, with how many by each way; without ways by which none has. */
export const leftOf = ({ left }: JourneyResults): { name: string; users: number }[] =>
  LEFT.filter((by) => left[by] > 0).map((by) => ({ name: words.leftBy[by], users: left[by] }));

/** What the server says of a part, without its place: `entry.event must …` -> `event must …`; null where it is about another part. */
export function faultBehind(fault: string | null, place: string): string | null {
  const isThere = [".", ":", " "].some((end) => fault?.startsWith(place + end));
  return isThere ? (fault ?? "").slice(place.length + 1).trim() : null;
}

/** The API counts days before a date below zero, and the form has them as a number of its own. */
const ofWrittenDays = (fault: string): string =>
  fault.replace(/^(date\.days must be )at least -/, "$1at most ");

/** The same of a step by its place in the list. All patterns of pages are one field of the form. */
export function faultOfStep(fault: string | null, index: number): string | null {
  const found = faultBehind(fault, `steps[${index}]`);
  return found === null ? null : ofWrittenDays(found).replace(/^pages\[\d+\]/, "pages");
}

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

/** What is wrong with a field of the message of a step; with the message as a whole for an empty name. */
export const faultOfMessage = (fault: string | null, field: string): string | undefined =>
  faultAtAny(fault, field === "" ? ["message"] : [`message.${field}`, field]);

/** The fields that the form has for the message of a step, as refusals name them. */
const MESSAGE_FIELDS: Readonly<Record<Channel, readonly string[]>> = {
  web_inapp: [
    "",
    "title",
    "body",
    "cta",
    "cta.label",
    "cta.url",
    "cta.destination",
    "cta.destination.url",
    "media",
    "media.url",
    "media.alt",
    "pages",
  ],
  email: ["subject", "previewText", "body", "cta", "cta.label", "cta.url"],
  push: [
    "title",
    "body",
    "destination",
    "destination.url",
    "image",
    "push.appId",
    "push.selection.installationId",
    "push.ttlSeconds",
    "push.replacementKey",
  ],
};

/** Whether what the server says of a step stands at a field of its message. */
export const isFaultOfMessage = (fault: string, channel: Channel): boolean =>
  ["name", ...MESSAGE_FIELDS[channel]].some((field) => faultOfMessage(fault, field) !== undefined);

/** What the server says, for the head of the form: a step by its number. */
export function faultInWords(fault: string): string {
  const [, place, rest] = /^steps\[(\d+)\](?:\.|:?\s+)(.*)$/s.exec(fault) ?? [];
  if (place !== undefined && rest !== undefined) {
    // A time of the day has the names that it has where messages leave at one.
    const named = ofWrittenDays(rest).replace(/^(?:until|date)\.(at|zone|weekdays)\b/, "sendTime.$1");
    const [, arm, ofArm] = /^arms\[(\d+)\]\.(.*)$/s.exec(named) ?? [];
    const sentence =
      arm === undefined || ofArm === undefined
        ? inWords(named)
        : words.atPath(numberOf(Number(arm) + 1), inWords(ofArm));
    return words.atStep(numberOf(Number(place) + 1), sentence);
  }
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
