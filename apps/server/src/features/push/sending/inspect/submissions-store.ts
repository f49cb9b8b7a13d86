import { sql } from "kysely";
import { apiId, deliveryId } from "../../../../domain/ids.ts";
import type { Db } from "../../../../platform/db/db.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";
import type { PushContent } from "../../../content/push/message.pure.ts";
import { attemptId, outcomeId, slotId, targetId } from "../record-ids.ts";
import type { PushAttempt, PushOutcome, PushTarget } from "../schema.ts";
import { sameSlot } from "../slot-store.ts";
import { isTest, ofSending, type PageBounds, page, type Sending } from "./sending-store.ts";

type TargetRow = {
  userKey: string;
  occasion: number;
  externalId: string | null;
  slotKey: string;
  generation: number;
  installationId: string;
  credentialId: string;
  fingerprint: string;
  bindingGeneration: number;
  tokenRevision: number;
  credentialRevision: number;
  expiresAt: number;
  createdAt: number;
  createdOrder: number;
  content: PushContent;
  replacementKey: string | null;
};

export async function listTargets(db: Db, sending: Sending, window: PageBounds): Promise<PushTarget[]> {
  const { rows } = await sql<TargetRow>`
    select s.user_key as "userKey", s.occasion, u.external_id as "externalId", s.slot_key as "slotKey", t.generation,
      s.installation_id as "installationId", t.credential_id as "credentialId", d.fingerprint,
      s.binding_generation as "bindingGeneration", t.token_revision as "tokenRevision",
      t.credential_revision as "credentialRevision", t.expires_at as "expiresAt", t.created_at as "createdAt",
      t.created_order as "createdOrder", coalesce(t.content, d.content) as content, s.replacement_key as "replacementKey"
    from ${t.pushSlots} s
    join ${t.pushTargets} t on ${sameSlot("t", "s")}
    join ${t.pushDefinitions} d on d.id = t.definition_id
    left join ${t.users} u on u.lane = s.lane and u.user_key = s.user_key
    where ${ofSending(sending)} order by s.slot_key, t.generation ${page(window)}`.execute(db);
  return rows.map((row) => {
    const userId = apiId("eu", row.userKey);
    return {
      id: targetId(row.slotKey, row.generation),
      campaignId: apiId("cmp", sending.campaignId),
      deliveryId:
        sending.testId === null
          ? deliveryId({ ...row, campaignId: sending.campaignId })
          : apiId("tst", sending.testId),
      // An erased user has no external id any more.
      userId,
      externalId: row.externalId ?? userId,
      installationId: row.installationId,
      credentialId: apiId("cred", row.credentialId),
      campaignFingerprint: row.fingerprint,
      slotId: slotId(row.slotKey),
      bindingGeneration: row.bindingGeneration,
      tokenRevision: row.tokenRevision,
      credentialRevision: row.credentialRevision,
      expiresAt: row.expiresAt,
      createdAt: row.createdAt,
      createdOrder: row.createdOrder,
      generation: row.generation,
      content: row.content,
      replacementKey: row.replacementKey,
      test: isTest(sending),
      replacesTargetId: row.generation > 1 ? targetId(row.slotKey, row.generation - 1) : null,
    };
  });
}

export async function listAttempts(db: Db, sending: Sending, window: PageBounds): Promise<PushAttempt[]> {
  const { rows } = await sql<{
    slotKey: string;
    ordinal: number;
    generation: number;
    slotRevision: number;
    startedAt: number;
    validUntil: number;
  }>`
    select s.slot_key as "slotKey", a.ordinal, a.generation, a.slot_revision as "slotRevision", a.started_at as "startedAt",
      a.valid_until as "validUntil"
    from ${t.pushSlots} s
    join ${t.pushAttempts} a on ${sameSlot("a", "s")}
    where ${ofSending(sending)} order by s.slot_key, a.ordinal ${page(window)}`.execute(db);
  return rows.map(({ slotKey, ordinal, generation, ...rest }) => ({
    id: attemptId(slotKey, ordinal),
    campaignId: apiId("cmp", sending.campaignId),
    targetId: targetId(slotKey, generation),
    slotId: slotId(slotKey),
    ordinal,
    ...rest,
  }));
}

export async function listOutcomes(db: Db, sending: Sending, window: PageBounds): Promise<PushOutcome[]> {
  const { rows } = await sql<{
    slotKey: string;
    ordinal: number;
    generation: number;
    kind: PushOutcome["result"]["kind"];
    submission: PushOutcome["submission"];
    observedAt: number;
    providerId: string | null;
    code: string | null;
    retryAfterMs: number | null;
  }>`
    select s.slot_key as "slotKey", o.ordinal, o.generation, o.kind, o.submission, o.observed_at as "observedAt",
      o.provider_id as "providerId", o.code, o.retry_after_ms as "retryAfterMs"
    from ${t.pushSlots} s
    join ${t.pushOutcomes} o on ${sameSlot("o", "s")}
    where ${ofSending(sending)} order by s.slot_key, o.ordinal ${page(window)}`.execute(db);
  return rows.map((row) => ({
    id: outcomeId(row.slotKey, row.ordinal),
    campaignId: apiId("cmp", sending.campaignId),
    attemptId: attemptId(row.slotKey, row.ordinal),
    targetId: targetId(row.slotKey, row.generation),
    slotId: slotId(row.slotKey),
    observedAt: row.observedAt,
    submission: row.submission,
    result: {
      kind: row.kind,
      ...(row.providerId === null ? {} : { providerId: row.providerId }),
      ...(row.code === null ? {} : { code: row.code }),
      ...(row.retryAfterMs === null ? {} : { retryAfterMs: row.retryAfterMs }),
    },
  }));
}
