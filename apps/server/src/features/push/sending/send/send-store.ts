import { type RawBuilder, sql } from "kysely";
import type { Platform, PushEnvironment } from "../../../../domain/fields.ts";
import type { Db } from "../../../../platform/db/db.ts";
import { inIndexOrder } from "../../../../platform/db/in-index-order.ts";
import { relation, withValue } from "../../../../platform/db/statements/fragment.ts";
import { valuesStatement } from "../../../../platform/db/statements/statement.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";
import type { DueQueue, Queue } from "../../../../platform/outbound/channel.ts";
import { HOUR_MS } from "../../../../platform/time/clock.ts";
import { dueAtSql, farAheadSql, type Look } from "../../../../platform/time/far-ahead.ts";
import { isOpen, isSentBy } from "../../../campaigns/authoring/public.ts";
import { hoursOfWaitSql } from "../../../timing/waiting.pure.ts";
import { REEVALUATE_MS } from "../rules.ts";
import { sameSlot } from "../slot-store.ts";

/** A slot `s` that is ready or waits is due once its instant has come, and where that is further ahead than any is set. */
const hasCome = (now: string): string => `s.at <= ${now}`;
const isFarAhead = (now: string): string => farAheadSql("s.at", now, REEVALUATE_MS);

/** Slots that are due, with all their columns; those at their instant come first. At most `limit` are read. */
export const DUE_SLOTS = relation<
  "lane" | "user_key" | "slot_key" | "installation_lane" | "installation_key" | "at"
>("due_slots");

const IS_OPEN = "s.state in ('ready', 'waiting')";
/** Each has an index. Slots that are postponed wait for hours, and a device of theirs is looked at then: none of them is far ahead. */
const POSTPONED = "s.postponed_by is not null";
const NOT_POSTPONED = "s.postponed_by is null";

/**
 * CTEs of the slots that are due: three ranges of indexes. As one condition they would read every slot that waits, wherever fewer than `limit`
 * are due. `where` says which slots `s`; `lock` is `for update …`, or nothing.
 */
export function dueSlotsCtes(
  where: string,
  { now, limit }: { readonly now: string; readonly limit: string },
  lock = "",
): string {
  const slotsIn = (range: string, taken = ""): string =>
    `select s.* from ${t.pushSlots} s where ${where} and ${IS_OPEN} and ${range} order by s.at limit ${limit}${taken} ${lock}`;
  const countOf = (slots: string): string => ` - (select count(*) from ${slots})`;
  return `
  slots_at_their_instant as materialized (${slotsIn(`${hasCome(now)} and ${NOT_POSTPONED}`)}),
  slots_postponed as materialized (${slotsIn(`${hasCome(now)} and ${POSTPONED}`, countOf("slots_at_their_instant"))}),
  slots_far_ahead as materialized (
    ${slotsIn(`${isFarAhead(now)} and ${NOT_POSTPONED}`, countOf("slots_at_their_instant") + countOf("slots_postponed"))}
  ),
  ${DUE_SLOTS} as materialized (
    select * from slots_at_their_instant union all select * from slots_postponed union all select * from slots_far_ahead
  )`;
}

/** The platforms and environments of the devices of a campaign that are due next. */
export const findDueWays = valuesStatement<
  { projectId: string; campaignId: string; now: number; limit: number },
  { platform: Platform; environment: PushEnvironment }
>(
  { name: "find_due_push_ways", reach: "all lanes" },
  { projectId: "uuid", campaignId: "uuid", now: "int8", limit: "int4" },
  ({ projectId, campaignId, ...due }) => `
  with ${dueSlotsCtes(`s.campaign_id = ${campaignId} and s.project_id = ${projectId} and not s.is_test`, due)}
  select distinct i.platform, i.environment from ${DUE_SLOTS} s
  join ${t.installations} i on i.lane = s.installation_lane and i.installation_key = s.installation_key`,
);

/** A campaign with slots that are due, or with tests that are. */
export type DuePushCampaign = DueQueue & { tests: boolean };

/** Campaigns that run and have slots that are due, or come due soon; and those with such tests, which need not run. */
export async function findDueAcrossProjects(db: Db, { now, until }: Look): Promise<DuePushCampaign[]> {
  const isFar = withValue(isFarAhead, now);
  const isSoon = withValue(hasCome, until);
  const dueAt = withValue(
    (at) => `case when ${POSTPONED} then s.at else ${dueAtSql("s.at", at, REEVALUATE_MS)} end`,
    now,
  );
  const oneOf = (range: RawBuilder<unknown>) => sql`(
    select ${dueAt} as at from ${t.pushSlots} s
    where s.campaign_id = c.id and ${sql.raw(IS_OPEN)} and not s.is_test and ${range}
    order by s.at limit 1
  )`;
  const postponed = sql.raw(POSTPONED);
  const others = sql.raw(NOT_POSTPONED);
  const { rows } = await sql<DuePushCampaign>`
    select c.project_id as "projectId", c.id as "queueId", false as tests, first.due_at as "dueAt"
    from ${t.campaigns} c cross join lateral (
      select greatest(either.at, c.deliver_from) as due_at from (
        ${oneOf(sql`${isSoon} and ${others}`)} union all ${oneOf(sql`${isSoon} and ${postponed}`)} union all ${oneOf(sql`${isFar} and ${others}`)}
      ) either
      order by either.at limit 1
    ) first
    where first.due_at <= ${until} and ${isSentBy("c", "push")} and ${withValue((at) => isOpen("c", `greatest(first.due_at, ${at})`), now)}
    union all
    select s.project_id, s.campaign_id, true, min(${dueAt}) from ${t.pushSlots} s
    where s.state in ('ready', 'waiting') and s.is_test and (${isSoon} or ${isFar})
    group by s.project_id, s.campaign_id
    order by 2`.execute(db);
  return rows;
}

type Postponed = { words: string; now: number; limit: number };

/** Makes postponed slots of a campaign due now that wait for these words, and are far ahead where that is given. */
async function makeDue(
  db: Db,
  { projectId, queueId }: Queue,
  { words, now, limit }: Postponed,
  isFar: RawBuilder<unknown> = sql`true`,
): Promise<number> {
  const moving = sql`
    with other as (
      select s.lane, s.user_key, s.slot_key from ${t.pushSlots} s
      where s.campaign_id = ${queueId} and s.project_id = ${projectId} and s.postponed_by = ${words} and ${isFar}
      limit ${limit} for update of s skip locked
    )
    update ${t.pushSlots} s set at = least(s.at, ${now}), postponed_by = null, reason = null, state = 'ready', revision = revision + 1 from other o
    where ${sameSlot("s", "o")} and s.state = 'waiting'
    returning 1`;
  const { rows } = await inIndexOrder(db, (tx) => moving.execute(tx));
  return rows.length;
}

/** Makes postponed slots of a campaign due now that wait for these words. Answers how many there were, at most `limit`. */
export const releaseSlots = (db: Db, queue: Queue, which: Postponed): Promise<number> =>
  makeDue(db, queue, which);

/** The same of those that were postponed by a clock that was ahead. */
export const hastenSlots = (db: Db, queue: Queue, which: Postponed): Promise<number> =>
  makeDue(
    db,
    queue,
    which,
    withValue((at) => farAheadSql("s.at", at, `${hoursOfWaitSql("s.postponed_by")} * ${HOUR_MS}`), which.now),
  );
