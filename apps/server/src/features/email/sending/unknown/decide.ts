import { type DeliveryKey, deliveryId, deliveryText, parseDeliveryId } from "../../../../domain/ids.ts";
import { clientOf } from "../../../../platform/db/batch/client-of.ts";
import type { Db } from "../../../../platform/db/db.ts";
import type { PeriodOf } from "../../../counting/usage/public.ts";
import { keyOfRow, recordDeliveryEvents } from "../../../deliveries/public.ts";
import { acceptUnknown } from "../send/accept-store.ts";
import { findSendState, lockUnknown, resendUnknown } from "./store.ts";

/** By whom (for the log, 1 to 80 characters) and when (epoch milliseconds) something is decided. */
export type UnknownSendDecision = { by: string; at: number };

export const REFUSALS = ["not_found", "not_unknown", "user_erased", "campaign_ended"] as const;

/** Why nothing was decided about a message, and the status of its send; null where there is no such message. */
export type RefusedDecision = {
  deliveryId: string;
  because: (typeof REFUSALS)[number];
  status: string | null;
};

/** What became of a decision about messages, by their ids. */
export type DecidedSends = { decided: string[]; refused: RefusedDecision[] };

async function refusalOf(
  db: Db,
  projectId: string,
  id: string,
  verdict: "resend" | "sent",
): Promise<RefusedDecision> {
  const ref = parseDeliveryId(id);
  const state = ref && (await findSendState(db, projectId, ref));
  if (state === null) return { deliveryId: id, because: "not_found", status: null };
  const { status, hasUser, campaignStatus } = state;
  const refused = { deliveryId: id, status };
  if (status === "unknown" && verdict === "resend" && !hasUser) return { ...refused, because: "user_erased" };
  const hasEnded = status === "unknown" && verdict === "resend" && campaignStatus === "ended";
  return { ...refused, because: hasEnded ? "campaign_ended" : "not_unknown" };
}

/** Which of two deliveries all statements lock first. A lane is the beginning of its user's key. */
const inLockOrder = (one: DeliveryKey, other: DeliveryKey): number => {
  const places = [one, other].map(({ userKey, campaignId }) => userKey + campaignId);
  const [first = "", second = ""] = places;
  return first === second ? one.occasion - other.occasion : first < second ? -1 : 1;
};

/** The deliveries of ids, each once, in the order in which all statements lock them; and the texts that are no such ids. */
function inOrder(ids: readonly string[]): { refs: DeliveryKey[]; others: string[] } {
  const distinct = [...new Set(ids)];
  const refs = distinct.flatMap((id) => parseDeliveryId(id) ?? []);
  return {
    refs: refs.sort(inLockOrder),
    others: distinct.filter((id) => parseDeliveryId(id) === null),
  };
}

/**
 * Queues unknown messages again, because a person decided so. Of two decisions about one message the first counts. Needs a transaction.
 */
export async function resendThese(
  tx: Db,
  projectId: string,
  deliveryIds: readonly string[],
  decision: UnknownSendDecision,
): Promise<DecidedSends> {
  const { refs, others } = inOrder(deliveryIds);
  const decided: string[] = [];
  const left: string[] = [...others];
  for (const ref of refs) {
    const id = deliveryId(ref);
    (await resendUnknown(tx, projectId, ref, decision)) ? decided.push(id) : left.push(id);
  }
  return { decided, refused: await refusalsOf(tx, projectId, left, "resend") };
}

async function refusalsOf(
  tx: Db,
  projectId: string,
  ids: readonly string[],
  verdict: "resend" | "sent",
): Promise<RefusedDecision[]> {
  const refused: RefusedDecision[] = [];
  for (const id of ids) refused.push(await refusalOf(tx, projectId, id, verdict));
  return refused;
}

/**
 * Marks unknown messages as sent, because a person knows that they arrived: as if the mail server had said so. Of two decisions about one
 * message the first counts. Needs a transaction. @param isDelivered whether acceptance counts as delivery, because no provider reports more
 */
export async function markSent(
  tx: Db,
  projectId: string,
  deliveryIds: readonly string[],
  { by, at, periodOf, isDelivered }: UnknownSendDecision & { periodOf: PeriodOf; isDelivered: boolean },
): Promise<DecidedSends> {
  const { refs } = inOrder(deliveryIds);
  const client = clientOf(tx);
  const unknown = await lockUnknown(
    client,
    refs.map((ref) => ({ ...ref, projectId })),
  );
  const leftAt = new Map(unknown.map((row) => [keyOfRow(row), row]));
  const proven = refs.flatMap((ref) => {
    const row = leftAt.get(deliveryText(ref));
    return row === undefined ? [] : [{ ...ref, projectId, row }];
  });
  const events = proven.flatMap(({ row, ...delivery }) => {
    const instant = Math.min(row.left_at, at);
    // An erased user is counted under no period any more.
    const period = row.has_user ? periodOf(instant) : null;
    const sent = { ...delivery, event: "sent" as const, at: instant, period };
    return isDelivered ? [sent, { ...sent, event: "delivered" as const, period: null }] : [sent];
  });
  if (events.length > 0) await recordDeliveryEvents(client, events);
  const response = `marked as sent by ${by}`;
  const proofs = proven.map(({ row, ...delivery }) => ({ ...delivery, at, response }));
  if (proofs.length > 0) await acceptUnknown(client, proofs);
  const decided = proven.map(deliveryId);
  const left = [...new Set(deliveryIds)].filter((id) => !decided.includes(id));
  return { decided, refused: await refusalsOf(tx, projectId, left, "sent") };
}
