import { FIRST_OCCASION, type UserRef } from "../../../domain/ids.ts";
import type { Place, Walked } from "../authoring/walk.pure.ts";
import { armFor, type Draw } from "./entering/arms.ts";
import type { Entry, FoundPlace, LastEntry, Movement, NewEntry } from "./entry-store.ts";
import type { MovingJourney } from "./store.ts";
import type { ShownEntry } from "./story/list-store.ts";

/** When something is written, and by which version of the journey. `now` is epoch milliseconds. */
export type Writing = { version: number; now: number };

/** Where an entry was found. */
export function placeOf(entry: Entry): FoundPlace {
  const { lane, userKey, journeyId, occasion, projectId, stepId, arrivedAt, isActed } = entry;
  const key = { lane, userKey, journeyId, occasion, projectId };
  return { ...key, fromStep: stepId, fromAt: arrivedAt, fromActed: isActed };
}

/** The movement of an entry that stays where it is, which others are made of. */
function from(entry: Entry, { version, now }: Writing): Movement {
  const { stepId, arrivedAt, isActed } = entry;
  return {
    ...placeOf(entry),
    version,
    now,
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
  if (at === "finished") {
    // A user who came past several steps in this walk leaves from the last one.
    const last = passed.at(-1);
    const isElsewhere = last !== undefined && last.stepId !== entry.stepId;
    const place = isElsewhere ? { stepId: last.stepId, arrivedAt: last.at } : {};
    return { ...movement, ...place, leftBy: "finished" };
  }
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

/**
 * A user who enters at the first place of a journey.
 * @param last their last entry
 * @param draw what they draw their arm from
 * @param event compact JSON of the event that let them in
 */
export function newEntry(
  { id: journeyId, projectId, version }: Pick<MovingJourney, "id" | "projectId" | "version">,
  { lane, userKey }: UserRef,
  last: Pick<LastEntry, "occasion" | "firstArm"> | undefined,
  { stepId, arrivedAt: now }: Place,
  draw: Draw | null,
  event: string | null,
): NewEntry {
  const occasion = last === undefined ? FIRST_OCCASION : last.occasion + 1;
  const first = last?.firstArm ?? null;
  const arm = draw === null ? null : armFor(draw.arms, { journeyId, userKey, first });
  const epoch = draw?.epoch ?? null;
  return { lane, userKey, journeyId, occasion, projectId, stepId, now, version, event, arm, epoch };
}
