import type { Input } from "@tidings/client";
import type { Channel } from "../../platform/api-types.ts";
import { audienceFor, type DraftAudience } from "../../ui/audience/choice.ts";
import type { WhereNode } from "../../ui/audience/tree.pure.ts";
import { type HourOfCampaign, MORNING } from "../../ui/campaigns/timing-words.ts";
import {
  type DraftContent,
  EMPTY_MESSAGES,
  messageOf,
  NEW_PUSH,
  type Push,
  pagesOf,
} from "../../ui/message-fields/content.ts";
import type { Journey } from "./rules.ts";

export type Body = Input<"createJourney">["body"];
export type Patch = Input<"updateJourney">["body"];
type StepBody = Body["steps"][number];
type ShownWait = Extract<Journey["steps"][number], { kind: "wait" }>;

/** The place after the last step, as the API calls it. */
export const JOURNEY_END = "end";

/** An event with conditions on its properties; without a list where there are none. */
export type EventRule = { event: string; where?: WhereNode[] };
export type Unit = "minutes" | "hours" | "days";

/** `key` names a step in the form: it stays while steps come and go. `id` is null for one that the server has not seen. */
type Keyed = { key: string; id: string | null };
/** A message with what is written for each channel, also for those that are not chosen. */
export type SendDraft = Keyed & {
  kind: "send";
  /** How it goes, which stays once the server has the step. */
  channel: Channel;
  /** The campaign that has its texts; null while they are written here. */
  campaignId: string | null;
  name: string;
  texts: Readonly<Record<Channel, DraftContent>>;
  push: Push;
  /** Where a message in the app is shown: one pattern on each line, none for every page. */
  pages: string;
};
/** Which of the ways to wait is chosen. */
export type WayToWait = "for" | "until" | "date";
/** A date of the user's: so many days before or after it, as they are typed. */
export type DateDraft = {
  trait: string;
  days: string;
  side: "before" | "after";
  at: string;
  zone: string;
  yearly: boolean;
};
/** A wait with what is written of each way, also of those that are not chosen. */
export type WaitDraft = Keyed & {
  kind: "wait";
  way: WayToWait;
  amount: string;
  unit: Unit;
  until: HourOfCampaign;
  date: DateDraft;
  /** The event by which users go on sooner; null for none. */
  orEvent: EventRule | null;
};
/** `other` is the key of a later step, or `JOURNEY_END`. */
export type IfDraft = Keyed & { kind: "if"; audience: DraftAudience; other: string };
export type EndDraft = Keyed & { kind: "end" };
/** A path as it is written: `to` is the key of a later step, or `JOURNEY_END`, where it leads; `key` names it in the form. */
export type ArmDraft = { key: string; name: string; weight: string; isControl: boolean; to: string };
export type SplitDraft = Keyed & { kind: "split"; arms: readonly ArmDraft[] };
export type StepDraft = SendDraft | WaitDraft | IfDraft | SplitDraft | EndDraft;
export type StepKind = StepDraft["kind"];

/** How users come in. */
export type WayIn = Journey["entry"]["on"];

/** A journey as a person writes it. */
export type JourneyDraft = {
  /** The version that it changes; null for a new journey. */
  base: number | null;
  /** Whether it was launched once: users may be inside, so the names and the number of its paths stay. */
  wasLaunched: boolean;
  name: string;
  goalId: string | null;
  entry: WayIn;
  /** The hour that lets users in, also while it is not chosen; days of the month as they are typed. */
  schedule: HourOfCampaign & { monthDays: string };
  /** The event that lets users in, also while it is not chosen. */
  enteredBy: EventRule;
  audience: DraftAudience;
  isAgain: boolean;
  /** Days since users last entered. */
  againDays: string;
  onGoal: boolean;
  exits: readonly EventRule[];
  steps: readonly StepDraft[];
  /** Ids that steps have or had: a new step takes none of them. */
  taken: readonly string[];
  /** Where users go on from steps that are taken away, by the ids of these: the key of a step, or `JOURNEY_END`. */
  moves: Readonly<Record<string, string>>;
};

const FIRST_WAIT = "3";
const USUAL_DAYS = "30";
/** What a wait begins with, whichever way is chosen. */
const NEW_WAIT = {
  way: "for",
  amount: FIRST_WAIT,
  unit: "days",
  until: MORNING,
  date: { trait: "", days: FIRST_WAIT, side: "before", yearly: false, ...MORNING },
  orEvent: null,
} as const satisfies Omit<WaitDraft, keyof Keyed | "kind">;

/** What a message begins with, whichever channel is chosen. */
const NEW_MESSAGE = {
  name: "",
  texts: EMPTY_MESSAGES,
  push: NEW_PUSH,
  pages: "",
} as const satisfies Partial<SendDraft>;

/** The hour with which a schedule begins. It is of one zone, so that all enter at once. */
const NEW_SCHEDULE = { at: MORNING.at, zone: "UTC", monthDays: "" };

function scheduleFrom(entry: Journey["entry"]): JourneyDraft["schedule"] {
  if (entry.on !== "schedule") return NEW_SCHEDULE;
  const { on: _, monthDays = [], ...hour } = entry;
  return { ...hour, monthDays: monthDays.join(", ") };
}

/** A key that no step has. */
function newKey(steps: readonly StepDraft[]): string {
  const keys = new Set(steps.map(({ key }) => key));
  let count = steps.length + 1;
  while (keys.has(`new ${count}`)) count++;
  return `new ${count}`;
}

/** The fewest and the most paths of a split. */
const [LEAST_ARMS, MOST_ARMS] = [2, 4];
/** As large as that of others, so that users are split evenly. */
const NEW_WEIGHT = "50";

/** A key that no path has. */
function newArmKey(arms: readonly ArmDraft[]): string {
  const keys = new Set(arms.map(({ key }) => key));
  let count = arms.length + 1;
  while (keys.has(`arm ${count}`)) count++;
  return `arm ${count}`;
}

const newArm = (arms: readonly ArmDraft[], to: string): ArmDraft => ({
  key: newArmKey(arms),
  name: "",
  weight: NEW_WEIGHT,
  isControl: arms.length === 0,
  to,
});

/** Two paths, of which the first goes all steps, and the other none yet. */
function newArms([first]: readonly StepDraft[]): ArmDraft[] {
  const all = newArm([], first?.key ?? JOURNEY_END);
  return [all, newArm([all], JOURNEY_END)];
}

/** A split with one more path; null where it has as many as it may. */
export const withNewArm = (step: SplitDraft): SplitDraft | null =>
  step.arms.length >= MOST_ARMS ? null : { ...step, arms: [...step.arms, newArm(step.arms, JOURNEY_END)] };

/** A split without one of its paths; null where it has as few as it may. The first one is the control where it was that one. */
export function withoutArm(step: SplitDraft, index: number): SplitDraft | null {
  if (step.arms.length <= LEAST_ARMS) return null;
  const left = step.arms.filter((_, place) => place !== index);
  const hasControl = left.some(({ isControl }) => isControl);
  return { ...step, arms: left.map((arm, place) => (hasControl ? arm : { ...arm, isControl: place === 0 })) };
}

/** Whether something is written of the paths of a split. */
export const isSplitBegun = ({ arms }: SplitDraft): boolean =>
  arms.some(({ name, weight }) => name.trim() !== "" || weight !== NEW_WEIGHT);

/** A step of a kind, in which nothing is written yet. */
export function newStep(kind: StepKind, steps: readonly StepDraft[]): StepDraft {
  const keyed = { key: newKey(steps), id: null };
  switch (kind) {
    case "send":
      return { ...keyed, kind, channel: "email", campaignId: null, ...NEW_MESSAGE };
    case "wait":
      return { ...keyed, kind, ...NEW_WAIT };
    case "if":
      return { ...keyed, kind, audience: { kind: "segment", segment: "" }, other: JOURNEY_END };
    case "split":
      return { ...keyed, kind, arms: newArms(steps) };
    case "end":
      return { ...keyed, kind };
  }
}

/** Steps with a new one of a kind: the last, but for a split, with which a journey begins. */
export function withNewStep(steps: readonly StepDraft[], kind: StepKind): StepDraft[] {
  const step = newStep(kind, steps);
  return kind === "split" ? [step, ...steps] : [...steps, step];
}

/** Whether a step of a kind may be added: one split, before any user drew a path. */
export const mayAdd = ({ wasLaunched, steps }: JourneyDraft, kind: StepKind): boolean =>
  kind !== "split" || !(wasLaunched || steps.some((step) => step.kind === "split"));

/** A draft of nothing, which begins with a message. */
export const newJourneyDraft = (): JourneyDraft => ({
  base: null,
  wasLaunched: false,
  name: "",
  goalId: null,
  entry: "event",
  schedule: NEW_SCHEDULE,
  enteredBy: { event: "" },
  audience: { kind: "all" },
  isAgain: false,
  againDays: USUAL_DAYS,
  onGoal: true,
  exits: [],
  steps: [newStep("send", [])],
  taken: [],
  moves: {},
});

const ruleFrom = ({ event, where }: { event: string; where?: unknown[] | undefined }): EventRule => ({
  event,
  // The server answers conditions as it takes them.
  ...(where !== undefined && { where: where as WhereNode[] }),
});

/** The way to wait of a step, as it is written. */
function wayFrom({ for: span, until, date }: ShownWait): Partial<WaitDraft> {
  if (until !== undefined) return { way: "until", until };
  if (date !== undefined) {
    const { days = 0, yearly = false, ...rest } = date;
    // The day itself counts as none after it.
    return {
      way: "date",
      date: { ...rest, yearly, days: String(Math.abs(days)), side: days < 0 ? "before" : "after" },
    };
  }
  return span === undefined ? {} : { amount: String(span.amount), unit: span.unit };
}

function stepFrom(step: Journey["steps"][number]): StepDraft {
  const { id } = step;
  switch (step.kind) {
    case "send": {
      const { channel, campaignId, name } = step;
      return { key: id, id, kind: "send", channel, campaignId, ...NEW_MESSAGE, name };
    }
    case "wait":
      return {
        key: id,
        id,
        kind: "wait",
        ...NEW_WAIT,
        ...wayFrom(step),
        orEvent: step.orEvent === undefined ? null : ruleFrom(step.orEvent),
      };
    case "if":
      return {
        key: id,
        id,
        kind: "if",
        audience: audienceFor(step.audience) ?? { kind: "invalid" },
        other: step.else,
      };
    case "split":
      return {
        key: id,
        id,
        kind: "split",
        arms: step.arms.map((arm) => ({ ...arm, key: arm.name, weight: String(arm.weight) })),
      };
    case "end":
      return { key: id, id, kind: "end" };
  }
}

/** The draft of a journey as it is. */
export const draftFromJourney = (journey: Journey): JourneyDraft => ({
  base: journey.version,
  wasLaunched: journey.startedAt !== null,
  name: journey.name,
  goalId: journey.goalId,
  entry: journey.entry.on,
  schedule: scheduleFrom(journey.entry),
  enteredBy: journey.entry.on === "event" ? ruleFrom(journey.entry) : { event: "" },
  audience:
    journey.audience === null ? { kind: "all" } : (audienceFor(journey.audience) ?? { kind: "invalid" }),
  isAgain: journey.again !== null,
  againDays: journey.again === null ? USUAL_DAYS : String(journey.again.afterDays),
  onGoal: journey.exit.onGoal,
  exits: journey.exit.events.map(ruleFrom),
  steps: journey.steps.map(stepFrom),
  taken: journey.steps.map(({ id }) => id),
  moves: {},
});

/** A step that is new to the server, with what is written in it. */
const asNew = (step: StepDraft): StepDraft =>
  step.kind === "send" ? { ...step, id: null, campaignId: null } : { ...step, id: null };

/** Whether a step of a draft cannot go on with its id in a newer version: another step has it there, or the campaign of its message is gone. */
function isAnother(step: StepDraft, steps: Journey["steps"]): boolean {
  const found = steps.find(({ id }) => id === step.id);
  if (step.kind !== "send") return found !== undefined && found.kind !== step.kind;
  return step.campaignId !== null && (found?.kind !== "send" || found.campaignId !== step.campaignId);
}

/**
 * A draft that goes on as a change of a newer version of its journey. New steps take no id of that version, nor does a step keep one that is
 * another step there: users are at steps by their ids. A message whose campaign is gone is written anew, for the channel that it had.
 */
export const basedOn = (
  draft: JourneyDraft,
  { version, startedAt, steps }: Pick<Journey, "version" | "startedAt" | "steps">,
): JourneyDraft => ({
  ...draft,
  base: version,
  wasLaunched: startedAt !== null,
  taken: [...new Set([...draft.taken, ...steps.map(({ id }) => id)])],
  steps: draft.steps.map((step) => (isAnother(step, steps) ? asNew(step) : step)),
});

const MAX_ID = 32;
/** What a step without a name of its own is called. `end` is the place after all steps. */
const PLAIN_IDS = { send: "message", wait: "wait", if: "if", split: "split", end: "stop" } as const;

/** A name as an id of a step: `Über die Testphase` -> `uber-die-testphase`; nothing of a name without Latin characters or digits. */
export const slugOf = (name: string): string =>
  name
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, MAX_ID)
    .replaceAll(/^-|-$/g, "");

/** A draft whose new steps take none of some ids: users are still at steps that had these. */
export const withoutIds = (draft: JourneyDraft, ids: readonly string[]): JourneyDraft =>
  ids.every((id) => draft.taken.includes(id))
    ? draft
    : { ...draft, taken: [...new Set([...draft.taken, ...ids])] };

/** The ids that steps have, or will have, by their keys: new ones are made of their names, and none is had twice. */
export function idsOf({ steps, taken }: Pick<JourneyDraft, "steps" | "taken">): ReadonlyMap<string, string> {
  const used = new Set([JOURNEY_END, ...taken, ...steps.flatMap(({ id }) => (id === null ? [] : [id]))]);
  const ids = new Map<string, string>();
  for (const step of steps) {
    if (step.id !== null) {
      ids.set(step.key, step.id);
      continue;
    }
    const slug = (step.kind === "send" ? slugOf(step.name) : "") || PLAIN_IDS[step.kind];
    let id = slug;
    for (let count = 2; used.has(id); count++) {
      const end = `-${count}`;
      id = `${slug.slice(0, MAX_ID - end.length)}${end}`;
    }
    used.add(id);
    ids.set(step.key, id);
  }
  return ids;
}

/** The later steps to which everyone else may go from a step. */
export const laterThan = (steps: readonly StepDraft[], key: string): StepDraft[] =>
  steps.slice(steps.findIndex((step) => step.key === key) + 1);

/** Steps with every way leading to a later step: one to a step that is gone, or comes before, leads to the end. */
export const withWays = (steps: readonly StepDraft[]): StepDraft[] =>
  steps.map((step) => {
    const later = new Set(laterThan(steps, step.key).map(({ key }) => key));
    if (step.kind === "split")
      return {
        ...step,
        arms: step.arms.map((arm) => (later.has(arm.to) ? arm : { ...arm, to: JOURNEY_END })),
      };
    return step.kind !== "if" || later.has(step.other) ? step : { ...step, other: JOURNEY_END };
  });

/** Whether a step can go a place earlier (-1) or later (1): a split stays the first one. */
export function canMove(steps: readonly StepDraft[], index: number, by: -1 | 1): boolean {
  const kinds = [steps[index]?.kind, steps[index + by]?.kind];
  return !(kinds.includes(undefined) || kinds.includes("split"));
}

/** Steps with one of them a place earlier (-1) or later (1); as they are where there is no such place. */
export function movedStep(steps: readonly StepDraft[], index: number, by: -1 | 1): readonly StepDraft[] {
  const [step, other] = [steps[index], steps[index + by]];
  if (step === undefined || other === undefined || !canMove(steps, index, by)) return steps;
  return withWays(steps.with(index, other).with(index + by, step));
}

/** A number as it was typed: the server says what is wrong with one that is none. */
const numberFrom = (typed: string): number => (typed.trim() === "" ? 0 : Number(typed));

const ruleBody = ({ event, where = [] }: EventRule) => ({ event, ...(where.length > 0 && { where }) });

const audienceBody = (audience: DraftAudience) => (audience.kind === "invalid" ? undefined : audience);

/** The wait of a request: the way that is chosen, and the event by which users go on sooner. */
export function waitBody({ way, amount, unit, until, date, orEvent }: Omit<WaitDraft, keyof Keyed>) {
  const { side, days, yearly, ...rest } = date;
  const day = { ...rest, ...(yearly && { yearly }) };
  const count = numberFrom(days);
  return {
    ...(way === "for" && { for: { amount: numberFrom(amount), unit } }),
    ...(way === "until" && { until }),
    ...(way === "date" && { date: { ...day, days: side === "before" && count !== 0 ? -count : count } }),
    ...(orEvent !== null && { orEvent: ruleBody(orEvent) }),
  };
}

function stepBody(step: StepDraft, ids: ReadonlyMap<string, string>): StepBody | null {
  const id = ids.get(step.key) ?? "";
  switch (step.kind) {
    case "send": {
      const { channel, texts, push } = step;
      if (step.campaignId !== null) return { id, kind: "send", channel };
      const pages = pagesOf(step.pages);
      return {
        id,
        kind: "send",
        channel,
        ...(step.name.trim() !== "" && { name: step.name }),
        message: messageOf(texts[channel]),
        ...(channel === "push" && { push }),
        ...(channel === "web_inapp" && pages.length > 0 && { pages }),
      };
    }
    case "wait":
      return { id, kind: "wait", ...waitBody(step) };
    case "if": {
      const audience = audienceBody(step.audience);
      return audience === undefined
        ? null
        : {
            id,
            kind: "if",
            audience,
            else: step.other === JOURNEY_END ? JOURNEY_END : (ids.get(step.other) ?? JOURNEY_END),
          };
    }
    case "split":
      return {
        id,
        kind: "split",
        arms: step.arms.map(({ name, weight, isControl, to }) => ({
          name,
          weight: numberFrom(weight),
          isControl,
          to: ids.get(to) ?? JOURNEY_END,
        })),
      };
    case "end":
      return { id, kind: "end" };
  }
}

/** The steps of a request; null while the audience of one cannot be read, and no other was chosen. */
function stepsBody(draft: JourneyDraft): StepBody[] | null {
  const ids = idsOf(draft);
  const steps = draft.steps.map((step) => stepBody(step, ids));
  return steps.includes(null) ? null : steps.filter((step) => step !== null);
}

/** Days of the month as they were typed; what is no number is left for the server to refuse. */
const daysFrom = (typed: string): number[] =>
  typed
    .split(/[\s,]+/)
    .filter((day) => day !== "")
    .map(Number);

function entryBody({ entry, enteredBy, schedule }: JourneyDraft): Body["entry"] {
  switch (entry) {
    case "event":
      return { on: entry, ...ruleBody(enteredBy) };
    case "schedule": {
      const { monthDays: typed, weekdays, ...hour } = schedule;
      const monthDays = daysFrom(typed);
      if (monthDays.length > 0) return { on: entry, ...hour, monthDays };
      return { on: entry, ...hour, ...(weekdays !== undefined && { weekdays }) };
    }
    default:
      return { on: entry };
  }
}

const fieldsOf = (draft: JourneyDraft) => {
  const { name, goalId, audience, isAgain, againDays, onGoal, exits } = draft;
  return {
    name,
    goalId,
    entry: entryBody(draft),
    audience: audience.kind === "all" ? null : audienceBody(audience),
    again: isAgain ? { afterDays: numberFrom(againDays) } : null,
    exit: { onGoal, events: exits.map(ruleBody) },
  };
};

/** The body that makes a journey of a draft; null where it has no name, no step, or a step whose audience cannot be read. */
export function journeyBody(draft: JourneyDraft): Body | null {
  const steps = stepsBody(draft);
  if (draft.name.trim() === "" || steps === null || steps.length === 0) return null;
  const { audience, ...fields } = fieldsOf(draft);
  return { ...fields, ...(audience !== undefined && { audience }), steps };
}

const differ = (one: unknown, other: unknown): boolean => JSON.stringify(one) !== JSON.stringify(other);

/** Whether something is written in a message, for whichever channel. */
export const isMessageBegun = ({ name, texts, push, pages }: SendDraft): boolean =>
  differ({ name, texts, push, pages }, NEW_MESSAGE);

/** The steps of a journey that a draft takes away. */
export const goneFrom = (draft: JourneyDraft, { steps }: Journey): Journey["steps"] =>
  steps.filter(({ id }) => !draft.steps.some((step) => step.id === id));

/** The steps at which users may go on from one that is taken away: those behind all that they have passed. @param id of the step that is gone */
export function behindGone(draft: JourneyDraft, { steps }: Journey, id: string): StepDraft[] {
  const place = steps.findIndex((step) => step.id === id);
  const passed = new Set(steps.slice(0, place).map((step) => step.id));
  return draft.steps.slice(draft.steps.findLastIndex((step) => passed.has(step.id ?? "")) + 1);
}

/** Where users go on from steps that are taken away, as far as it was chosen and is still there. */
function movesBody(draft: JourneyDraft, journey: Journey): Record<string, string> {
  const ids = idsOf(draft);
  return Object.fromEntries(
    goneFrom(draft, journey).flatMap(({ id }) => {
      const chosen = draft.moves[id];
      const to = chosen === JOURNEY_END ? chosen : ids.get(chosen ?? "");
      return to === undefined ? [] : [[id, to]];
    }),
  );
}

/** The request that makes a journey what a draft says; null where nothing differs, or it cannot be sent as it is. */
export function journeyPatch(draft: JourneyDraft, journey: Journey): Patch | null {
  const body = journeyBody(draft);
  const steps = stepsBody(draftFromJourney(journey));
  if (body === null) return null;
  const before: Readonly<Record<string, unknown>> = { ...fieldsOf(draftFromJourney(journey)), steps };
  const changes = Object.fromEntries(
    Object.entries(body).filter(([name, value]) => differ(value, before[name])),
  );
  if (Object.keys(changes).length === 0) return null;
  const moves = movesBody(draft, journey);
  return {
    ...changes,
    ...(Object.keys(moves).length > 0 && { moves }),
    expectedVersion: draft.base ?? journey.version,
  };
}
