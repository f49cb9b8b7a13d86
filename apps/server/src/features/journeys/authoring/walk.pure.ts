import { notAhead } from "../../../platform/time/far-ahead.ts";
import { type Definition, END, type Step, WAIT_UNITS, type Wait } from "./schema.ts";

/** Where the user is: at a step since an instant (epoch milliseconds). `isActed`: the message of this step was made. */
export type Place = { stepId: string; arrivedAt: number; isActed: boolean };

/** What the user did at a step that they have left. */
export type Did = "sent" | "withheld" | "skipped" | "waited" | "met" | "unmet";
export type Mark = { stepId: string; did: Did; at: number };

/** What became of the message of a step; null while it has not left, and may still. */
export type Outcome = "sent" | "withheld" | "skipped" | null;

/** What a walk has to know. */
export type Facts = {
  /** Whether the user meets the audience of an `if`. */
  meets(step: Extract<Step, { kind: "if" }>): boolean;
  /** What became of the message of the step where they are. */
  outcome: Outcome;
  /** When a message that has not left is looked at again, epoch milliseconds. */
  lookAt: number;
};

/** How far a walk came: to a place where it goes on at `dueAt`, or out of the journey. `send`: the message of this place is to be made now. */
export type Walked = {
  passed: Mark[];
  at: (Place & { dueAt: number; send: boolean }) | "finished";
};

export const waitMs = ({ amount, unit }: Wait): number => amount * WAIT_UNITS[unit];

/** The place where a journey begins; null where it has no step. */
export function firstPlace({ steps }: Definition, now: number): Place | null {
  const [first] = steps;
  return first === undefined ? null : { stepId: first.id, arrivedAt: now, isActed: false };
}

/** The step behind another one; null behind the last. */
const after = ({ steps }: Definition, stepId: string): Step | null =>
  steps[steps.findIndex(({ id }) => id === stepId) + 1] ?? null;

/**
 * Goes on from a place as far as that is possible at an instant (epoch milliseconds). It goes forwards alone, so it ends. A step that the
 * definition has no more is the end: changes that take one away move those who are there.
 */
export function walk(definition: Definition, from: Place, facts: Facts, now: number): Walked {
  const passed: Mark[] = [];
  let place: Place | null = { ...from, arrivedAt: notAhead(from.arrivedAt, now) };
  const leave = (step: Step, did: Did, to: Step | null): Place | null => {
    passed.push({ stepId: step.id, did, at: now });
    return to === null ? null : { stepId: to.id, arrivedAt: now, isActed: false };
  };
  while (place !== null) {
    const { stepId, arrivedAt, isActed }: Place = place;
    const step = definition.steps.find(({ id }) => id === stepId);
    if (step === undefined || step.kind === "end") break;
    const next = after(definition, stepId);
    switch (step.kind) {
      case "send":
        if (!isActed) return { passed, at: { ...place, dueAt: now, send: true } };
        if (facts.outcome === null) return { passed, at: { ...place, dueAt: facts.lookAt, send: false } };
        place = leave(step, facts.outcome, next);
        break;
      case "wait": {
        const dueAt = arrivedAt + waitMs(step.for);
        if (now < dueAt) return { passed, at: { ...place, dueAt, send: false } };
        place = leave(step, "waited", next);
        break;
      }
      case "if": {
        const isMet = facts.meets(step);
        const elsewhere = step.else === END ? null : definition.steps.find(({ id }) => id === step.else);
        place = leave(step, isMet ? "met" : "unmet", isMet ? next : (elsewhere ?? null));
        break;
      }
    }
  }
  return { passed, at: "finished" };
}
