import { sql } from "kysely";
import type { Db } from "../../../../platform/db/db.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";
import { type ConversionCriteria, countOutcomes, onFirstOccasion } from "../../../deliveries/public.ts";
import type { ArmCell } from "./arm-statistics.ts";

/**
 * Users who entered a journey with a split, each once, by the arm and the epoch of their first entry. Their window starts when they entered: before
 * anything was sent, so that an arm whose mail bounces is not the better for it. `db` has to read at one instant.
 */
export const countFirstEntries = (
  db: Db,
  projectId: string,
  journeyId: string,
  outcome: ConversionCriteria,
): Promise<ArmCell[]> =>
  countOutcomes<{ arm: string; epoch: number }>(
    db,
    projectId,
    {
      columns: ["arm", "epoch"],
      select: (chosen) => sql`
        select lane, user_key, arm, epoch, entered_at as at from ${t.journeyEntries}
        where project_id = ${projectId} and journey_id = ${journeyId} and entered_at <= ${outcome.evaluatedAt} and arm is not null
          and ${onFirstOccasion(t.journeyEntries)} and ${chosen}`,
    },
    outcome,
  );
