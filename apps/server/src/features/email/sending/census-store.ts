import { type RawBuilder, sql } from "kysely";
import type { UserRef } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { withValue } from "../../../platform/db/statements/fragment.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { HOUR_MS } from "../../../platform/time/clock.ts";
import type { CampaignAllocation } from "../../campaigns/authoring/public.ts";
import { hasUserSql, isGuestSql } from "../../consent/choices/public.ts";
import { bucketSql, gatesBefore } from "../../deliveries/gates/list.ts";
import {
  type Bucket,
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
} from "../../deliveries/public.ts";
import { type Pressing, pressedSql, type ReaderRow, zoneOfSql } from "../../timing/public.ts";
import { acceptedSince, isSuppressedSql } from "../addresses/public.ts";
import { hasEmailText } from "./gates/address.ts";
import { usersOverCap } from "./gates/cap.ts";
import { confirmationGate } from "./gates/confirmation.ts";
import { emailGates } from "./gates/email-gates.ts";

/** The text of a trait with its address, which has a form that only `parseAddress` reads, and the address's key in hexadecimal. */
export type OddAddress = { email: string; key: string };

/** From here on, addresses that a publishable key gave within an hour (its start, epoch ms) are not confirmed; null for from the first. */
export type Cutoff = { hourAt: number; last: UserRef | null };

/** Whose addresses are looked at. */
export type EmailScope = {
  question: CensusQuestion;
  allocation: CampaignAllocation;
  /** Valid addresses that SQL cannot tell; null before they were read. */
  odd: readonly OddAddress[] | null;
};

/** Addresses that `parseAddress` takes as they are, but for capitals. Longer and stranger ones are read by it alone. */
const PLAIN =
  "^[A-Za-z0-9_!#$%&'*+/=?^`{|}~-]+(\\.[A-Za-z0-9_!#$%&'*+/=?^`{|}~-]+)*@([A-Za-z0-9]+(-[A-Za-z0-9]+)*\\.)+[A-Za-z]{2,}$";
const MAX_PLAIN = 64;

/** SQL: the bytes of the key of an address row, the same as `addressRef`. */
const keySql = (projectId: string) =>
  sql`substring(sha256(${Buffer.from(`${projectId}\0mailto:`)}::bytea
    || convert_to(lower(u.email collate "C"), 'UTF8')) from 1 for 16)`;

/**
 * SQL that follows `from`: the users of the audience as `u`, with the address of those about whom nothing is decided. `key` is null where there
 * is no valid address, or only `parseAddress` can tell.
 */
function addressed(
  { question, allocation, odd }: EmailScope,
  where: RawBuilder<unknown> = sql``,
  more: RawBuilder<unknown> = sql``,
): RawBuilder<unknown> {
  const columns = sql`u.address_given_at as given_at, ${isGuestSql("u")} as is_guest,
    ${allocation.topic === null ? sql`false` : hasUserSql(question.projectId)} as has_user ${more},
    case when ${hasEmailText} then u.traits ->> 'email' end as email`;
  const found = odd ?? [];
  const isPlain = sql`length(u.email) <= ${sql.lit(MAX_PLAIN)} and u.email ~ ${PLAIN}`;
  const emails = found.map(({ email }) => email);
  const keys = found.map(({ key }) => key);
  const oddKey = found.length === 0 ? sql`null` : sql`decode(o.key, 'hex')`;
  const oddJoin =
    found.length === 0
      ? sql``
      : sql`left join unnest(${emails}::text[], ${keys}::text[]) o (email, key) on o.email = u.email`;
  return sql`(
    select u.*, case when ${isUndecided} and u.email is not null then
        case when ${isPlain} then ${keySql(question.projectId)} else ${oddKey} end
      end as key
    from ${censusFrom(question, allocation.current, columns, where)} ${oddJoin}
  ) u`;
}

/** SQL: addresses of the project of which more is known than that mail may leave for them, as `a`. */
const knownAddresses = (
  {
    question: {
      projectId,
      campaign: { id },
    },
    allocation: { topic },
  }: EmailScope,
  since: number,
) => sql`(
    select uuid_send(address_key) as key, ${isSuppressedSql("e")} as is_suppressed,
      ${withValue((at) => acceptedSince("accepted_at", at), since)} + on_the_way as used
    from ${t.emailAddresses} e
    where project_id = ${projectId} and (${isSuppressedSql("e")} or on_the_way > 0 or accepted_at <> '{}')
  ) a on a.key = u.key ${
    topic === null
      ? sql``
      : sql`left join (
    select uuid_send(address_key) as key, is_in from ${t.topicChoices} o
    where o.topic_id = ${topic.id} and o.project_id = ${projectId}
  ) o on o.key = u.key
  left join (
    select uuid_send(d.user_key) as key from ${t.deliveries} d
    join ${t.users} x on x.lane = d.lane and x.user_key = d.user_key and ${isGuestSql("x")}
    where d.campaign_id = ${id} and d.project_id = ${projectId}
  ) g on g.key = u.key and not u.is_guest`
  }`;

/** SQL: what the gates of topics ask of a reader. */
const READER = {
  /** What the owner of the address has chosen of the topic of the campaign. */
  choice: sql<boolean | null>`o.is_in`,
  isGuest: sql<boolean>`u.is_guest`,
  hasTwin: sql<boolean>`(u.has_user or g.key is not null)`,
};

/** SQL: the gates before the one that confirms addresses let the user `u` through. */
const isConfirmable = ({ allocation }: EmailScope): RawBuilder<boolean> =>
  sql`${bucketSql(gatesBefore(emailGates, confirmationGate), { ...allocation, ...READER, isBeyondIntake: sql`false` })} = 'will_receive'`;

/** Users of a bucket. `given`: those whose address a publishable key gave; `unjudged`: those whose address only `parseAddress` can read. */
export type EmailBucketRow = {
  bucket: Bucket;
  users: number;
  capped: number;
  given: number;
  unjudged: number;
  /** Of `will_receive`: what `gapAggregates` came to. */
  gaps?: number[];
};

/** The parts of a statement that counts gaps, from the inside to the outside; nothing where no field is counted. */
function gapParts({ gaps, variants }: CensusMessages, campaignId: string) {
  if (gaps.fields.length === 0)
    return { users: sql``, columns: sql``, bits: sql``, fence: sql``, counts: sql``, sums: sql`` };
  const names = gapAggregates(gaps).map((_, at) => sql.id(`gap_${at}`));
  const counts = gapAggregates(gaps).map((aggregate, at) => sql`${aggregate} as ${names[at]}`);
  return {
    users: sql`, ${GAP_COLUMNS}`,
    columns: sql`, u.draw_key, ${gapColumns(gaps)}`,
    bits: sql`, case when u.bucket = 'will_receive' then ${gapBits(campaignId, variants, gaps)} end as bits`,
    fence: sql`offset 0`,
    counts: sql`, ${sql.join(counts)}`,
    sums: sql`, json_build_array(${sql.join(names.map((name) => sql`sum(${name})::int8`))}) as gaps`,
  };
}

/** SQL that joins where the sweep stops to confirm addresses, and whether the user `u` is beyond that. */
function intakeParts(cutoffs: readonly Cutoff[]): {
  cutoffJoin: RawBuilder<unknown>;
  isBeyondIntake: RawBuilder<unknown>;
} {
  if (cutoffs.length === 0) return { cutoffJoin: sql``, isBeyondIntake: sql`false` };
  const limited = cutoffs.map(({ hourAt, last }) => ({
    hourAt,
    lane: last?.lane ?? -1,
    userKey: last?.userKey ?? null,
  }));
  return {
    cutoffJoin: sql`left join jsonb_to_recordset(${JSON.stringify(limited)}::jsonb) as c ("hourAt" int8, lane int, "userKey" uuid)
        on c."hourAt" = u.given_at - u.given_at % ${sql.lit(HOUR_MS)}`,
    isBeyondIntake: sql`c.lane is not null and (c.lane < u.lane or (c.lane = u.lane and c."userKey" < u.user_key))`,
  };
}

/** The users who would be reached, over the cap or not, by what decides when. */
export async function countEmailReaders(
  scope: EmailScope,
  cutoffs: readonly Cutoff[],
  pressing: Pressing,
): Promise<ReaderRow[]> {
  const { question, allocation } = scope;
  const { cutoffJoin, isBeyondIntake } = intakeParts(cutoffs);
  const bucket = bucketSql(emailGates, { ...allocation, ...READER, isBeyondIntake });
  const statement = sql<ReaderRow>`
    select u.zone, x.user_key is not null as "isPressed", count(*)::int8 as users
    from (
      select u.lane, u.user_key, u.zone, ${bucket} as bucket
      from ${addressed(scope, sql``, sql`, ${zoneOfSql("u")} as zone`)} left join ${knownAddresses(scope, question.now)} ${cutoffJoin}
    ) u
    left join ${pressedSql(pressing)} on x.lane = u.lane and x.user_key = u.user_key
    where u.bucket = 'will_receive' group by 1, 2`;
  const { rows } = await joiningByHash(question.db, () => statement.execute(question.db));
  return rows;
}

/** The users of a campaign's audience by bucket; `capped` of `will_receive` are over the cap. */
export async function countEmailBuckets(
  scope: EmailScope,
  messages: CensusMessages,
  cap: { capMax: number; since: number },
  cutoffs: readonly Cutoff[],
): Promise<EmailBucketRow[]> {
  const { question, allocation } = scope;
  const gap = gapParts(messages, question.campaign.id);
  const { cutoffJoin, isBeyondIntake } = intakeParts(cutoffs);
  const { capMax } = cap;
  const bucket = bucketSql(emailGates, { ...allocation, ...READER, isBeyondIntake });
  const over = usersOverCap(sql`users`, sql`used`, capMax);
  const statement = sql<EmailBucketRow>`
    select bucket, sum(users)::int8 as users, sum(given)::int8 as given, sum(unjudged)::int8 as unjudged,
      sum(case when bucket = 'will_receive' then ${over} else 0 end)::int8 as capped ${gap.sums}
    from (
      select bucket, count(*) as users, max(used) as used, count(given_at) as given, count(*) filter (where is_unjudged) as unjudged
        ${gap.counts}
      from (
        select u.bucket, case when u.bucket = 'will_receive' then u.key end as key, u.used, u.is_unjudged,
          case when u.is_confirmable then u.given_at end as given_at ${gap.bits}
        from (
          select u.key, u.given_at, ${isConfirmable(scope)} as is_confirmable ${gap.columns}, coalesce(a.used, 0) as used,
            ${bucket} as bucket,
            u.key is null and ${isUndecided} and position('@' in u.email) > 0 as is_unjudged
          from ${addressed(scope, sql``, gap.users)} left join ${knownAddresses(scope, cap.since)} ${cutoffJoin}
          ${gap.fence}
        ) u ${gap.fence}
      ) u
      group by bucket ${capMax === 0 ? sql`` : sql`, key`}
    ) k
    group by bucket`;
  const { rows } = await joiningByHash(question.db, () => statement.execute(question.db));
  return rows;
}

/** The addresses of users that only `parseAddress` can read, some at a time; of one hour where it is given. */
export function pagesOfUnjudged(
  scope: EmailScope,
  hourAt: number | null,
): AsyncGenerator<{ email: string }[]> {
  const where = hourAt === null ? sql`` : ofHour(hourAt);
  const unjudged = sql<{ email: string }>`
    select u.email from ${addressed({ ...scope, odd: null }, where)}
    where u.key is null and ${isUndecided} and position('@' in u.email) > 0`;
  return pagesByHash(scope.question.db, unjudged);
}

const ofHour = (hourAt: number) =>
  sql`and u.address_given_at >= ${hourAt} and u.address_given_at < ${hourAt + HOUR_MS}`;

/** SQL that follows `from`: the users whom the sweep would confirm if it could. */
const confirmable = (scope: EmailScope, where: RawBuilder<unknown>) => sql`${addressed(scope, where)}
  left join ${knownAddresses(scope, 0)} where ${isConfirmable(scope)}`;

/** How many addresses of publishable keys the sweep would confirm, by the hour in which they were given (its start, epoch ms). */
export async function countGiven(scope: EmailScope): Promise<{ hourAt: number; users: number }[]> {
  const { rows } = await sql<{ hourAt: number; users: number }>`
    select u.given_at - u.given_at % ${sql.lit(HOUR_MS)} as "hourAt", count(*) as users
    from ${confirmable(scope, sql`and u.address_given_at is not null`)} group by 1`.execute(
    scope.question.db,
  );
  return rows;
}

/** The last user, in the order of the sweep, whose address is confirmed where `left` more of an hour are; null where fewer are there. */
export async function readLastConfirmed(
  scope: EmailScope,
  hourAt: number,
  left: number,
): Promise<UserRef | null> {
  const { rows } = await sql<UserRef>`
    select u.lane, u.user_key as "userKey" from ${confirmable(scope, ofHour(hourAt))}
    order by 1, 2 limit 1 offset ${left - 1}`.execute(scope.question.db);
  return rows[0] ?? null;
}

/** How many addresses of publishable keys were confirmed of each hour (by its start, epoch ms), without a lock. */
export async function readIntakes(
  db: Db,
  projectId: string,
  hours: readonly number[],
): Promise<Map<number, number>> {
  if (hours.length === 0) return new Map();
  const rows = await db
    .selectFrom("addressIntakes")
    .select(["hourAt", "addresses"])
    .where("projectId", "=", projectId)
    .where("hourAt", "in", hours)
    .execute();
  return new Map(rows.map(({ hourAt, addresses }) => [hourAt, addresses]));
}
