import type { Delivery } from "../deliveries/schema.ts";
import type { Column } from "./lines.pure.ts";

type OfCampaign = { campaignId: string; campaignName: string };

/** A delivery in a file, with its campaign. */
export type FiledDelivery = OfCampaign & Omit<Delivery, "variantTitle">;

/** The mail of a delivery. `code`, `response`: what the mail server answered last. */
export type FiledSend = OfCampaign &
  Pick<
    Delivery,
    "id" | "endUserId" | "externalUserId" | "queuedAt" | "sentAt" | "deliveredAt" | "bouncedAt"
  > & {
    address: string | null;
    status: "waiting" | "sending" | "accepted" | "unknown" | "failed" | "capped" | "suppressed" | "withdrawn";
    reason: string | null;
    attempts: number;
    code: number | null;
    response: string | null;
  };

const identity = [
  ["id", ({ id }) => id],
  ["campaignId", ({ campaignId }) => campaignId],
  ["campaignName", ({ campaignName }) => campaignName],
  ["endUserId", ({ endUserId }) => endUserId],
  ["externalUserId", ({ externalUserId }) => externalUserId],
] as const satisfies readonly Column<OfCampaign & Pick<Delivery, "id" | "endUserId" | "externalUserId">>[];

export const DELIVERY_EXTRACT_COLUMNS: readonly Column<FiledDelivery>[] = [
  ...identity,
  ["variantId", ({ variantId }) => variantId],
  ["variantName", ({ variantName }) => variantName],
  ["state", ({ state }) => state],
  ["queuedAt", ({ queuedAt }) => queuedAt, "instant"],
  ["sentAt", ({ sentAt }) => sentAt, "instant"],
  ["deliveredAt", ({ deliveredAt }) => deliveredAt, "instant"],
  ["shownAt", ({ shownAt }) => shownAt, "instant"],
  ["openedAt", ({ openedAt }) => openedAt, "instant"],
  ["clickedAt", ({ clickedAt }) => clickedAt, "instant"],
  ["dismissedAt", ({ dismissedAt }) => dismissedAt, "instant"],
  ["bouncedAt", ({ bouncedAt }) => bouncedAt, "instant"],
  ["complainedAt", ({ complainedAt }) => complainedAt, "instant"],
  ["unsubscribedAt", ({ unsubscribedAt }) => unsubscribedAt, "instant"],
  ["convertedAt", ({ convertedAt }) => convertedAt, "instant"],
];

export const SEND_COLUMNS: readonly Column<FiledSend>[] = [
  ...identity,
  ["address", ({ address }) => address],
  ["status", ({ status }) => status],
  ["reason", ({ reason }) => reason],
  ["attempts", ({ attempts }) => attempts, "number"],
  ["queuedAt", ({ queuedAt }) => queuedAt, "instant"],
  ["sentAt", ({ sentAt }) => sentAt, "instant"],
  ["deliveredAt", ({ deliveredAt }) => deliveredAt, "instant"],
  ["bouncedAt", ({ bouncedAt }) => bouncedAt, "instant"],
  ["code", ({ code }) => code, "number"],
  ["response", ({ response }) => response],
];
