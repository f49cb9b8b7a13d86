import { type Definition, END, type StepInput } from "./schema.ts";
import { waitMs } from "./walk.pure.ts";

/** What is wrong with the order of some steps; null where nothing is. `else` has to lead forwards, so that every walk ends. */
export function stepsFault(steps: readonly Pick<StepInput, "id" | "kind">[]): string | null {
  const places = new Map<string, number>();
  for (const [place, { id }] of steps.entries()) {
    if (id === END) return `steps[${place}].id must not be ${END}, which is the place after the last step`;
    if (places.has(id)) return `steps[${place}].id is the id of another step, too: ${id}`;
    places.set(id, place);
  }
  for (const [place, step] of steps.entries()) {
    if (!("else" in step) || step.else === END) continue;
    const to = places.get(String(step.else));
    if (to === undefined) return `steps[${place}].else must be the id of a step, or ${END}: ${step.else}`;
    if (to <= place) return `steps[${place}].else must be a later step: nobody goes back to ${step.else}`;
  }
  return null;
}

/**
 * Which events matter to a journey: those that it names, because they let users in or end it for them, and whether that of its goal does.
 * The goal is looked up when events come, for its event may change.
 */
export function triggersOf({ entry, exit }: Definition): { triggerEvents: string[]; exitsOnGoal: boolean } {
  const names = [...(entry.on === "event" ? [entry.event] : []), ...exit.events.map(({ event }) => event)];
  return { triggerEvents: [...new Set(names)].sort(), exitsOnGoal: exit.onGoal };
}

/** The waits that are shorter, longer or something else since a change: users who are there are due at another instant. */
export function retimedSteps({ steps: was }: Definition, { steps: is }: Definition): string[] {
  return was.flatMap((before) => {
    const after = is.find(({ id }) => id === before.id);
    if (before.kind !== "wait" || after === undefined) return [];
    return after.kind === "wait" && waitMs(after.for) === waitMs(before.for) ? [] : [before.id];
  });
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
