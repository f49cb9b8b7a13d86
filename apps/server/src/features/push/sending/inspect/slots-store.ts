import { sql } from "kysely";
import { apiId, deliveryId } from "../../../../domain/ids.ts";
import type { Db } from "../../../../platform/db/db.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";
import { listVariants } from "../../../campaigns/authoring/public.ts";
import { drawVariant } from "../../../deliveries/public.ts";
import { ofDelivery, sameRecipient } from "../recipient-store.ts";
import { attemptId, outcomeId, recipientId, slotId, targetId } from "../record-ids.ts";
import { type RepairColumns, repairOf, shownRepair } from "../repair-columns.ts";
import { REEVALUATE_MS } from "../rules.ts";
import type { PushRecipient, PushSlot } from "../schema.ts";
import {
  isTest,
  ofSending,
  type PageBounds,
  type PauseReason,
  page,
  type Sending,
  slotKindSql,
} from "./sending-store.ts";

type SlotRow = RepairColumns & {
  userKey: string;
  sendId: string;
  slotKey: string;
  installationId: string;
  generation: number;
  revision: number;
  attempts: number;
  submissionsUsed: number;
  expiresAt: number;
  uncertain: boolean;
  authRefreshRevision: number | null;
  submissionNotBefore: number;
  kind: "ready" | "waiting" | "reserved" | "accepted" | "closed";
  state: string;
  reason: string | null;
  at: number;
  acceptedOrdinal: number | null;
};

function slotState(row: SlotRow, pauseReason: PauseReason, now: number): PushSlot["state"] {
  const reason = row.reason ?? "";
  switch (row.kind) {
    case "ready":
      return { kind: "ready", at: row.at };
    case "waiting":
      return row.state === "ready"
        ? { kind: "waiting", reason: pauseReason ?? reason, recheckAt: now + REEVALUATE_MS }
        : { kind: "waiting", reason, recheckAt: row.at };
    case "reserved":
      return { kind: "reserved", attemptId: attemptId(row.slotKey, row.attempts), until: row.at };
    case "accepted":
      return { kind: "accepted", acceptanceId: outcomeId(row.slotKey, row.acceptedOrdinal ?? 0) };
    case "closed":
      return { kind: "closed", reason };
  }
}

/** A page of slots, in the order of their ids. */
export async function listSlots(
  db: Db,
  sending: Sending,
  { pauseReason, now }: { pauseReason: PauseReason; now: number },
  window: PageBounds,
): Promise<PushSlot[]> {
  const { rows } = await sql<SlotRow>`
    select s.user_key as "userKey", s.send_id as "sendId", s.slot_key as "slotKey", s.installation_id as "installationId",
      s.generation, s.revision, s.attempts, s.submissions_used as "submissionsUsed", s.expires_at as "expiresAt", s.uncertain,
      s.auth_refresh_revision as "authRefreshRevision", s.submission_not_before as "submissionNotBefore",
      ${slotKindSql(pauseReason)} as kind, s.state, s.reason, s.at, s.accepted_ordinal as "acceptedOrdinal",
      s.repair_kind as "repairKind", s.repair_revision as "repairRevision", s.repair_fingerprint as "repairFingerprint"
    from ${t.pushSlots} s where ${ofSending(sending)} order by s.slot_key ${page(window)}`.execute(db);
  return rows.map((row) => ({
    id: slotId(row.slotKey),
    recipientId: recipientId(row.userKey, row.sendId),
    campaignId: apiId("cmp", sending.campaignId),
    userId: apiId("eu", row.userKey),
    installationId: row.installationId,
    targetId: row.generation === 0 ? null : targetId(row.slotKey, row.generation),
    generation: row.generation,
    revision: row.revision,
    sequence: row.attempts,
    submissionsUsed: row.submissionsUsed,
    expiresAt: row.expiresAt,
    uncertain: row.uncertain,
    authRefreshRevision: row.authRefreshRevision,
    test: isTest(sending),
    submissionNotBefore: row.submissionNotBefore,
    state: slotState(row, pauseReason, now),
    repair: shownRepair(repairOf(row)),
  }));
}

/**
 * A recipient with slots is shown as closed once all of them have ended: as accepted where one was, else for one of their reasons.
 */
const recipientKind = sql`case when r.state = 'active' and s.open = 0 then 'closed' else r.state::text end`;
const recipientReason = sql`case when r.state = 'active' and s.open = 0 then s.ending else r.reason end`;
const slotsOfRecipient = sql`(
  select count(*) filter (where s.state not in ('accepted', 'closed')) as open,
    coalesce(max('accepted') filter (where s.state = 'accepted'), max(s.reason)) as ending
  from ${t.pushSlots} s where ${sameRecipient("s", "r")}
)`;

export async function listRecipients(db: Db, sending: Sending, window: PageBounds): Promise<PushRecipient[]> {
  const { projectId, campaignId, testId } = sending;
  const which = testId === null ? ofDelivery("r") : sql`r.send_id = ${testId}`;
  const { rows } = await sql<{
    userKey: string;
    drawKey: string;
    occasion: number;
    sendId: string;
    externalId: string | null;
    variantId: string | null;
    hasDevices: boolean;
    kind: "waiting" | "active" | "closed";
    reason: string | null;
    checkedAt: number;
    recheckAt: number;
  }>`
    select r.user_key as "userKey", coalesce(u.drawn_as, r.user_key) as "drawKey", r.occasion, r.send_id as "sendId", u.external_id as "externalId", r.variant_id as "variantId",
      r.state = 'active' as "hasDevices", ${recipientKind} as kind, ${recipientReason} as reason,
      greatest(r.checked_at, w.reevaluated_at) as "checkedAt",
      greatest(r.checked_at, w.reevaluated_at) + ${REEVALUATE_MS}::int8 as "recheckAt"
    from ${t.pushRecipients} r
    cross join lateral ${slotsOfRecipient} s
    left join ${t.campaignSweeps} w on w.campaign_id = r.campaign_id
    left join ${t.users} u on u.lane = r.lane and u.user_key = r.user_key
    where r.campaign_id = ${campaignId} and r.project_id = ${projectId} and ${which}
    order by r.user_key, r.send_id ${page(window)}`.execute(db);
  // A user without a device has no variant either: the one that the weights of now give says what would be sent.
  const variants = rows.some(({ variantId }) => variantId === null)
    ? await listVariants(db, projectId, campaignId)
    : [];
  return rows.map((row) => {
    const userId = apiId("eu", row.userKey);
    const variantId = row.variantId ?? drawVariant(variants, campaignId, row.drawKey)?.id;
    if (variantId === undefined) throw new Error("No variant has a weight.");
    const reason = row.reason ?? "";
    const { kind, checkedAt, recheckAt } = row;
    return {
      id: recipientId(row.userKey, row.sendId),
      campaignId: apiId("cmp", campaignId),
      userId,
      externalId: row.externalId ?? userId,
      variantId: apiId("var", variantId),
      deliveryId: row.hasDevices && !isTest(sending) ? deliveryId({ ...row, campaignId }) : null,
      test: isTest(sending),
      state:
        kind === "active"
          ? { kind }
          : kind === "closed"
            ? { kind, reason }
            : { kind, reason, checkedAt, recheckAt, delayMs: recheckAt - checkedAt },
    };
  });
}
