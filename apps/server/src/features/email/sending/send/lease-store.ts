import type { DeliveryRef, UserRef } from "../../../../domain/ids.ts";
import type { Connection } from "../../../../platform/db/db.ts";
import { rowFilter } from "../../../../platform/db/statements/fragment.ts";
import { rowsStatement, valuesStatement } from "../../../../platform/db/statements/statement.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";
import { isOpen, timingOfSql } from "../../../campaigns/authoring/public.ts";
import type { CampaignTiming } from "../../../campaigns/authoring/timing.pure.ts";
import { type CampaignTopic, topicOfSql } from "../../../campaigns/topics/public.ts";
import { addressWantsSql } from "../../../consent/choices/public.ts";
import {
  DELIVERY_COLUMNS,
  deliveryKey,
  lockedInOrder,
  onDelivery,
  sameDelivery,
} from "../../../deliveries/public.ts";
import { eventOfSql, isInsideSql, mayEndSql } from "../../../journeys/authoring/public.ts";
import { isReceiptsStoppedSql, isSuppressedSql } from "../../addresses/public.ts";

/** The campaign whose due sends are locked, and the current instant. */
export type DueSends = { projectId: string; campaignId: string; now: number };

/** A send that is due, with what is needed to decide about it and to write the message. */
export type DueSend = UserRef & {
  occasion: number;
  variantId: string;
  externalId: string;
  /** Null when the user was erased in the meantime. */
  traits: Record<string, unknown> | null;
  serverTraits: string[] | null;
  /** The address that a request named, of a transactional mail; null for others, and where what it says is not kept any more. */
  requestedFor: string | null;
  /** Set while the address was given by a publishable key and is not confirmed. */
  addressGivenAt: number | null;
  deferrals: number;
  /** Attempts so far. */
  attempts: number;
  /** When the message was queued, epoch milliseconds, and whether its campaign is sent once. */
  queuedAt: number;
  once: boolean;
  /** What its campaign is about; null for everything. */
  topic: CampaignTopic | null;
  timing: CampaignTiming;
  /** Whether it is the message of a step of a journey that the user has left. */
  hasLeft: boolean;
  /** The properties of the event by which the user entered that journey; null for none, and for any other message. */
  event: Record<string, unknown> | null;
};

/** Locks sends that are due until the transaction ends, if their campaign runs. Another process skips them and locks others. */
export const lockDueSends = valuesStatement<DueSends & { limit: number }, DueSend>(
  { name: "lock_due_sends", reach: "all lanes" },
  { projectId: "uuid", campaignId: "uuid", now: "int8", limit: "int4" },
  ({ projectId, campaignId, now, limit }) => `
  with picked as materialized (
    select ${deliveryKey("s")}, s.deferrals, s.attempts, s.due_at
    from ${t.emailSends} s
    where s.campaign_id = ${campaignId} and s.project_id = ${projectId} and s.status = 'waiting' and s.due_at <= ${now}
      and exists (
        select from ${t.campaigns} c where c.id = ${campaignId} and c.project_id = ${projectId} and ${isOpen("c", now)}
      )
    order by s.due_at limit ${limit} for update of s skip locked
  )
  select p.lane, p.user_key as "userKey", p.occasion, d.variant_id as "variantId", coalesce(u.external_id, '') as "externalId", u.traits,
    u.server_traits as "serverTraits", r.address as "requestedFor",
    case when r.address is null then u.address_given_at end as "addressGivenAt", p.deferrals, p.attempts,
    d.queued_at as "queuedAt", c.once, ${topicOfSql("c")} as topic, ${timingOfSql("c")} as timing,
    case when c.journey_id is null then false else not ${isInsideSql("p", "c")} end as "hasLeft",
    case when c.journey_id is not null then ${eventOfSql("p", "c")} end as event
  from picked p
  join ${t.campaigns} c on c.id = p.campaign_id
  join ${t.deliveries} d on ${sameDelivery("d", "p")}
  left join ${t.users} u on u.lane = p.lane and u.user_key = p.user_key
  left join ${t.sendData} r on ${sameDelivery("r", "p", ["lane", "user_key", "campaign_id", "occasion"])}
  order by p.due_at`,
);

/** The next state of a send that was due. `dueAt`: only where it waits; `addressLane` and `addressKey`: only where it leaves. */
export type SendStep = DeliveryRef & {
  status: "waiting" | "sending" | "capped" | "suppressed" | "withdrawn" | "failed";
  dueAt: number | null;
  leaseOwner: string | null;
  leasedUntil: number | null;
  addressLane: number | null;
  addressKey: string | null;
  reason: string | null;
  /** For what it waits; null where it does not, or only for others that are on their way. */
  postponedBy: string | null;
  period: number;
};

/** Moves locked sends to their next states, and counts capped ones by month. */
export const moveSends = rowsStatement<SendStep, Record<never, never>>(
  { name: "move_email_sends", reach: "key" },
  {
    ...DELIVERY_COLUMNS,
    status: "text",
    dueAt: "int8",
    leaseOwner: "uuid",
    leasedUntil: "int8",
    addressLane: "int2",
    addressKey: "uuid",
    reason: "text",
    postponedBy: "text",
    period: "int4",
  },
  `,
  moved as (
    update ${t.emailSends} s
    set status = i.status::email_send_status, due_at = coalesce(i.due_at, s.due_at), lease_owner = i.lease_owner,
      leased_until = i.leased_until, address_lane = coalesce(i.address_lane, s.address_lane),
      address_key = coalesce(i.address_key, s.address_key), reason = i.reason,
      postponed_by = i.postponed_by, begun = false
    from input i
    where ${sameDelivery("s", "i")} and ${rowFilter("s.status = 'waiting'")}
    returning s.lane, s.project_id, s.status, i.period
  )
  insert into ${t.emailCappedCounts} as c (lane, project_id, period, deliveries)
  select lane, project_id, period, count(*) from moved where status = 'capped' group by 1, 2, 3 order by 1, 2, 3
  on conflict (lane, project_id, period) do update set deliveries = c.deliveries + excluded.deliveries`,
);

/** A leased message that is about to be handed to a connection. `now` is epoch milliseconds. */
export type Beginning = DeliveryRef & {
  leaseOwner: string;
  now: number;
  /** The version of the content that the message was written from. */
  contentVersion: number;
};

/** The attempt of a message; without an ordinal it must not leave. `isOutdated`: the campaign's content has changed since. */
export type Begun = { ordinal: number | null; isOutdated: boolean };

/**
 * Records attempts before their first bytes leave. Checks again that the lease is valid, the campaign runs and has the same content,
 * and the address takes mail of its stream and topic: minutes may have passed since the message was leased. Of a step of a journey it
 * checks that the user is inside, and did nothing since that may end it: so no message leaves after the event that ends the journey.
 */
export const beginSends = rowsStatement<Beginning, Begun>(
  { name: "begin_email_sends", reach: "keys" },
  {
    ...DELIVERY_COLUMNS,
    leaseOwner: "uuid",
    now: "int8",
    contentVersion: "int4",
  },
  `,
  locked as (
    select i.* from input i join ${t.emailSends} s on ${onDelivery("s", "i")}
    ${lockedInOrder("s")}
  ),
  begun as (
    update ${t.emailSends} s set begun = true, attempts = s.attempts + 1
    from locked i, ${t.campaigns} c, ${t.emailAddresses} a
    where ${sameDelivery("s", "i")} and s.lease_owner = i.lease_owner
      and s.project_id = i.project_id and ${rowFilter("s.status = 'sending'")} and not s.begun
      and c.id = i.campaign_id and c.project_id = i.project_id and ${isOpen("c", "i.now")}
      and c.content_version = i.content_version
      and a.lane = s.address_lane and a.address_key = s.address_key and a.project_id = i.project_id
      and (c.topic_id is null or ${addressWantsSql("c", { lane: "s.address_lane", key: "s.address_key" })})
      and (c.journey_id is null or (${isInsideSql("s", "c")} and not ${mayEndSql("s", "c")}))
      and not (case when c.purpose = 'transactional' then ${isReceiptsStoppedSql("a")} else ${isSuppressedSql("a")} end)
    returning ${deliveryKey("s")}, s.attempts, s.project_id, s.lease_owner, i.now
  ),
  attempted as (
    insert into ${t.emailAttempts} (${deliveryKey()}, ordinal, project_id, lease_owner, started_at)
    select ${deliveryKey()}, attempts, project_id, lease_owner, now from begun
  )
  select b.attempts as ordinal, coalesce(c.content_version <> i.content_version, false) as "isOutdated"
  from input i
  left join begun b on ${sameDelivery("b", "i")}
  left join ${t.campaigns} c on c.id = i.campaign_id and c.project_id = i.project_id
  order by i.ord`,
);

type Pace = { nextAt: number; spreadUntil: number };

const lockPaceRow = valuesStatement<{ projectId: string; domain: string }, Pace>(
  { name: "lock_email_pace", reach: "local" },
  { projectId: "uuid", domain: "text" },
  ({ projectId, domain }) => `
  insert into ${t.emailThrottles} as t (project_id, domain, next_at) values (${projectId}, ${domain}, 0)
  on conflict (project_id, domain) do update set next_at = t.next_at
  returning next_at as "nextAt", spread_until as "spreadUntil"`,
);

/** Locks the pace of a project (domain '') or of one of its recipients' domains until the transaction ends. */
export async function lockPace(client: Connection, projectId: string, domain: string): Promise<Pace> {
  const [pace] = await lockPaceRow(client, { projectId, domain });
  return pace ?? { nextAt: 0, spreadUntil: 0 };
}

export const setPace = valuesStatement<Pace & { projectId: string; domain: string }, Record<never, never>>(
  { name: "set_email_pace", reach: "local" },
  { projectId: "uuid", domain: "text", nextAt: "int8", spreadUntil: "int8" },
  ({ projectId, domain, nextAt, spreadUntil }) => `
  update ${t.emailThrottles} set next_at = ${nextAt}, spread_until = ${spreadUntil}
  where project_id = ${projectId} and domain = ${domain}`,
);
