import { type RawBuilder, sql } from "kysely";
import { openPages } from "../../../platform/db/cursor.ts";
import type { Db } from "../../../platform/db/db.ts";
import { type SqlText, sqlText } from "../../../platform/db/statements/sql-text.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { readStored } from "../../audience/language/parse/stored.pure.ts";
import { allUsers, matchingUsers } from "../../audience/language/public.ts";
import { type CurrentEpoch, isBehindSql } from "../../campaigns/authoring/public.ts";
import type { VisitorsMet } from "../../campaigns/authoring/rules.ts";
import type { UserKind } from "../../users/identities/kinds.pure.ts";
import { onFirstOccasion } from "../key-store.ts";
import type { CensusQuestion } from "./census.ts";

type AudienceQuestion = Pick<CensusQuestion, "projectId" | "now" | "campaign">;

/** SQL: the time for which a user is inside a journey, as rows of `journey_entries` named `e`: none or one. */
const entryOf = (journeyId: string, user: string): RawBuilder<unknown> => sql`
  select from ${t.journeyEntries} e
  where e.lane = ${sql.ref(`${user}.lane`)} and e.user_key = ${sql.ref(`${user}.user_key`)} and e.journey_id = ${journeyId}
    and e.left_at is null`;

/** The users of a kind in a campaign's audience, who are all inside the journey where it is the message of a step, in the form of `matchingUsers`; none where the audience cannot be read. */
function usersOfCampaign(
  { projectId, campaign, now }: AudienceQuestion,
  kind: UserKind = kindCounted(campaign),
): RawBuilder<unknown> {
  if (campaign.journeyId !== null)
    return sql`${allUsers(projectId, kind)} and exists (${entryOf(campaign.journeyId, "u")})`;
  const stored = readStored(campaign.audience);
  if (stored.kind === "invalid") return sql`${allUsers(projectId, kind)} and false`;
  return stored.kind === "all"
    ? allUsers(projectId, kind)
    : matchingUsers(projectId, kind, stored.expression, now);
}

/** What a census counts by bucket: users, or visitors where the campaign is for these alone. */
const kindCounted = ({ visitors }: { visitors: VisitorsMet }): UserKind =>
  visitors === "only" ? "visitors" : "users";

/** How many visitors a campaign is for at an instant: those in its audience, and 0 where it is for users alone. */
export async function countVisitors(db: Db, question: AudienceQuestion): Promise<number> {
  if (question.campaign.visitors === "none") return 0;
  const statement = sql<{
    visitors: number;
  }>`select count(*) as visitors from ${usersOfCampaign(question, "visitors")}`;
  const { rows } = await joiningByHash(db, () => statement.execute(db));
  return rows[0]?.visitors ?? 0;
}

/** SQL: the key by which variants and holdouts are drawn for the user of a row of `users`, the same as `drawKeyOf`. */
export const drawKeySql = (alias: string): SqlText =>
  sqlText(`coalesce(${alias}.drawn_as, ${alias}.user_key)`);

/** SQL: the delivery of an alias is the one that a user has of a campaign: of a step, for the time for which they are inside. */
const isForNow = (
  { journeyId }: Pick<AudienceQuestion["campaign"], "journeyId">,
  alias: string,
): RawBuilder<unknown> =>
  journeyId === null
    ? sql`${onFirstOccasion(alias)}`
    : sql`exists (${entryOf(journeyId, alias)} and e.occasion = ${sql.ref(`${alias}.occasion`)})`;

/**
 * SQL that follows `from`: the users of the audience as `u` (visitors where it is for these alone), with their `draw_key`, with these columns of `users`, and with what is decided about them: `is_delivered`
 * (there is a delivery), `is_withheld` and `is_late` (the campaign has passed them). `where` is SQL about `u` that begins with `and`.
 */
export const censusFrom = (
  question: AudienceQuestion,
  { withholds }: Pick<CurrentEpoch, "withholds">,
  columns: RawBuilder<unknown>,
  where: RawBuilder<unknown> = sql``,
): RawBuilder<unknown> => sql`(
    select u.*, d.user_key is not null as is_delivered, w.user_key is not null as is_withheld,
      ${isBehindSql(question.campaign.pass, "u")} as is_late
    from (select u.lane, u.user_key, ${drawKeySql("u")} as draw_key, ${columns} from ${usersOfCampaign(question)} ${where}) u
    left join ${t.deliveries} d on d.lane = u.lane and d.user_key = u.user_key and d.campaign_id = ${question.campaign.id}
      and ${isForNow(question.campaign, "d")}
    left join (
      select lane, user_key from ${t.withheldDeliveries} where campaign_id = ${question.campaign.id} and ${sql.lit(withholds)}
    ) w on w.lane = u.lane and w.user_key = u.user_key
  ) u`;

/**
 * Runs a statement over most users of a project, in a transaction. PostgreSQL joins by hashes alone there: it estimates that conditions on
 * traits match few users, and looking up each of them took two to three times as long.
 */
export async function joiningByHash<T>(db: Db, read: () => Promise<T>): Promise<T> {
  await sql`set local enable_nestloop = off`.execute(db);
  const found = await read();
  await sql`set local enable_nestloop to default`.execute(db);
  return found;
}

/** Rows that are judged in memory at a time. */
const PAGE = 2_000;

/** The rows of such a statement, some at a time, which is run once for all of them. */
export async function* pagesByHash<Row>(db: Db, query: RawBuilder<Row>): AsyncGenerator<Row[]> {
  const pages = await joiningByHash(db, () => openPages(db, query, PAGE));
  yield* pages;
}

const TWO_TO_48 = 2 ** 48;
const ONE = Buffer.alloc(33, 0xff);

/** The bytes that sort after the first 48 bits of all digests whose point is below a share (0 to 1). */
function bytesOf(share: number): Buffer {
  const threshold = Math.ceil(share * TWO_TO_48);
  // No digest, which has 32 bytes, sorts after 33 bytes of ones.
  if (threshold >= TWO_TO_48) return ONE;
  const bytes = Buffer.alloc(6);
  bytes.writeUIntBE(threshold, 0, 6);
  return bytes;
}

/** SQL: whether the point of the user `u`, who has a `draw_key`, for a campaign or a goal (`pointOf`) is below a share from 0 to 1. */
export const isPointBelow = (uuid: string, share: number): RawBuilder<boolean> =>
  sql`sha256(convert_to(${uuid} || u.draw_key::text, 'UTF8')) < ${bytesOf(share)}::bytea`;

/** SQL: the same as `drawVariant`, for the user `u`, who has a `draw_key`: the index of the variant. At least one has a weight. */
export function variantIndexSql(
  campaignId: string,
  variants: readonly { weight: number }[],
): RawBuilder<number> {
  const total = variants.reduce((sum, { weight }) => sum + weight, 0);
  const weighted = variants.flatMap(({ weight }, index) => (weight === 0 ? [] : [{ index, weight }]));
  const last = weighted.at(-1)?.index ?? 0;
  let below = 0;
  const cases = weighted.slice(0, -1).map(({ index, weight }) => {
    below += weight;
    return sql`when ${isPointBelow(campaignId, below / total)} then ${index}::int`;
  });
  return cases.length === 0 ? sql`${last}::int` : sql`case ${sql.join(cases, sql` `)} else ${last}::int end`;
}
