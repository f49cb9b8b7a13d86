import { FIRST_OCCASION, type UserRef } from "../../../domain/ids.ts";
import type { Place, Walked } from "../authoring/walk.pure.ts";
import type { Entry, Movement, NewEntry } from "./entry-store.ts";
import type { ShownEntry } from "./list-store.ts";
import type { MovingJourney } from "./store.ts";

/** When something is written, and by which version of the journey. `now` is epoch milliseconds. */
export type Writing = { version: number; now: number };

/** The movement of an entry that stays where it is, which others are made of. */
function from(entry: Entry, { version, now }: Writing): Movement {
  const { lane, userKey, journeyId, occasion, projectId, stepId, arrivedAt, isActed } = entry;
  return {
    lane,
    userKey,
    journeyId,
    occasion,
    projectId,
    version,
    now,
    fromStep: stepId,
    fromAt: arrivedAt,
    fromActed: isActed,
    stepId,
    arrivedAt,
    isActed,
    dueAt: now,
    leftBy: null,
    passed: "[]",
  };
}

/** The movement of an entry to where a walk came. */
export function movementOf(entry: Entry, { passed, at }: Walked, writing: Writing): Movement {
  const written = passed.map(({ stepId: step_id, ...deed }) => ({ step_id, ...deed }));
  const movement = { ...from(entry, writing), passed: JSON.stringify(written) };
  if (at === "finished") return { ...movement, leftBy: "finished" };
  const { stepId, arrivedAt, isActed, dueAt } = at;
  return { ...movement, stepId, arrivedAt, isActed, dueAt };
}

/** The movement of a user out of a journey, from where they are. */
export const leavingBy = (
  entry: Entry,
  by: NonNullable<ShownEntry["leftBy"]>,
  writing: Writing,
): Movement => ({
  ...from(entry, writing),
  leftBy: by,
});

/** A user who enters at the first place of a journey. @param last their last entry @param event compact JSON of the event that let them in */
export function newEntry(
  { id: journeyId, projectId, version }: Pick<MovingJourney, "id" | "projectId" | "version">,
  { lane, userKey }: UserRef,
  last: Pick<Entry, "occasion"> | undefined,
  { stepId, arrivedAt: now }: Place,
  event: string | null,
): NewEntry {
  const occasion = last === undefined ? FIRST_OCCASION : last.occasion + 1;
  return { lane, userKey, journeyId, occasion, projectId, stepId, now, version, event };
}
