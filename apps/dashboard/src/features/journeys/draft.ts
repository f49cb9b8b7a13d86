import type { Input } from "@tidings/client";
import { audienceFor, type DraftAudience } from "../../ui/audience/choice.ts";
import type { WhereNode } from "../../ui/audience/tree.pure.ts";
import type { Journey } from "./rules.ts";

export type Body = Input<"createJourney">["body"];
export type Patch = Input<"updateJourney">["body"];
type StepBody = Body["steps"][number];

/** The place after the last step, as the API calls it. */
export const JOURNEY_END = "end";

/** An event with conditions on its properties; without a list where there are none. */
export type EventRule = { event: string; where?: WhereNode[] };
export type Unit = "minutes" | "hours" | "days";

/** `key` names a step in the form: it stays while steps come and go. `id` is null for one that the server has not seen. */
type Keyed = { key: string; id: string | null };
export type SendDraft = Keyed & {
  kind: "send";
  /** The campaign that has its texts; null while they are written here. */
  campaignId: string | null;
  name: string;
  subject: string;
  body: string;
};
export type WaitDraft = Keyed & { kind: "wait"; amount: string; unit: Unit };
/** `other` is the key of a later step, or `JOURNEY_END`. */
export type IfDraft = Keyed & { kind: "if"; audience: DraftAudience; other: string };
export type EndDraft = Keyed & { kind: "end" };
export type StepDraft = SendDraft | WaitDraft | IfDraft | EndDraft;
export type StepKind = StepDraft["kind"];

/** A journey as a person writes it. */
export type JourneyDraft = {
  /** The version that it changes; null for a new journey. */
  base: number | null;
  name: string;
  goalId: string | null;
  entry: "event" | "request";
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
};

const FIRST_WAIT = "3";
const USUAL_DAYS = "30";

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
      return { ...keyed, kind, campaignId: null, name: "", subject: "", body: "" };
    case "wait":
      return { ...keyed, kind, amount: FIRST_WAIT, unit: "days" };
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
  enteredBy: { event: "" },
  audience: { kind: "all" },
  isAgain: false,
  againDays: USUAL_DAYS,
  onGoal: true,
  exits: [],
  steps: [newStep("send", [])],
  taken: [],
});

const ruleFrom = ({ event, where }: { event: string; where?: unknown[] | undefined }): EventRule => ({
  event,
  // The server answers conditions as it takes them.
  ...(where !== undefined && { where: where as WhereNode[] }),
});

function stepFrom(step: Journey["steps"][number]): StepDraft {
  const { id } = step;
  switch (step.kind) {
    case "send":
      return { key: id, id, kind: "send", campaignId: step.campaignId, name: "", subject: "", body: "" };
    case "wait":
      return { key: id, id, kind: "wait", amount: String(step.for.amount), unit: step.for.unit };
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
  enteredBy: journey.entry.on === "event" ? ruleFrom(journey.entry) : { event: "" },
  audience:
    journey.audience === null ? { kind: "all" } : (audienceFor(journey.audience) ?? { kind: "invalid" }),
  isAgain: journey.again !== null,
  againDays: journey.again === null ? USUAL_DAYS : String(journey.again.afterDays),
  onGoal: journey.exit.onGoal,
  exits: journey.exit.events.map(ruleFrom),
  steps: journey.steps.map(stepFrom),
  taken: journey.steps.map(({ id }) => id),
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

const audienceBody = (audience: DraftAudience) => (audience.kind === "invalid" ? undefined : audience);

function stepBody(step: StepDraft, ids: ReadonlyMap<string, string>): StepBody | null {
  const id = ids.get(step.key) ?? "";
  switch (step.kind) {
    case "send":
      if (step.campaignId !== null) return { id, kind: "send", channel: "email" };
      return {
        id,
        kind: "send",
        channel: "email",
        ...(step.name.trim() !== "" && { name: step.name }),
        message: { subject: step.subject, body: step.body },
      };
    case "wait":
      return { id, kind: "wait", for: { amount: numberFrom(step.amount), unit: step.unit } };
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

const ruleBody = ({ event, where = [] }: EventRule) => ({ event, ...(where.length > 0 && { where }) });

const fieldsOf = (draft: JourneyDraft) => {
  const { name, goalId, audience, isAgain, againDays, onGoal, exits } = draft;
  return {
    name,
    goalId,
    entry:
      draft.entry === "event"
        ? { on: "event" as const, ...ruleBody(draft.enteredBy) }
        : { on: "request" as const },
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

/** The request that makes a journey what a draft says; null where nothing differs, or it cannot be sent as it is. */
export function journeyPatch(draft: JourneyDraft, journey: Journey): Patch | null {
  const body = journeyBody(draft);
  const steps = stepsBody(draftFromJourney(journey));
  if (body === null) return null;
  const before: Readonly<Record<string, unknown>> = { ...fieldsOf(draftFromJourney(journey)), steps };
  const changes = Object.fromEntries(
    Object.entries(body).filter(([name, value]) => differ(value, before[name])),
  );
  return Object.keys(changes).length === 0
    ? null
    : { ...changes, expectedVersion: draft.base ?? journey.version };
}
