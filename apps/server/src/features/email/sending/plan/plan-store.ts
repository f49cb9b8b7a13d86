import { sql } from "kysely";
import type { DeliveryRef, UserRef } from "../../../../domain/ids.ts";
import type { Connection, Db } from "../../../../platform/db/db.ts";
import { likeRelation, rowFilter } from "../../../../platform/db/statements/fragment.ts";
import { rowsStatement, valuesStatement } from "../../../../platform/db/statements/statement.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";
import { HOUR_MS } from "../../../../platform/time/clock.ts";
import { matchingUsersIn } from "../../../audience/language/public.ts";
import { type CurrentEpoch, ofRunningCampaignsCte } from "../../../campaigns/authoring/public.ts";
import { hasUserSql, isGuestSql } from "../../../consent/choices/public.ts";
import { hasDelivery } from "../../../deliveries/gates/delivery.ts";
import type { DeliveryDecision } from "../../../deliveries/gates/list.ts";
import { wasWithheld } from "../../../deliveries/gates/withheld.ts";
import {
  type AudiencePage,
  DECISION_COLUMNS,
  DELIVERY_COLUMNS,
  deliveryKey,
  drawKeySql,
  newDeliveriesCte,
  sameDelivery,
} from "../../../deliveries/public.ts";
import { zoneOfSql } from "../../../timing/public.ts";
import { confirmAddressesCtes } from "../../../users/profiles/public.ts";
import { hasEmailText } from "../gates/address.ts";

/** `addressGivenAt` is set while the address was given by a publishable key and is not confirmed. */
export type EmailCandidate = UserRef & {
  drawKey: string;
  email: string;
  addressGivenAt: number | null;
  /** Whether only their address is known, and whether a user has the same one. */
  isGuest: boolean;
  hasUser: boolean;
  /** The trait with their time zone; null where they have none. */
  zone: string | null;
};

/** SQL: what a plan reads of the user `u`. */
const CANDIDATE_COLUMNS = (projectId: string) => sql`
  ${drawKeySql("u")} as "drawKey", u.traits ->> 'email' as email, u.address_given_at as "addressGivenAt",
  ${isGuestSql("u")} as "isGuest", ${hasUserSql(projectId)} as "hasUser", ${zoneOfSql("u")} as zone`;

/** The users of a page who have an email trait and no delivery of this campaign, nor one that was withheld, by lane and key. */
export async function findCandidates(
  db: Db,
  { projectId, campaignId }: { projectId: string; campaignId: string },
  current: Pick<CurrentEpoch, "withholds">,
  { range, expression, evaluatedAt }: AudiencePage,
): Promise<EmailCandidate[]> {
  const { rows } = await sql<EmailCandidate>`
    select u.lane, u.user_key as "userKey", ${CANDIDATE_COLUMNS(projectId)}
    from ${matchingUsersIn(range, projectId, "users", expression, evaluatedAt)} and ${hasEmailText}
      and not ${hasDelivery(campaignId)} and not ${wasWithheld(campaignId, current)}
    order by u.lane, u.user_key`.execute(db);
  return rows;
}

/** Users by their keys who have an email trait, each with the occasion of their message. */
export async function findAddressees(
  db: Db,
  projectId: string,
  users: readonly (UserRef & { occasion: number })[],
): Promise<(EmailCandidate & { occasion: number })[]> {
  const { rows } = await sql<EmailCandidate & { occasion: number }>`
    select u.lane, u.user_key as "userKey", n.occasion, ${CANDIDATE_COLUMNS(projectId)}
    from unnest(
      ${users.map(({ lane }) => lane)}::int2[], ${users.map(({ userKey }) => userKey)}::uuid[],
      ${users.map(({ occasion }) => occasion)}::int4[]
    ) n (lane, user_key, occasion)
    join ${t.users} u on u.lane = n.lane and u.user_key = n.user_key and u.project_id = ${projectId}
    where ${hasEmailText}
    order by u.lane, u.user_key`.execute(db);
  return rows;
}

/** Whether any message of a campaign (UUID) waits, is on its way, or is unknown, so that a person decides about it. */
export async function hasOpenSends(db: Db, projectId: string, campaignId: string): Promise<boolean> {
  const open = (["waiting", "sending", "unknown"] as const).map(
    (status) => sql`exists (
      select from ${t.emailSends}
      where campaign_id = ${campaignId} and project_id = ${projectId} and status = ${sql.lit(status)}
    )`,
  );
  const { rows } = await sql<{ hasOpen: boolean }>`select ${sql.join(open, sql` or `)} as "hasOpen"`.execute(
    db,
  );
  return rows[0]?.hasOpen ?? false;
}

/** A message to queue, or to withhold where the user is held out. `now` is the instant of the decision, epoch milliseconds. */
export type NewSend = DeliveryRef & { now: number } & DeliveryDecision &
  Pick<EmailCandidate, "addressGivenAt">;

/** When a message leaves that was just queued, and for what it waits until then. Instants are epoch milliseconds. */
export type LaterSend = DeliveryRef & { now: number; dueAt: number; postponedBy: string };

/** Postpones messages that the same transaction has queued: their hour has not come. One that was there before stays as it is. */
export const postponeNewSends = rowsStatement<LaterSend, Record<never, never>>(
  { name: "postpone_new_sends", reach: "key" },
  { ...DELIVERY_COLUMNS, now: "int8", dueAt: "int8", postponedBy: "text" },
  `
  update ${t.emailSends} s set due_at = i.due_at, postponed_by = i.postponed_by from input i
  where ${sameDelivery("s", "i")} and s.project_id = i.project_id and ${rowFilter("s.status = 'waiting'")} and s.due_at = i.now
    and s.postponed_by is null and s.attempts = 0`,
);

/**
 * Queues messages of a running campaign for users who still exist: a delivery and a send each, or a withheld delivery. An existing
 * delivery stays as it is. Answers, in one row, how many of the users it reached: the others have to be looked at again.
 * An address that a publishable key gave is confirmed, and counted in the hour in which it was given; a user whose address has
 * changed since is left to the next sweep.
 */
export const insertSends = rowsStatement<NewSend, { reached: number }>(
  { name: "insert_email_sends", reach: "key" },
  {
    ...DELIVERY_COLUMNS,
    ...DECISION_COLUMNS,
    now: "int8",
    addressGivenAt: "int8",
  },
  (input) => {
    const { ctes, running } = ofRunningCampaignsCte(input);
    const { givenAddresses, confirmedAddresses, ...confirming } = confirmAddressesCtes(running);
    const reached = likeRelation("reached", running);
    const made = newDeliveriesCte(reached, "now");
    return `, ${ctes}, ${confirming.ctes},
  counted as (
    insert into ${t.addressIntakes} as t (project_id, hour_at, addresses)
    select project_id, address_given_at - address_given_at % ${HOUR_MS}, count(*) from ${confirmedAddresses} group by 1, 2
    on conflict (project_id, hour_at) do update set addresses = t.addresses + excluded.addresses
  ),
  locked as (
    select i.* from ${running} i
    join ${t.users} u on u.lane = i.lane and u.user_key = i.user_key and u.project_id = i.project_id
    where i.address_given_at is null
    order by u.lane, u.user_key for key share of u
  ),
  -- Confirming an address has already locked its user.
  ${reached} as (
    select * from locked
    union all
    select * from ${givenAddresses}
  ),
  ${made.ctes},
  sent as (
    insert into ${t.emailSends} (${deliveryKey()}, project_id, status, due_at)
    select ${deliveryKey()}, project_id, 'waiting', queued_at from ${made.newDeliveries}
    on conflict do nothing
  )
  select count(*)::int4 as reached from ${reached}`;
  },
);

const lockIntakeRows = valuesStatement<
  { projectId: string; hours: readonly number[] },
  { hourAt: number; addresses: number }
>(
  { name: "lock_address_intakes", reach: "config" },
  { projectId: "uuid", hours: "int8[]" },
  ({ projectId, hours }) => `
  insert into ${t.addressIntakes} as t (project_id, hour_at) select ${projectId}, h from unnest(${hours}) h order by h
  on conflict (project_id, hour_at) do update set addresses = t.addresses
  returning hour_at as "hourAt", addresses`,
);

/**
 * How many addresses of publishable keys were confirmed of each hour (by its start, epoch ms). Locks the hours until the transaction
 * ends, so that only one process at a time confirms more of them.
 */
export async function lockIntakes(
  client: Connection,
  projectId: string,
  hours: readonly number[],
): Promise<Map<number, number>> {
  const rows = await lockIntakeRows(client, { projectId, hours });
  return new Map(rows.map(({ hourAt, addresses }) => [hourAt, addresses]));
}
