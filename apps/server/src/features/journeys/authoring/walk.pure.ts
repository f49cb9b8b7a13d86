import { notAhead } from "../../../platform/time/far-ahead.ts";
import type { Definition } from "./schema.ts";
import { type EventRule, MAX_WAIT_MS, type Step } from "./steps.pure.ts";

/** Where the user is: at a step since an instant (epoch milliseconds). `isActed`: the message of this step was made. */
export type Place = { stepId: string; arrivedAt: number; isActed: boolean };

/** What the user did at a step that they have left. */
export const DEEDS = [
  "sent",
  "withheld",
  "skipped",
  "waited",
  "happened",
  "met",
  "unmet",
  "moved",
  "split",
] as const;
export type Did = (typeof DEEDS)[number];
/** `reason`: why they were skipped. */
export type Mark = { stepId: string; did: Did; reason: string | null; at: number };

/** What became of the message of a step; null while it has not left, and may still. */
export type Outcome = "sent" | "withheld" | "skipped" | null;

export type WaitStep = Extract<Step, { kind: "wait" }>;

/** When a wait is over, and when to look at it again because that may change; epoch milliseconds. */
export type WaitEnd = { at: number | null; lookAt: number | null };

/** What a walk has to know. */
export type Facts = {
  /** When a wait is over where the user has been since an instant; `at` is null while they have no date. */
  waitEnd(step: WaitStep, arrivedAt: number): WaitEnd;
  /** Whether the user meets the audience of an `if`. */
  meets(step: Extract<Step, { kind: "if" }>): boolean;
  /** The arm of a split that they drew when they entered; null where there was none. */
  arm: string | null;
  /** What became of the message of the step where they are, and why it was skipped. */
  outcome: Outcome;
  reason: string | null;
  /** When a message that has not left is looked at again, epoch milliseconds. */
  lookAt: number;
};

/** How far a walk came: to a place where it goes on at `dueAt`, or out of the journey. `send`: the message of this place is to be made now. */
export type Walked = {
  passed: Mark[];
  at: (Place & { dueAt: number; send: boolean }) | "finished";
};

/** The place where a journey begins; null where it has no step. */
export function firstPlace({ steps }: Definition, now: number): Place | null {
  const [first] = steps;
  return first === undefined ? null : { stepId: first.id, arrivedAt: now, isActed: false };
}

/** The step behind another one; null behind the last. */
const after = ({ steps }: Definition, stepId: string): Step | null =>
  steps[steps.findIndex(({ id }) => id === stepId) + 1] ?? null;

/** The step of an id; null for the end, and for one that the definition has no more. */
const stepAt = ({ steps }: Definition, stepId: string | undefined): Step | null =>
  steps.find(({ id }) => id === stepId) ?? null;

/** How a user goes on who waits for an event, which has come; null where they do not wait for it. */
export function goOnBy(
  definition: Definition,
  { stepId }: Pick<Place, "stepId">,
  isAwaited: (rule: EventRule) => boolean,
  now: number,
): Walked | null {
  const step = stepAt(definition, stepId);
  if (step?.kind !== "wait" || step.orEvent === undefined || !isAwaited(step.orEvent)) return null;
  const next = after(definition, stepId);
  const passed = [{ stepId, did: "happened" as const, reason: null, at: now }];
  if (next === null) return { passed, at: "finished" };
  return { passed, at: { stepId: next.id, arrivedAt: now, isActed: false, dueAt: now, send: false } };
}

/**
 * Goes on from a place as far as that is possible at an instant (epoch milliseconds). It goes forwards alone, so it ends. A user at a step that
 * was taken away goes where the change moves them.
 */
export function walk(definition: Definition, from: Place, facts: Facts, now: number): Walked {
  const passed: Mark[] = [];
  let place: Place | null = { ...from, arrivedAt: notAhead(from.arrivedAt, now) };
  const leave = (stepId: string, did: Did, to: Step | null, reason: string | null = null): Place | null => {
    passed.push({ stepId, did, reason, at: now });
    return to === null ? null : { stepId: to.id, arrivedAt: now, isActed: false };
  };
  while (place !== null) {
    const { stepId, arrivedAt, isActed }: Place = place;
    const step = stepAt(definition, stepId);
    if (step === null) {
      place = leave(stepId, "moved", stepAt(definition, definition.moves?.[stepId]));
      continue;
    }
    if (step.kind === "end") break;
    const next = after(definition, stepId);
    switch (step.kind) {
      case "send":
        if (!isActed) return { passed, at: { ...place, dueAt: now, send: true } };
        if (facts.outcome === null) return { passed, at: { ...place, dueAt: facts.lookAt, send: false } };
        place = leave(stepId, facts.outcome, next, facts.reason);
        break;
      case "wait": {
        const { at, lookAt } = facts.waitEnd(step, arrivedAt);
        const last = arrivedAt + MAX_WAIT_MS;
        if (at !== null && at <= Math.min(now, last)) {
          place = leave(stepId, "waited", next);
          break;
        }
        const dueAt = Math.min(at ?? last, last, lookAt ?? last);
        if (now < last) return { passed, at: { ...place, dueAt, send: false } };
        // No wait lasts longer: the date of this user did not come.
        place = leave(stepId, "skipped", null, "no_date");
        break;
      }
      case "if": {
        const isMet = facts.meets(step);
        place = leave(stepId, isMet ? "met" : "unmet", isMet ? next : stepAt(definition, step.else));
        break;
      }
      case "split": {
        const arm = step.arms.find(({ name }) => name === facts.arm);
        place = leave(stepId, "split", stepAt(definition, arm?.to));
        break;
      }
    }
  }
  return { passed, at: "finished" };
}
