import { sql } from "kysely";
import { apiId, deliveryId } from "../../../../domain/ids.ts";
import type { Db } from "../../../../platform/db/db.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";
import { slotId } from "../record-ids.ts";
import type { PushConversion, PushObservation } from "../schema.ts";
import { type PageBounds, page, type Sending } from "./sending-store.ts";

export async function listObservations(
  db: Db,
  sending: Sending,
  window: PageBounds,
): Promise<PushObservation[]> {
  const { projectId, campaignId } = sending;
  const { rows } = await sql<
    Omit<PushObservation, "id" | "userId" | "campaignId" | "slotId"> & {
      id: string;
      userKey: string;
      slotKey: string | null;
    }
  >`
    select o.id, o.user_key as "userKey", o.slot_key as "slotKey", o.installation_id as "installationId", o.digest,
      o.binding_generation as "bindingGeneration", o.sequence, o.received_order as "order", o.received_at as "receivedAt",
      o.command
    from ${t.pushObservations} o
    where o.campaign_id = ${campaignId} and o.project_id = ${projectId} and not o.is_test
    order by o.id ${page(window)}`.execute(db);
  return rows.map(({ id, userKey, slotKey, ...row }) => ({
    id: apiId("pob", id),
    campaignId: apiId("cmp", campaignId),
    userId: apiId("eu", userKey),
    slotId: slotKey === null ? null : slotId(slotKey),
    ...row,
  }));
}

export async function listConversions(
  db: Db,
  sending: Sending,
  window: PageBounds,
): Promise<PushConversion[]> {
  const { projectId, campaignId } = sending;
  const { rows } = await sql<{
    id: string;
    userKey: string;
    occasion: number;
    eventId: string;
    engagementId: string;
    order: number;
    convertedAt: number;
  }>`
    select v.id, v.user_key as "userKey", v.occasion, v.event_id as "eventId", v.engagement_id as "engagementId",
      v.converted_order as "order", v.converted_at as "convertedAt"
    from ${t.pushConversions} v
    where v.campaign_id = ${campaignId} and v.project_id = ${projectId} order by v.id ${page(window)}`.execute(
    db,
  );
  return rows.map(({ id, userKey, occasion, engagementId, ...row }) => ({
    id: apiId("pcv", id),
    campaignId: apiId("cmp", campaignId),
    deliveryId: deliveryId({ userKey, campaignId, occasion }),
    userId: apiId("eu", userKey),
    engagementId: apiId("pen", engagementId),
    ...row,
  }));
}
