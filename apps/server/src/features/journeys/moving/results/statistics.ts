import type { Db } from "../../../../platform/db/db.ts";
import { DAY_MS } from "../../../../platform/time/clock.ts";
import { findGoal } from "../../../campaigns/goals/public.ts";
import { attributionDaysOf, minimumLiftOf } from "../../../deliveries/public.ts";
import { readArmAllocations } from "../../authoring/public.ts";
import { splitOf } from "../../authoring/rules.ts";
import type { Definition } from "../../authoring/schema.ts";
import { armStatisticsOf } from "./arm-statistics.ts";
import type { JourneyStatistics } from "./schema.ts";
import { countFirstEntries } from "./statistics-store.ts";

/** Why a journey has no statistics: it has no split, no goal, or its goal counts no event. */
export const NO_STATISTICS = ["no_split", "no_goal", "no_event"] as const;

type Found =
  | { statistics: JourneyStatistics; noStatistics: null }
  | { statistics: null; noStatistics: (typeof NO_STATISTICS)[number] };

/** What may be claimed about the arms of a journey at an instant (epoch ms), or why there is nothing to claim. `db` has to read at one instant. */
export async function readArmStatistics(
  db: Db,
  { id, projectId, goalId }: { id: string; projectId: string; goalId: string | null },
  definition: Definition,
  evaluatedAt: number,
): Promise<Found> {
  const none = (noStatistics: (typeof NO_STATISTICS)[number]): Found => ({ statistics: null, noStatistics });
  const split = splitOf(definition);
  if (split === null) return none("no_split");
  const goal = goalId === null ? null : await findGoal(db, projectId, goalId);
  if (goal === null) return none("no_goal");
  if (goal.targetEvent === null) return none("no_event");
  const attributionDays = attributionDaysOf(goal);
  const outcome = { event: goal.targetEvent, evaluatedAt, attributionMs: attributionDays * DAY_MS };
  const statistics = armStatisticsOf({
    evaluatedAt,
    attributionDays,
    minimumLift: minimumLiftOf(goal),
    arms: split.arms,
    allocations: await readArmAllocations(db, projectId, id),
    cells: await countFirstEntries(db, projectId, id, outcome),
  });
  return { statistics, noStatistics: null };
}
