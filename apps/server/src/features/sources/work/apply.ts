import { uuidFor } from "../../../domain/ids.ts";
import type { Ctx } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { newUuid } from "../../../platform/uuid.ts";
import {
  changeCampaign,
  declareChanges,
  findCampaign,
  listDeclared,
} from "../../campaigns/authoring/public.ts";
import type { CampaignDetail } from "../../campaigns/authoring/schema.ts";
import {
  addContribution,
  type ContributionRow,
  listContributions,
  moveContribution,
  withdrawContributions,
} from "./contribution-store.ts";
import { type Edit, patched, type TextPatch } from "./edits.pure.ts";
import type { RefRow } from "./ref-store.ts";
import { type Announced, type ContributionMove, redeclared } from "./rules.ts";

const refuse = (message: string): ApiError => new ApiError("invalid_request", message);

const announcedBy = (contributions: readonly ContributionRow[]): Announced[] =>
  contributions.flatMap(({ kind, sourceId, number, shas, withdrawnAt }) =>
    kind === "withdraw" ? [] : [{ sourceId, number, shas, isWithdrawn: withdrawnAt !== null }],
  );

/**
 * Changes the contributions to a campaign (UUID, locked), and has it announce what they bring then; what people declared stays.
 * @throws ApiError where that is more than a campaign announces
 */
export async function contribute(ctx: Ctx, campaignId: string, change: () => Promise<void>): Promise<void> {
  const { db, projectId } = ctx;
  const read = async () => announcedBy(await listContributions(db, projectId, [campaignId]));
  const before = await read();
  await change();
  const declared = (await listDeclared(db, projectId, [campaignId])).get(campaignId) ?? [];
  const changes = redeclared(
    declared.map((each) => each.change),
    before,
    await read(),
  );
  if (changes === null)
    throw refuse("shas: a campaign announces at most 100 changes, and 250 commits of a pull request");
  await declareChanges(ctx, campaignId, changes);
}

/** Writes the commits that contributions have become. Needs their campaigns locked. */
export async function applyMoves(ctx: Ctx, ref: RefRow, moves: readonly ContributionMove[]): Promise<void> {
  for (const [campaignId, group] of Map.groupBy(moves, (move) => move.campaignId))
    await contribute(ctx, campaignId, async () => {
      for (const move of group) await moveContribution(ctx.db, ctx.projectId, ref.id, move);
    });
}

/**
 * Changes the texts of a draft (locked) by a patch, by the rules of its channel; answers the edits. `at` is the place of the patch in the
 * request. @throws ApiError that names the field
 */
export async function applyPatch(
  ctx: Ctx,
  campaign: CampaignDetail,
  patch: TextPatch,
  at: string,
): Promise<{ edits: Edit[]; nameEdit: ContributionRow["nameEdit"] }> {
  const done = patched(campaign, patch);
  if ("fault" in done) throw refuse(`${at}.${done.path} ${done.fault}`);
  const { name, variants, edits } = done;
  if (name === null && variants.length === 0) return { edits, nameEdit: null };
  const row = await findCampaign(ctx.db, ctx.projectId, uuidFor("cmp", campaign.id), "for update");
  if (row === null) throw new ApiError("not_found", "Campaign not found");
  try {
    await changeCampaign(ctx, row, {
      ...(name === null ? {} : { name }),
      ...(variants.length === 0 ? {} : { variants }),
    });
  } catch (error) {
    if (error instanceof ApiError && error.code === "invalid_request")
      throw refuse(`${at}: ${error.message}`);
    throw error;
  }
  return { edits, nameEdit: patch.name ?? null };
}

/** Where something is taken back: the ref that did, and the run that says why. */
export type Because = { ref: RefRow; runId: string };

/** Takes contributions of a draft (locked) back, with what its texts become, and has it announce them no longer. */
export async function withdraw(
  ctx: Ctx,
  { campaign, contributionIds }: { campaign: CampaignDetail; contributionIds: readonly string[] },
  { patch, at }: { patch: TextPatch; at: string },
  { ref, runId }: Because,
): Promise<void> {
  const { db, projectId, now } = ctx;
  const campaignId = uuidFor("cmp", campaign.id);
  const { edits, nameEdit } = await applyPatch(ctx, campaign, patch, at);
  await contribute(ctx, campaignId, async () => {
    await withdrawContributions(db, projectId, contributionIds, now);
    await addContribution(db, projectId, {
      id: newUuid(now),
      campaignId,
      kind: "withdraw",
      sourceId: ref.sourceId,
      refId: ref.id,
      number: null,
      shas: [],
      edits,
      nameEdit,
      runId,
      createdAt: now,
    });
  });
}
