import type { Connection } from "../../../../platform/db/db.ts";
import { drawVariant } from "../../../deliveries/public.ts";
import { openEpoch } from "../../authoring/public.ts";
import { splitOf } from "../../authoring/rules.ts";
import type { Definition } from "../../authoring/schema.ts";
import type { SplitArm } from "../../authoring/steps.pure.ts";
import type { MovingJourney } from "../store.ts";

/** What users who enter a journey draw from: the arms of its split, under the weights and steps of an epoch. */
export type Draw = { arms: readonly SplitArm[]; epoch: number };

/** What users who enter a journey now draw from; null where it has no split. Needs a transaction with the journey locked. */
export async function drawOf(
  client: Connection,
  journey: Pick<MovingJourney, "id" | "projectId" | "definition">,
  definition: Definition,
  now: number,
): Promise<Draw | null> {
  const split = splitOf(definition);
  const epoch = split === null ? null : await openEpoch(client, journey, now);
  return split === null || epoch === null ? null : { arms: split.arms, epoch };
}

/**
 * The name of the arm of a user (UUIDs): the one that they drew first, while it has weight, else the one at their point in the journey, which is as
 * random as those of its campaigns, and independent of them.
 * @param first the arm that they drew when they entered first; null for a user who never did
 */
export function armFor(
  arms: readonly Pick<SplitArm, "name" | "weight">[],
  { journeyId, userKey, first }: { journeyId: string; userKey: string; first: string | null },
): string {
  const kept = arms.find(({ name, weight }) => name === first && weight > 0);
  const drawn = drawVariant(
    arms.map(({ name, weight }) => ({ id: name, weight })),
    journeyId,
    userKey,
  );
  const name = kept?.name ?? drawn?.id;
  if (name === undefined) throw new Error("No arm of a split has a weight.");
  return name;
}
