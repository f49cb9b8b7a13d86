import type { Ctx } from "../../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../../platform/http/contract/errors.ts";
import { requireCampaign } from "../../../campaigns/authoring/public.ts";
import type { PushInspection } from "../schema.ts";
import { listConversions, listObservations } from "./effects-store.ts";
import type { PauseReason } from "./sending-store.ts";
import { listRecipients, listSlots } from "./slots-store.ts";
import { listAttempts, listOutcomes, listTargets } from "./submissions-store.ts";
import { countTotals, type Totals } from "./totals-store.ts";

type Campaign = Awaited<ReturnType<typeof requireCampaign>>;

/** @throws ApiError not_found, or conflict for a campaign of another channel. */
export async function requirePushCampaign(ctx: Ctx, id: string): Promise<Campaign> {
  const campaign = await requireCampaign(ctx, id);
  if (campaign.channel !== "push") throw new ApiError("conflict", "This is not a push campaign.");
  return campaign;
}

/** Why a push campaign sends nothing at an instant (epoch milliseconds), or null. */
export function pauseReasonOf(
  { status, deliverFrom, deliverUntil }: Pick<Campaign, "status" | "deliverFrom" | "deliverUntil">,
  now: number,
): PauseReason {
  if (status === "paused") return "campaign_paused";
  const isOpen =
    (deliverFrom === null || deliverFrom <= now) && (deliverUntil === null || now < deliverUntil);
  return isOpen ? null : "window";
}

function summary(totals: Totals) {
  const { slots, recipients, targets, attempts, pending, observations, conversions } = totals;
  const { recipientsWaiting, recipientsActive } = totals;
  const records = {
    targets,
    attempts,
    outcomes: attempts - pending,
    observations,
    conversions,
    recipients,
    slots,
  };
  return {
    users: {
      targeted: totals.usersTargeted,
      accepted: totals.usersAccepted,
      engaged: totals.engaged,
      converted: totals.converted,
    },
    devices: {
      targeted: totals.targeted,
      attempts,
      accepted: totals.accepted,
      receiptObserved: totals.receiptObserved,
      receiptUnknown: totals.receiptUnknown,
      confirmedSubmissions: totals.confirmed,
      possibleSubmissions: totals.possible,
      preSendBlocks: totals.blocks,
      pendingOutcomes: pending,
      waiting: totals.waiting,
    },
    planning: {
      waiting: recipientsWaiting,
      active: recipientsActive,
      closed: recipients - recipientsWaiting - recipientsActive,
    },
    testTargets: totals.testTargets,
    records,
  };
}

const mapValues = <Key extends string>(counts: Record<Key, number>, change: (count: number) => number) =>
  Object.fromEntries(Object.entries<number>(counts).map(([name, count]) => [name, change(count)])) as Record<
    Key,
    number
  >;

/** A page of each collection of a push campaign, and totals of the whole campaign. They agree where `db` reads at one instant. */
export async function inspectCampaign(
  { db, projectId }: Pick<Ctx, "db" | "projectId">,
  campaign: Campaign,
  { page, perPage, now }: { page: number; perPage: number; now: number },
): Promise<PushInspection> {
  const pauseReason = pauseReasonOf(campaign, now);
  const sending = { projectId, campaignId: campaign.id, testId: null };
  const window = { offset: (page - 1) * perPage, limit: perPage };
  const counted = await countTotals(db, projectId, campaign.id, pauseReason);
  const totals = summary(counted);
  return {
    targets: await listTargets(db, sending, window),
    attempts: await listAttempts(db, sending, window),
    outcomes: await listOutcomes(db, sending, window),
    observations: await listObservations(db, sending, window),
    conversions: await listConversions(db, sending, window),
    recipients: await listRecipients(db, sending, window),
    slots: await listSlots(db, sending, { pauseReason, now }, window),
    ...totals,
    pageCounts: mapValues(totals.records, (count) => Math.ceil(count / perPage)),
    page,
    perPage,
    evaluatedAt: now,
  };
}
