import { clientOf } from "../../../platform/db/batch/client-of.ts";
import type { Connection, Db } from "../../../platform/db/db.ts";
import {
  findEpoch,
  insertAllocations,
  type JourneyEpoch,
  listLaunched,
  lockEpochs,
  renameDigest,
} from "./allocation-store.ts";
import { type ArmAllocation, allocationOf, isSameAllocation } from "./arm-allocation.ts";
import { splitOf } from "./rules.ts";
import type { Definition } from "./schema.ts";
import { readDefinition } from "./stored.pure.ts";

type OfJourney = { id: string; projectId: string; definition: unknown };

/** The epoch under which users enter a journey now, and what its arms have. */
function currentOf(
  definition: Definition,
  { epoch, arms, campaignEpochs }: JourneyEpoch,
): { epoch: number; arms: ArmAllocation[]; isOpen: boolean } {
  const now = allocationOf(definition, campaignEpochs);
  return { epoch, arms: now, isOpen: epoch > 0 && isSameAllocation(arms, now) };
}

/**
 * The epoch under which users enter a journey at an instant (epoch ms): a new one where weights, steps or messages of its arms differ from those
 * of its last one; null where it has no split. Messages are changed at their campaigns, which know of no journey: so the difference is found when
 * the next user enters. Needs a transaction with the journey locked, also if for share alone.
 */
export async function openEpoch(
  client: Connection,
  { id: journeyId, projectId, definition: stored }: OfJourney,
  now: number,
): Promise<number | null> {
  const definition = readDefinition(stored);
  if (definition === null || splitOf(definition) === null) return null;
  const seen = currentOf(definition, await findEpoch(client, { projectId, journeyId }));
  if (seen.isOpen) return seen.epoch;
  // Other processes may let users in at once: the second one finds the epoch that the first has opened.
  await lockEpochs(client, { journeyId });
  const found = currentOf(definition, await findEpoch(client, { projectId, journeyId }));
  if (found.isOpen) return found.epoch;
  const epoch = found.epoch + 1;
  await insertAllocations(
    client,
    found.arms.map((arm) => ({ projectId, journeyId, epoch, ...arm, startedAt: now })),
  );
  return epoch;
}

/**
 * Makes the epochs of the journeys of an imported project its own: steps name campaigns and segments by ids, which are new, so the digests of arms
 * as they are now are written again. Nothing was edited.
 */
export async function adoptJourneyEpochs(db: Db, projectId: string): Promise<void> {
  for (const { id: journeyId, definition: stored } of await listLaunched(db, projectId)) {
    const definition = readDefinition(stored);
    if (definition === null || splitOf(definition) === null) continue;
    const last = await findEpoch(clientOf(db), { projectId, journeyId });
    for (const { arm, contentDigest: to } of allocationOf(definition, last.campaignEpochs)) {
      const from = last.arms.find((each) => each.arm === arm)?.contentDigest;
      if (from !== undefined && from !== to) await renameDigest(db, projectId, journeyId, { arm, from, to });
    }
  }
}
