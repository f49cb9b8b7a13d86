import { type RawBuilder, sql } from "kysely";
import { apiId, type InstallationRef } from "../../../../domain/ids.ts";
import type { Db } from "../../../../platform/db/db.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";
import type { PushSettings } from "../../../content/push/message.pure.ts";
import { ofDelivery } from "../recipient-store.ts";
import { slotId } from "../record-ids.ts";
import { sameSlot } from "../slot-store.ts";
import type { PageBounds } from "./sending-store.ts";

type Where = InstallationRef & { projectId: string; installationId: string };

/**
 * The users of an installation, as far as is remembered: the one of now, and those whom its latest changes replaced. All records of pushes lie
 * with their user.
 */
const owners = ({ lane, installationKey, projectId }: Where): RawBuilder<unknown> => sql`
  select user_lane as lane, user_key from ${t.installations}
  where lane = ${lane} and installation_key = ${installationKey} and project_id = ${projectId} and user_key is not null
  union
  select replaced_user_lane, replaced_user_key from ${t.installationAcknowledgements}
  where lane = ${lane} and installation_key = ${installationKey} and project_id = ${projectId}
    and replaced_user_key is not null`;

const itsSlots = ({ installationKey, projectId }: Where): RawBuilder<unknown> => sql`
  select s.* from owners o join ${t.pushSlots} s on s.lane = o.lane and s.user_key = o.user_key
  where s.installation_key = ${installationKey} and s.project_id = ${projectId}`;

/** What happened to an installation at an instant (epoch milliseconds); what a kind has not is null. */
export type StepRow = {
  kind: "chosen" | "written" | "attempt" | "outcome" | "report";
  at: number;
  slotId: string | null;
  campaignId: string | null;
  campaignName: string | null;
  isTest: boolean;
  number: number | null;
  title: string | null;
  outcome: "accepted" | "rejected" | "unknown" | "blocked" | null;
  submission: "none" | "confirmed" | "possible" | null;
  code: string | null;
  retryAfterMs: number | null;
  report: "receipt" | "tap" | "action" | "event" | null;
  detail: string | null;
};

/** The columns of a step that its kind has, in the order of all; the others are null. */
const columns = (own: Readonly<Record<string, string>>): RawBuilder<unknown> =>
  sql.raw(
    Object.entries({
      number: "null::int8",
      title: "null::text",
      outcome: "null::text",
      submission: "null::text",
      code: "null::text",
      retry_after_ms: "null::int8",
      report: "null::text",
      detail: "null::text",
      ...own,
    })
      .map(([name, value]) => `${value} as ${name}`)
      .join(", "),
  );

// Reports are kept under a key of their device, which is another one than that of the installation.
const stepsOf = ({ installationId, projectId }: Where): RawBuilder<unknown> => sql`
  select 0 as rank, 'chosen' as kind, s.created_at as at, s.slot_key, s.campaign_id, s.is_test, ${columns({})} from its s
  union all
  select 1, 'written', t.created_at, s.slot_key, s.campaign_id, s.is_test,
    ${columns({ number: "t.generation::int8", title: "coalesce(t.content, d.content)->>'title'" })}
  from its s join ${t.pushTargets} t on ${sameSlot("t", "s")} join ${t.pushDefinitions} d on d.id = t.definition_id
  union all
  select 2, 'attempt', a.started_at, s.slot_key, s.campaign_id, s.is_test, ${columns({ number: "a.ordinal::int8" })}
  from its s join ${t.pushAttempts} a on ${sameSlot("a", "s")}
  union all
  select 3, 'outcome', p.observed_at, s.slot_key, s.campaign_id, s.is_test, ${columns({
    number: "p.ordinal::int8",
    outcome: "p.kind::text",
    submission: "p.submission::text",
    code: "p.code",
    retry_after_ms: "p.retry_after_ms",
  })}
  from its s join ${t.pushOutcomes} p on ${sameSlot("p", "s")}
  union all
  select 4, 'report', b.received_at, b.slot_key, b.campaign_id, b.is_test, ${columns({
    number: "b.sequence",
    report: "b.kind",
    detail: "coalesce(b.command->>'actionId', b.command->>'event')",
  })}
  from owners o
  join ${t.pushObservations} b on b.lane = o.lane and b.user_key = o.user_key
  where b.installation_id = ${installationId} and b.project_id = ${projectId}`;

/** What happened to an installation (which must be there), newest first. */
export async function listSteps(
  db: Db,
  where: Where,
  { offset, limit }: PageBounds,
): Promise<{ steps: StepRow[]; total: number }> {
  const steps = sql`with owners as (${owners(where)}), its as (${itsSlots(where)}), steps as (${stepsOf(where)})`;
  const counted = await sql<{ total: number }>`${steps} select count(*) as total from steps`.execute(db);
  const { rows } = await sql<StepRow>`${steps}
    select p.kind, p.at, p.slot_key as "slotId", p.campaign_id as "campaignId", c.name as "campaignName",
      p.is_test as "isTest", p.number, p.title, p.outcome, p.submission, p.code, p.retry_after_ms as "retryAfterMs",
      p.report, p.detail
    from steps p left join ${t.campaigns} c on c.id = p.campaign_id and c.project_id = ${where.projectId}
    order by p.at desc, p.rank desc, p.number desc nulls last, p.slot_key offset ${offset} limit ${limit}`.execute(
    db,
  );
  return {
    steps: rows.map((row) => ({
      ...row,
      slotId: row.slotId === null ? null : slotId(row.slotId),
      campaignId: row.campaignId === null ? null : apiId("cmp", row.campaignId),
    })),
    total: counted.rows[0]?.total ?? 0,
  };
}

/** A campaign as far as it decides whether anything leaves. */
export type CampaignOfSlot = {
  status: "draft" | "running" | "paused" | "ended";
  deliverFrom: number | null;
  deliverUntil: number | null;
};

export type SlotOfDevice = CampaignOfSlot & {
  slotId: string;
  campaignId: string;
  campaignName: string;
  userId: string | null;
  isTest: boolean;
  state: "ready" | "waiting" | "reserved" | "accepted" | "closed";
  reason: string | null;
  at: number;
  uncertain: boolean;
  submissionsUsed: number;
  expiresAt: number;
  createdAt: number;
  receiptAt: number | null;
};

/** How the newest slots of an installation are now. */
export async function listSlotsOfDevice(db: Db, where: Where, limit: number): Promise<SlotOfDevice[]> {
  const { rows } = await sql<SlotOfDevice>`
    with owners as (${owners(where)}), its as (${itsSlots(where)})
    select s.slot_key as "slotId", s.campaign_id as "campaignId", c.name as "campaignName", u.external_id as "userId",
      s.is_test as "isTest", s.state, s.reason, s.at, s.uncertain, s.submissions_used as "submissionsUsed",
      s.expires_at as "expiresAt", s.created_at as "createdAt", s.receipt_at as "receiptAt", c.status,
      c.deliver_from as "deliverFrom", c.deliver_until as "deliverUntil"
    from its s
    join ${t.campaigns} c on c.id = s.campaign_id and c.project_id = ${where.projectId}
    left join ${t.users} u on u.lane = s.lane and u.user_key = s.user_key
    order by s.created_at desc, s.slot_key limit ${limit}`.execute(db);
  return rows.map((row) => ({
    ...row,
    slotId: slotId(row.slotId),
    campaignId: apiId("cmp", row.campaignId),
  }));
}

/** A campaign that lets the user of an installation wait, since none of their devices can be sent to yet. */
export type WaitingFor = CampaignOfSlot & {
  campaignId: string;
  campaignName: string;
  reason: string;
  selection: PushSettings["selection"];
};

/** Campaigns for the app of an installation that let its user of now wait, the newest first. */
export async function listWaitingFor(db: Db, where: Where, limit: number): Promise<WaitingFor[]> {
  const { lane, installationKey, projectId } = where;
  const { rows } = await sql<WaitingFor>`
    select c.id as "campaignId", c.name as "campaignName", (array_agg(r.reason order by r.checked_at desc))[1] as reason, c.push->'selection' as selection, c.status,
      c.deliver_from as "deliverFrom", c.deliver_until as "deliverUntil"
    from ${t.installations} i
    join ${t.pushRecipients} r on r.lane = i.user_lane and r.user_key = i.user_key and r.project_id = i.project_id
    join ${t.campaigns} c on c.id = r.campaign_id and c.project_id = r.project_id
    where i.lane = ${lane} and i.installation_key = ${installationKey} and i.project_id = ${projectId}
      and r.state = 'waiting' and ${ofDelivery("r")} and c.status in ('running', 'paused')
      and c.push->>'appId' = i.app_id
    group by c.id
    order by c.created_at desc, c.id desc limit ${limit}`.execute(db);
  return rows.map((row) => ({ ...row, campaignId: apiId("cmp", row.campaignId) }));
}
