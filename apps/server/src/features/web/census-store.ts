import { type RawBuilder, sql } from "kysely";
import type { UserRef } from "../../domain/ids.ts";
import { bucketSql } from "../deliveries/gates/list.ts";
import {
  type BucketRow,
  type CensusMessages,
  type CensusQuestion,
  censusFrom,
  GAP_COLUMNS,
  gapAggregates,
  gapBits,
  gapColumns,
  isUndecided,
  joiningByHash,
  pagesByHash,
} from "../deliveries/public.ts";
import type { RunningCampaign } from "./config-store.ts";
import { webGates } from "./gates/web-gates.ts";

const countBy = (bucket: RawBuilder<unknown>, from: RawBuilder<unknown>) =>
  sql<BucketRow>`select ${bucket} as bucket, count(*) as users from ${from} group by 1`;

/** The users of a campaign's audience by bucket, where the message has a text for all of them; with the gaps of those who get it. */
export async function countWebBuckets(
  question: CensusQuestion & CensusMessages,
  { current }: RunningCampaign,
): Promise<(BucketRow & { gaps?: number[] })[]> {
  const { campaign, variants, gaps } = question;
  const bucket = bucketSql(webGates, { current });
  const isPlain = gaps.fields.length === 0;
  const from = censusFrom(question, current, isPlain ? sql`true` : GAP_COLUMNS);
  const statement = isPlain
    ? countBy(bucket, from)
    : sql<BucketRow & { gaps: number[] }>`
      select bucket, count(*) as users, json_build_array(${sql.join(gapAggregates(gaps))}) as gaps
      from (
        select u.bucket, case when u.bucket = 'will_receive' then ${gapBits(campaign.id, variants, gaps)} end as bits
        from (select ${bucket} as bucket, u.draw_key, ${gapColumns(gaps)} from ${from} offset 0) u
        offset 0
      ) u group by 1`;
  const { rows } = await joiningByHash(question.db, () => statement.execute(question.db));
  return rows;
}

/** A user whose message is yet to be written. */
export type Reader = UserRef & {
  drawKey: string;
  externalId: string;
  traits: Record<string, unknown>;
  serverTraits: string[] | null;
};

/** The users of a campaign's audience without a delivery, some at a time. */
export function pagesOfUndecided(
  question: CensusQuestion,
  { current }: RunningCampaign,
): AsyncGenerator<Reader[]> {
  const columns = sql`u.external_id, u.traits, u.server_traits`;
  const undecided = sql<Reader>`
    select u.lane, u.user_key as "userKey", u.draw_key as "drawKey", u.external_id as "externalId", u.traits,
      u.server_traits as "serverTraits"
    from ${censusFrom(question, current, columns)}
    where ${isUndecided}`;
  return pagesByHash(question.db, undecided);
}
