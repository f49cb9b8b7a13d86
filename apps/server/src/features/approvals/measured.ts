import type { Db } from "../../platform/db/db.ts";
import { editedBy, mutationOf, type ProposalRow } from "../agent/evaluations/public.ts";
import { findCampaign } from "../campaigns/authoring/public.ts";
import type { CampaignDetail } from "../campaigns/authoring/schema.ts";
import { hasBrokenSplit, readRestarts, readSetting } from "../deliveries/public.ts";
import type { CampaignVariants } from "../statistics/public.ts";
import type { Approval } from "./schema.ts";

/** The setting of a campaign once some of its texts are edited: an epoch begins, with other contents of these. */
function settingAfter(before: CampaignVariants, edited: ReadonlySet<string>): CampaignVariants {
  if (edited.size === 0) return before;
  const newest = Math.max(...before.allocations.map(({ epoch }) => epoch));
  const begun = before.allocations
    .filter(({ epoch }) => epoch === newest)
    .map((each) => ({
      ...each,
      epoch: newest + 1,
      contentDigest: edited.has(each.variantId) ? "edited" : each.contentDigest,
    }));
  return { variants: before.variants, allocations: [...before.allocations, ...begun] };
}

/** What a proposal that people can decide would cost of what was counted, and whether the split speaks against what it claims. */
export async function measuredOf(
  { db, projectId, now }: { db: Db; projectId: string; now: number },
  row: ProposalRow,
  { isOpen, claims, variants }: { isOpen: boolean; claims: number; variants: CampaignDetail["variants"] },
): Promise<Pick<Approval, "isSplitBroken" | "restarts">> {
  const campaign = isOpen ? await findCampaign(db, projectId, row.campaignId) : null;
  if (campaign === null) return { isSplitBroken: false, restarts: [] };
  const before = await readSetting(db, projectId, campaign.id);
  const after = settingAfter(before, await editedBy(mutationOf(row), campaign, variants));
  return {
    isSplitBroken: claims > 0 && (await hasBrokenSplit(db, projectId, campaign.id)),
    restarts: await readRestarts(db, campaign, { before, after, evaluatedAt: now }),
  };
}
