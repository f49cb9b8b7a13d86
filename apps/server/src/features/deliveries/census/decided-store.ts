import { sql } from "kysely";
import type { CurrentEpoch } from "../../campaigns/authoring/public.ts";
import { deliveryGate } from "../gates/delivery.ts";
import { bucketSql } from "../gates/list.ts";
import { passGate } from "../gates/pass.ts";
import { withheldGate } from "../gates/withheld.ts";
import { censusFrom, joiningByHash } from "./audience-store.ts";
import type { BucketRow, CensusQuestion } from "./census.ts";

/** SQL: nothing is decided yet about the user `u` of `censusFrom`. */
export const isUndecided = sql<boolean>`(not u.is_delivered and not u.is_withheld and not u.is_late)`;

/** The users of a campaign's audience about whom something is decided: with a delivery, or a withheld one, or passed; by bucket. */
export async function countDecided(
  question: CensusQuestion,
  current: Pick<CurrentEpoch, "withholds">,
): Promise<BucketRow[]> {
  const bucket = bucketSql([deliveryGate, withheldGate, passGate], {});
  const decided = sql<BucketRow>`
    select ${bucket} as bucket, count(*) as users
    from ${censusFrom(question, current, sql`true`)} where not ${isUndecided} group by 1`;
  const { rows } = await joiningByHash(question.db, () => decided.execute(question.db));
  return rows;
}
