import type { Db } from "../../../platform/db/db.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { canonicalHash } from "../../../platform/text/canonical.ts";
import { onceIfSet, topicIfSet, visitorsIfMet } from "./rules.ts";
import { type CampaignRow, listVariants, type VariantRow } from "./store.ts";
import { timingIfSet } from "./timing.pure.ts";

/**
 * A digest of all that a request can change of a campaign, its status included: the author of a draft has not seen that it runs by now.
 * Two campaigns with the same content have different ones.
 */
export const revisionOf = (
  {
    id,
    name,
    status,
    audience,
    visitors,
    pages,
    goalId,
    deliverFrom,
    deliverUntil,
    once,
    push,
    topicId,
    sendTime,
    priority,
    patienceHours,
    urgent,
  }: CampaignRow,
  variants: readonly VariantRow[],
): string =>
  canonicalHash({
    id,
    name,
    status,
    audience,
    pages,
    goalId,
    deliverFrom,
    deliverUntil,
    push,
    ...onceIfSet({ once }),
    ...topicIfSet({ topicId }),
    ...timingIfSet({ sendTime, priority, patienceHours, urgent }),
    ...visitorsIfMet({ visitors }),
    variants: variants.map(({ id: variantId, name: called, weight, isControl, content }) => ({
      id: variantId,
      name: called,
      weight,
      isControl,
      content,
    })),
  });

/**
 * Refuses a change whose author has not seen the campaign as it is. Needs the transaction that locked the campaign.
 * @throws ApiError conflict `stale_revision`
 */
export async function assertRevision(
  db: Db,
  campaign: CampaignRow,
  expected: string | undefined,
): Promise<void> {
  if (expected === undefined) return;
  const revision = revisionOf(campaign, await listVariants(db, campaign.projectId, campaign.id));
  if (revision === expected) return;
  throw new ApiError(
    "conflict",
    "expectedRevision is stale: the campaign has changed since. Read it again, and change it once more.",
    { fields: { reason: "stale_revision", revision } },
  );
}
