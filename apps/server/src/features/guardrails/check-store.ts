import { sql } from "kysely";
import { countDifferences } from "../../platform/db/count-differences.ts";
import type { Db } from "../../platform/db/db.ts";
import { t } from "../../platform/db/statements/table-names.ts";
import { isNoWordOfAKey } from "../runs/public.ts";

/** Breaches without the run that paused their campaign. */
export const countBreachesWithoutRunAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.guardrailBreaches} b
    where not exists (
      select from ${t.agentRuns} r
      where r.id = b.run_id and r.project_id = b.project_id and r.campaign_id = b.campaign_id and r.kind = 'guardrail'
        and ${isNoWordOfAKey}
    ) or (b.cleared_at is null) <> (b.clear_reason is null)`,
  );
