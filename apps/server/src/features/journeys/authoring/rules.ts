import { sharesFault } from "../../campaigns/authoring/rules.ts";
import type { Definition } from "./schema.ts";
import {
  END,
  type EventRule,
  type SplitArm,
  type SplitInput,
  type Step,
  type StepInput,
} from "./steps.pure.ts";

/** A step of a request, as far as its order goes. */
type StepOrder = Pick<StepInput, "id"> &
  (
    | { kind: Exclude<StepInput["kind"], "if" | "split"> }
    | Pick<Extract<StepInput, { kind: "if" }>, "kind" | "else">
    | Pick<SplitInput, "kind" | "arms">
  );
type SplitStep = Extract<Step, { kind: "split" }>;

/** The arms of a split with what a request leaves out: each has weight 1, and the first is the control. */
export function armsOf(given: SplitInput["arms"]): SplitArm[] {
  const hasControl = given.some(({ isControl }) => isControl);
  return given.map(({ name, weight = 1, isControl, to }, place) => ({
    name,
    weight,
    isControl: isControl ?? (!hasControl && place === 0),
    to,
  }));
}

/** Where users may go on from a step, other than to the one behind it, by the field that says so. */
function waysFrom(step: StepOrder): [field: string, to: string][] {
  if (step.kind === "split") return step.arms.map(({ to }, place) => [`arms[${place}].to`, to]);
  return step.kind === "if" ? [["else", step.else]] : [];
}

/** What is wrong with the order of some steps; null where nothing is. `else` and `to` have to lead forwards, so that every walk ends. */
export function stepsFault(steps: readonly StepOrder[]): string | null {
  const places = new Map<string, number>();
  for (const [place, { id }] of steps.entries()) {
    if (id === END) return `steps[${place}].id must not be ${END}, which is the place after the last step`;
    if (places.has(id)) return `steps[${place}].id is the id of another step, too: ${id}`;
    places.set(id, place);
  }
  for (const [place, step] of steps.entries()) {
    for (const [field, to] of waysFrom(step)) {
      if (to === END) continue;
      const found = places.get(to);
      if (found === undefined) return `steps[${place}].${field} must be the id of a step, or ${END}: ${to}`;
      if (found <= place) return `steps[${place}].${field} must be a later step: nobody goes back to ${to}`;
    }
    if (step.kind !== "split") continue;
    if (place > 0) return `steps[${place}].kind must not be split: only the first step may be one`;
    const fault = sharesFault(`steps[${place}].arms`, armsOf(step.arms));
    if (fault !== null) return fault;
  }
  return null;
}

/** The split with which a journey begins; null where it begins otherwise. */
export function splitOf({ steps: [first] }: Pick<Definition, "steps">): SplitStep | null {
  return first?.kind === "split" ? first : null;
}

/**
 * What is wrong with a change of the split of a journey that was launched once; null where nothing is. Users inside have the arm that they drew,
 * or none.
 */
export function splitFault(was: Pick<Definition, "steps">, is: Pick<Definition, "steps">): string | null {
  const [before, after] = [splitOf(was), splitOf(is)];
  if (before === null && after === null) return null;
  if (before === null)
    return "A split cannot be added to a journey that was launched: users who are inside have no arm.";
  if (after === null || after.id !== before.id)
    return `The split ${before.id} cannot be taken away from a journey that was launched: users who are inside have an arm.`;
  const names = new Set(after.arms.map(({ name }) => name));
  const isSame = names.size === before.arms.length && before.arms.every(({ name }) => names.has(name));
  return isSame
    ? null
    : "Arms can neither be added to a journey that was launched nor taken away from it: give one the weight 0 to stop it.";
}

/** What is wrong with letting users in out of an audience at all times; null where nothing is, or they enter otherwise. */
export function entryFault({ entry, audience, again }: Definition): string | null {
  if (entry.on !== "audience") return null;
  if (audience === null) return "audience must say who enters, where entry is on audience";
  // A user who is through would enter again at once, for as long as they are in it.
  if (again?.afterDays === 0) return "again.afterDays must be at least 1, where entry is on audience";
  return null;
}

/** The step that keeps its id and becomes something else, as what is wrong with it; null where none does. Users are at steps by their ids. */
export function kindFault(
  was: readonly Step[],
  is: readonly Pick<StepInput, "id" | "kind">[],
): string | null {
  for (const [place, { id, kind }] of is.entries()) {
    const before = was.find((step) => step.id === id);
    if (before !== undefined && before.kind !== kind)
      return `steps[${place}].kind must be ${before.kind}, as it was: give another step another id than ${id}`;
  }
  return null;
}

/**
 * Which events matter to a journey: those that it names, because they let users in, end it or a wait for them, and whether that of its goal
 * does. The goal is looked up when events come, for its event may change.
 */
export function triggersOf({ entry, exit, steps }: Definition): {
  triggerEvents: string[];
  exitsOnGoal: boolean;
} {
  const awaited = steps.flatMap((step) => (step.kind === "wait" ? [step.orEvent] : []));
  const rules: (EventRule | undefined)[] = [
    ...(entry.on === "event" ? [entry] : []),
    ...exit.events,
    ...awaited,
  ];
  const names = rules.flatMap((rule) => (rule === undefined ? [] : [rule.event]));
  return { triggerEvents: [...new Set(names)].sort(), exitsOnGoal: exit.onGoal };
}

/** Where users go on from steps that are taken away, by the ids of these. */
type Moves = Readonly<Record<string, string>>;

/** What is wrong with moves of a request; null where nothing is. */
export function movesFault(was: readonly Step[], is: readonly { id: string }[], moves: Moves): string | null {
  const has = (steps: readonly { id: string }[], id: string): boolean => steps.some((step) => step.id === id);
  const placeOf = (id: string): number => is.findIndex((step) => step.id === id);
  for (const [from, to] of Object.entries(moves)) {
    if (!has(was, from) || has(is, from)) return `moves.${from} is not a step that this change takes away`;
    if (to !== END && !has(is, to)) return `moves.${from} must be a step of the new steps, or ${END}: ${to}`;
    const passed = was.slice(
      0,
      was.findIndex((step) => step.id === from),
    );
    if (to !== END && passed.some(({ id }) => placeOf(id) >= placeOf(to)))
      return `moves.${from} must lead forwards: nobody goes back to ${to}`;
  }
  return null;
}

/**
 * Where users go on who are at a step that is gone since a change, or since an earlier one that has not moved them yet; and how many would be
 * nowhere, by the step of which moves have to speak.
 * @param here how many users are at each step, by ids
 */
export function movesAfter(
  was: Definition,
  is: readonly { id: string }[],
  moves: Moves,
  here: ReadonlyMap<string, number>,
): { moves: Moves; stranded: { id: string; here: number }[] } {
  const kept = new Set([END, ...is.map(({ id }) => id)]);
  const isOfBefore = new Set(was.steps.map(({ id }) => id));
  const all: Record<string, string> = {};
  const stranded = new Map<string, number>();
  const strand = (id: string, users: number) => stranded.set(id, (stranded.get(id) ?? 0) + users);
  for (const [id, users] of here) {
    if (isOfBefore.has(id) && kept.has(id)) continue;
    const next = isOfBefore.has(id) ? id : (was.moves?.[id] ?? END);
    const to = kept.has(next) ? next : moves[next];
    // Another step must not take an id at which there are users of the one that is gone.
    if (kept.has(id)) strand(id, users);
    else if (to === undefined) strand(next, users);
    else all[id] = to;
  }
  return { moves: all, stranded: [...stranded].map(([id, users]) => ({ id, here: users })) };
}

export type JourneyStatus = "draft" | "running" | "paused" | "ended";
export type JourneyAction = "launch" | "pause" | "end";

/** From which states an action leads, and to which. */
export const ACTIONS: Readonly<Record<JourneyAction, { from: readonly JourneyStatus[]; to: JourneyStatus }>> =
  {
    launch: { from: ["draft", "paused"], to: "running" },
    pause: { from: ["running"], to: "paused" },
    end: { from: ["draft", "running", "paused"], to: "ended" },
  };
