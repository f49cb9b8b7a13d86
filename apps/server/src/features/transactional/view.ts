import { apiId, deliveryId, parseDeliveryId } from "../../domain/ids.ts";
import type { Ctx } from "../../platform/http/contract/endpoint.ts";
import { OWN_MAIL, sendStateOf } from "./rules.ts";
import type { Send, SendDetail } from "./schema.ts";
import { findSendRow, listMailAttempts, listSendFiles, type SendRow } from "./store.ts";

const SUPPRESSED = "The address does not exist, or does not want such mail.";

/** Why a mail waits or did not arrive, in words for people. */
function reasonOf({ status, statusReason, campaignStatus }: SendRow): string | null {
  if (status === "suppressed") return SUPPRESSED;
  if (status === "waiting" && campaignStatus !== "running")
    return campaignStatus === "ended"
      ? "Its template was ended before it left."
      : "Its template is paused: it leaves once that is live again.";
  return statusReason;
}

/** A mail as the API shows it. */
export function toSend(row: SendRow): Send {
  const { templateKey, isSensitive, request } = row;
  return {
    id: deliveryId(row),
    state: sendStateOf(row.status, row.state),
    template: templateKey === OWN_MAIL ? null : templateKey,
    campaignId: apiId("cmp", row.campaignId),
    externalUserId: row.externalId ?? "",
    to: row.address,
    subject: isSensitive ? null : (request?.subject ?? null),
    tags: request?.tags ?? {},
    reason: reasonOf(row),
    requestedAt: row.requestedAt,
    sendAt: row.sendAt,
    sentAt: row.sentAt,
    deliveredAt: row.deliveredAt,
    openedAt: row.openedAt,
    clickedAt: row.clickedAt,
    bouncedAt: row.bouncedAt,
    complainedAt: row.complainedAt,
  };
}

/** A mail with what it was filled with and its attempts; null where the project has none of this id. */
export async function findSend(
  { db, projectId }: Pick<Ctx, "db" | "projectId">,
  id: string,
): Promise<SendDetail | null> {
  const key = parseDeliveryId(id);
  const row = key === null ? null : await findSendRow(db, projectId, key);
  if (key === null || row === null) return null;
  return {
    ...toSend(row),
    data: row.isSensitive || row.request === null ? null : { ...row.request.data },
    files: await listSendFiles(db, projectId, key),
    attempts: await listMailAttempts(db, projectId, key),
  };
}
