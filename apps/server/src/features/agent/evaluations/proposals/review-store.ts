import { sql } from "kysely";
import type { Db } from "../../../../platform/db/db.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";
import { ENDLESS } from "../../../campaigns/authoring/public.ts";
import type { VisitorsMet } from "../../../campaigns/authoring/rules.ts";
import { censusFrom, countVisitors, joiningByHash, onFirstOccasion } from "../../../deliveries/public.ts";

/**
 * Users whom a campaign is for at an instant (epoch ms; visitors, where it is for these alone), those of them without a delivery of it, and all
 * users with one, also those whom it is not for any more. The message of a step is for who is inside its journey. `visitors`: whom it is for. Needs a transaction.
 */
export async function countAudience(
  db: Db,
  question: {
    projectId: string;
    now: number;
    campaign: { id: string; audience: unknown; visitors: VisitorsMet; journeyId: string | null };
  },
): Promise<{ matched: number; delivered: number; left: number; visitors: number }> {
  const { campaign, projectId } = question;
  // Which users a pass has left behind makes no difference to whom the campaign is for.
  const endless = { ...question, campaign: { ...campaign, pass: ENDLESS } };
  const from = censusFrom(endless, { withholds: false }, sql`true`);
  // Users who enter a journey again get its messages again: the first time may be one at which they did not come to the step.
  const isCounted = campaign.journeyId === null ? sql`${onFirstOccasion("d")}` : sql`true`;
  const { rows } = await joiningByHash(db, () =>
    sql<{ matched: number; delivered: number; left: number }>`
      select count(*) as matched, count(*) filter (where not u.is_delivered) as left,
        (
          select ${campaign.journeyId === null ? sql`count(*)` : sql`count(distinct (d.lane, d.user_key))`}
          from ${t.deliveries} d
          where d.campaign_id = ${campaign.id} and d.project_id = ${projectId} and ${isCounted}
        ) as delivered
      from ${from}`.execute(db),
  );
  return {
    ...(rows[0] ?? { matched: 0, delivered: 0, left: 0 }),
    visitors: await countVisitors(db, endless),
  };
}
