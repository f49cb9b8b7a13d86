import { apiId } from "../../../domain/ids.ts";
import type { Ctx } from "../../../platform/http/contract/endpoint.ts";
import { isFromSource } from "../../campaigns/authoring/rules.ts";
import type { CampaignDetail } from "../../campaigns/authoring/schema.ts";
import { contentHashOf, readDetail } from "../../launch/public.ts";
import { type ContributionRow, listContributions, listDrafts } from "./contribution-store.ts";
import { editedByOthers, type TextPatch, undoing } from "./edits.pure.ts";
import type { Withdrawal } from "./rules.ts";
import type { SourceClaim } from "./schema.ts";

type Within = Pick<Ctx, "db" | "projectId" | "now">;

/** As many drafts as a claim lists. */
const MOST_DRAFTS = 100;

/** The newest campaigns that were never launched, with what an agent has to know before it changes one. */
export async function viewDrafts({ db, projectId, now }: Within): Promise<SourceClaim["drafts"]> {
  const rows = await listDrafts(db, projectId, MOST_DRAFTS);
  const ids = rows.map(({ id }) => id);
  const contributions = Map.groupBy(
    await listContributions(db, projectId, ids),
    ({ campaignId }) => campaignId,
  );
  const drafts: SourceClaim["drafts"] = [];
  for (const { id, createdBy, isApproved } of rows) {
    const campaign = await readDetail(db, projectId, id, now);
    const isSource = isFromSource({ createdBy });
    drafts.push({
      campaignId: campaign.id,
      origin: isSource ? "source" : "customer",
      contentHash: contentHashOf(campaign),
      customerEditedFields: editedByOthers(campaign, isSource ? "" : null, contributions.get(id) ?? []),
      review: isApproved ? "approved" : "pending",
      campaign,
    });
  }
  return drafts;
}

/** What is taken back of a draft. `isExact`: whether the patch takes back all of it, so that nothing has to be written anew. */
export type DraftWithdrawal = {
  campaign: CampaignDetail;
  contributions: readonly ContributionRow[];
  contributionIds: readonly string[];
  patch: TextPatch;
  isExact: boolean;
};

/** What is taken back of a draft, and how its texts can be as they were before. */
export async function viewTakenBack(
  { db, projectId, now }: Within,
  { campaignId, contributionIds }: Withdrawal,
): Promise<DraftWithdrawal> {
  const campaign = await readDetail(db, projectId, campaignId, now);
  const contributions = await listContributions(db, projectId, [campaignId]);
  const gone = contributions.filter(({ id }) => contributionIds.includes(id));
  const isLeft = contributions.some(
    ({ id, kind, withdrawnAt }) =>
      kind !== "withdraw" && withdrawnAt === null && !contributionIds.includes(id),
  );
  const begunWith = gone.some(({ kind }) => kind === "create");
  // A campaign of which nothing is left keeps its texts: it waits as withdrawn.
  if (begunWith && !isLeft) return { campaign, contributions, contributionIds, patch: {}, isExact: true };
  const { patch, isExact } = undoing(campaign, gone.filter(({ kind }) => kind === "revise").toReversed());
  return { campaign, contributions, contributionIds, patch, isExact: isExact && !begunWith };
}

/** What is taken back, as a claim shows it. */
export const toWithdrawal = ({ campaign, contributions, contributionIds, patch }: DraftWithdrawal) => ({
  campaignId: campaign.id,
  contributions: contributions
    .filter(({ kind }) => kind !== "withdraw")
    .map(({ id, ordinal, withdrawnAt, edits }) => ({
      id: apiId("con", id),
      ordinal,
      edits,
      withdrawn: withdrawnAt !== null || contributionIds.includes(id),
    })),
  patch,
});
