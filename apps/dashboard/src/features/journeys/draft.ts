import type { Input } from "@tidings/client";
import { audienceFor, type DraftAudience } from "../../ui/audience/choice.ts";
import type { WhereNode } from "../../ui/audience/tree.pure.ts";
import { type HourOfCampaign, MORNING } from "../../ui/campaigns/timing-words.ts";
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
/** How the message of a step goes. */
export type StepChannel = "email" | "push";
export type SendDraft = Keyed & {
  kind: "send";
  /** How it goes. One that is written here is a mail. */
  channel: StepChannel;
  /** The campaign that has its texts; null while they are written here. */
  campaignId: string | null;
  name: string;
  subject: string;
  body: string;
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
export type StepDraft = SendDraft | WaitDraft | IfDraft | EndDraft;
export type StepKind = StepDraft["kind"];

/** How users come in. */
export type WayIn = Journey["entry"]["on"];

/** A journey as a person writes it. */
export type JourneyDraft = {
  /** The version that it changes; null for a new journey. */
  base: number | null;
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

/** A step of a kind, in which nothing is written yet. */
export function newStep(kind: StepKind, steps: readonly StepDraft[]): StepDraft {
  const keyed = { key: newKey(steps), id: null };
  switch (kind) {
    case "send":
      return { ...keyed, kind, channel: "email", campaignId: null, name: "", subject: "", body: "" };
    case "wait":
      return { ...keyed, kind, ...NEW_WAIT };
    case "if":
      return { ...keyed, kind, audience: { kind: "segment", segment: "" }, other: JOURNEY_END };
    case "end":
      return { ...keyed, kind };
  }
}

/** A draft of nothing, which begins with a message. */
export const newJourneyDraft = (): JourneyDraft => ({
  base: null,
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
      const channel = step.channel === "push" ? "push" : "email";
      return {
        key: id,
        id,
        kind: "send",
        channel,
        campaignId: step.campaignId,
        name: "",
        subject: "",
        body: "",
      };
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
    case "end":
      return { key: id, id, kind: "end" };
  }
}

/** The draft of a journey as it is. */
export const draftFromJourney = (journey: Journey): JourneyDraft => ({
  base: journey.version,
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

/**
 * A draft that goes on as a change of a newer version of its journey. New steps take no id of that version, nor does a step keep one that is
 * another kind of step there: users are at steps by their ids.
 */
export const basedOn = (draft: JourneyDraft, { version, steps }: Journey): JourneyDraft => ({
  ...draft,
  base: version,
  taken: [...new Set([...draft.taken, ...steps.map(({ id }) => id)])],
  steps: draft.steps.map((step) =>
    steps.some(({ id, kind }) => id === step.id && kind !== step.kind) ? asNew(step) : step,
  ),
});

const MAX_ID = 32;
/** What a step without a name of its own is called. `end` is the place after all steps. */
const PLAIN_IDS = { send: "message", wait: "wait", if: "if", end: "stop" } as const;

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
  steps.map((step) =>
    step.kind !== "if" || laterThan(steps, step.key).some(({ key }) => key === step.other)
      ? step
      : { ...step, other: JOURNEY_END },
  );

/** Steps with one of them a place earlier (-1) or later (1); as they are where there is no such place. */
export function movedStep(steps: readonly StepDraft[], index: number, by: -1 | 1): readonly StepDraft[] {
  const [step, other] = [steps[index], steps[index + by]];
  if (step === undefined || other === undefined) return steps;
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
      const { channel, subject, body } = step;
      if (step.campaignId !== null) return { id, kind: "send", channel };
      return {
        id,
        kind: "send",
        channel,
        ...(step.name.trim() !== "" && { name: step.name }),
        message: { subject, body },
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

/** The steps of a journey that a draft takes away. */
export const goneFrom = (draft: JourneyDraft, { steps }: Journey): Journey["steps"] =>
  steps.filter(({ id }) => !draft.steps.some((step) => step.id === id));

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
